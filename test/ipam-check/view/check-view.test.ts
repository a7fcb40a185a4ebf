import { describe, expect, it } from 'vitest';
import { CheckView } from '../../../src/ipam-check/view/check-view.ts';
import { type IpAddress, parseIp } from '../../../src/net/ip.ts';
import { healthy, judgedAt, podHandle, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (!address) throw new Error(text);
  return address;
}

const viewOf = (cluster: SnapshotBuilder, changes = {}) => new CheckView(cluster.snapshot(changes));

it('an allocation has its holder, its node and its time', () => {
  const cluster = healthy();
  cluster.pod('b-2', 'node-b', cluster.blockOf('10.60.0.0/29'), '5');
  const [allocation, ...others] = viewOf(cluster).allocationsAt(ip('10.60.0.3'));
  expect(others).toEqual([]);
  expect(allocation).toMatchObject({
    ordinal: 3,
    address: '10.60.0.3',
    handle: podHandle('5'),
    handleName: podHandle('5'),
    sequence: BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n + 3n,
    node: 'node-b',
    borrowed: true,
    attributeMissing: false,
    windowsReserved: false,
    allocatedAtMs: Date.parse('2026-01-01T00:00:00Z'),
  });
});

it('an address of overlapping blocks has two allocations and belongs to the smaller block', () => {
  const cluster = healthy();
  cluster.allocate(cluster.block('10.60.0.0/28', 'node-b'), { handle_id: 'x' });
  const view = viewOf(cluster);
  expect(view.allocationsAt(ip('10.60.0.0')).map(({ block }) => block.cidr)).toEqual(['10.60.0.0/28', '10.60.0.0/29']);
  expect(view.blockOf(ip('10.60.0.0'))?.cidr).toBe('10.60.0.0/29');
});

describe('age of allocations', () => {
  it('an allocation without a timestamp is as old as the last write of its block', () => {
    const cluster = healthy();
    const block = cluster.blockOf('10.60.0.0/29');
    cluster.allocate(block, { handle_id: 'x', secondary: { node: 'node-a' } });
    block.metadata.managedFields = [{ time: new Date(judgedAt.getTime() - 60_000).toISOString() }];
    const young = (grace: object) => {
      const view = viewOf(cluster, grace);
      return view.allocations.filter((allocation) => view.isYoungAllocation(allocation)).map(({ address }) => address);
    };
    expect(young({})).toEqual(['10.60.0.3']);
    expect(young({ graceMs: 60_000 })).toEqual([]);
    expect(young({ graceMs: 0 })).toEqual([]);
    expect(young({ locked: true })).toEqual([]);
  });
});

describe('addresses that are not judged', () => {
  it('addresses of an unreadable block are not judged', () => {
    const cluster = healthy();
    cluster.blockOf('10.60.0.0/29').spec.allocations.pop();
    const view = viewOf(cluster);
    expect(view.isUnjudged(ip('10.60.0.7'))).toBe(true);
    expect(view.isUnjudged(ip('10.60.0.8'))).toBe(false);
    expect(view.allocationsAt(ip('10.60.0.1'))).toEqual([]);
  });

  it.each([
    ['10-60-0-16-29', '10.60.0.16', '10.60.0.24'],
    ['fd00-60--8-125', 'fd00:60::8', 'fd00:60::10'],
  ])('the name %s gives the place of a block without a CIDR', (name, inside, outside) => {
    const cluster = healthy();
    const block = cluster.bareBlock('10.60.0.16/29');
    block.metadata.name = name;
    block.spec.cidr = 'nonsense';
    const view = viewOf(cluster);
    expect(view.isUnjudged(ip(inside))).toBe(true);
    expect(view.isUnjudged(ip(outside))).toBe(false);
  });

  it('addresses outside all other blocks are not judged when the place of a block is unknown', () => {
    const cluster = healthy();
    const block = cluster.bareBlock('10.60.0.16/29');
    block.metadata.name = 'odd';
    block.spec.cidr = 'nonsense';
    const view = viewOf(cluster);
    expect(view.isUnjudged(ip('10.60.0.16'))).toBe(true);
    expect(view.isUnjudged(ip('10.60.0.1'))).toBe(false);
  });
});

it('an invariant cannot be judged when a kind that it needs was not read', () => {
  const view = viewOf(healthy(), { unread: unread('Service') });
  expect([view.wasRead('Service'), view.wasRead('Node')]).toEqual([false, true]);
  expect([view.canJudge('INV-44'), view.canJudge('INV-53')]).toEqual([false, true]);
});
