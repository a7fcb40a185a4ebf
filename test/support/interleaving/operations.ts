// The operations that run concurrently: each as it runs in calictl or in another client, with its own clock.
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import type { Journal } from '../../../src/files/journal.ts';
import { claimAffinity } from '../../../src/ipam/affinity/claim-by-hand.ts';
import { releaseAffinity, removeHost } from '../../../src/ipam/affinity/release-by-hand.ts';
import { assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import { autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import type { IpamStore } from '../../../src/ipam/ipam-store.ts';
import { releaseByHandle, releaseIps } from '../../../src/ipam/release/release.ts';
import type { AllocatorWorld } from '../../../src/ipam/retries.ts';
import { check } from '../../../src/ipam-live/check/check.ts';
import { repair } from '../../../src/ipam-live/repair/repair.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { Pod } from '../../../src/resources/kinds/pod.ts';
import type { Operation } from '../../model/schedule-process.ts';
import { handleOf, holderOf, type PodOf } from '../clusters/shop-pods.ts';
import { collectGarbage, judge, type Marks, noMarks } from '../other-clients/garbage-collector.ts';
import { evenRandom, TestClock } from '../program/world.ts';
import { first, gone, leakedAddress, podObject, runsAt, type SmallCluster } from './clusters.ts';

export interface Actor {
  readonly name: string;
  readonly run: Operation;
  /** The pending pod that it assigns an address to. */
  readonly assignsFor?: PodOf;
  /** The addresses that its result gives to the caller. */
  readonly assigned?: (result: unknown) => readonly string[];
  /** Errors that are correct results in a small cluster. */
  readonly mayFail?: RegExp;
}

const grace = 15 * 60_000;
const never = new AbortController().signal;

function world(): AllocatorWorld {
  return { clock: new TestClock(runsAt), random: evenRandom };
}

const noJournal: Journal = { path: 'none', append: async () => undefined, close: async () => undefined };

/** What `calictl ipam check --fix` does at that moment, without the lock that prevents two at a time. */
export async function fix(store: Datastore, at: Date): Promise<void> {
  const options = { clock: new TestClock(at), signal: never, graceMs: grace };
  await repair(store, await check(store, options), {
    ...options,
    selection: {},
    journal: noJournal,
    lock: undefined,
    goOn: async () => true,
  });
}

/**
 * What `calictl ipam check` calls an error or a warning at that moment, stable or candidate. An exhausted pool is not
 * damage.
 */
export async function faults(store: Datastore, at: Date): Promise<string[]> {
  const { judgements } = await check(store, { clock: new TestClock(at), signal: never, graceMs: grace });
  return judgements
    .filter(
      ({ finding: { id, severity, stability } }) =>
        id !== 'INV-27' && (severity !== 'info' || stability === 'candidate'),
    )
    .map(({ finding: { id, title, address, object } }) => `${id} ${title}: ${address ?? object.name}`);
}

const onIpam =
  (operation: (ipam: IpamStore) => Promise<unknown>): Operation =>
  (store) =>
    operation(ipamStoreOf(store));

/** Assigns an address to a new pod of the node; `who` distinguishes two actors. */
export function assign(node: string, who: string): Actor {
  const assignsFor = { pod: `new-${who}`, node };
  return {
    name: `assign on ${node}`,
    assignsFor,
    run: onIpam((ipam) => {
      const request = { node, version: 4, count: 1, use: 'Workload', holder: holderOf(assignsFor, runsAt) } as const;
      return autoAssign(ipam, request, world());
    }),
    assigned: (result) => (result as Awaited<ReturnType<typeof autoAssign>>).addresses.map(({ address }) => address),
  };
}

/** Assigns the given address to a new pod of the node. */
export function assignGiven(node: string, who: string, address: string): Actor {
  const assignsFor = { pod: `new-${who}`, node };
  const { handle, secondary = {} } = holderOf(assignsFor, runsAt);
  return {
    name: `assign ${address} on ${node}`,
    assignsFor,
    run: onIpam((ipam) => assignIp(ipam, { address, node, handle, attributes: secondary }, world())),
    assigned: (result) => [(result as Awaited<ReturnType<typeof assignIp>>).assigned.address],
    mayFail: /already assigned|affinity/,
  };
}

/** Assigns an address under the handle that `releaseHandle` releases, so the address may be released again. */
export function assignToHandle(node: string): Actor {
  const { handle, secondary } = holderOf({ ...gone, node }, runsAt);
  return {
    name: `assign to the handle, on ${node}`,
    run: onIpam((ipam) => {
      const request = { node, version: 4, count: 1, use: 'Workload', holder: { handle, secondary } } as const;
      return autoAssign(ipam, request, world());
    }),
  };
}

/** Releases as a report or a plugin does: only an address that the deleted pod still has. */
export const releaseAddress: Actor = {
  name: 'release by address',
  run: onIpam((ipam) => releaseIps(ipam, [{ address: leakedAddress, handle: handleOf(gone.pod) }])),
};

/** Releases as a user may request: whatever handle the address has. */
export const releaseUnguarded: Actor = {
  name: 'release by address without a handle',
  run: onIpam((ipam) => releaseIps(ipam, [{ address: leakedAddress }])),
};

export const releaseHandle: Actor = {
  name: 'release by handle',
  run: onIpam((ipam) => releaseByHandle(ipam, handleOf(gone.pod))),
};

export function claimRangeFor(node: string): Actor {
  return {
    name: `claim for ${node}`,
    run: onIpam((ipam) => claimAffinity(ipam, first, { type: 'host', name: node }, world())),
  };
}

export const releaseEmptyBlock: Actor = {
  name: 'release affinity',
  run: onIpam((ipam) => releaseAffinity(ipam, first, { type: 'host', name: 'node-a' }, { mustBeEmpty: true })),
};

export const removeNodeA: Actor = {
  name: 'remove host',
  run: onIpam((ipam) => removeHost(ipam, { type: 'host', name: 'node-a' })),
};

/** A pass of the garbage collector that saw this state before, longer ago than the grace period. */
export function collect(cluster: SmallCluster): Actor {
  const marks = marksOf(cluster);
  return {
    name: 'garbage collection',
    run: (store) => collectGarbage(store, marks, { nowMs: runsAt.getTime(), graceMs: grace }),
  };
}

function marksOf({ objects }: SmallCluster): Marks {
  const stored = new MemoryDatastore(objects).dump();
  const blocks = stored.filter(({ kind }) => kind === 'IPAMBlock') as IPAMBlock[];
  const pods = stored.filter(({ kind }) => kind === 'Pod') as Pod[];
  const view = { blocks, pods, nodes: new Set(['node-a', 'node-b']) };
  return judge(view, noMarks, runsAt.getTime() - 2 * grace, grace).marks;
}

export const repairAll: Actor = { name: '--fix', run: (store) => fix(store, runsAt) };

/** The cluster with the pending pods that the actors assign addresses to. */
export function objectsFor(cluster: SmallCluster, actors: readonly Actor[]): SmallCluster['objects'] {
  const waiting = actors.flatMap(({ assignsFor }) => (assignsFor === undefined ? [] : [podObject(assignsFor)]));
  return [...cluster.objects, ...waiting];
}
