import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy, unread } from '../../support/clusters/snapshot-builder.ts';

const spare = '10.60.0.16/29';
const claimOfA = 'BlockAffinity/node-a-10-60-0-16-29';

/** Written last so many milliseconds before the check. */
function writtenAgo(affinity: BlockAffinity, ms: number): void {
  affinity.metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(ms) }];
}

describe('INV-28: an owned block without a claim', () => {
  test('gets one', () => {
    const cluster = healthy();
    cluster.removeAffinity('node-a-10-60-0-0-29');
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-0-29 R4']);
    expect(judgement?.action).toEqual({ primitive: 'R4', block: '10-60-0-0-29', owner: 'host:node-a' });
  });

  test('of a node that is gone is deleted when it is empty, and else left alone', () => {
    const cluster = healthy();
    cluster.bareBlock(spare, 'host:node-x');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-16-29 R9']);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(judgement?.action).toEqual({ primitive: 'R9', block: '10-60-0-16-29', owner: 'host:node-x' });
    cluster.pod('c-1', 'node-a', cluster.blockOf(spare), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-16-29 by hand']);
  });

  test('in a disabled pool an empty one is deleted, another gets its claim', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    const block = cluster.bareBlock('10.99.0.0/29', 'host:node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-99-0-0-29 R9']);
    cluster.pod('c-1', 'node-a', block, '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-99-0-0-29 R4']);
  });
});

describe('INV-29: a claim without a block', () => {
  test('confirmed, with a live node and an enabled pool, is a note', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 info ${claimOfA}`]);
  });

  test('an old pending one is dropped, a young one may be in progress', () => {
    const cluster = healthy();
    const affinity = cluster.affinity('node-a', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${claimOfA} R5`]);
    writtenAgo(affinity, 299_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 info (candidate) ${claimOfA} R5`]);
    expect(findingsOf(cluster.snapshot({ graceMs: 0 }))).toEqual([`INV-29 info (candidate) ${claimOfA} R5`]);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual([`INV-29 warning ${claimOfA} R5`]);
    writtenAgo(affinity, 300_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${claimOfA} R5`]);
  });

  test('in a disabled pool or none it is dropped', () => {
    const cluster = healthy();
    cluster.affinity('node-a', '10.99.0.0/29');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-29 warning BlockAffinity/node-a-10-99-0-0-29 R5']);
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-29 warning BlockAffinity/node-a-10-99-0-0-29 R5']);
  });

  test('without any recorded time it counts as old', () => {
    const cluster = healthy();
    const affinity = cluster.affinity('node-a', spare, 'pending');
    affinity.metadata.creationTimestamp = null;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${claimOfA} R5`]);
  });
});

describe('INV-30: a claim for a block of somebody else', () => {
  test('is dropped, the owner keeps its own', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    const affinity = cluster.affinity('node-a', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning ${claimOfA} R5`]);
    writtenAgo(affinity, 59_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning (candidate) ${claimOfA} R5`]);
  });

  test('or of nobody', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare, 'pendingDeletion');
    cluster.pod('c-1', 'node-a', cluster.bareBlock(spare), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning ${claimOfA} R5 also INV-33`]);
  });

  test('goes before the missing node', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    cluster.affinity('node-x', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-30 warning BlockAffinity/node-x-10-60-0-16-29 R5 also INV-36',
    ]);
  });

  test('an owner that cannot be read decides nothing', () => {
    const cluster = healthy();
    cluster.bareBlock(spare).spec.affinity = 'nonsense';
    cluster.affinity('node-a', spare);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-15 error IPAMBlock/10-60-0-16-29']);
  });
});

describe('INV-31: several confirmed claims', () => {
  test('the block decides', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    cluster.affinity('node-a', spare);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-31 error ${claimOfA} R5 also INV-30`]);
    expect(judgement?.finding.related).toEqual([
      { kind: 'BlockAffinity', name: 'node-b-10-60-0-16-29' },
      { kind: 'IPAMBlock', name: '10-60-0-16-29' },
    ]);
  });

  test('without a block and with both nodes alive nothing decides', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    cluster.affinity('node-b', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-31 error ${claimOfA} by hand also INV-29`,
      'INV-29 info BlockAffinity/node-b-10-60-0-16-29',
    ]);
  });

  test('without a block the claim of a missing node goes', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    cluster.affinity('node-x', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-31 error BlockAffinity/node-x-10-60-0-16-29 R5 also INV-36 INV-29',
      `INV-29 info ${claimOfA}`,
    ]);
  });
});

test('INV-32: an old pending claim of its own block is confirmed, a young one is left', () => {
  const cluster = healthy();
  const affinity = cluster.affinityOf('node-b', '10.60.0.8/29');
  affinity.spec.state = 'pending';
  expect(findingsOf(cluster.snapshot())).toEqual(['INV-32 warning BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28']);
  writtenAgo(affinity, 299_000);
  expect(findingsOf(cluster.snapshot())).toEqual([
    'INV-32 warning (candidate) BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28',
  ]);
});

describe('INV-33: a release that did not end', () => {
  test('of a live node in an enabled pool is taken back', () => {
    const cluster = healthy();
    cluster.affinityOf('node-b', '10.60.0.8/29').spec.state = 'pendingDeletion';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-33 warning BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28']);
  });

  test('in a disabled pool is finished when the block is empty', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    const block = cluster.block('10.99.0.0/29', 'node-a');
    cluster.affinityOf('node-a', '10.99.0.0/29').spec.state = 'pendingDeletion';
    const claim = 'BlockAffinity/node-a-10-99-0-0-29';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${claim} R6 also INV-28`]);
    cluster.pod('c-1', 'node-a', block, '4');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${claim} by hand also INV-28`]);
  });

  test('without a block is dropped', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare, 'pendingDeletion');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${claimOfA} R5 also INV-29`]);
  });

  test('whose block is a tombstone is dropped, the block finished', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-a').spec.deleted = true;
    cluster.affinityOf('node-a', spare).spec.state = 'pendingDeletion';
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-14 warning IPAMBlock/10-60-0-16-29 R7',
      `INV-33 warning ${claimOfA} R5 also INV-29`,
    ]);
  });
});

test('INV-34: a tombstone is finished after a minute and is no claim', () => {
  const cluster = healthy();
  const affinity = cluster.affinity('node-a', spare);
  affinity.spec.deleted = 'true';
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-34 warning ${claimOfA} R7`]);
  writtenAgo(affinity, 59_999);
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-34 warning (candidate) ${claimOfA} R7`]);
});

describe('INV-35: name and labels', () => {
  const claim = 'BlockAffinity/node-a-10-60-0-0-29';

  test('missing and wrong labels, missing type', () => {
    const cluster = healthy();
    const affinity = cluster.affinityOf('node-a', '10.60.0.0/29');
    delete affinity.metadata.labels;
    delete affinity.spec.type;
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${claim} R8`]);
    expect(judgement?.action).toMatchObject({ primitive: 'R8', affinity: 'node-a-10-60-0-0-29' });
    expect(judgement?.finding.evidence).toContain('spec.type is missing');
    expect(judgement?.finding.evidence).toContain('label projectcalico.org/ip-version is missing');
  });

  test('a wrong hash', () => {
    const cluster = healthy();
    const { labels = {} } = cluster.affinityOf('node-a', '10.60.0.0/29').metadata;
    labels['projectcalico.org/hostname-hash'] = 'WRONG';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${claim} R8`]);
  });

  test('a name of another claim: the block that misses it is part of the same fault', () => {
    const cluster = healthy();
    cluster.affinityOf('node-a', '10.60.0.0/29').spec.cidr = spare;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${claim} by hand also INV-29 INV-28`]);
  });

  test('a wrong name alone', () => {
    const cluster = healthy();
    cluster.affinityOf('node-a', '10.60.0.0/29').metadata.name = 'odd';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-35 warning BlockAffinity/odd by hand']);
  });

  test('a CIDR that cannot be read', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare).spec.cidr = 'nonsense';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${claimOfA} by hand`]);
  });
});

describe('INV-36: a claim of a node that is gone', () => {
  test('is released with its empty block', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-x');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-x-10-60-0-16-29 R6']);
  });

  test('is dropped without a block', () => {
    const cluster = healthy();
    cluster.affinity('node-x', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-36 warning BlockAffinity/node-x-10-60-0-16-29 R5 also INV-29',
    ]);
  });

  test('stays while somebody borrows from the block', () => {
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.block(spare, 'node-x'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-x-10-60-0-16-29 by hand']);
  });

  test('a virtual owner needs no node', () => {
    const cluster = healthy();
    cluster.pool('services', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.affinity('load-balancer', '10.70.0.0/29', 'confirmed', 'virtual');
    cluster.bareBlock('10.70.0.0/29', 'virtual:load-balancer');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});

test('claims are not judged when they could not be read', () => {
  const unreadKinds = unread('BlockAffinity');
  expect(findingsOf(healthy().snapshot({ affinities: [], unread: unreadKinds }))).toEqual([]);
});
