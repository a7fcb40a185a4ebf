// Writes whose response is lost: the contents of the store decide how each ended.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore, type MemoryFault } from '../../../src/datastore/memory.ts';
import { newHandle, withCounts } from '../../../src/ipam/handles.ts';
import { repairStore } from '../../../src/ipam-live/repair/repair-store.ts';
import { type IPAMHandle, ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';

const name = 'net.c1';
const made = newHandle(name, { '10.0.0.0/26': 1 });

/** A store with the handle in it, whose next write has the fault; `meanwhile` runs before its outcome is looked up. */
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

describe('an update whose response is lost', () => {
  it('an update whose response is lost succeeds when it is stored', async () => {
    const { handles, stored } = await losing('timeout-after');
    const written = await handles.update(change(stored, 2));
    expect(written).toMatchObject({ ok: true, value: { spec: { block: { '10.0.0.0/26': 2 } } } });
    expect(written.ok && written.value.metadata.resourceVersion).not.toBe(stored.metadata.resourceVersion);
  });

  it('an update whose response is lost is an error when it is not stored', async () => {
    const { handles, stored } = await losing('timeout-before');
    await expect(handles.update(change(stored, 2))).rejects.toMatchObject(noAnswer);
  });

  it.each([
    ['conflict', rewritten],
    ['not-found', removed],
    ['not-found', replaced],
  ] as const)(
    "an update whose response is lost, followed by another client's write, is a %s",
    async (why, meanwhile) => {
      const { handles, stored } = await losing('timeout-after', meanwhile);
      expect(await handles.update(change(stored, 2))).toEqual({ ok: false, why });
    },
  );
});

describe('a deletion whose response is lost', () => {
  it('a deletion whose response is lost succeeds when the object is gone, also when a new one has its name', async () => {
    for (const meanwhile of [undefined, (store: MemoryDatastore) => store.create(ipamHandle, made)]) {
      const { handles, stored } = await losing('timeout-after', meanwhile);
      expect(await handles.remove(stored)).toEqual({ ok: true, value: undefined });
    }
  });

  it('a deletion whose response is lost is an error when it was not made, or a conflict when the object changed', async () => {
    const untouched = await losing('timeout-before');
    await expect(untouched.handles.remove(untouched.stored)).rejects.toMatchObject(noAnswer);
    const { handles, stored } = await losing('timeout-before', rewritten);
    expect(await handles.remove(stored)).toEqual({ ok: false, why: 'conflict' });
  });
});

describe('a creation whose response is lost', () => {
  const other = newHandle('net.c2', { '10.0.0.0/26': 1 });

  it('a creation whose response is lost succeeds when the object is stored', async () => {
    const { handles } = await losing('timeout-after');
    expect(await handles.create(other)).toMatchObject({ ok: true, value: { metadata: { name: 'net.c2' } } });
  });

  it('a creation whose response is lost is an error when it was not made, or already-exists when another client was faster', async () => {
    const { handles } = await losing('timeout-before');
    await expect(handles.create(other)).rejects.toMatchObject(noAnswer);
    const faster = await losing('timeout-before', (store) => store.create(ipamHandle, change(other, 5)));
    expect(await faster.handles.create(other)).toEqual({ ok: false, why: 'already-exists' });
  });
});

it('a refusal of the store is returned unchanged', async () => {
  const { handles, stored } = await losing('conflict');
  expect(await handles.update(change(stored, 2))).toEqual({ ok: false, why: 'conflict' });
});
