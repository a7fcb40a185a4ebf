import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, podHandle, unread } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';

describe('the books of a block', () => {
  test('INV-05: a free entry outside the block', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(8);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-05 error IPAMBlock/10-60-0-0-29 R2']);
  });

  test('INV-06: a free entry twice', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(5);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-06 error IPAMBlock/10-60-0-0-29 R2']);
    expect(judgement?.finding.address).toBe('10.60.0.5');
  });

  test('INV-07: an allocated ordinal in the free list', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.unallocated.push(1);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-07 error IPAMBlock/10-60-0-0-29 R2']);
  });

  test('INV-08: ordinals that are nowhere, in one finding', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    spec.unallocated = spec.unallocated.filter((ordinal) => ordinal !== 4 && ordinal !== 6);
    const judgements = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-08 warning IPAMBlock/10-60-0-0-29 R2']);
    expect(judgements[0]?.finding.evidence).toContain('addresses: 10.60.0.4, 10.60.0.6');
    expect(judgements[0]?.finding.cidr).toBe(blockA);
  });

  test('INV-08: a lost address in use stays out of the free list, and so does all else of the block', () => {
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

  test('INV-09: an attribute without an address', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.attributes.push({ handle_id: 'gone', secondary: { node: 'node-a' } });
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-09 warning IPAMBlock/10-60-0-0-29 R2']);
  });

  test('INV-10: equal attributes, merged only along with another repair', () => {
    const cluster = healthy();
    const { spec } = cluster.blockOf(blockA);
    const twice = { handle_id: 'by-hand', secondary: { node: 'node-a', type: 'vxlanTunnelAddress' } };
    spec.attributes[0] = { ...spec.attributes[0] };
    cluster.allocate(cluster.blockOf('10.60.0.8/29'), twice);
    cluster.allocate(cluster.blockOf('10.60.0.8/29'), { ...twice });
    const ofBooks = (found: string[]) => found.filter((line) => /INV-(0\d|10)/.test(line));
    expect(ofBooks(findingsOf(cluster.snapshot()))).toEqual(['INV-10 info IPAMBlock/10-60-0-8-29 by hand']);
    cluster.blockOf('10.60.0.8/29').spec.unallocated.pop();
    expect(ofBooks(findingsOf(cluster.snapshot()))).toEqual([
      'INV-08 warning IPAMBlock/10-60-0-8-29 R2',
      'INV-10 info IPAMBlock/10-60-0-8-29 R2',
    ]);
  });

  test('different faults of one block are findings of their own', () => {
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

describe('INV-04: an attribute that does not exist', () => {
  test('of an address in use is left to a person, and its handle is not stray', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    const [judgement, ...others] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09']);
    expect(judgement?.finding.address).toBe('10.60.0.1');
    expect(others).toEqual([]);
  });

  test('of an address whose pod does not list it yet is left to a person too', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    const pod = cluster.pods.find(({ name }) => name === 'a-1');
    if (pod) pod.addresses = [];
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09']);
  });

  test('of an address that nothing uses is freed, and its handle is stray', () => {
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

  test('is never freed while handles cannot be read', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations[1] = 99;
    cluster.pods.shift();
    const withoutKind = unread('IPAMHandle');
    expect(findingsOf(cluster.snapshot({ handles: [], unread: withoutKind }))).toEqual([
      'INV-04 error IPAMBlock/10-60-0-0-29 by hand also INV-09',
    ]);
  });
});
