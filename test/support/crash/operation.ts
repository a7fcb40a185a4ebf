// The description of an interrupted operation, and the writes that many of them share. The operations themselves are
// in assignments.ts, affinities.ts, releases.ts and repairs.ts.
import type { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import type { AllocatorWorld } from '../../../src/ipam/retries.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { pool } from '../clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../program/world.ts';
import { interruptedAt, type PodOf, type SmallCluster } from './clusters.ts';

/** A write, and the rows of docs/reference/ipam.md#stops-between-writes that apply if it is the last one. */
export type Write = readonly [what: string, ...rows: number[]];

export interface InterruptedOperation {
  readonly what: string;
  readonly cluster: SmallCluster;
  /** `by`: the pod that requests addresses. */
  run(ipam: IpamStore, by: PodOf, store: MemoryDatastore): Promise<unknown>;
  /** The addresses that a result gives to its caller. */
  readonly assignedBy?: (result: unknown) => readonly string[];
  /** The damage that this operation repairs. */
  readonly repairs?: readonly string[];
  readonly writes: readonly Write[];
  /** Blocks with owner and holders, and affinities, after the operation. */
  readonly end: readonly string[];
  /** The repeated operation may fail with this error until the remains of the first attempt are repaired. */
  readonly mayRefuse?: RegExp;
  /** The repeated operation succeeds and leaves affinities or marks of the first attempt to a repair, as in Calico. */
  readonly leavesToRepair?: true;
}

export const first = '10.0.0.0/30';
export const second = '10.0.0.4/30';
export const third = '10.0.0.8/30';
export const fourth = '10.0.0.12/30';
export const nodeA = { type: 'host', name: 'node-a' } as const;

/** Two pools of two blocks each; only the second selects node-a. */
export const poolsNotSelecting = [pool('p', '10.0.0.0/29', 30, "zone == 'y'"), pool('q', '10.0.0.8/29', 30)];

export const world = (): AllocatorWorld => ({
  clock: new TestClock(interruptedAt),
  random: evenRandom,
});

export const claimWrites: readonly Write[] = [['create affinity', 1], ['create block', 2], ['update affinity']];
export const assignWrites: readonly Write[] = [
  ['create handle', 4],
  ['update block', 5],
];
export const deleteHandleWrites: readonly Write[] = [['update handle', 9], ['delete handle']];
export const releaseEmptyWrites: readonly Write[] = [
  ['update affinity', 11],
  ['update block', 8, 12],
  ['delete block', 12],
  ['update affinity', 10],
  ['delete affinity'],
];
export const releaseInUseWrites: readonly Write[] = [
  ['update affinity', 11],
  ['update block', 13],
  ['update affinity', 10],
  ['delete affinity'],
];

/** The cluster with its objects of a kind changed. */
export function withChanged(
  cluster: SmallCluster,
  kind: string,
  change: (object: KubeObject) => KubeObject | readonly KubeObject[],
): SmallCluster {
  return { ...cluster, objects: cluster.objects.flatMap((object) => (object.kind === kind ? change(object) : object)) };
}
