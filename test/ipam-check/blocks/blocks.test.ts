import { describe, expect, it } from 'vitest';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy } from '../../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';

it('blocks: a healthy cluster has no finding', () => {
  expect(findingsOf(healthy().snapshot())).toEqual([]);
});

it('blocks: a block with a Windows reserve has no finding', () => {
  const cluster = healthy();
  cluster.node('win-1');
  cluster.block('10.60.0.16/29', 'win-1', true);
  expect(findingsOf(cluster.snapshot())).toEqual([]);
});

describe('an unreadable block has one finding, and nothing in it is judged', () => {
  it('INV-03: allocations of the wrong length', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.allocations.pop();
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-03 error IPAMBlock/10-60-0-0-29']);
  });

  it.each(['10.60.0.1/29', '10.60.0.0/33', 'nonsense', ''])('INV-02: the invalid CIDR "%s"', (cidr) => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.cidr = cidr;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-02 error IPAMBlock/10-60-0-0-29']);
  });

  it('INV-02: a block larger than any valid block', () => {
    const cluster = healthy();
    cluster.pool('wide', '10.64.0.0/16', 26);
    cluster.bareBlock('10.64.0.0/19', 'host:node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-02 error IPAMBlock/10-64-0-0-19']);
  });

  it.each<[string, Partial<Record<keyof IPAMBlock['spec'], unknown>>]>([
    ['no allocations', { allocations: undefined }],
    ['no spec at all', { cidr: undefined, allocations: undefined, attributes: undefined, unallocated: undefined }],
  ])('an unreadable block with %s is one finding', (_, broken) => {
    const cluster = healthy();
    Object.assign(cluster.blockOf(blockA).spec, broken);
    expect(findingsOf(cluster.snapshot())).toHaveLength(1);
  });

  it('a block without attributes and without a free list is read as if both were empty', () => {
    const cluster = healthy();
    const block = cluster.block('10.60.0.16/29', 'node-a');
    Object.assign(block.spec, { attributes: null, unallocated: undefined, sequenceNumberForAllocation: null });
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-08 warning IPAMBlock/10-60-0-16-29 R2',
      'INV-39 info IPAMBlock/10-60-0-16-29 R6',
    ]);
  });
});

describe('INV-01: names of blocks', () => {
  it('INV-01: a block with a wrong name is one finding', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).metadata.name = 'block-of-node-a';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-01 error IPAMBlock/block-of-node-a']);
  });

  it('INV-01: a misnamed block with the CIDR of another block also covers their overlap', () => {
    const cluster = healthy();
    const twin = cluster.bareBlock(blockA, 'host:node-b');
    twin.metadata.name = 'twin';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-01 error IPAMBlock/twin also INV-18']);
  });
});

describe('INV-14: a half-deleted block', () => {
  it('INV-14: an empty half-deleted block is deleted completely', () => {
    const cluster = healthy();
    cluster.bareBlock('10.60.0.16/29').spec.deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning IPAMBlock/10-60-0-16-29 R7']);
  });

  it('INV-14: a half-deleted block is a candidate for a minute, unless the datastore is locked', () => {
    const cluster = healthy();
    const block = cluster.bareBlock('10.60.0.16/29');
    block.spec.deleted = true;
    block.metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(59_000) }];
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning (candidate) IPAMBlock/10-60-0-16-29 R7']);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual(['INV-14 warning IPAMBlock/10-60-0-16-29 R7']);
  });

  it('INV-14: a half-deleted block with addresses is left to a person, and its addresses are not judged', () => {
    const cluster = healthy();
    cluster.blockOf(blockA).spec.deleted = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-14 warning IPAMBlock/10-60-0-0-29 by hand']);
  });
});
