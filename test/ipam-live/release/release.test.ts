// An interrupted release: what has begun is completed and reported, nothing more is begun.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { applyRelease } from '../../../src/ipam-live/release/apply-release.ts';
import { planRelease } from '../../../src/ipam-live/release/plan-release.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  affinityTo,
  blockWith,
  handlesIn,
  handleWith,
  holders,
  inconsistencies,
  node,
  pool,
} from '../../support/clusters/ipam-state.ts';
import { TestClock } from '../../support/program/world.ts';

const blocks = Array.from({ length: 20 }, (_, index) => `10.60.0.${index * 8}/29`);
const objects: readonly KubeObject[] = [
  node('node-a'),
  pool('pool-1', '10.60.0.0/24', 29),
  ...blocks.flatMap((cidr, index) => [
    blockWith(cidr, 'host:node-a', [`h${index}`, 1]),
    affinityTo('node-a', cidr, 'confirmed'),
    handleWith(`h${index}`, { [cidr]: 1 }),
  ]),
];

async function open() {
  const store = new MemoryDatastore(objects);
  const stop = new AbortController();
  const clock = new TestClock('2025-12-01T00:00:00Z');
  const addresses = blocks.map((cidr) => cidr.replace('/29', ''));
  const options = { clock, signal: stop.signal, progress: () => undefined };
  const plan = await planRelease(store, { addresses, handles: [], reports: [] }, options);
  return { store, stop, plan, addresses };
}

describe('the address of a stopped virtual machine', () => {
  const handle = 'k8s-pod-network.vmi.shop.vm-1';
  const cidr = '10.60.0.0/29';
  const stopped = [
    pool('pool-1', '10.60.0.0/24', 29),
    blockWith(cidr, 'host:node-gone', [handle, 1]),
    handleWith(handle, { [cidr]: 1 }),
  ].map((object) => structuredClone(object));
  for (const object of stopped) {
    const { attributes } = object.spec as { attributes?: { secondary?: unknown }[] };
    for (const attribute of attributes ?? []) delete attribute.secondary;
  }

  it.each([
    ['its address', { addresses: ['10.60.0.0'] }],
    ['its handle', { handles: [handle] }],
    ['the node of its block, which is gone', { node: 'node-gone' }],
  ])('a release by %s finds it in use by the machine', async (_, target) => {
    const store = new MemoryDatastore(stopped);
    const options = { clock: new TestClock('2025-12-01T00:00:00Z'), signal: new AbortController().signal };
    const plan = await planRelease(
      store,
      { addresses: [], handles: [], reports: [], ...target },
      { ...options, progress: () => undefined },
    );
    expect(plan.inUse).toEqual([{ address: '10.60.0.0', users: ['VirtualMachine shop/vm-1'] }]);
  });
});

describe('an interrupted release', () => {
  it('a release interrupted at any call has an outcome for each address that matches what is stored', async () => {
    const ends = new Set<string>();
    for (let at = 1; ; at += 7) {
      const { store, stop, plan, addresses } = await open();
      const before = store.calls.length;
      store.faults = (call) => {
        if (call.nth === before + at) stop.abort();
        return undefined;
      };
      const { outcomes } = await applyRelease(store, plan, { force: false, signal: stop.signal });
      expect(outcomes.map(({ subject }) => subject).sort()).toEqual([...addresses].sort());
      expect(inconsistencies(store)).toEqual([]);
      const held = new Set(
        [...holders(store).keys()].map((place) => `${place.replace(/-29\/0$/, '').replaceAll('-', '.')}`),
      );
      for (const { subject, outcome, detail } of outcomes) {
        expect(held.has(subject)).toBe(outcome !== 'applied');
        if (outcome !== 'applied')
          expect({ outcome, detail }).toEqual({ outcome: 'skipped', detail: 'interrupted before it was done' });
        ends.add(outcome);
      }
      expect(handlesIn(store)).toHaveLength(held.size);
      if (!stop.signal.aborted) break;
    }
    expect([...ends].sort()).toEqual(['applied', 'skipped']);
  });

  it('a release interrupted while it reads the owners again writes nothing', async () => {
    const { store, stop, plan, addresses } = await open();
    const namedOwner = { kind: 'Pod', namespace: 'shop', name: 'cart-0' } as const;
    const requests = plan.requests.map((request) => ({ ...request, namedOwner }));
    store.faults = () => {
      stop.abort();
      return undefined;
    };
    const { outcomes } = await applyRelease(store, { ...plan, requests }, { force: false, signal: stop.signal });
    expect(store.writes).toBe(0);
    expect(outcomes).toHaveLength(addresses.length);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  });

  it('a release interrupted before it begins writes nothing', async () => {
    const { store, stop, plan } = await open();
    stop.abort();
    const { outcomes } = await applyRelease(store, plan, { force: false, signal: stop.signal });
    expect(store.writes).toBe(0);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
  });
});

it('a release reports an error with one block and releases the others', async () => {
  const { store, plan } = await open();
  store.faults = (call) => (call.op === 'update' && call.name === '10-60-0-8-29' ? 'timeout-before' : undefined);
  const { outcomes } = await applyRelease(store, plan, { force: false, signal: new AbortController().signal });
  expect(outcomes.filter(({ outcome }) => outcome !== 'applied')).toEqual([
    { subject: '10.60.0.8', outcome: 'failed', detail: expect.stringContaining('no answer in time') },
  ]);
});

it('a release keeps the blocks of a node that exists again', async () => {
  const gone = new MemoryDatastore(objects.filter(({ kind }) => kind !== 'Node'));
  const options = { clock: new TestClock('2025-12-01T00:00:00Z'), signal: new AbortController().signal };
  const target = { addresses: [], handles: [], reports: [], node: 'node-a', affinities: true };
  const plan = await planRelease(gone, target, { ...options, progress: () => undefined });
  expect(plan.requests).toHaveLength(blocks.length);
  const back = new MemoryDatastore([...gone.dump(), node('node-a')]);
  const { outcomes } = await applyRelease(back, plan, { force: false, signal: options.signal });
  const ofBlocks = outcomes.filter(({ subject }) => subject.includes('/'));
  expect(ofBlocks).toHaveLength(blocks.length);
  for (const { outcome, detail } of ofBlocks) {
    expect({ outcome, detail }).toEqual({ outcome: 'conflict', detail: 'the node exists again' });
  }
  expect(inconsistencies(back)).toEqual([]);
});
