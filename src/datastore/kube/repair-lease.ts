// The lock that keeps two repairs of one cluster apart: a Lease in kube-system, renewed while the repair runs.
import { type Lease, lease } from '../../resources/kinds/lease.ts';
import { RefusedError } from '../../world/errors.ts';
import type { World } from '../../world/world.ts';
import { type CallOptions, type Datastore, DatastoreError, type RepairLock } from '../datastore.ts';

const leaseRef = { namespace: 'kube-system', name: 'calictl-ipam-repair' } as const;
const durationSeconds = 15;
const renewEveryMs = 5_000;
const pollEveryMs = 1_000;
/** Without a renewal for so long, another process may soon consider the lease expired. */
const lostAfterMs = 10_000;

type LeaseStore = Pick<Datastore, 'get' | 'create' | 'update' | 'delete'>;
type LeaseWorld = Pick<World, 'clock' | 'self'>;

/**
 * Takes the lease. The lease of a holder that is known to be dead is taken over at once, any other if it was not renewed
 * for its duration. Errors: RefusedError when its holder is alive, or when the caller may not use leases.
 */
export async function lockByLease(store: LeaseStore, world: LeaseWorld, options: CallOptions): Promise<RepairLock> {
  try {
    return held(store, world, await acquire(store, world, options));
  } catch (cause) {
    if (!(cause instanceof DatastoreError) || cause.reason !== 'unauthorized') throw cause;
    throw new RefusedError(
      `no permission for the lease ${leaseRef.namespace}/${leaseRef.name}, which prevents concurrent repairs: ${cause.storeText ?? cause.message}`,
      'IPAM_REPAIR_NO_LEASE',
      `Grant get, create, update and delete of leases in ${leaseRef.namespace}, or use --no-lease if no other repair is running.`,
    );
  }
}

async function acquire(store: LeaseStore, world: LeaseWorld, options: CallOptions): Promise<Lease> {
  let watched: { readonly revision: string | undefined; readonly sinceMs: number } | undefined;
  for (;;) {
    const found = await ifAny(store.get(lease, leaseRef, options));
    if (found === undefined) {
      const made = await unlessOvertaken(store.create(lease, claimed(undefined, world), options));
      if (made !== undefined) return made;
      continue;
    }
    const revision = found.metadata.resourceVersion;
    const nowMs = world.clock.now().getTime();
    const isUnchanged = watched !== undefined && watched.revision === revision;
    if (watched !== undefined && !isUnchanged && found.spec?.holderIdentity) throw running(found);
    watched ??= { revision, sinceMs: nowMs };
    const waitedMs = nowMs - watched.sinceMs;
    if (isFree(found, world) || (isUnchanged && waitedMs >= durationOf(found) * 1000)) {
      const taken = await unlessOvertaken(store.update(lease, claimed(found, world), options));
      if (taken !== undefined) return taken;
      continue;
    }
    await world.clock.sleep(pollEveryMs, options.signal);
  }
}

/** True without a holder, or if its process on this machine has ended. Errors: RefusedError when that process is alive. */
function isFree(found: Lease, world: LeaseWorld): boolean {
  const identity = found.spec?.holderIdentity;
  if (!identity) return true;
  const holder = parseHolder(identity);
  if (holder?.hostname !== world.self.hostname) return false;
  const alive = world.self.isAlive(holder.pid, holder.incarnation);
  if (alive === true) throw running(found);
  return alive === false;
}

function running(found: Lease): RefusedError {
  const holder = parseHolder(found.spec?.holderIdentity ?? '');
  const who = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.hostname})`;
  return new RefusedError(
    `another repair of this cluster is running${who}`,
    'IPAM_REPAIR_RUNNING',
    'Wait until it has finished.',
  );
}

const holderIdentity = ({ self }: LeaseWorld): string => `${self.hostname}/${self.pid}/${self.incarnation}`;

function parseHolder(identity: string): { hostname: string; pid: number; incarnation: string } | undefined {
  const [, hostname, pid, incarnation] = /^([^/]+)\/(\d+)\/(.+)$/.exec(identity) ?? [];
  if (hostname === undefined || pid === undefined || incarnation === undefined) return undefined;
  return { hostname, pid: Number(pid), incarnation };
}

function durationOf(found: Lease): number {
  const seconds = found.spec?.leaseDurationSeconds;
  return typeof seconds === 'number' && seconds >= 1 && seconds <= 60 ? seconds : durationSeconds;
}

/** The lease with this process as its holder; `found` is the lease that it replaces. */
function claimed(found: Lease | undefined, world: LeaseWorld): Lease {
  // Leases have microseconds.
  const now = world.clock.now().toISOString().replace('Z', '000Z');
  const transitions = found?.spec?.leaseTransitions;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: found?.metadata ?? { ...leaseRef },
    spec: {
      ...found?.spec,
      holderIdentity: holderIdentity(world),
      leaseDurationSeconds: durationSeconds,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: found === undefined ? 0 : (typeof transitions === 'number' ? transitions : 0) + 1,
    },
  };
}

/** Renews the lease in the background until it is released or lost. */
function held(store: LeaseStore, world: LeaseWorld, first: Lease): RepairLock {
  const lost = new AbortController();
  const released = new AbortController();
  let current = first;

  async function renew(): Promise<void> {
    const renewTime = world.clock.now().toISOString().replace('Z', '000Z');
    const renewed = { ...current, spec: { ...current.spec, renewTime } };
    const timeoutMs = renewEveryMs;
    try {
      current = await store.update(lease, renewed, { timeoutMs });
    } catch (cause) {
      if (!(cause instanceof DatastoreError) || cause.reason !== 'conflict') throw cause;
      // An earlier renewal may have succeeded although its response was lost.
      const stored = await store.get(lease, leaseRef, { timeoutMs });
      if (stored.spec?.holderIdentity !== holderIdentity(world)) throw new LeaseTakenError();
      current = stored;
    }
  }

  async function keep(): Promise<void> {
    let renewedAtMs = world.clock.now().getTime();
    while (!released.signal.aborted) {
      try {
        await world.clock.sleep(renewEveryMs, released.signal);
      } catch {
        return;
      }
      try {
        await renew();
        renewedAtMs = world.clock.now().getTime();
      } catch (cause) {
        const taken =
          cause instanceof LeaseTakenError || (cause instanceof DatastoreError && cause.reason === 'not-found');
        if (taken || world.clock.now().getTime() - renewedAtMs >= lostAfterMs) {
          lost.abort(new RefusedError('the lease that prevents concurrent repairs was lost', 'IPAM_REPAIR_LOCK_LOST'));
          return;
        }
      }
    }
  }

  const keeping = keep();
  return {
    lost: lost.signal,
    async release() {
      if (released.signal.aborted) return;
      released.abort();
      await keeping;
      if (!lost.signal.aborted) await releaseLease(store, current);
    },
  };
}

class LeaseTakenError extends Error {}

/** A lease that cannot be released expires by itself. */
async function releaseLease(store: LeaseStore, current: Lease): Promise<void> {
  const { uid, resourceVersion } = current.metadata;
  try {
    await store.delete(lease, leaseRef, { uid, resourceVersion });
  } catch (cause) {
    if (!(cause instanceof DatastoreError)) throw cause;
    if (cause.reason !== 'unauthorized') return;
    await ifAny(unlessOvertaken(store.update(lease, { ...current, spec: { ...current.spec, holderIdentity: '' } })));
  }
}

async function ifAny<T>(call: Promise<T>): Promise<T | undefined> {
  return unless(call, (error) => error.reason === 'not-found' && !error.missingKind);
}

/** Undefined when another process was faster. */
async function unlessOvertaken<T>(call: Promise<T>): Promise<T | undefined> {
  return unless(call, ({ reason }) => reason === 'already-exists' || reason === 'conflict');
}

async function unless<T>(call: Promise<T>, excused: (error: DatastoreError) => boolean): Promise<T | undefined> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof DatastoreError && excused(cause)) return undefined;
    throw cause;
  }
}
