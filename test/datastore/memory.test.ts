import { describe, expect, it } from 'vitest';
import { MemoryDatastore, type MemoryFault, StoreCrash } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { newAffinity } from '../../src/ipam/affinity/affinities.ts';
import { newBlock, type Owner, withSpec } from '../../src/ipam/block/block.ts';
import { type Cidr, parseCidr } from '../../src/net/cidr.ts';
import { ipamBlock } from '../../src/resources/kinds/ipam-block.ts';
import { ipamHandle } from '../../src/resources/kinds/ipam-handle.ts';
import { handle, total } from '../support/clusters/counter-handles.ts';

/** A store whose nth write fails so. */
const failing = (nthWrite: number, fault: MemoryFault) =>
  new MemoryDatastore([handle('a')], { faults: (call) => (call.nthWrite === nthWrite ? fault : undefined) });

async function add(store: MemoryDatastore): Promise<void> {
  const read = await store.get(ipamHandle, { name: 'a' });
  await store.update(ipamHandle, { ...read, spec: handle('a', total(read) + 1).spec });
}

const totalOf = (store: MemoryDatastore): number => total(store.dump()[0] as ReturnType<typeof handle>);

describe('injected faults of the memory datastore', () => {
  it.each([
    ['conflict', 'conflict', 1],
    ['already-exists', 'already-exists', 1],
    ['not-found', 'not-found', 1],
    ['timeout-before', 'unavailable', 1],
    ['timeout-after', 'unavailable', 2],
  ] as const)('the injected fault %s fails one call', async (fault, reason, left) => {
    const store = failing(1, fault);
    await expect(add(store)).rejects.toMatchObject({ reason });
    expect(totalOf(store)).toBe(left);
    await add(store);
    expect(totalOf(store)).toBe(left + 1);
    expect(store.writes).toBe(2);
    expect(store.calls.map(({ op, nth }) => `${nth} ${op}`)).toEqual(['1 get', '2 update', '3 get', '4 update']);
  });

  it.each([
    ['crash-before', 2],
    ['crash-after', 3],
  ] as const)('the injected fault %s fails every later call', async (fault, left) => {
    const store = failing(2, fault);
    await add(store);
    await expect(add(store)).rejects.toBeInstanceOf(StoreCrash);
    await expect(store.get(ipamHandle, { name: 'a' })).rejects.toBeInstanceOf(StoreCrash);
    const next = new MemoryDatastore(store.dump());
    expect(totalOf(next)).toBe(left);
    await add(next);
    const uids = [next.dump()[0], await next.create(ipamHandle, handle('b'))].map((object) => object?.metadata.uid);
    expect(new Set(uids).size).toBe(2);
  });
});

it('the memory datastore holds int64 fields as frozen bigints, and leaves the given object unchanged', async () => {
  const numbers = { 3: 7 } as unknown as Record<string, bigint>;
  const store = new MemoryDatastore();
  const made = withSpec(newBlock(parseCidr('10.0.0.0/30') as Cidr, undefined, 1n), {
    sequenceNumberForAllocation: numbers,
  });
  const created = await store.create(ipamBlock, made);
  expect(created.spec.sequenceNumberForAllocation).toEqual({ 3: 7n });
  const more = { ...numbers, 2: 8 as unknown as bigint };
  const updated = await store.update(ipamBlock, withSpec(created, { sequenceNumberForAllocation: more }));
  expect(updated.spec.sequenceNumberForAllocation).toEqual({ 2: 8n, 3: 7n });
  expect(
    [updated, updated.metadata, updated.spec, updated.spec.sequenceNumberForAllocation].every((part) =>
      Object.isFrozen(part),
    ),
  ).toBe(true);
  expect(more).toEqual({ 2: 8, 3: 7 });
  expect(Object.isFrozen(more)).toBe(false);
});

describe('ipamStoreOf', () => {
  it('ipamStoreOf returns failures as values', async () => {
    const { handles } = ipamStoreOf(new MemoryDatastore([handle('a')]));
    const read = await handles.get('a');
    if (!read.ok) throw new Error(read.why);
    expect(await handles.create(handle('a'))).toEqual({ ok: false, why: 'already-exists' });
    expect(await handles.get('b')).toEqual({ ok: false, why: 'not-found' });
    const updated = await handles.update({ ...read.value, spec: handle('a', 2).spec });
    expect(updated.ok).toBe(true);
    expect(await handles.update({ ...read.value, spec: handle('a', 3).spec })).toEqual({ ok: false, why: 'conflict' });
    expect(await handles.remove(read.value)).toEqual({ ok: false, why: 'conflict' });
    const { uid, ...other } = read.value.metadata;
    expect(uid).toBeDefined();
    expect(await handles.remove({ ...read.value, metadata: { ...other, uid: 'another' } })).toEqual({
      ok: false,
      why: 'not-found',
    });
    if (updated.ok) expect(await handles.remove(updated.value)).toEqual({ ok: true, value: undefined });
    expect(await handles.list()).toEqual([]);
  });

  it('ipamStoreOf lists the claims of one owner, by their labels and by their content', async () => {
    const claims = [
      newAffinity({ type: 'host', name: 'node-a' }, '10.0.0.64/26', 'pending'),
      newAffinity({ type: 'host', name: 'node-a' }, '10.0.0.128/26', 'confirmed'),
      newAffinity({ type: 'host', name: 'node-a' }, 'fd00::/122', 'confirmed'),
      newAffinity({ type: 'host', name: 'node-b' }, '10.0.1.0/26', 'confirmed'),
      newAffinity({ type: 'virtual', name: 'load-balancer' }, '10.0.2.0/26', 'confirmed'),
    ];
    const own = newAffinity({ type: 'host', name: 'node-a' }, '10.0.3.0/26', 'confirmed');
    const marked = { ...own, spec: { ...own.spec, deleted: 'true' } };
    const bare = newAffinity({ type: 'host', name: 'node-a' }, '10.0.4.0/26', 'confirmed');
    bare.metadata.labels = {};
    const lying = { ...newAffinity({ type: 'host', name: 'node-a' }, '10.0.5.0/26', 'confirmed') };
    lying.spec = { ...lying.spec, node: 'node-c' };
    const ipam = ipamStoreOf(new MemoryDatastore([...claims, marked, bare, lying]));
    const listed = async (owner: Owner, version: 4 | 6) =>
      (await ipam.affinitiesOf(owner, version)).map(({ spec }) => spec.cidr);
    expect(await listed({ type: 'host', name: 'node-a' }, 4)).toEqual(['10.0.0.128/26', '10.0.0.64/26']);
    expect(await listed({ type: 'host', name: 'node-a' }, 6)).toEqual(['fd00::/122']);
    expect(await listed({ type: 'virtual', name: 'load-balancer' }, 4)).toEqual(['10.0.2.0/26']);
    expect(await listed({ type: 'host', name: 'load-balancer' }, 4)).toEqual([]);
    expect(await listed({ type: 'host', name: 'node-c' }, 4)).toEqual([]);
  });

  it('ipamStoreOf throws other errors', async () => {
    const store = new MemoryDatastore([], { faults: () => 'timeout-after' });
    await expect(ipamStoreOf(store).handles.create(handle('a'))).rejects.toMatchObject({ reason: 'unavailable' });
    expect(store.dump()).toHaveLength(1);
  });

  it('ipamStoreOf shows tombstones as they are', async () => {
    const dead = handle('a');
    dead.spec.deleted = true;
    const store = new MemoryDatastore([dead]);
    expect(await ipamStoreOf(store).handles.list()).toHaveLength(1);
    expect(store.writes).toBe(0);
  });

  it('ipamStoreOf has no configuration when none is stored, and reads node labels of both kinds', async () => {
    const annotations = { 'projectcalico.org/labels': '{"rack":"r1","zone":"calico"}' };
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', labels: { zone: 'kube' }, annotations },
    };
    const store = ipamStoreOf(new MemoryDatastore([node]));
    expect(await store.config()).toBeUndefined();
    expect(await store.pools()).toEqual([]);
    expect(await store.reservations()).toEqual([]);
    expect(await store.nodeLabels('n')).toEqual({ rack: 'r1', zone: 'kube' });
    expect(await store.nodeLabels('other')).toBeUndefined();
  });
});
