// Checks of a cluster in which an operation was interrupted: what must be true whatever happens next.
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import type { Journal } from '../../../src/files/journal.ts';
import { autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import { addressOf, allocatedOrdinals, handleOf as handleIn } from '../../../src/ipam/block/block.ts';
import type { Finding } from '../../../src/ipam-check/finding.ts';
import { check } from '../../../src/ipam-live/check/check.ts';
import { repair } from '../../../src/ipam-live/repair/repair.ts';
import { cidrSize, parseCidr } from '../../../src/net/cidr.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinitiesIn, blocksIn, inconsistencies } from '../clusters/ipam-state.ts';
import { handleOf, holderOf } from '../clusters/shop-pods.ts';
import { evenRandom, TestClock } from '../program/world.ts';
import { interruptedAt, type PodOf, podsOf } from './clusters.ts';

export type Living = ReadonlyMap<string, PodOf>;

/** One second after the interruption, before any minimum age, and a day later, after all of them. */
export const rightAfter = new Date(interruptedAt.getTime() + 1000);
export const longAfter = new Date(interruptedAt.getTime() + 86_400_000);
const longerAfter = new Date(longAfter.getTime() + 86_400_000);

const noJournal: Journal = { path: 'none', append: async () => undefined, close: async () => undefined };
const observing = (at: Date) => ({ clock: new TestClock(at), signal: new AbortController().signal });

/** The objects with the time of their last write, as a server records it, if the operation wrote them. */
export function withTimes(objects: readonly KubeObject[], before: readonly KubeObject[]): KubeObject[] {
  const revisions = new Set(before.map(({ metadata }) => metadata.resourceVersion));
  return objects.map((object) => {
    const { metadata } = object;
    if (revisions.has(metadata.resourceVersion)) return object;
    return { ...object, metadata: { ...metadata, managedFields: [{ time: interruptedAt.toISOString() }] } };
  });
}

/** The cluster with the pods that exist now, each with its addresses. */
export function withPods(objects: readonly KubeObject[], living: Living): KubeObject[] {
  return [...objects.filter(({ kind }) => kind !== 'Pod'), ...podsOf(living)];
}

export async function findings(objects: readonly KubeObject[], at: Date): Promise<Finding[]> {
  const { judgements } = await check(new MemoryDatastore(objects, { now: () => at }), observing(at));
  return judgements.map(({ finding }) => finding);
}

export function lineOf({ id, severity, object, address }: Finding): string {
  return `${id} ${severity} ${address ?? object.name}`;
}

/** True for findings that change the exit code of `ipam check`. */
export function isCounted({ severity, stability }: Finding): boolean {
  return severity !== 'info' && stability === 'stable';
}

/** Every allocated address with its handles, of which there must be only one. */
function allocations(store: MemoryDatastore): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const block of blocksIn(store)) {
    for (const ordinal of allocatedOrdinals(block)) {
      const address = addressOf(block, ordinal);
      found.set(address, [...(found.get(address) ?? []), handleIn(block, ordinal) ?? '']);
    }
  }
  return found;
}

/** Addresses that are not allocated to exactly the pod that has them. */
export function wrongHolders(store: MemoryDatastore, living: Living): string[] {
  const allocated = allocations(store);
  return [...living].flatMap(([address, by]) => {
    const handles = allocated.get(address) ?? [];
    const right = handles.length === 1 && handles[0] === handleOf(by.pod);
    return right ? [] : [`${address} of ${by.pod} is allocated to ${handles.join(' and ') || 'no pod'}`];
  });
}

/** All nodes together assign every address: none that is already allocated, and all that are free. */
export async function problemsOfFilling(objects: readonly KubeObject[], living: Living): Promise<string[]> {
  const store = new MemoryDatastore(objects, { now: () => interruptedAt });
  const world = { clock: new TestClock(interruptedAt), random: evenRandom };
  const now = new Map(living);
  const problems: string[] = [];
  const pools = objects.flatMap(({ kind, spec }) => {
    const pool = kind === 'IPPool' ? parseCidr((spec as { cidr: string }).cidr) : undefined;
    return pool === undefined ? [] : [pool];
  });
  const size = pools.reduce((sum, pool) => sum + Number(cidrSize(pool)), 0);
  for (const version of new Set(pools.map((pool) => pool.version))) {
    for (const [node, count] of [['node-b', 2] as const, ['node-a', size] as const, ['node-b', size] as const]) {
      const by: PodOf = { pod: `fills-${node}-${count}-${version}`, node };
      const request = { node, version, count, use: 'Workload', holder: holderOf(by, interruptedAt) } as const;
      const { addresses } = await autoAssign(ipamStoreOf(store), request, world);
      for (const { address } of addresses) {
        const has = now.get(address);
        if (has !== undefined) problems.push(`${address} of ${has.pod} is assigned to ${by.pod}`);
        now.set(address, by);
      }
    }
  }
  const { size: allocated } = allocations(store);
  if (allocated !== size) problems.push(`${allocated} of ${size} addresses can be assigned`);
  return [...problems, ...wrongHolders(store, now)].map((text) => `after other assignments: ${text}`);
}

/** A day later one `ipam check --fix` leaves no finding, and only existing pods have addresses. */
export async function problemsOfRepair(objects: readonly KubeObject[], living: Living): Promise<string[]> {
  const store = await repaired(objects);
  const left = (await findings(store.dump(), longerAfter)).filter(({ severity }) => severity !== 'info').map(lineOf);
  // An address that the first of two attempts assigned to a pod is released with the pod.
  const alive = new Set([...living.values()].map(({ pod }) => handleOf(pod)));
  const stray = [...allocations(store)].flatMap(([address, handles]) =>
    handles.every((handle) => alive.has(handle)) ? [] : [`${address} stays allocated to ${handles.join(' and ')}`],
  );
  return [...left, ...inconsistencies(store), ...wrongHolders(store, living), ...stray].map(
    (text) => `after a repair: ${text}`,
  );
}

export async function repaired(objects: readonly KubeObject[]): Promise<MemoryDatastore> {
  const store = new MemoryDatastore(objects, { now: () => longAfter });
  const options = observing(longAfter);
  const confirmed = await check(store, options);
  await repair(store, confirmed, {
    ...options,
    selection: {},
    journal: noJournal,
    lock: undefined,
    goOn: async () => true,
  });
  return store;
}

/** Blocks with their owners and holders, and affinities with their states, one per line. */
export function outline(store: MemoryDatastore): string[] {
  const blocks = blocksIn(store).map((block) => {
    const holders = allocatedOrdinals(block).map((ordinal) => podIn(handleIn(block, ordinal)));
    const mark = block.spec.deleted ? ' (marked)' : '';
    return `${block.spec.cidr} ${block.spec.affinity ?? 'no owner'}: ${holders.sort().join(' ')}`.trimEnd() + mark;
  });
  const affinities = affinitiesIn(store).map(({ metadata, spec }) => {
    const mark = spec.deleted === 'true' ? ' (marked)' : '';
    return `${metadata.name} ${spec.state}${mark}${metadata.labels ? '' : ' (unlabelled)'}`;
  });
  return [...blocks, ...affinities];
}

const podIn = (handle = ''): string => /^k8s-pod-network\.(.*)-container$/.exec(handle)?.[1] ?? handle;
