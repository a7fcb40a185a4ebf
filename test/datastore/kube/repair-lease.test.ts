// The lease that keeps two repairs of one cluster apart, over a real API server.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore, RepairLock } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { type Lease, lease } from '../../../src/resources/kinds/lease.ts';
import { RefusedError } from '../../../src/world/errors.ts';
import type { ProcessIdentity, World } from '../../../src/world/world.ts';
import { TestClock, testWorld } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const place = { namespace: 'kube-system', name: 'calictl-ipam-repair' };

/** Time passes when the test says so: sleeps end as soon as the clock has come to their end. */
class SteeredClock extends TestClock {
  #sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sleepers.push({ untilMs: this.now().getTime() + ms, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }

  /** Moves on to the end of the next sleep, which must have begun. */
  async wakeNext(): Promise<void> {
    await expect.poll(() => this.#sleepers.length).toBeGreaterThan(0);
    const [next] = this.#sleepers.splice(0, 1);
    this.advance(Math.max(0, (next?.untilMs ?? 0) - this.now().getTime()));
    next?.wake();
  }
}

interface Repairer {
  readonly store: Datastore;
  readonly clock: SteeredClock;
}

describeWithApiServer('repair lease', (server) => {
  const opened: Datastore[] = [];
  const locks: RepairLock[] = [];

  async function repairer(self: Partial<ProcessIdentity> = {}, context?: string): Promise<Repairer> {
    const clock = new SteeredClock('2025-06-15T16:00:00Z');
    const base = testWorld();
    const world: World = { ...base, clock, self: { ...base.self, ...self } };
    const store = await openKube(
      await kubeConnection({ kubeconfig: server().kubeconfig, k8sCurrentContext: context }, world),
      world,
    );
    opened.push(store);
    return { store, clock };
  }

  async function locked({ store }: Repairer): Promise<RepairLock> {
    const lock = await store.lockRepairs();
    locks.push(lock);
    return lock;
  }

  async function refusalOf(call: Promise<unknown>): Promise<RefusedError> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(RefusedError);
    return error as RefusedError;
  }

  const stored = async ({ store }: Repairer): Promise<Lease> => store.get(lease, place);

  /** What a repair on a machine that nobody here can look into left behind. */
  async function leftBy(holderIdentity: string): Promise<void> {
    const spec = {
      holderIdentity,
      leaseDurationSeconds: 15,
      renewTime: '2025-06-15T15:59:59.000000Z',
      leaseTransitions: 2,
    };
    await server().admin.load([{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: place, spec }]);
  }

  beforeEach(() => server().admin.reset());
  afterEach(async () => {
    for (const lock of locks.splice(0)) await lock.release();
    for (const store of opened.splice(0)) await store.close();
  });

  it('the repair lease names its holder, and is gone after release', async () => {
    const us = await repairer({ hostname: 'here', pid: 77, incarnation: 'boot/1/2' });
    const lock = await locked(us);
    expect((await stored(us)).spec).toMatchObject({
      holderIdentity: 'here/77/boot/1/2',
      leaseDurationSeconds: 15,
      acquireTime: '2025-06-15T16:00:00.000000Z',
      leaseTransitions: 0,
    });
    await lock.release();
    await lock.release();
    await expect(stored(us)).rejects.toMatchObject({ reason: 'not-found' });
    expect(lock.lost.aborted).toBe(false);
  });

  it('the repair lease is refused at once while its holder is alive on this machine', async () => {
    await locked(await repairer({ pid: 77 }));
    const error = await refusalOf(locked(await repairer({ pid: 78 })));
    expect(error.code).toBe('IPAM_REPAIR_RUNNING');
    expect(error.message).toBe('another repair of this cluster is running (process 77 on testhost)');
  });

  it('the repair lease of a dead process of this machine is taken over at once', async () => {
    await leftBy('testhost/77/test');
    const us = await repairer({ pid: 78, isAlive: (pid) => pid !== 77 });
    await locked(us);
    expect((await stored(us)).spec).toMatchObject({ holderIdentity: 'testhost/78/test', leaseTransitions: 3 });
  });

  it('the repair lease is taken over from a remote holder that did not renew it in time', async () => {
    await leftBy('elsewhere/1/x');
    const us = await repairer();
    const locking = locked(us);
    for (let second = 1; second < 15; second++) await us.clock.wakeNext();
    expect((await stored(us)).spec?.holderIdentity).toBe('elsewhere/1/x');
    await us.clock.wakeNext();
    await locking;
    expect((await stored(us)).spec?.holderIdentity).toBe(`testhost/${process.pid}/test`);
  });

  it('the repair lease is refused as soon as a remote holder renews it', async () => {
    const them = await repairer({ hostname: 'elsewhere' });
    await locked(them);
    const us = await repairer();
    const locking = refusalOf(locked(us));
    await us.clock.wakeNext();
    const before = (await stored(us)).metadata.resourceVersion;
    await them.clock.wakeNext();
    await expect.poll(async () => (await stored(us)).metadata.resourceVersion).not.toBe(before);
    await us.clock.wakeNext();
    expect((await locking).code).toBe('IPAM_REPAIR_RUNNING');
  });

  it('the repair lease is taken when a remote holder releases it during the wait', async () => {
    const theirs = await locked(await repairer({ hostname: 'elsewhere' }));
    const us = await repairer();
    const locking = locked(us);
    await us.clock.wakeNext();
    await theirs.release();
    await us.clock.wakeNext();
    await locking;
    expect((await stored(us)).spec?.holderIdentity).toContain('testhost/');
  });

  it('the holder of the repair lease learns that another process has taken it', async () => {
    const us = await repairer();
    const lock = await locked(us);
    const taken = await stored(us);
    await us.store.update(lease, { ...taken, spec: { ...taken.spec, holderIdentity: 'elsewhere/1/x' } });
    await us.clock.wakeNext();
    await expect.poll(() => lock.lost.aborted).toBe(true);
    expect(lock.lost.reason).toMatchObject({ code: 'IPAM_REPAIR_LOCK_LOST' });
    await lock.release();
    expect((await stored(us)).spec?.holderIdentity).toBe('elsewhere/1/x');
  });

  it('only one of many gets the repair lease', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, (_, i) => repairer({ pid: 100 + i })));
    const results = await Promise.allSettled(many.map(locked));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'IPAM_REPAIR_RUNNING', exit: 4 });
    }
  });

  it('the repair lease is refused, with a way out, to callers without a right to it', async () => {
    const error = await refusalOf(locked(await repairer({}, 'nobody')));
    expect(error.code).toBe('IPAM_REPAIR_NO_LEASE');
    expect(error.hint).toContain('--no-lease');
    expect(error.message).toContain('nobody');
  });
});
