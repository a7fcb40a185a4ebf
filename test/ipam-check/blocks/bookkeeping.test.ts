import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, podHandle, unread } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';

describe('the allocation records of a block', () => {
  it('INV-05: an ordinal outside the block in the free list', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(8);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-05 error IPAMBlock/10-60-0-0-29 R2']);
  });

  it('INV-06: an ordinal twice in the free list', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(5);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-06 error IPAMBlock/10-60-0-0-29 R2']);
    expect(judgement?.finding.address).toBe('10.60.0.5');
  });

  it('INV-07: an allocated ordinal in the free list', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(1);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-07 error IPAMBlock/10-60-0-0-29 R2']);
  });

  it('INV-08: all lost ordinals of a block are one finding', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    spec.unallocated = spec.unallocated.filter((ordinal) => ordinal !== 4 && ordinal !== 6);
    const judgements = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-08 warning IPAMBlock/10-60-0-0-29 R2']);
    expect(judgements[0]?.finding.evidence).toContain('addresses: 10.60.0.4, 10.60.0.6');
    expect(judgements[0]?.finding.cidr).toBe(blockA);
  });

  it('INV-08: a block with a lost address that a pod uses is not repaired', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    spec.unallocated = spec.unallocated.filter((ordinal) => ordinal !== 4 && ordinal !== 6);
    const pod = cluster.pods.find(({ name }) => name === 'a-1');
    if (pod) pod.addresses = [...pod.addresses, '10.60.0.6'];
    const [found] = evaluate(cluster.snapshot()).judgements.filter(({ finding }) => finding.id === 'INV-08');
    expect(found?.action).toBeUndefined();
    expect(found?.finding.repair?.summary).toBe('10.60.0.6 is used by pod shop/a-1: give it another address first');
    const withoutKind = unread('Service');
    if (pod) pod.addresses = pod.addresses.filter((address) => address !== '10.60.0.6');
    expect(
      evaluate({ ...cluster.snapshot(), unread: withoutKind }).judgements.filter(({ action }) => action !== undefined),
    ).toEqual([]);
    expect(evaluate(cluster.snapshot()).judgements.filter(({ action }) => action?.primitive === 'R2')).toHaveLength(1);
  });

  it('INV-09: an attribute without an address', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.attributes.push({ handle_id: 'gone', secondary: { node: 'node-a' } });
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-09 warning IPAMBlock/10-60-0-0-29 R2']);
  });

  it('INV-10: equal attributes are merged only as part of another repair', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    const twice = { handle_id: 'by-hand', secondary: { node: 'node-a', type: 'vxlanTunnelAddress' } };
    spec.attributes[0] = { ...spec.attributes[0] };
    cluster.allocate(cluster.blockOf('10.60.0.8/29'), twice);
    cluster.allocate(cluster.blockOf('10.60.0.8/29'), { ...twice });
    const ofRecords = (found: string[]) => found.filter((line) => /INV-(0\d|10)/.test(line));
    expect(ofRecords(findingsOf(cluster.snapshot()))).toEqual(['INV-10 info IPAMBlock/10-60-0-8-29 by hand']);
    cluster.blockOf('10.60.0.8/29').spec.unallocated.pop();
    expect(ofRecords(findingsOf(cluster.snapshot()))).toEqual([
      'INV-08 warning IPAMBlock/10-60-0-8-29 R2',
      'INV-10 info IPAMBlock/10-60-0-8-29 R2',
    ]);
  });

  it('INV-05 to INV-08: different faults of one block are separate findings', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    spec.unallocated = [9, 4, 4, 1, 5, 7];
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-05 error IPAMBlock/10-60-0-0-29 R2',
      'INV-06 error IPAMBlock/10-60-0-0-29 R2',
      'INV-07 error IPAMBlock/10-60-0-0-29 R2',
      'INV-08 warning IPAMBlock/10-60-0-0-29 R2',
    ]);
  });
});

describe('INV-04: a missing attribute', () => {
  it('INV-04: an address in use without its attribute is left to a person, and its handle is not stray', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    const [judgement, ...others] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09']);
    expect(judgement?.finding.address).toBe('10.60.0.1');
    expect(others).toEqual([]);
  });

  it('INV-04: an address without its attribute is left to a person while a pod has not listed its address yet', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    const pod = cluster.pods.find(({ name }) => name === 'a-1');
    if (pod) pod.addresses = [];
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09']);
  });

  it('INV-04: an unused address without its attribute is freed, and its handle is stray', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    cluster.pods.shift();
    const judgements = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-04 error IPAMBlock/10-60-0-0-29 R2 also INV-09',
      `INV-45 warning IPAMHandle/${podHandle('1')} R3 also INV-47`,
    ]);
    expect(judgements[0]?.action).toEqual({ primitive: 'R2', block: '10-60-0-0-29', unused: [1], lost: [] });
  });

  it('INV-04: an address without its attribute is never freed when handles were not read', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    cluster.pods.shift();
    const withoutKind = unread('IPAMHandle');
    expect(findingsOf(cluster.snapshot({ handles: [], unread: withoutKind }))).toEqual([
      'INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09',
    ]);
  });
});
