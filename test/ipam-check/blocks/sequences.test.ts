import { describe, expect, it } from 'vitest';
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

describe('INV-12: sequence numbers of allocations', () => {
  it('INV-12: entries that releases by handle leave behind are one note per block', () => {
    const cluster = healthy();
    for (const ordinal of [3, 4, 5, 6, 7]) entriesOf(cluster)[ordinal] = 1767225600000000000n;
    const { judgements } = evaluate(cluster.snapshot());
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 info ${block}`]);
    expect(judgements[0]?.finding.evidence[0]).toBe('sequence numbers of free ordinals: 3, 4, 5, 6, 7');
    expect(judgements[0]).toMatchObject({ dependencies: [], fingerprint: '', finding: { cidr, node: 'node-a' } });
  });

  it.each<[string, bigint]>([
    ['equal to that of the block', 1767225600000000003n],
    ['above that of the block', 1767225600000000004n],
  ])('INV-12: an entry %s protects nothing', (_, value) => {
    const cluster = healthy();
    expect(specOf(cluster).sequenceNumber).toBe(1767225600000000003n);
    entriesOf(cluster)['1'] = value;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([
      [`entries that are not below the number of the block, 1767225600000000003: 1 (${value})`],
    ]);
  });

  it('INV-12: an entry one below the sequence number of the block is valid', () => {
    const cluster = healthy();
    entriesOf(cluster)['1'] = 1767225600000000002n;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-12: an entry that is not a number', () => {
    const cluster = healthy();
    entriesOf(cluster)['4'] = 'x';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
  });

  it.each(['8', '-1', '01', '1.5', 'x', ''])('INV-12: the entry "%s" names no address of a block of eight', (key) => {
    const cluster = healthy();
    entriesOf(cluster)[key] = 1767225600000000000n;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([[`entries for ordinals that the block does not have: "${key}"`]]);
  });

  it('INV-12: missing entries of allocated addresses are one finding', () => {
    const cluster = healthy();
    delete entriesOf(cluster)['1'];
    delete entriesOf(cluster)['2'];
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 warning ${block}`]);
    expect(evidenceOf(cluster)).toEqual([['allocated ordinals without a sequence number: 1, 2']]);
  });

  it('INV-12: a block without any entries', () => {
    const cluster = healthy();
    Object.assign(specOf(cluster), { sequenceNumberForAllocation: null });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-12 warning ${block}`]);
  });

  it('INV-12: different faults of one block are separate findings', () => {
    const cluster = healthy();
    Object.assign(entriesOf(cluster), { 0: 2n ** 62n, 5: 0n });
    delete entriesOf(cluster)['1'];
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-12 error ${block}`,
      `INV-12 warning ${block}`,
      `INV-12 info ${block}`,
    ]);
  });

  it('INV-12: the Windows reserve needs no entries', () => {
    const cluster = healthy();
    const node = cluster.node('win-1');
    node.labels = { 'kubernetes.io/os': 'windows' };
    cluster.pod('w-1', 'win-1', cluster.block('10.60.0.16/29', 'win-1', true), '4');
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-12'))).toEqual([]);
  });
});

describe('INV-13: the sequence number of a block', () => {
  it.each([
    ['that is not a time', 41n],
    ['that is missing', undefined],
  ])('INV-13: a sequence number %s', (_, sequenceNumber) => {
    const cluster = healthy();
    const empty = cluster.block('10.60.0.16/29', 'node-b');
    Object.assign(empty.spec, { sequenceNumber });
    const found = findingsOf(cluster.snapshot()).filter((line) => !line.startsWith('INV-39'));
    expect(found).toEqual(['INV-13 info IPAMBlock/10-60-0-16-29']);
  });
});
