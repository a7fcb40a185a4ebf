// A write whose answer is lost: what the store holds decides what came of it.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore, type MemoryFault } from '../../../src/datastore/memory.ts';
import { newHandle, withCounts } from '../../../src/ipam/handles.ts';
import { repairStore } from '../../../src/ipam-live/repair/repair-store.ts';
import { type IPAMHandle, ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';

const name = 'net.c1';
const made = newHandle(name, { '10.0.0.0/26': 1 });

/** A store with the handle in it, whose next write meets the fault; `meanwhile` happens before it is looked up. */
async function losing(fault: MemoryFault, meanwhile?: (store: MemoryDatastore) => Promise<unknown>) {
  const store = new MemoryDatastore();
  const stored = await store.create(ipamHandle, made);
  let lost = false;
  store.faults = ({ op, nthWrite }) => {
    if (op === 'get' || nthWrite !== 2) return undefined;
    lost = true;
    return fault;
  };
  const get = store.get.bind(store);
  store.get = async (kind, ref, options) => {
    if (lost) {
      lost = false;
      await meanwhile?.(store);
    }
    return get(kind, ref, options);
  };
  return { stored, handles: repairStore(store).handles };
}

const change = (handle: IPAMHandle, count: number): IPAMHandle => withCounts(handle, { '10.0.0.0/26': count });
const current = (store: MemoryDatastore): Promise<IPAMHandle> => store.get(ipamHandle, { name });
const rewritten = async (store: MemoryDatastore): Promise<unknown> =>
  store.update(ipamHandle, change(await current(store), 9));
const removed = async (store: MemoryDatastore): Promise<void> => store.delete(ipamHandle, { name }, {});
const replaced = async (store: MemoryDatastore): Promise<unknown> => {
  await removed(store);
  return store.create(ipamHandle, made);
};
const noAnswer = { reason: 'unavailable' };

describe('an update', () => {
  it('that was made is made', async () => {
    const { handles, stored } = await losing('timeout-after');
    const written = await handles.update(change(stored, 2));
    expect(written).toMatchObject({ ok: true, value: { spec: { block: { '10.0.0.0/26': 2 } } } });
    expect(written.ok && written.value.metadata.resourceVersion).not.toBe(stored.metadata.resourceVersion);
  });

  it('that was not made is an error', async () => {
    const { handles, stored } = await losing('timeout-before');
    await expect(handles.update(change(stored, 2))).rejects.toMatchObject(noAnswer);
  });

  it.each([
    ['conflict', rewritten],
    ['not-found', removed],
    ['not-found', replaced],
  ] as const)('after which somebody else wrote is %s', async (why, meanwhile) => {
    const { handles, stored } = await losing('timeout-after', meanwhile);
    expect(await handles.update(change(stored, 2))).toEqual({ ok: false, why });
  });
});

describe('a deletion', () => {
  it('that was made is made, also when there is another object of that name', async () => {
    for (const meanwhile of [undefined, (store: MemoryDatastore) => store.create(ipamHandle, made)]) {
      const { handles, stored } = await losing('timeout-after', meanwhile);
      expect(await handles.remove(stored)).toEqual({ ok: true, value: undefined });
    }
  });

  it('that was not made is an error, or a conflict when the object has changed', async () => {
    const untouched = await losing('timeout-before');
    await expect(untouched.handles.remove(untouched.stored)).rejects.toMatchObject(noAnswer);
    const { handles, stored } = await losing('timeout-before', rewritten);
    expect(await handles.remove(stored)).toEqual({ ok: false, why: 'conflict' });
  });
});

describe('a creation', () => {
  const other = newHandle('net.c2', { '10.0.0.0/26': 1 });

  it('that was made is made', async () => {
    const { handles } = await losing('timeout-after');
    expect(await handles.create(other)).toMatchObject({ ok: true, value: { metadata: { name: 'net.c2' } } });
  });

  it('that was not made is an error, or already there when somebody else was faster', async () => {
    const { handles } = await losing('timeout-before');
    await expect(handles.create(other)).rejects.toMatchObject(noAnswer);
    const faster = await losing('timeout-before', (store) => store.create(ipamHandle, change(other, 5)));
    expect(await faster.handles.create(other)).toEqual({ ok: false, why: 'already-exists' });
  });
});

it('what the store refuses is passed on as it is', async () => {
  const { handles, stored } = await losing('conflict');
  expect(await handles.update(change(stored, 2))).toEqual({ ok: false, why: 'conflict' });
});
