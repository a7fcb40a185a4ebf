// What every datastore promises, whatever it keeps its objects in. Run by memory.test.ts, file.test.ts and kube.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Datastore, DatastoreError } from '../../src/datastore/datastore.ts';
import { type CalicoApi, customResourceApi, type Kind, v3ApiVersion } from '../../src/resources/kind.ts';
import { type BlockAffinity, blockAffinity } from '../../src/resources/kinds/block-affinity.ts';
import { type IPAMBlock, ipamBlock } from '../../src/resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../src/resources/kinds/ipam-config.ts';
import { type IPAMHandle, ipamHandle } from '../../src/resources/kinds/ipam-handle.ts';
import { type Lease, lease } from '../../src/resources/kinds/lease.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { RefusedError } from '../../src/world/errors.ts';

export interface ContractStore {
  readonly store: Datastore;
  /** The same objects through another client (another process would have one); the store itself when there is none. */
  readonly second?: Datastore;
  stop(): Promise<void>;
}

const crd = 'crd.projectcalico.org/v1';

function handle(name: string, count = 1, labels?: Record<string, string>): IPAMHandle {
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  const spec = { handleID: name, block: { '10.60.0.0/26': count }, deleted: false };
  return { apiVersion: crd, kind: 'IPAMHandle', metadata, spec };
}

function blockOf(name: string): IPAMBlock {
  return {
    apiVersion: crd,
    kind: 'IPAMBlock',
    metadata: { name },
    spec: {
      cidr: '10.61.0.0/30',
      affinity: 'host:node-a',
      allocations: [0, null, null, null],
      unallocated: [1, 2, 3],
      attributes: [{ handle_id: 'h', secondary: { node: 'node-a' } }],
      sequenceNumber: 1750000000123456893n,
      sequenceNumberForAllocation: { '0': 9007199254740993n },
      deleted: false,
      strictAffinity: false,
    },
  };
}

function leaseIn(namespace: string, name: string): Lease {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec: {} } as Lease;
}

const count = (object: IPAMHandle): number => Number(object.spec.block['10.60.0.0/26']);

async function reasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (error instanceof DatastoreError) return error.reason;
    throw error;
  }
}

async function all<T extends KubeObject>(store: Datastore, kind: Kind<T>, options = {}): Promise<T[]> {
  const items: T[] = [];
  for await (const page of store.list(kind, options)) items.push(...page.items);
  return items;
}

const affinity = (name: string): BlockAffinity => ({
  apiVersion: crd,
  kind: 'BlockAffinity',
  metadata: { name, labels: { 'projectcalico.org/ip-version': '4' } },
  spec: { state: 'confirmed', node: 'node-a', type: 'host', cidr: '10.60.0.0/26', deleted: 'false' },
});

/**
 * `make` is called once; the tests keep out of each other's way by the names of their objects. The tests write objects in
 * the form of crd.projectcalico.org/v1, which every store takes.
 */
export function datastoreContract(
  name: string,
  make: () => Promise<ContractStore>,
  calicoApi: CalicoApi = customResourceApi,
): void {
  describe(`a ${name} datastore`, () => {
    let made: ContractStore;
    let store: Datastore;
    let second: Datastore;
    beforeAll(async () => {
      made = await make();
      store = made.store;
      second = made.second ?? made.store;
      await store.create(ipamHandle, handle('here-before'));
    });
    afterAll(() => made.stop());

    it('a new object gets uid, revision and creation time, and keeps the rest', async () => {
      const created = await store.create(ipamHandle, handle('create-1', 3, { 'projectcalico.org/team': 'blue' }));
      expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(created.metadata.resourceVersion).toMatch(/^.+$/);
      expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(created.spec).toEqual(handle('create-1', 3).spec);
      expect(created.metadata.labels).toEqual({ 'projectcalico.org/team': 'blue' });
      expect(await store.get(ipamHandle, { name: 'create-1' })).toEqual(created);
    });

    it('objects are stored in the API of the store, whichever form they are written in', async () => {
      expect(store.calicoApi).toBe(calicoApi);
      const isNative = calicoApi === v3ApiVersion;
      const created = await store.create(blockAffinity, affinity('form-1'));
      expect(created).toMatchObject({ apiVersion: calicoApi, kind: 'BlockAffinity' });
      expect(created.spec).toEqual({ ...affinity('form-1').spec, deleted: isNative ? false : 'false' });
      const marked = await second.update(blockAffinity, { ...created, spec: { ...created.spec, deleted: 'true' } });
      expect(marked.spec.deleted).toBe(isNative ? true : 'true');
      const asV3 = { ...affinity('form-2'), apiVersion: v3ApiVersion };
      const other = await store.create(blockAffinity, { ...asV3, spec: { ...asV3.spec, deleted: true } });
      expect(other).toMatchObject({ apiVersion: calicoApi, spec: { deleted: isNative ? true : 'true' } });
      expect(other.metadata.labels).toEqual({ 'projectcalico.org/ip-version': '4' });
      expect(await second.get(blockAffinity, { name: 'form-2' })).toEqual(other);
    });

    it('the configuration of IPAM has the name that its kind has in the API of the store', async () => {
      const config = { apiVersion: crd, kind: 'IPAMConfig', metadata: { name: 'default' } };
      const created = await store.create(ipamConfig, {
        ...config,
        spec: { strictAffinity: true, autoAllocateBlocks: true },
      });
      expect(created.kind).toBe(calicoApi === v3ApiVersion ? 'IPAMConfiguration' : 'IPAMConfig');
      const read = await second.get(ipamConfig, { name: 'default' });
      expect(read).toEqual(created);
      const spec = { ...read.spec, strictAffinity: false };
      expect((await store.update(ipamConfig, { ...read, spec })).spec.strictAffinity).toBe(false);
      expect((await all(store, ipamConfig)).map(({ kind }) => kind)).toEqual([created.kind]);
      await store.delete(ipamConfig, { name: 'default' }, { uid: created.metadata.uid });
      expect(await reasonOf(second.get(ipamConfig, { name: 'default' }))).toBe('not-found');
    });

    it('create refuses an existing object and leaves it as it is', async () => {
      const created = await store.create(ipamHandle, handle('create-2', 1));
      expect(await reasonOf(store.create(ipamHandle, handle('create-2', 2)))).toBe('already-exists');
      expect(await store.get(ipamHandle, { name: 'create-2' })).toEqual(created);
    });

    it('only one of several concurrent creators succeeds', async () => {
      const stores = [store, second, store, second];
      const reasons = await Promise.all(
        stores.map((from, i) => reasonOf(from.create(ipamHandle, handle('create-3', i)))),
      );
      expect(reasons.sort()).toEqual(['already-exists', 'already-exists', 'already-exists', 'ok']);
    });

    it('a missing object is reported as not-found', async () => {
      expect(await reasonOf(store.get(ipamHandle, { name: 'nobody' }))).toBe('not-found');
      expect(await reasonOf(store.delete(ipamHandle, { name: 'nobody' }, {}))).toBe('not-found');
      const gone = await store.create(ipamHandle, handle('gone'));
      await store.delete(ipamHandle, { name: 'gone' }, {});
      expect(await reasonOf(store.update(ipamHandle, { ...gone, spec: handle('gone', 2).spec }))).toBe('not-found');
    });

    it('update changes an object at the revision that was read', async () => {
      const created = await store.create(ipamHandle, handle('update-1'));
      const updated = await store.update(ipamHandle, { ...created, spec: handle('update-1', 7).spec });
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      expect(updated.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
      const read = await second.get(ipamHandle, { name: 'update-1' });
      expect(read).toEqual(updated);
      expect(count(read)).toBe(7);
    });

    it('update refuses an older revision, no revision, and another incarnation', async () => {
      const first = await store.create(ipamHandle, handle('update-2'));
      const now = await second.update(ipamHandle, { ...first, spec: handle('update-2', 2).spec });
      const change = (metadata: IPAMHandle['metadata']) => ({ ...now, metadata, spec: handle('update-2', 9).spec });
      expect(await reasonOf(store.update(ipamHandle, change(first.metadata)))).toBe('conflict');
      const other = { ...now.metadata, uid: '11111111-2222-4333-8444-555555555555' };
      expect(await reasonOf(store.update(ipamHandle, change(other)))).toBe('conflict');
      const { resourceVersion, ...without } = now.metadata;
      expect(resourceVersion).toBeDefined();
      expect(await reasonOf(store.update(ipamHandle, change(without)))).toBe('invalid');
      expect(await store.get(ipamHandle, { name: 'update-2' })).toEqual(now);
    });

    it('no change is lost of writers that retry on conflict', async () => {
      await store.create(ipamHandle, handle('update-3', 0));
      const add = async (from: Datastore): Promise<void> => {
        for (;;) {
          const read = await from.get(ipamHandle, { name: 'update-3' });
          const spec = handle('update-3', count(read) + 1).spec;
          const reason = await reasonOf(from.update(ipamHandle, { ...read, spec }));
          if (reason === 'ok') return;
          expect(reason).toBe('conflict');
        }
      };
      await Promise.all([store, second, store, second, store, second].map(add));
      expect(count(await store.get(ipamHandle, { name: 'update-3' }))).toBe(6);
    });

    it('delete removes only the given incarnation and revision', async () => {
      const first = await store.create(ipamHandle, handle('delete-1'));
      const now = await store.update(ipamHandle, { ...first, spec: handle('delete-1', 2).spec });
      const ref = { name: 'delete-1' };
      const remove = (preconditions: object) => reasonOf(store.delete(ipamHandle, ref, preconditions));
      expect(await remove({ resourceVersion: first.metadata.resourceVersion })).toBe('conflict');
      expect(await remove({ uid: '11111111-2222-4333-8444-555555555555' })).toBe('not-found');
      expect(await store.get(ipamHandle, ref)).toEqual(now);
      const { uid, resourceVersion } = now.metadata;
      expect(await remove({ uid, resourceVersion })).toBe('ok');
      expect(await reasonOf(second.get(ipamHandle, ref))).toBe('not-found');
    });

    it('a dry run refuses what a write would, and writes nothing', async () => {
      const dryRun = { dryRun: true };
      const created = await store.create(ipamHandle, handle('dry-old'));
      const { uid, resourceVersion } = created.metadata;
      const names = ['dry-new', 'dry-old', 'dry-gone'];
      expect(await reasonOf(store.create(ipamHandle, handle('dry-old'), dryRun))).toBe('already-exists');
      expect(
        await reasonOf(
          store.update(
            ipamHandle,
            { ...handle('dry-gone'), metadata: { name: 'dry-gone', resourceVersion: '1' } },
            dryRun,
          ),
        ),
      ).toBe('not-found');
      const stale = { uid, resourceVersion: '1' };
      expect(await reasonOf(store.delete(ipamHandle, { name: 'dry-old' }, stale, dryRun))).toBe('conflict');

      expect(await store.create(ipamHandle, handle('dry-new', 3), dryRun)).toMatchObject({
        spec: { block: { '10.60.0.0/26': 3 } },
      });
      const updated = await store.update(ipamHandle, { ...created, spec: handle('dry-old', 7).spec }, dryRun);
      expect(count(updated)).toBe(7);
      await store.delete(ipamHandle, { name: 'dry-old' }, { uid, resourceVersion }, dryRun);
      const left = (await all(store, ipamHandle)).filter(({ metadata }) => names.includes(metadata.name));
      expect(left).toEqual([created]);
    });

    it('a recreated object gets a new uid and revision', async () => {
      const first = await store.create(ipamHandle, handle('delete-2'));
      await store.delete(ipamHandle, { name: 'delete-2' }, {});
      const again = await store.create(ipamHandle, handle('delete-2'));
      expect(again.metadata.uid).not.toBe(first.metadata.uid);
      expect(again.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
      expect(await reasonOf(store.update(ipamHandle, { ...first, spec: handle('delete-2', 5).spec }))).toBe('conflict');
      const { uid } = first.metadata;
      expect(await reasonOf(store.delete(ipamHandle, { name: 'delete-2' }, { uid }))).toBe('not-found');
    });

    it('list is ordered by name and filters by labels', async () => {
      // The order of bytes: 0 before 1, - before digits, digits before letters.
      for (const last of ['b', '10', '1-1', '9', 'a']) {
        const parity = last.length === 1 ? 'short' : 'long';
        await store.create(ipamHandle, handle(`list-${last}`, 1, { 'projectcalico.org/form': parity }));
      }
      const names = async (labelSelector?: string) => {
        const items = await all(second, ipamHandle, labelSelector === undefined ? {} : { labelSelector });
        return items.map(({ metadata }) => metadata.name).filter((found) => found.startsWith('list-'));
      };
      expect(await names()).toEqual(['list-1-1', 'list-10', 'list-9', 'list-a', 'list-b']);
      expect(await names('projectcalico.org/form=long')).toEqual(['list-1-1', 'list-10']);
      expect(await names('projectcalico.org/form!=long')).toEqual(['list-9', 'list-a', 'list-b']);
      expect(await names('projectcalico.org/form in (short, other)')).toEqual(['list-9', 'list-a', 'list-b']);
      expect(await names('!projectcalico.org/form')).toEqual([]);
    });

    it('list returns the same objects as get', async () => {
      const created = await store.create(ipamHandle, handle('list-same'));
      const items = await all(store, ipamHandle);
      expect(items.find(({ metadata }) => metadata.name === 'list-same')).toEqual(created);
      const pages = [];
      for await (const { atomic, resourceVersion } of store.list(ipamHandle)) pages.push({ atomic, resourceVersion });
      expect(pages).toEqual([{ atomic: true, resourceVersion: expect.stringMatching(/^.+$/) }]);
    });

    it('objects of different namespaces are separate', async () => {
      await store.create(lease, leaseIn('default', 'contract'));
      const other = await store.create(lease, leaseIn('kube-system', 'contract'));
      expect(await store.get(lease, { namespace: 'kube-system', name: 'contract' })).toEqual(other);
      const named = async (options: object) =>
        (await all(store, lease, options))
          .filter(({ metadata }) => metadata.name === 'contract')
          .map(({ metadata }) => metadata.namespace);
      expect(await named({})).toEqual(['default', 'kube-system']);
      expect(await named({ namespace: 'kube-system' })).toEqual(['kube-system']);
      await store.delete(lease, { namespace: 'default', name: 'contract' }, {});
      expect(await named({})).toEqual(['kube-system']);
    });

    it('64-bit integers keep every digit', async () => {
      const created = await store.create(ipamBlock, blockOf('10-61-0-0-30'));
      const read = await second.get(ipamBlock, { name: '10-61-0-0-30' });
      expect(read.spec.sequenceNumber).toBe(1750000000123456893n);
      expect(read.spec.sequenceNumberForAllocation).toEqual({ '0': 9007199254740993n });
      const spec = { ...read.spec, sequenceNumber: 1750000000123456894n };
      const updated = await second.update(ipamBlock, { ...created, spec });
      expect(updated.spec.sequenceNumber).toBe(1750000000123456894n);
      const [listed] = await all(store, ipamBlock);
      expect(listed?.spec).toEqual(updated.spec);
    });

    it('returned objects cannot be used to change the stored ones', async () => {
      const given = handle('copies');
      const created = await store.create(ipamHandle, given);
      Reflect.set(given.spec.block, '10.60.0.0/26', 100);
      Reflect.set(created.spec.block, '10.60.0.0/26', 99);
      const read = await store.get(ipamHandle, { name: 'copies' });
      expect(count(read)).toBe(1);
      Reflect.set(read.spec.block, '10.60.0.0/26', 98);
      expect(count(await store.get(ipamHandle, { name: 'copies' }))).toBe(1);
    });

    it('a call that was aborted before does nothing', async () => {
      const signal = AbortSignal.abort(new Error('stopped by hand'));
      await expect(store.create(ipamHandle, handle('aborted'), { signal })).rejects.toThrow();
      expect(await reasonOf(store.get(ipamHandle, { name: 'aborted' }))).toBe('not-found');
    });

    it('only one repair runs at a time', async () => {
      const lock = await store.lockRepairs();
      expect(lock.lost.aborted).toBe(false);
      await expect(second.lockRepairs()).rejects.toBeInstanceOf(RefusedError);
      await lock.release();
      const next = await second.lockRepairs();
      await next.release();
    });
  });
}
