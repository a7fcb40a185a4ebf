// Interrupted repairs, each with the damage that it repairs. R2 and R8 write only once.
import type { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { releaseInBlock } from '../../../src/ipam/release/release.ts';
import { setHandleCount } from '../../../src/ipam/repair/handle-repair.ts';
import {
  confirmNamedAffinity,
  createMissingAffinity,
  deleteEmptyBlock,
  dropNamedAffinity,
  finishTombstone,
  releaseNamedAffinity,
} from '../../../src/ipam/repair/primitives.ts';
import { noPrecondition } from '../../../src/ipam/repair/repair-outcome.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, firstSequence, handleWith, marked } from '../clusters/ipam-state.ts';
import { handleOf } from '../clusters/shop-pods.ts';
import { a1, b1, g1, type SmallCluster, smallCluster } from './clusters.ts';
import {
  deleteHandleWrites,
  first,
  type InterruptedOperation,
  poolsNotSelecting,
  releaseEmptyWrites,
  withChanged,
} from './operation.ts';

const block = '10-0-0-0-30';
const affinity = 'node-a-10-0-0-0-30';
const stray = handleWith(handleOf(g1.pod), { [first]: 1 });

const stored = (store: MemoryDatastore, kind: string, name: string) =>
  store.dump().find((object) => object.kind === kind && object.metadata.name === name)?.metadata;
const byName = (store: MemoryDatastore) => ({
  affinity,
  resourceVersion: stored(store, 'BlockAffinity', affinity)?.resourceVersion,
});
const finish =
  (kind: 'BlockAffinity' | 'IPAMHandle', name: string): InterruptedOperation['run'] =>
  (ipam, _by, store) =>
    finishTombstone(ipam, { kind, name, uid: stored(store, kind, name)?.uid }, noPrecondition);

const withObject = (cluster: SmallCluster, object: KubeObject): SmallCluster => ({
  ...cluster,
  objects: [...cluster.objects, object],
});
const ofNodeA = smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]);
const ofNodeB = smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }]);
const endOfA = ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'];
const endOfB = ['10.0.0.0/30 host:node-b: b1', 'node-b-10-0-0-0-30 confirmed'];
const confirmWrites = [['update affinity', 2], ['update block', 2], ['update affinity']] as const;

export const interruptedRepairs: readonly InterruptedOperation[] = [
  {
    what: 'R1 of all addresses of a block without an owner',
    cluster: smallCluster([{ cidr: first, held: [g1, g1] }]),
    run: (ipam) => {
      const [handle, sequenceNumber] = [handleOf(g1.pod), firstSequence];
      const requests = ['10.0.0.0', '10.0.0.1'].map((address, ordinal) => {
        return { block, address, handle, sequenceNumber: sequenceNumber + BigInt(ordinal) };
      });
      return releaseInBlock(ipam, block, requests, noPrecondition);
    },
    repairs: ['INV-53'],
    writes: [['update block', 7, 8], ['delete block', 7], ...deleteHandleWrites],
    end: [],
  },
  {
    what: 'R3 of a stray handle',
    cluster: withObject(ofNodeA, stray),
    run: (ipam, _by, store) => {
      const { name } = stray.metadata;
      const { uid, resourceVersion } = stored(store, 'IPAMHandle', name) ?? {};
      const action = { handle: name, handleId: name, uid, resourceVersion, blocks: [block], lowers: true };
      return setHandleCount(ipam, action, noPrecondition);
    },
    repairs: ['INV-45', 'INV-47'],
    writes: deleteHandleWrites,
    end: endOfA,
  },
  {
    what: 'R4 of an affinity marked for deletion',
    cluster: withChanged(ofNodeA, 'BlockAffinity', () => affinityTo('node-a', first, 'pendingDeletion')),
    run: (ipam, _by, store) => confirmNamedAffinity(ipam, byName(store), noPrecondition),
    repairs: ['INV-33', 'INV-28'],
    writes: confirmWrites,
    end: endOfA,
  },
  {
    what: 'R4 of a missing affinity',
    cluster: withChanged(ofNodeA, 'BlockAffinity', () => []),
    run: (ipam) => createMissingAffinity(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    repairs: ['INV-28'],
    writes: [['create affinity', 2], ['update block', 2], ['update affinity']],
    end: endOfA,
  },
  {
    what: 'R5 of an affinity without a block',
    cluster: withObject(smallCluster([]), affinityTo('node-a', first, 'pending')),
    run: (ipam, _by, store) => dropNamedAffinity(ipam, byName(store), noPrecondition),
    repairs: ['INV-29'],
    writes: [['update affinity', 12], ['update affinity', 10], ['delete affinity']],
    leavesToRepair: true,
    end: [],
  },
  {
    what: 'R5 of an affinity for the block of another node',
    cluster: withObject(ofNodeB, affinityTo('node-a', first, 'confirmed')),
    run: (ipam, _by, store) => dropNamedAffinity(ipam, byName(store), noPrecondition),
    repairs: ['INV-31', 'INV-30'],
    writes: [['update affinity', 13], ['update affinity', 10], ['delete affinity']],
    leavesToRepair: true,
    end: endOfB,
  },
  {
    what: 'R6 of an empty block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }], poolsNotSelecting),
    run: (ipam, _by, store) => releaseNamedAffinity(ipam, byName(store), noPrecondition),
    repairs: ['INV-24'],
    writes: releaseEmptyWrites,
    leavesToRepair: true,
    end: [],
  },
  {
    what: 'R7 of a half-deleted affinity',
    cluster: withObject(ofNodeB, marked(affinityTo('node-a', first, 'pendingDeletion'))),
    run: finish('BlockAffinity', affinity),
    repairs: ['INV-34'],
    writes: [['delete affinity']],
    end: endOfB,
  },
  {
    what: 'R7 of a half-deleted handle',
    cluster: withObject(ofNodeB, marked(stray)),
    run: finish('IPAMHandle', stray.metadata.name),
    repairs: ['INV-52'],
    writes: [['delete handle']],
    end: endOfB,
  },
  {
    what: 'R9 of an owned block without an affinity',
    cluster: withChanged(smallCluster([{ cidr: first, owner: 'node-a' }]), 'BlockAffinity', () => []),
    run: (ipam) => deleteEmptyBlock(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    repairs: ['INV-28'],
    writes: [['update block', 8], ['delete block']],
    leavesToRepair: true,
    end: [],
  },
];
