import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, judgedAt, podHandle, unread } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';
const stray = `IPAMHandle/${podHandle('f')}`;
const ofA1 = `IPAMHandle/${podHandle('1')}`;

describe('INV-45: a handle without addresses', () => {
  it('INV-45: a handle that counts an address it does not have is deleted', () => {
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

  it('INV-45: a handle whose block is gone, or that names no block, is deleted', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { '10.60.0.16/29': 1 });
    cluster.handle(podHandle('e'), {});
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-45 warning IPAMHandle/${podHandle('e')} R3 also INV-48`,
      `INV-45 warning ${stray} R3 also INV-48`,
    ]);
  });

  it('INV-45: a handle that counts no address is deleted', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { [blockA]: 0 });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-45 warning ${stray} R3 also INV-48`]);
  });

  it('INV-45: a handle written in the last five minutes is a candidate, whatever the grace period', () => {
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

  it('INV-45: a handle is not judged when a block that it names is unreadable', () => {
    const cluster = healthy();
    cluster.handle(podHandle('f'), { [blockA]: 1 });
    cluster.blockOf(blockA).spec.allocations.pop();
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-03 error IPAMBlock/10-60-0-0-29']);
  });
});

describe('INV-46: an address whose handle does not exist', () => {
  it('INV-46: the missing handle is created', () => {
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

  it('INV-46: handle IDs are compared as Calico does, up to the carriage return and by object name', () => {
    const cluster = healthy();
    for (const attribute of cluster.blockOf(blockA).spec.attributes) {
      if (attribute.handle_id === podHandle('1')) attribute.handle_id = `K8s-Pod-Network.${'1'.repeat(64)}\r\neth0`;
    }
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-17 info IPAMBlock/10-60-0-0-29']);
  });

  it('INV-46: a half-deleted handle does not count as a handle', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-46 warning ${ofA1} R3`, `INV-52 warning ${ofA1} R7`]);
  });
});

describe('INV-47: counts of handles', () => {
  it('INV-47: a count that is too high is lowered once the handle is old enough', () => {
    const cluster = healthy();
    const handle = cluster.handleOf(podHandle('1'));
    handle.block[blockA] = 2;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-47 warning ${ofA1} R3`]);
    handle.writtenAtMs = judgedAt.getTime();
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-47 warning (candidate) ${ofA1} R3`]);
  });

  it('INV-47: a count that is too low is raised immediately', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf(blockA), { handle_id: 'vxlan-tunnel-addr-node-a', secondary: {} });
    const handle = cluster.handleOf('vxlan-tunnel-addr-node-a');
    handle.block[blockA] = 1;
    handle.writtenAtMs = judgedAt.getTime();
    const ofHandles = findingsOf(cluster.snapshot()).filter((line) => line.includes('IPAMHandle'));
    expect(ofHandles).toEqual(['INV-47 warning IPAMHandle/vxlan-tunnel-addr-node-a R3']);
  });
});

describe('INV-48: invalid keys and counts', () => {
  it('INV-48: a handle that names a missing block and an existing one', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['10.60.0.16/29'] = 1;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  it('INV-48: a key that is not in canonical form', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block = { '10.60.0.3/29': 1 };
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  it('INV-48: a count of zero', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['10.60.0.8/29'] = 0;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });

  it('INV-48: a key that is not a CIDR', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).block['nonsense'] = 1;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-48 warning ${ofA1} R3`]);
  });
});

it('INV-52: a half-deleted handle is deleted completely after a minute', () => {
  const cluster = healthy();
  const handle = cluster.handle(podHandle('f'), { [blockA]: 1 });
  handle.deleted = true;
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-52 warning ${stray} R7`]);
  handle.writtenAtMs = judgedAt.getTime() - 59_000;
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-52 warning (candidate) ${stray} R7`]);
});

it('handles are not judged when they were not read', () => {
  const unreadKinds = unread('IPAMHandle');
  expect(findingsOf(healthy().snapshot({ handles: [], unread: unreadKinds }))).toEqual([]);
});
