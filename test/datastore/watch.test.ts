// Watching a store that has no watch of its own: what there is, then what each new list changes.
import { expect, it } from 'vitest';
import type { WatchBatch } from '../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { watchKind } from '../../src/datastore/watch.ts';
import { type IPPool, ipPool } from '../../src/resources/kinds/ip-pool.ts';
import { TestClock } from '../support/program/world.ts';

const pool = (name: string): IPPool => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name },
  spec: { cidr: '10.0.0.0/16' },
});

const shown = ({ events, isInitial }: WatchBatch<IPPool>): string =>
  `${isInitial ? 'first' : 'later'}: ${events.map(({ type, object }) => `${type} ${object.metadata.name}`).join(', ')}`;

it('a store without a watch is listed every second, and what changed is reported', async () => {
  const store = new MemoryDatastore([pool('a'), pool('b')]);
  const clock = new TestClock('2025-06-15T16:00:00Z');
  const ended = new AbortController();
  const waits: number[] = [];
  // Between the lists: nothing; a change and a new object; a deletion; the end.
  const changes: (() => Promise<unknown>)[] = [
    async () => undefined,
    async () => {
      const stored = await store.get(ipPool, { name: 'a' });
      await store.update(ipPool, { ...stored, spec: { ...stored.spec, disabled: true } });
      await store.create(ipPool, pool('c'));
    },
    async () => store.delete(ipPool, { name: 'b' }, {}),
    async () => ended.abort(),
  ];
  const slow = {
    now: () => clock.now(),
    nowNs: () => clock.nowNs(),
    sleep: async (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      await changes.shift()?.();
      signal?.throwIfAborted();
    },
  };
  const batches: string[] = [];
  const watch = async (): Promise<void> => {
    for await (const batch of watchKind(store, ipPool, slow, { signal: ended.signal })) batches.push(shown(batch));
  };
  await expect(watch()).rejects.toThrow(/abort/i);
  expect(batches).toEqual(['first: added a, added b', 'later: modified a, added c', 'later: deleted b']);
  expect(waits).toEqual([1000, 1000, 1000, 1000]);
});
