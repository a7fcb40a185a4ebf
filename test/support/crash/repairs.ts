// Repairs that are interrupted, each with the damage that it repairs. R2 and R8 write only once.
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
import { type CutOperation, emptied, first, handleDeleted, unselecting, withChanged } from './operation.ts';

const block = '10-0-0-0-30';
const claim = 'node-a-10-0-0-0-30';
const stray = handleWith(handleOf(g1.pod), { [first]: 1 });

const stored = (store: MemoryDatastore, kind: string, name: string) =>
  store.dump().find((object) => object.kind === kind && object.metadata.name === name)?.metadata;
const onClaim = (store: MemoryDatastore) => ({
  affinity: claim,
  resourceVersion: stored(store, 'BlockAffinity', claim)?.resourceVersion,
});
const finish =
  (kind: 'BlockAffinity' | 'IPAMHandle', name: string): CutOperation['run'] =>
  (ipam, _by, store) =>
    finishTombstone(ipam, { kind, name, uid: stored(store, kind, name)?.uid }, noPrecondition);

const beside = (cluster: SmallCluster, object: KubeObject): SmallCluster => ({
  ...cluster,
  objects: [...cluster.objects, object],
});
const ofNodeA = smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]);
const ofNodeB = smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }]);
const endsOfA = ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'];
const endsOfB = ['10.0.0.0/30 host:node-b: b1', 'node-b-10-0-0-0-30 confirmed'];
const confirming = [['update claim', 2], ['update block', 2], ['update claim']] as const;

export const cutRepairs: readonly CutOperation[] = [
  {
    what: 'R1, emptying nobody’s block',
    cluster: smallCluster([{ cidr: first, held: [g1, g1] }]),
    run: (ipam) => {
      const [handle, sequenceNumber] = [handleOf(g1.pod), firstSequence];
      const requests = ['10.0.0.0', '10.0.0.1'].map((address, ordinal) => {
        return { block, address, handle, sequenceNumber: sequenceNumber + BigInt(ordinal) };
      });
      return releaseInBlock(ipam, block, requests, noPrecondition);
    },
    cures: ['INV-53'],
    writes: [['update block', 7, 8], ['delete block', 7], ...handleDeleted],
    ends: [],
  },
  {
    what: 'R3, deleting',
    cluster: beside(ofNodeA, stray),
    run: (ipam, _by, store) => {
      const { name } = stray.metadata;
      const { uid, resourceVersion } = stored(store, 'IPAMHandle', name) ?? {};
      const action = { handle: name, handleId: name, uid, resourceVersion, blocks: [block], lowers: true };
      return setHandleCount(ipam, action, noPrecondition);
    },
    cures: ['INV-45', 'INV-47'],
    writes: handleDeleted,
    ends: endsOfA,
  },
  {
    what: 'R4',
    cluster: withChanged(ofNodeA, 'BlockAffinity', () => affinityTo('node-a', first, 'pendingDeletion')),
    run: (ipam, _by, store) => confirmNamedAffinity(ipam, onClaim(store), noPrecondition),
    cures: ['INV-33', 'INV-28'],
    writes: confirming,
    ends: endsOfA,
  },
  {
    what: 'R4, claim missing',
    cluster: withChanged(ofNodeA, 'BlockAffinity', () => []),
    run: (ipam) => createMissingAffinity(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    cures: ['INV-28'],
    writes: [['create claim', 2], ['update block', 2], ['update claim']],
    ends: endsOfA,
  },
  {
    what: 'R5, block missing',
    cluster: beside(smallCluster([]), affinityTo('node-a', first, 'pending')),
    run: (ipam, _by, store) => dropNamedAffinity(ipam, onClaim(store), noPrecondition),
    cures: ['INV-29'],
    writes: [['update claim', 12], ['update claim', 10], ['delete claim']],
    leavesToRepair: true,
    ends: [],
  },
  {
    what: 'R5, block of another node',
    cluster: beside(ofNodeB, affinityTo('node-a', first, 'confirmed')),
    run: (ipam, _by, store) => dropNamedAffinity(ipam, onClaim(store), noPrecondition),
    cures: ['INV-31', 'INV-30'],
    writes: [['update claim', 13], ['update claim', 10], ['delete claim']],
    leavesToRepair: true,
    ends: endsOfB,
  },
  {
    what: 'R6',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }], unselecting),
    run: (ipam, _by, store) => releaseNamedAffinity(ipam, onClaim(store), noPrecondition),
    cures: ['INV-24'],
    writes: emptied,
    leavesToRepair: true,
    ends: [],
  },
  {
    what: 'R7, a claim',
    cluster: beside(ofNodeB, marked(affinityTo('node-a', first, 'pendingDeletion'))),
    run: finish('BlockAffinity', claim),
    cures: ['INV-34'],
    writes: [['delete claim']],
    ends: endsOfB,
  },
  {
    what: 'R7, a handle',
    cluster: beside(ofNodeB, marked(stray)),
    run: finish('IPAMHandle', stray.metadata.name),
    cures: ['INV-52'],
    writes: [['delete handle']],
    ends: endsOfB,
  },
  {
    what: 'R9, a block that its owner does not claim',
    cluster: withChanged(smallCluster([{ cidr: first, owner: 'node-a' }]), 'BlockAffinity', () => []),
    run: (ipam) => deleteEmptyBlock(ipam, { block, owner: 'host:node-a' }, noPrecondition),
    cures: ['INV-28'],
    writes: [['update block', 8], ['delete block']],
    leavesToRepair: true,
    ends: [],
  },
];
