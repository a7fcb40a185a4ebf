// Tests of our model of Calico's garbage collector, which other tests use.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { newBlock, parseOwner } from '../../src/ipam/block/block.ts';
import { assigned } from '../../src/ipam/block/block-assign.ts';
import { type Cidr, parseCidr } from '../../src/net/cidr.ts';
import { IntervalSet } from '../../src/net/interval-set.ts';
import type { IPAMBlock } from '../../src/resources/kinds/ipam-block.ts';
import type { Pod } from '../../src/resources/kinds/pod.ts';
import {
  affinityTo,
  blocksIn,
  blockWith,
  firstSequence,
  handleWith,
  node,
  pool,
} from '../support/clusters/ipam-state.ts';
import { collectGarbage, judge, noMarks } from '../support/other-clients/garbage-collector.ts';

const minute = 60_000;
const grace = 15 * minute;
const cidr = '10.0.0.0/30';

/** A block with an address for each pod, from the first one on: `[handle, pod, node]`. */
function blockOf(...held: readonly (readonly [string, string, string])[]): IPAMBlock {
  return held.reduce(
    (block, [handle, pod, on]) =>
      assigned(block, 1, { handle, secondary: { namespace: 'shop', pod, node: on } }, IntervalSet.of([])).block,
    newBlock(parseCidr(cidr) as Cidr, parseOwner('host:node-a'), firstSequence),
  );
}

const podOn = (name: string, nodeName: string, status: NonNullable<Pod['status']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { nodeName },
  status,
});

/** The leaks that two passes confirm, the second a minute after the grace period. */
function leaksOf(block: IPAMBlock, pods: readonly Pod[], nodes = ['node-a']): readonly string[] {
  const view = { blocks: [block], pods, nodes: new Set(nodes) };
  const first = judge(view, noMarks, 0, grace);
  return judge(view, first.marks, grace + minute, grace).leaks.map(({ address }) => address);
}

describe('leaks of the garbage collector', () => {
  const block = blockOf(['net.1', 'a', 'node-a']);
  const cases: readonly (readonly [string, readonly Pod[], readonly string[]])[] = [
    ['its pod is gone', [], ['10.0.0.0']],
    ['its pod has the address', [podOn('a', 'node-a', { podIP: '10.0.0.0' })], []],
    ['its pod has no address yet', [podOn('a', 'node-a')], []],
    ['its pod has another address', [podOn('a', 'node-a', { podIP: '10.0.0.2' })], ['10.0.0.0']],
    ['its pod is on another node', [podOn('a', 'node-b', { podIP: '10.0.0.0' })], ['10.0.0.0']],
    ['its pod has ended', [podOn('a', 'node-a', { podIP: '10.0.0.0', phase: 'Succeeded' })], ['10.0.0.0']],
  ];
  it.each(cases)('the garbage collector judges an allocation when %s', (_what, pods, leaks) => {
    expect(leaksOf(block, pods)).toEqual(leaks);
  });
});

it('the garbage collector confirms a leak after the grace period, at once when its node is gone, never without a grace period', () => {
  const view = { blocks: [blockOf(['net.1', 'a', 'node-a'])], pods: [], nodes: new Set(['node-a']) };
  const first = judge(view, noMarks, 0, grace);
  expect(first.leaks).toEqual([]);
  expect(judge(view, first.marks, grace, grace).leaks).toEqual([]);
  expect(judge(view, first.marks, grace + 1, grace).leaks).toHaveLength(1);
  expect(judge({ ...view, nodes: new Set() }, noMarks, 0, grace).leaks).toHaveLength(1);
  expect(judge(view, first.marks, grace + 1, 0).leaks).toEqual([]);
});

it('the garbage collector releases all addresses of a handle or none', () => {
  const block = blockOf(['net.1', 'gone', 'node-a'], ['net.1', 'here', 'node-a'], ['net.2', 'gone', 'node-a']);
  expect(leaksOf(block, [podOn('here', 'node-a', { podIP: '10.0.0.1' })])).toEqual(['10.0.0.2']);
});

it('the garbage collector releases an empty block after the grace period when its owner has another one', () => {
  const empty = blockWith('10.0.0.4/30', 'host:node-a');
  const view = { blocks: [empty], pods: [], nodes: new Set(['node-a']) };
  const marks = judge(view, noMarks, 0, grace).marks;
  expect(judge(view, marks, grace + 1, grace).surplus).toEqual([]);
  const two = { ...view, blocks: [blockWith(cidr, 'host:node-a'), empty] };
  const both = judge(two, noMarks, 0, grace).marks;
  expect(judge(two, both, grace + 1, grace).surplus.map(({ spec }) => spec.cidr)).toEqual([cidr]);
});

it('one pass of the garbage collector over a store releases leaks and surplus blocks', async () => {
  const store = new MemoryDatastore([
    node('node-a'),
    pool('p', '10.0.0.0/29', 30),
    blockOf(['net.1', 'gone', 'node-a'], ['net.2', 'here', 'node-a']),
    affinityTo('node-a', cidr, 'confirmed'),
    blockWith('10.0.0.4/30', 'host:node-a'),
    affinityTo('node-a', '10.0.0.4/30', 'confirmed'),
    handleWith('net.1', { [cidr]: 1 }),
    handleWith('net.2', { [cidr]: 1 }),
    podOn('here', 'node-a', { podIP: '10.0.0.1' }),
  ]);
  const first = await collectGarbage(store, noMarks, { nowMs: 0, graceMs: grace });
  expect(first.released).toEqual([]);
  const second = await collectGarbage(store, first.marks, { nowMs: grace + 1, graceMs: grace });
  expect(second.released).toEqual(['10.0.0.0']);
  expect(blocksIn(store).map(({ spec }) => spec.cidr)).toEqual([cidr]);
  expect(blocksIn(store)[0]?.spec.allocations).toEqual([null, 0, null, null]);
});
