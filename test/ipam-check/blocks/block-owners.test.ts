import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.16/29';
const block = 'IPAMBlock/10-60-0-16-29';

describe('INV-15: the owner of a block', () => {
  it.each(['node-a', 'host:', 'virtual:', 'Host:node-a', 'pod:x'])('INV-15: "%s" is an invalid owner', (affinity) => {
    const cluster = healthy();
    cluster.bareBlock(cidr).spec.affinity = affinity;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-15 error ${block}`]);
  });

  it('INV-15: an owner that is not a string is invalid', () => {
    const cluster = healthy();
    Object.assign(cluster.bareBlock(cidr).spec, { affinity: { host: 1n } });
    expect(findingsOf(cluster.snapshot())).toContain(`INV-15 error ${block}`);
  });

  it.each([null, ''])('INV-15: an affinity of %j means a block without an owner', (affinity) => {
    const cluster = healthy();
    cluster.bareBlock(cidr).spec.affinity = affinity;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-22 warning ${block} R9`]);
  });
});

/** A snapshot with strict affinity, which Windows nodes need. */
const strictly = (cluster: SnapshotBuilder) => {
  const spec = { strictAffinity: true, autoAllocateBlocks: true };
  const config = { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
  return cluster.snapshot({ config });
};

describe('INV-16: the Windows reserve of a block', () => {
  /** A Windows node with a valid block of eight addresses: 0, 1, 2 and 7 are reserved. */
  function windows(): SnapshotBuilder {
    const cluster = healthy();
    cluster.node('win-1').labels = { 'kubernetes.io/os': 'windows' };
    cluster.block(cidr, 'win-1', true);
    return cluster;
  }
  const evidenceOf = (cluster: SnapshotBuilder) =>
    evaluate(strictly(cluster)).judgements.map(({ finding }) => finding.evidence);

  it('INV-16: a new Windows block is valid', () => {
    expect(findingsOf(strictly(windows()))).toEqual([]);
  });

  it.each([0, 2, 7])('INV-16: the reserved ordinal %i is free', (ordinal) => {
    const cluster = windows();
    const { spec } = cluster.blockOf(cidr);
    spec.allocations[ordinal] = null;
    spec.unallocated.push(ordinal);
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([
      ['node win-1 runs Windows', `ordinals that must be reserved but are free: ${ordinal}`],
    ]);
  });

  it('INV-16: a reserved ordinal that is neither free nor allocated is not added to the free list', () => {
    const cluster = windows();
    cluster.blockOf(cidr).spec.allocations[2] = null;
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 error ${block}`, `INV-08 warning ${block} by hand`]);
  });

  it('INV-16: a reserved ordinal is allocated to a pod', () => {
    const cluster = windows();
    const made = cluster.blockOf(cidr);
    made.spec.allocations[1] = null;
    made.spec.unallocated.unshift(1);
    cluster.pod('w-1', 'win-1', made, '4');
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 warning ${block}`]);
    expect(evidenceOf(cluster)[0]?.[1]).toBe('ordinals that must be reserved but are allocated to others: 1');
  });

  it('INV-16: more ordinals are reserved than Windows needs', () => {
    const cluster = windows();
    const { spec } = cluster.blockOf(cidr);
    spec.unallocated = spec.unallocated.filter((ordinal) => ordinal !== 3);
    spec.allocations[3] = 0;
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 warning ${block}`]);
  });

  it('INV-16: a block without a reserve is invalid on a Windows node only', () => {
    const cluster = windows();
    cluster.block('10.60.0.24/29', 'win-1');
    const of16 = () => findingsOf(strictly(cluster)).filter((line) => line.startsWith('INV-16'));
    expect(of16()).toEqual(['INV-16 error IPAMBlock/10-60-0-24-29']);
    for (const node of cluster.nodes) node.labels = {};
    expect(of16()).toEqual([]);
  });

  it('INV-16: an incomplete reserve is reported on a node of any operating system', () => {
    const cluster = windows();
    const { spec } = cluster.blockOf(cidr);
    spec.allocations[0] = null;
    spec.unallocated.push(0);
    for (const node of cluster.nodes) node.labels = {};
    expect(evidenceOf(cluster)).toEqual([
      ['the block has addresses reserved for Windows', 'ordinals that must be reserved but are free: 0'],
    ]);
  });
});
