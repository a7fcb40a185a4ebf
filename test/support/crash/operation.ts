// How an operation that is interrupted is described, and the writes that many of them share. The operations themselves
// are in assignments.ts, claims.ts, releases.ts and repairs.ts.
import type { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import type { AllocatorWorld } from '../../../src/ipam/retries.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { pool } from '../clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../program/world.ts';
import { cutAt, type PodOf, type SmallCluster } from './clusters.ts';

/** A write, and what is left if it is the last one: rows of docs/reference/ipam.md#stops-between-writes. */
export type Write = readonly [what: string, ...rows: number[]];

export interface CutOperation {
  readonly what: string;
  readonly cluster: SmallCluster;
  /** `by`: the pod that requests addresses. */
  run(ipam: IpamStore, by: PodOf, store: MemoryDatastore): Promise<unknown>;
  /** The addresses that a result gives to its caller. */
  readonly handsOut?: (result: unknown) => readonly string[];
  /** The damage that this operation repairs. */
  readonly cures?: readonly string[];
  readonly writes: readonly Write[];
  /** Blocks with owner and holders, and affinities, when it has finished. */
  readonly ends: readonly string[];
  /** A repeat may fail with this until the leftovers of the first attempt are repaired. */
  readonly mayRefuse?: RegExp;
  /** A repeat succeeds and leaves claims or marks of the first attempt to a repair, as Calico does. */
  readonly leavesToRepair?: true;
}

export const first = '10.0.0.0/30';
export const second = '10.0.0.4/30';
export const third = '10.0.0.8/30';
export const fourth = '10.0.0.12/30';
export const nodeA = { type: 'host', name: 'node-a' } as const;

/** Two pools of two blocks each; only the second selects node-a. */
export const unselecting = [pool('p', '10.0.0.0/29', 30, "zone == 'y'"), pool('q', '10.0.0.8/29', 30)];

export const world = (): AllocatorWorld => ({
  clock: new TestClock(cutAt),
  random: evenRandom,
});

export const claimed: readonly Write[] = [['create claim', 1], ['create block', 2], ['update claim']];
export const taken: readonly Write[] = [
  ['create handle', 4],
  ['update block', 5],
];
export const handleDeleted: readonly Write[] = [['update handle', 9], ['delete handle']];
export const emptied: readonly Write[] = [
  ['update claim', 11],
  ['update block', 8, 12],
  ['delete block', 12],
  ['update claim', 10],
  ['delete claim'],
];
export const disowned: readonly Write[] = [
  ['update claim', 11],
  ['update block', 13],
  ['update claim', 10],
  ['delete claim'],
];

/** The cluster with its objects of a kind changed. */
export function withChanged(
  cluster: SmallCluster,
  kind: string,
  change: (object: KubeObject) => KubeObject | readonly KubeObject[],
): SmallCluster {
  return { ...cluster, objects: cluster.objects.flatMap((object) => (object.kind === kind ? change(object) : object)) };
}
