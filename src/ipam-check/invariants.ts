// The invariants that the check judges: what each says, how bad a breach is, what to do about it.
// docs/reference/invariants.md is made from this table; the rules are those of docs/reference/ipam.md.

/** `error`: address safety or allocation is broken; `warning`: waste or future trouble. */
export type Severity = 'error' | 'warning' | 'info';

export type InvariantGroup = 'blocks' | 'pools' | 'affinities' | 'handles' | 'usage' | 'policy';

export interface Invariant {
  /** The heading of a finding: what is wrong. */
  readonly title: string;
  readonly group: InvariantGroup;
  /** The severities that a finding of it can have, the usual one first. */
  readonly severities: readonly [Severity, ...Severity[]];
  /** What it means for the cluster. */
  readonly meaning: string;
  readonly whatToDo: string;
}

const table = {
  'INV-01': {
    title: 'block has a name that does not belong to its CIDR',
    group: 'blocks',
    severities: ['error'],
    meaning: 'Calico looks a block up by the name made from its CIDR, so it does not see this one or its allocations.',
    whatToDo: 'Copy the block to the right name by hand when no such block exists, then delete the misnamed one.',
  },
  'INV-02': {
    title: 'block CIDR cannot be right',
    group: 'blocks',
    severities: ['error'],
    meaning: 'The CIDR does not parse, has host bits, is not spelled canonically, or has a size that no block has.',
    whatToDo: 'Find out who wrote the object; drain its addresses and delete it by hand. Nothing else in it is judged.',
  },
  'INV-03': {
    title: 'block has an allocation array of the wrong length',
    group: 'blocks',
    severities: ['error'],
    meaning: 'Every address needs one entry; Calico components crash on a shorter array.',
    whatToDo: 'Restore the block from a backup, or lengthen the array by hand for ordinals that are provably free.',
  },
  'INV-04': {
    title: 'allocation points to an attribute that does not exist',
    group: 'blocks',
    severities: ['error'],
    meaning: 'Nobody can tell whose address it is, and some Calico components crash on it.',
    whatToDo:
      'With --fix the address is freed when nothing uses it. Otherwise delete the pod that uses it, then check again.',
  },
  'INV-05': {
    title: 'free list of the block names an address that the block does not have',
    group: 'blocks',
    severities: ['error'],
    meaning: 'An allocation would be made from outside the block.',
    whatToDo: 'Run with --fix: the entry is dropped.',
  },
  'INV-06': {
    title: 'free list of the block names an address twice',
    group: 'blocks',
    severities: ['error'],
    meaning: 'The address would be handed out to two owners.',
    whatToDo: 'Run with --fix: one entry is kept.',
  },
  'INV-07': {
    title: 'address is allocated and in the free list at once',
    group: 'blocks',
    severities: ['error'],
    meaning: 'The address would be handed out although somebody has it.',
    whatToDo: 'Run with --fix: the address is taken out of the free list, its owner keeps it.',
  },
  'INV-08': {
    title: 'address is neither allocated nor in the free list',
    group: 'blocks',
    severities: ['warning'],
    meaning: 'The address is lost: it can never be handed out.',
    whatToDo: 'Run with --fix: the address is put at the end of the free list, unless something uses it.',
  },
  'INV-09': {
    title: 'block keeps an attribute that no address has',
    group: 'blocks',
    severities: ['warning'],
    meaning: 'A search by handle finds an owner that has no address here.',
    whatToDo: 'Run with --fix: the attribute is removed.',
  },
  'INV-10': {
    title: 'block holds the same attribute twice',
    group: 'blocks',
    severities: ['info'],
    meaning: 'Harmless; it only makes the block larger.',
    whatToDo: 'Nothing. The copies are merged when another repair rewrites the block.',
  },
  'INV-11': {
    title: 'allocation has no handle',
    group: 'usage',
    severities: ['warning', 'info'],
    meaning:
      'A release by handle, which is how pods give addresses back, does not find it. Old tunnel addresses are made so (info).',
    whatToDo:
      'Restart the pod, or release the address when nothing uses it. A tunnel address gets a handle when calico-node restarts.',
  },
  'INV-12': {
    title: 'sequence numbers of allocations do not fit the block',
    group: 'blocks',
    severities: ['error', 'warning', 'info'],
    meaning:
      'Releases are guarded by these numbers: a wrong one guards nothing (error), a missing one counts as 0 (warning). Those of free addresses do no harm and are in every cluster (info).',
    whatToDo:
      'Nothing about an info. Otherwise restart the pods of the addresses named, one after the other; they get new numbers.',
  },
  'INV-13': {
    title: 'sequence number of the block is no time of creation',
    group: 'blocks',
    severities: ['info'],
    meaning: 'Blocks of old releases count from 0. Ages of allocations without a time cannot be told from it.',
    whatToDo: 'Nothing.',
  },
  'INV-14': {
    title: 'deletion of a block was not finished',
    group: 'blocks',
    severities: ['warning'],
    meaning: 'The block is marked deleted but still there: lists show it, and its CIDR counts as taken.',
    whatToDo: 'Run with --fix: the deletion is finished, unless addresses are still recorded in the block.',
  },
  'INV-15': {
    title: 'owner of the block cannot be read',
    group: 'blocks',
    severities: ['error'],
    meaning: 'Neither a node nor anybody else allocates from the block, and its ownership cannot be released.',
    whatToDo:
      'Find out whose block it is, by the nodes of its addresses and by the claims for it, and set spec.affinity by hand.',
  },
  'INV-16': {
    title: 'block is not laid out for Windows',
    group: 'blocks',
    severities: ['error', 'warning'],
    meaning:
      'Windows itself uses the first three addresses and the last one of a block. A free one may be given to a pod (error).',
    whatToDo: 'Drain the block (restart its pods) and delete it when it is empty: the node makes a new one.',
  },
  'INV-17': {
    title: 'handle holds a carriage return',
    group: 'blocks',
    severities: ['info'],
    meaning:
      'Left by a migration from host-local. What stands before the carriage return is what counts; some tools show the whole.',
    whatToDo: 'Nothing; it goes with the pod.',
  },
  'INV-18': {
    title: 'blocks overlap',
    group: 'pools',
    severities: ['error'],
    meaning: 'The same address can be assigned twice, once from each block.',
    whatToDo: 'Drain the block that does not fit its pool (restart its pods), then delete it.',
  },
  'INV-19': {
    title: 'block lies in no pool',
    group: 'pools',
    severities: ['warning'],
    meaning: 'Its pool is gone: addresses in use keep working, but are neither managed nor used again.',
    whatToDo: 'Run with --fix when the block is empty; else restart its pods, so that they move to another pool.',
  },
  'INV-20': {
    title: 'block has another size than its pool prescribes',
    group: 'pools',
    severities: ['error'],
    meaning: 'Calico looks for another CIDR than this block has: it misses it and may create a block that overlaps it.',
    whatToDo: 'Restart the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-21': {
    title: 'block reaches beyond its pool',
    group: 'pools',
    severities: ['error'],
    meaning: 'Addresses outside the pool can be handed out.',
    whatToDo: 'Restart the pods that have addresses in it, then delete the block when it is empty.',
  },
  'INV-22': {
    title: 'block is empty and has no owner',
    group: 'pools',
    severities: ['warning'],
    meaning: 'Such a block is deleted with its last address; this one only keeps its CIDR from being used.',
    whatToDo: 'Run with --fix: the block is deleted.',
  },
  'INV-23': {
    title: 'block is in a pool that is not for its owner',
    group: 'pools',
    severities: ['warning'],
    meaning:
      'LoadBalancer addresses come from pools of that use only, and nodes take nothing from such pools: the block serves nobody.',
    whatToDo:
      'Run with --fix when the block is empty: it is released. Else give its addresses up first, or set allowedUses of the pool right.',
  },
  'INV-24': {
    title: 'pool no longer selects the node of a block',
    group: 'pools',
    severities: ['info', 'warning'],
    meaning:
      'The node takes no new address from the block. An empty one only keeps its range from others; Calico releases it at the next allocation on that node.',
    whatToDo:
      'Run with --fix when the block is empty: it is released. Else restart the pods that have addresses in it.',
  },
  'INV-25': {
    title: 'empty block in a disabled pool',
    group: 'pools',
    severities: ['info'],
    meaning: 'No new address comes from a disabled pool, so the block serves nobody.',
    whatToDo: 'Run with --fix: the block is released.',
  },
  'INV-26': {
    title: 'pool cannot be right',
    group: 'pools',
    severities: ['error'],
    meaning:
      'Its CIDR does not parse or overlaps that of another pool, its block size is not one of Calico, or not even one block fits into it.',
    whatToDo: 'Create a right pool, move the pods to it, then delete this one. The range of a pool cannot be changed.',
  },
  'INV-27': {
    title: 'no address is left',
    group: 'pools',
    severities: ['warning'],
    meaning:
      'Of a pool: every block is claimed and no address is free that is not reserved. Of a node: it has as many blocks as it may, all full. The next pod may get no address.',
    whatToDo:
      'Add a pool, or raise maxBlocksPerHost for a node. Look for leaked addresses first: the other findings tell.',
  },
  'INV-28': {
    title: 'node has no claim for a block that it owns',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'The owner does not find the block in its list of claims and does not allocate from it.',
    whatToDo:
      'Run with --fix: the claim is made and confirmed; an empty block of a node or a pool that is gone is deleted.',
  },
  'INV-29': {
    title: 'claim for a block that does not exist',
    group: 'affinities',
    severities: ['warning', 'info'],
    meaning:
      'It counts as a block of the node and may be advertised. A confirmed one becomes a block at the next allocation.',
    whatToDo: 'Run with --fix when it is a warning: the claim is dropped.',
  },
  'INV-30': {
    title: 'claim for a block that somebody else owns',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'The block decides who owns it; the claim is stale.',
    whatToDo: 'Run with --fix: the claim is dropped.',
  },
  'INV-31': {
    title: 'several nodes have a confirmed claim for one block',
    group: 'affinities',
    severities: ['error'],
    meaning: 'Traffic for the block may be routed to the wrong node.',
    whatToDo: 'Run with --fix: the claims that the block does not agree with are dropped.',
  },
  'INV-32': {
    title: 'claim was never confirmed',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'Routing ignores pending claims: other nodes have no route to the block as a whole.',
    whatToDo: 'Run with --fix: the claim is confirmed.',
  },
  'INV-33': {
    title: 'release of a claim was not finished',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'The claim is still advertised, and its node cannot allocate from the block.',
    whatToDo: 'Run with --fix: the claim is confirmed again when its node lives, else released.',
  },
  'INV-34': {
    title: 'deletion of a claim was not finished',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'The claim is marked deleted but still there; Calico hides it from lists.',
    whatToDo: 'Run with --fix: the deletion is finished.',
  },
  'INV-35': {
    title: 'name or labels of a claim do not fit what it says',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'Its node finds claims by label and reads them by name: it does not see this one.',
    whatToDo:
      'Run with --fix: type and labels are set. When the name is wrong, let the node claim the block anew and delete this claim.',
  },
  'INV-36': {
    title: 'claim of a node that does not exist',
    group: 'affinities',
    severities: ['warning'],
    meaning: 'The node is gone, its blocks stay reserved for it.',
    whatToDo:
      'Run with --fix: empty blocks are released. Addresses still allocated in the block are to be released first.',
  },
  'INV-37': {
    title: 'type and name of an owner do not go together',
    group: 'affinities',
    severities: ['error', 'warning'],
    meaning:
      'Only load-balancer is a virtual owner. A node of that name would share the names of its claims with the LoadBalancer services.',
    whatToDo:
      'Give the node another name. A claim or block of an unknown virtual owner is to be deleted by hand when it is empty.',
  },
  'INV-38': {
    title: 'node owns more blocks than it may',
    group: 'affinities',
    severities: ['warning'],
    meaning:
      'The limit is maxBlocksPerHost, 20 without it, for each family. The node claims no further block, and borrows none.',
    whatToDo: 'Run with --fix to release surplus empty blocks (INV-39), or raise maxBlocksPerHost.',
  },
  'INV-39': {
    title: 'node keeps an empty block that it does not need',
    group: 'affinities',
    severities: ['info'],
    meaning:
      'The node has other blocks of the family, and nothing was allocated in this one for the grace period. Calico releases such blocks after a while.',
    whatToDo: 'Run with --fix: the block is released. One block a node and family stays.',
  },
  'INV-40': {
    title: 'node that is not ready owns blocks that nothing uses',
    group: 'affinities',
    severities: ['info'],
    meaning: 'The blocks are kept for a node that may not come back.',
    whatToDo: 'Bring the node back, or delete it: then its blocks are released (INV-36).',
  },
  'INV-41': {
    title: 'address is borrowed although nodes may only use their own blocks',
    group: 'policy',
    severities: ['warning', 'error'],
    meaning:
      'It was assigned before strict affinity was switched on. It is an error in a block of a Windows node, which cannot reach single addresses elsewhere.',
    whatToDo: 'Restart the pod: it gets an address from a block of its own node.',
  },
  'INV-42': {
    title: 'allocated addresses are in a reservation',
    group: 'policy',
    severities: ['info'],
    meaning:
      'They were asked for by name, or assigned before the reservation was made; which of the two is not recorded.',
    whatToDo: 'Nothing, when they were asked for. Else restart their pods, so that they get other addresses.',
  },
  'INV-43': {
    title: 'configuration of IPAM contradicts itself',
    group: 'policy',
    severities: ['warning'],
    meaning:
      'Nodes that may neither borrow nor claim blocks get no address; a block limit and Windows nodes need strict affinity; a reservation that cannot be read stops Calico.',
    whatToDo: 'Set strictAffinity and autoAllocateBlocks to what was meant; correct the reservation.',
  },
  'INV-44': {
    title: 'address of a LoadBalancer service does not fit the service',
    group: 'policy',
    severities: ['warning', 'error'],
    meaning:
      'The service is gone or is not one of those that Calico assigns addresses to, or an address it has is not allocated.',
    whatToDo: 'Run with --fix when the service is gone; else let kube-controllers assign the address anew.',
  },
  'INV-45': {
    title: 'handle has no address',
    group: 'handles',
    severities: ['warning'],
    meaning: 'Left by an allocation or a release that did not end. It wastes space and slows every list down.',
    whatToDo: 'Run with --fix: the handle is deleted when it is older than five minutes or the datastore is locked.',
  },
  'INV-46': {
    title: 'handle of an allocated address does not exist',
    group: 'handles',
    severities: ['warning'],
    meaning: 'A release by handle finds nothing: when the pod goes, its address stays allocated.',
    whatToDo: 'Run with --fix: the handle is created.',
  },
  'INV-47': {
    title: 'handle counts other addresses than the blocks record',
    group: 'handles',
    severities: ['warning'],
    meaning: 'Too high, the handle is never deleted; too low, it is deleted while addresses still have it.',
    whatToDo: 'Run with --fix: the counts are set to what the blocks record.',
  },
  'INV-48': {
    title: 'handle names a block that does not exist, or counts no address',
    group: 'handles',
    severities: ['warning'],
    meaning: 'A release by this handle visits a block in vain, and the handle is never deleted.',
    whatToDo: 'Run with --fix: the entries are set to what the blocks record.',
  },
  'INV-49': {
    title: 'name of a handle does not fit its ID',
    group: 'handles',
    severities: ['error'],
    meaning:
      'IDs that differ by case only share one object: it is deleted with the addresses of one while the other has some. A misnamed object is not found at all.',
    whatToDo: 'Restart the pods of one of the IDs. Delete a misnamed object by hand, then run with --fix.',
  },
  'INV-50': {
    title: 'handle has several addresses of one family',
    group: 'handles',
    severities: ['warning'],
    meaning:
      'Left when a pod was set up twice for one container: the pod uses one address, the other stays until the pod goes.',
    whatToDo: 'Run with --fix: what the pod does not have is released, when the pod tells what it has.',
  },
  'INV-51': {
    title: 'pod has addresses of two containers',
    group: 'usage',
    severities: ['warning'],
    meaning: 'The sandbox of an earlier container was not torn down, its addresses stay allocated.',
    whatToDo: 'Run with --fix when the pod does not use them; else restart the pod.',
  },
  'INV-52': {
    title: 'deletion of a handle was not finished',
    group: 'handles',
    severities: ['warning'],
    meaning: 'The handle is marked deleted but still there; lists show it.',
    whatToDo: 'Run with --fix: the deletion is finished.',
  },
  'INV-53': {
    title: 'address is allocated but nothing uses it',
    group: 'usage',
    severities: ['warning', 'info'],
    meaning: 'The address leaked: it cannot be handed out to anybody else.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-54': {
    title: 'address is in use but not allocated',
    group: 'usage',
    severities: ['error'],
    meaning: 'Calico may hand the address out to another pod.',
    whatToDo: 'Restart the pod, so that it gets an allocated address.',
  },
  'INV-55': {
    title: 'address in use lies in no pool',
    group: 'usage',
    severities: ['info'],
    meaning: 'The pool was deleted, or another program assigns addresses.',
    whatToDo: 'Restart the pod if its address should come from a pool.',
  },
  'INV-56': {
    title: 'address is used by several owners at once',
    group: 'usage',
    severities: ['error'],
    meaning: 'Traffic reaches the wrong one.',
    whatToDo: 'Find out which one the allocation belongs to and restart the other.',
  },
  'INV-57': {
    title: 'address is allocated to another pod than uses it',
    group: 'usage',
    severities: ['error'],
    meaning: 'When the recorded pod goes, the address is freed under the pod that uses it.',
    whatToDo: 'Restart the pod that uses the address.',
  },
  'INV-58': {
    title: 'address is allocated on another node than its pod runs on',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The allocation belongs to an earlier pod of the same name; the garbage collector counts it as leaked.',
    whatToDo: 'Run with --fix when the pod does not use the address; else restart the pod.',
  },
  'INV-59': {
    title: 'address belongs to an earlier container of its pod',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The delete of the current container does not release it.',
    whatToDo: 'Run with --fix when the pod does not use the address; else restart the pod.',
  },
  'INV-60': {
    title: 'finished pod holds an address',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The pod has ended and uses nothing; its address cannot be handed out to anybody else.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-61': {
    title: 'address is allocated to a pod that uses its host network',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The allocation belongs to an earlier pod of the same name.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-62': {
    title: 'address is allocated on a node that does not exist',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The node is gone and nothing on it can use the address.',
    whatToDo: 'Run with --fix: the address is released.',
  },
  'INV-63': {
    title: 'tunnel address and allocation do not agree',
    group: 'usage',
    severities: ['warning', 'error'],
    meaning: 'The node records another tunnel address than is allocated for it, or somebody else uses its address.',
    whatToDo: 'Restart calico-node on that node: it puts its tunnel addresses right. --fix releases duplicates.',
  },
  'INV-64': {
    title: 'handle is of the form of Calico 2',
    group: 'usage',
    severities: ['info'],
    meaning: 'It is made of namespace and pod, not of the container. Calico still releases it.',
    whatToDo: 'Nothing; it goes with the pod.',
  },
  'INV-65': {
    title: 'time of an allocation or of a release cannot be right',
    group: 'usage',
    severities: ['warning'],
    meaning: 'A time to come makes an allocation look young, or an address cool down for too long.',
    whatToDo: 'Put the clock of the node right. For an allocation, restart the pod.',
  },
  'INV-66': {
    title: 'second owner of an address is out of place',
    group: 'usage',
    severities: ['warning'],
    meaning: 'Only a virtual machine that moves has two owners, and only while it moves.',
    whatToDo: 'See whether a migration got stuck; the entry goes when the machine is moved again or deleted.',
  },
  'INV-67': {
    title: 'address was assigned automatically in a pool that is not for that',
    group: 'policy',
    severities: ['info'],
    meaning:
      'A tunnel or LoadBalancer address is in a pool that assigns by hand only, or that is for another use; the pool was probably changed later.',
    whatToDo: 'Restart calico-node on the node, or let the service get another address.',
  },
  'INV-68': {
    title: 'node of an allocation does not fit the owner of its block',
    group: 'usage',
    severities: ['info'],
    meaning:
      'Addresses in blocks of nodes name a node, those in other blocks do not; the garbage collector goes by it.',
    whatToDo: 'Nothing; see how it was assigned when there are many.',
  },
} satisfies Record<string, Invariant>;

/** The invariants that are judged, by their numbers in docs/reference/ipam.md. */
export type InvariantId = keyof typeof table;

export const invariants: Readonly<Record<InvariantId, Invariant>> = table;

/** All ids in ascending order. */
export const invariantIds: readonly InvariantId[] = (Object.keys(table) as InvariantId[]).sort();

/** The id in its canonical spelling, from `INV-07`, `inv-7` or `7`; undefined when no such invariant is judged. */
export function parseInvariantId(text: string): InvariantId | undefined {
  const digits = /^(?:inv-?)?0*(\d{1,2})$/i.exec(text.trim())?.[1];
  const id = `INV-${(digits ?? '').padStart(2, '0')}`;
  return Object.hasOwn(table, id) ? (id as InvariantId) : undefined;
}
