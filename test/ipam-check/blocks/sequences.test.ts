import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.0/29';
const block = 'IPAMBlock/10-60-0-0-29';

const specOf = (cluster: SnapshotBuilder) => cluster.blockOf(cidr).spec;
const entriesOf = (cluster: SnapshotBuilder): Record<string, unknown> =>
  specOf(cluster).sequenceNumberForAllocation as Record<string, unknown>;
const evidenceOf = (cluster: SnapshotBuilder) =>
  evaluate(cluster.snapshot()).judgements.map(({ finding }) => finding.evidence);

describe('INV-12: the numbers of allocations', () => {
  test('what releases by handle leave behind is one note a block, read once', () => {
    const cluster = healthy();
    for (const ordinal of [3, 4, 5, 6, 7]) entriesOf(cluster)[ordinal] = 1767225600000000000n;
    const { judgements } = evaluate(cluster.snapshot());
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 info ${block}`]);
    expect(judgements[0]?.finding.evidence[0]).toBe('sequence numbers of free ordinals: 3, 4, 5, 6, 7');
    expect(judgements[0]).toMatchObject({ dependencies: [], fingerprint: '', finding: { cidr, node: 'node-a' } });
  });

  test.each<[string, bigint]>([
    ['equal to that of the block', 1767225600000000003n],
    ['above it', 1767225600000000004n],
  ])('one that is %s guards nothing', (_, value) => {
    const cluster = healthy();
    expect(specOf(cluster).sequenceNumber).toBe(1767225600000000003n);
    entriesOf(cluster)['1'] = value;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([
      [`entries that are not below the number of the block, 1767225600000000003: 1 (${value})`],
    ]);
  });

  test('the last one below it is right', () => {
    const cluster = healthy();
    entriesOf(cluster)['1'] = 1767225600000000002n;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  test('one that is no number', () => {
    const cluster = healthy();
    entriesOf(cluster)['4'] = 'x';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
  });

  test.each(['8', '-1', '01', '1.5', 'x', ''])('an entry "%s" names no address of a block of eight', (key) => {
    const cluster = healthy();
    entriesOf(cluster)[key] = 1767225600000000000n;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([[`entries for ordinals that the block does not have: "${key}"`]]);
  });

  test('missing ones of allocated addresses, in one finding', () => {
    const cluster = healthy();
    delete entriesOf(cluster)['1'];
    delete entriesOf(cluster)['2'];
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 warning ${block}`]);
    expect(evidenceOf(cluster)).toEqual([['allocated ordinals without a sequence number: 1, 2']]);
  });

  test('no entries at all', () => {
    const cluster = healthy();
    Object.assign(specOf(cluster), { sequenceNumberForAllocation: null });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 warning ${block}`]);
  });

  test('different faults of one block are findings of their own', () => {
    const cluster = healthy();
    Object.assign(entriesOf(cluster), { 0: 2n ** 62n, 5: 0n });
    delete entriesOf(cluster)['1'];
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-12 error ${block}`,
      `INV-12 warning ${block}`,
      `INV-12 info ${block}`,
    ]);
  });

  test('the Windows reserve has none', () => {
    const cluster = healthy();
    const node = cluster.node('win-1');
    node.labels = { 'kubernetes.io/os': 'windows' };
    cluster.pod('w-1', 'win-1', cluster.block('10.60.0.16/29', 'win-1', true), '4');
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-12'))).toEqual([]);
  });
});

describe('INV-13: the number of the block', () => {
  test.each([
    ['of a block that was made before numbers were times', 41n],
    ['none', undefined],
  ])('%s', (_, sequenceNumber) => {
    const cluster = healthy();
    const empty = cluster.block('10.60.0.16/29', 'node-b');
    Object.assign(empty.spec, { sequenceNumber });
    const found = findingsOf(cluster.snapshot()).filter((line) => !line.startsWith('INV-39'));
    expect(found).toEqual(['INV-13 info IPAMBlock/10-60-0-16-29']);
  });
});
