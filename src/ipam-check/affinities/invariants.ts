// The invariants of ownership: block affinities against blocks, nodes and pools, and the blocks that nodes keep.
// The code of the rules is next to this file; docs/reference/ipam.md has them in words.
import type { Invariant } from '../invariant.ts';

export const affinityInvariants = {
  'INV-24': {
    title: 'pool no longer selects the node of the block',
    severities: ['info', 'warning'],
    needs: ['BlockAffinity', 'IPPool', 'Node'],
    meaning:
      'The node assigns no new addresses from the block. An empty block only keeps its range from other nodes; Calico releases it at the next allocation on that node.',
    whatToDo:
      'Run calictl ipam check --fix to release the block if it is empty. Otherwise recreate the pods that have addresses in it.',
  },
  'INV-25': {
    title: 'empty block in a disabled pool',
    severities: ['info'],
    needs: ['BlockAffinity', 'IPPool', 'Node'],
    meaning: 'No new addresses are assigned from a disabled pool, so the block is of no use.',
    whatToDo: 'Run calictl ipam check --fix to release the block.',
  },
  'INV-28': {
    title: 'block owner has no affinity for the block',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPPool'],
    meaning: 'The owner does not find the block among its affinities and assigns no addresses from it.',
    whatToDo:
      'Run calictl ipam check --fix to create and confirm the affinity. An empty block of a node or pool that no longer exists is deleted instead.',
  },
  'INV-29': {
    title: 'affinity for a block that does not exist',
    severities: ['warning', 'info'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning:
      'It counts as a block of the node and may be advertised. A confirmed affinity becomes a block at the next allocation.',
    whatToDo: 'Run calictl ipam check --fix to delete the affinity. Findings of severity info need no action.',
  },
  'INV-30': {
    title: 'affinity for a block of another owner',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning: 'The block decides who owns it, so this affinity is stale.',
    whatToDo: 'Run calictl ipam check --fix to delete the affinity.',
  },
  'INV-31': {
    title: 'several confirmed affinities for one block',
    severities: ['error'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning: 'Traffic for the block can be routed to the wrong node.',
    whatToDo: 'Run calictl ipam check --fix to delete the affinities of owners that the block does not name.',
  },
  'INV-32': {
    title: 'affinity was never confirmed',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning: 'Routing ignores pending affinities: other nodes have no route to the block as a whole.',
    whatToDo: 'Run calictl ipam check --fix to confirm the affinity.',
  },
  'INV-33': {
    title: 'affinity release was not completed',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning: 'The affinity is still advertised, and its node cannot assign addresses from the block.',
    whatToDo:
      'Run calictl ipam check --fix: the affinity is confirmed again if its node exists, and released if it does not.',
  },
  'INV-34': {
    title: 'affinity deletion was not completed',
    severities: ['warning'],
    needs: ['BlockAffinity'],
    meaning: 'The affinity is marked as deleted but still exists; Calico hides it from lists.',
    whatToDo: 'Run calictl ipam check --fix to complete the deletion.',
  },
  'INV-35': {
    title: 'name or labels of an affinity do not match its spec',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool'],
    meaning: 'Nodes find their affinities by label and read them by name, so the node does not see this one.',
    whatToDo:
      'Run calictl ipam check --fix to set its type and labels. If the name is wrong, let the node claim the block again and delete this affinity.',
  },
  'INV-36': {
    title: 'affinity of a node that does not exist',
    severities: ['warning'],
    needs: ['BlockAffinity', 'IPAMBlock', 'IPPool', 'Node'],
    meaning: 'The node was removed, but its blocks are still reserved for it.',
    whatToDo:
      'Run calictl ipam check --fix to release empty blocks. If addresses are still allocated in the block, release them first.',
  },
  'INV-37': {
    title: 'type and name of a block owner do not match',
    severities: ['error', 'warning'],
    needs: ['BlockAffinity', 'Node'],
    meaning:
      'The only virtual owner is load-balancer. A node of that name would share affinity names with the LoadBalancer services.',
    whatToDo:
      'Give the node another name. Delete an affinity or block of an unknown virtual owner by hand when the block is empty.',
  },
  'INV-38': {
    title: 'node owns more blocks than allowed',
    severities: ['warning'],
    needs: ['IPAMConfig', 'Node'],
    meaning:
      'The limit is maxBlocksPerHost (20 if it is not set) per address family. The node claims no more blocks and does not borrow addresses.',
    whatToDo: 'Run calictl ipam check --fix to release surplus empty blocks (INV-39), or raise maxBlocksPerHost.',
  },
  'INV-39': {
    title: 'node keeps an empty block that it does not need',
    severities: ['info'],
    needs: ['BlockAffinity', 'IPPool', 'Node'],
    meaning:
      'The node has other blocks of the family, and nothing was assigned from this one during the grace period. Calico releases such blocks after a while.',
    whatToDo: 'Run calictl ipam check --fix to release the block. The node keeps one block per family.',
  },
  'INV-40': {
    title: 'node that is not ready owns unused blocks',
    severities: ['info'],
    needs: ['IPAMBlock', 'Node'],
    meaning: 'The blocks are kept for a node that may not come back.',
    whatToDo: 'Bring the node back, or delete it so that its blocks are released (INV-36).',
  },
  'INV-70': {
    title: 'node name of the CNI plugin is not that of the Node object',
    severities: ['error'],
    needs: ['IPAMBlock', 'Node', 'Pod'],
    meaning:
      'Addresses and blocks are recorded for a node that does not exist. Calico assumes that the pods moved: its garbage collector can release addresses that they use.',
    whatToDo:
      'Set the node name in the CNI configuration (nodename) and in /var/lib/calico/nodename to that of the Node object, then recreate the pods of the node.',
  },
} satisfies Record<string, Invariant>;
