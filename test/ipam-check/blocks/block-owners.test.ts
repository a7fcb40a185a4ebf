import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.16/29';
const block = 'IPAMBlock/10-60-0-16-29';

describe('INV-15: the owner of a block', () => {
  test.each(['node-a', 'host:', 'virtual:', 'Host:node-a', 'pod:x'])('"%s" is none', (affinity) => {
    const cluster = healthy();
    cluster.bareBlock(cidr).spec.affinity = affinity;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-15 error ${block}`]);
  });

  test('what is no text is none', () => {
    const cluster = healthy();
    Object.assign(cluster.bareBlock(cidr).spec, { affinity: { host: 1n } });
    expect(findingsOf(cluster.snapshot())).toContain(`INV-15 error ${block}`);
  });

  test.each([null, ''])('%j is nobody', (affinity) => {
    const cluster = healthy();
    cluster.bareBlock(cidr).spec.affinity = affinity;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-22 warning ${block} R9`]);
  });
});

/** Windows asks for strict affinity. */
const strictly = (cluster: SnapshotBuilder) => {
  const spec = { strictAffinity: true, autoAllocateBlocks: true };
  const config = { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
  return cluster.snapshot({ config });
};

describe('INV-16: the reserve of Windows', () => {
  /** A Windows node with a rightly made block of eight: 0, 1, 2 and 7 are reserved. */
  function windows(): SnapshotBuilder {
    const cluster = healthy();
    cluster.node('win-1').labels = { 'kubernetes.io/os': 'windows' };
    cluster.block(cidr, 'win-1', true);
    return cluster;
  }
  const evidenceOf = (cluster: SnapshotBuilder) =>
    evaluate(strictly(cluster)).judgements.map(({ finding }) => finding.evidence);

  test('a block as it is made is right', () => {
    expect(findingsOf(strictly(windows()))).toEqual([]);
  });

  test.each([0, 2, 7])('ordinal %i is free', (ordinal) => {
    const cluster = windows();
    const { spec } = cluster.blockOf(cidr);
    spec.allocations[ordinal] = null;
    spec.unallocated.push(ordinal);
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 error ${block}`]);
    expect(evidenceOf(cluster)).toEqual([
      ['node win-1 runs Windows', `ordinals that must be reserved but are free: ${ordinal}`],
    ]);
  });

  test('an ordinal that is in no list is not put into the free one', () => {
    const cluster = windows();
    cluster.blockOf(cidr).spec.allocations[2] = null;
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 error ${block}`, `INV-08 warning ${block} by hand`]);
  });

  test('an ordinal that a pod has', () => {
    const cluster = windows();
    const made = cluster.blockOf(cidr);
    made.spec.allocations[1] = null;
    made.spec.unallocated.unshift(1);
    cluster.pod('w-1', 'win-1', made, '4');
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 warning ${block}`]);
    expect(evidenceOf(cluster)[0]?.[1]).toBe('ordinals that must be reserved but are allocated to others: 1');
  });

  test('more than the reserve', () => {
    const cluster = windows();
    const { spec } = cluster.blockOf(cidr);
    spec.unallocated = spec.unallocated.filter((ordinal) => ordinal !== 3);
    spec.allocations[3] = 0;
    expect(findingsOf(strictly(cluster))).toEqual([`INV-16 warning ${block}`]);
  });

  test('a block without it on a node that runs Windows, and on one that does not', () => {
    const cluster = windows();
    cluster.block('10.60.0.24/29', 'win-1');
    const of16 = () => findingsOf(strictly(cluster)).filter((line) => line.startsWith('INV-16'));
    expect(of16()).toEqual(['INV-16 error IPAMBlock/10-60-0-24-29']);
    for (const node of cluster.nodes) node.labels = {};
    expect(of16()).toEqual([]);
  });

  test('its shape is judged on any node', () => {
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
