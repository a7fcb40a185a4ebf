import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, judgedAt, podHandle, unread } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';
const stray = `IPAMHandle/${podHandle('f')}`;
const ofA1 = `IPAMHandle/${podHandle('1')}`;

describe('INV-45: a handle without an address', () => {
  test('goes', () => {
    const cluster = healthy();
    const handle = cluster.handle(podHandle('f'), { [blockA]: 1 });
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-45 warning ${stray} R3 also INV-47`]);
    expect(judgement?.action).toEqual({
      primitive: 'R3',
      handle: podHandle('f'),
      handleId: podHandle('f'),
      uid: handle.uid,
      resourceVersion: handle.resourceVersion,
      blocks: ['10-60-0-0-29'],
      lowers: true,
    });
    expect(judgement?.finding.ageSeconds).toBe(86_400);
  });

  test('also when its block is gone or its map empty', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { '10.60.0.16/29': 1 });
    cluster.handle(podHandle('e'), {});
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-45 warning IPAMHandle/${podHandle('e')} R3 also INV-48`,
      `INV-45 warning ${stray} R3 also INV-48`,
    ]);
  });

  test('also when it says itself that it has none', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { [blockA]: 0 });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-45 warning ${stray} R3 also INV-48`]);
  });

  test('younger than five minutes it may belong to an allocation in progress, whatever the grace', () => {
    const cluster = healthy();
    const handle = cluster.handle(podHandle('f'), { [blockA]: 1 });
    handle.writtenAtMs = judgedAt.getTime() - 299_000;
    expect(findingsOf(cluster.snapshot({ graceMs: 0 }))).toEqual([
      `INV-45 warning (candidate) ${stray} R3 also INV-47`,
    ]);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual([`INV-45 warning ${stray} R3 also INV-47`]);
    handle.writtenAtMs = undefined;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-45 warning ${stray} R3 also INV-47`]);
  });

  test('is not judged when a block that it names cannot be read', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { [blockA]: 1 });
    cluster.blockOf(blockA).spec.allocations.pop();
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-03 error IPAMBlock/10-60-0-0-29']);
  });
});

describe('INV-46: an address whose handle does not exist', () => {
  test('gets it', () => {
    const cluster = healthy();
    cluster.removeHandle(podHandle('1'));
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-46 warning ${ofA1} R3`]);
    expect(judgement?.finding).toMatchObject({
      handle: podHandle('1'),
      address: '10.60.0.1',
      node: 'node-a',
      owner: { kind: 'Pod', namespace: 'shop', name: 'a-1' },
    });
    expect(judgement?.action).toMatchObject({
      primitive: 'R3',
      uid: undefined,
      blocks: ['10-60-0-0-29'],
      lowers: false,
    });
  });

  test('ids count as Calico compares them: up to the carriage return, by object name', () => {
    const cluster = healthy();
    for (const attribute of cluster.blockOf(blockA).spec.attributes) {
      if (attribute.handle_id === podHandle('1')) attribute.handle_id = `K8s-Pod-Network.${'1'.repeat(64)}\r\neth0`;
    }
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-17 info IPAMBlock/10-60-0-0-29']);
  });

  test('a tombstone is no handle', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-46 warning ${ofA1} R3`, `INV-52 warning ${ofA1} R7`]);
  });
});

describe('INV-47: counts', () => {
  test('too high falls when it is old', () => {
    const cluster = healthy();
    const handle = cluster.handleOf(podHandle('1'));
    handle.block[blockA] = 2;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-47 warning ${ofA1} R3`]);
    handle.writtenAtMs = judgedAt.getTime();
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-47 warning (candidate) ${ofA1} R3`]);
  });

  test('too low is raised at once', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf(blockA), { handle_id: 'vxlan-tunnel-addr-node-a', secondary: {} });
    const handle = cluster.handleOf('vxlan-tunnel-addr-node-a');
    handle.block[blockA] = 1;
    handle.writtenAtMs = judgedAt.getTime();
    const ofHandles = findingsOf(cluster.snapshot()).filter((line) => line.includes('IPAMHandle'));
    expect(ofHandles).toEqual(['INV-47 warning IPAMHandle/vxlan-tunnel-addr-node-a R3']);
  });
});

describe('INV-48: keys and counts that mean nothing', () => {
  test('a block that does not exist, beside one that does', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['10.60.0.16/29'] = 1;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  test('a key in another spelling', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block = { '10.60.0.3/29': 1 };
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  test('a count of zero', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['10.60.0.8/29'] = 0;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  test('a key that is no CIDR', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['nonsense'] = 1;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });
});

test('INV-52: a tombstone', () => {
  const cluster = healthy();
  const handle = cluster.handle(podHandle('f'), { [blockA]: 1 });
  handle.deleted = true;
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-52 warning ${stray} R7`]);
  handle.writtenAtMs = judgedAt.getTime() - 59_000;
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-52 warning (candidate) ${stray} R7`]);
});

test('handles are not judged when they could not be read', () => {
  const unreadKinds = unread('IPAMHandle');
  expect(findingsOf(healthy().snapshot({ handles: [], unread: unreadKinds }))).toEqual([]);
});
