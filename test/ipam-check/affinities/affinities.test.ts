import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { planRepairs } from '../../../src/ipam-check/plan.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy, unread } from '../../support/clusters/snapshot-builder.ts';

const spare = '10.60.0.16/29';
const affinityOfA = 'BlockAffinity/node-a-10-60-0-16-29';

/** Sets the last write of the affinity to `ms` milliseconds before the check. */
function writtenAgo(affinity: BlockAffinity, ms: number): void {
  affinity.metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(ms) }];
}

describe('INV-28: an owned block without an affinity', () => {
  it('INV-28: the missing affinity is created', () => {
    const cluster = healthy();
    cluster.removeAffinity('node-a-10-60-0-0-29');
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-0-29 R4']);
    expect(judgement?.action).toEqual({ primitive: 'R4', block: '10-60-0-0-29', owner: 'host:node-a' });
  });

  it('INV-28: a block of a missing node is deleted when empty, and otherwise left to a person', () => {
    const cluster = healthy();
    cluster.bareBlock(spare, 'host:node-x');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-16-29 R9']);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(judgement?.action).toEqual({ primitive: 'R9', block: '10-60-0-16-29', owner: 'host:node-x' });
    cluster.pod('c-1', 'node-a', cluster.blockOf(spare), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-60-0-16-29 by hand']);
  });

  it('INV-28: in a disabled pool an empty block is deleted, and one with addresses gets its affinity', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    const block = cluster.bareBlock('10.99.0.0/29', 'host:node-a');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-99-0-0-29 R9']);
    cluster.pod('c-1', 'node-a', block, '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-28 warning IPAMBlock/10-99-0-0-29 R4']);
  });
});

describe('INV-29: an affinity without a block', () => {
  it('INV-29: a confirmed affinity of a live node in an enabled pool is a note', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 info ${affinityOfA}`]);
  });

  it('INV-29: an old pending affinity is deleted, a recent one is a candidate', () => {
    const cluster = healthy();
    const affinity = cluster.affinity('node-a', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${affinityOfA} R5`]);
    writtenAgo(affinity, 299_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 info (candidate) ${affinityOfA} R5`]);
    expect(findingsOf(cluster.snapshot({ graceMs: 0 }))).toEqual([`INV-29 info (candidate) ${affinityOfA} R5`]);
    expect(findingsOf(cluster.snapshot({ locked: true }))).toEqual([`INV-29 warning ${affinityOfA} R5`]);
    writtenAgo(affinity, 300_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${affinityOfA} R5`]);
  });

  it('INV-29: an affinity in a disabled pool or outside all pools is deleted', () => {
    const cluster = healthy();
    cluster.affinity('node-a', '10.99.0.0/29');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-29 warning BlockAffinity/node-a-10-99-0-0-29 R5']);
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-29 warning BlockAffinity/node-a-10-99-0-0-29 R5']);
  });

  it('INV-29: an affinity without any recorded time counts as old', () => {
    const cluster = healthy();
    const affinity = cluster.affinity('node-a', spare, 'pending');
    affinity.metadata.creationTimestamp = null;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-29 warning ${affinityOfA} R5`]);
  });
});

describe('INV-30: an affinity for a block of another owner', () => {
  it('INV-30: the affinity is deleted, the owner of the block keeps its own', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    const affinity = cluster.affinity('node-a', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning ${affinityOfA} R5`]);
    writtenAgo(affinity, 59_000);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning (candidate) ${affinityOfA} R5`]);
  });

  it('INV-30: an affinity for a block without an owner is deleted', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare, 'pendingDeletion');
    cluster.pod('c-1', 'node-a', cluster.bareBlock(spare), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-30 warning ${affinityOfA} R5 also INV-33`]);
  });

  it('INV-30: an affinity for a block of another owner takes precedence over its missing node', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    cluster.affinity('node-x', spare, 'pending');
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-30 warning BlockAffinity/node-x-10-60-0-16-29 R5 also INV-36',
    ]);
  });

  it('INV-30: an affinity is not judged by a block whose owner is unreadable', () => {
    const cluster = healthy();
    cluster.bareBlock(spare).spec.affinity = 'nonsense';
    cluster.affinity('node-a', spare);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-15 error IPAMBlock/10-60-0-16-29']);
  });
});

describe('INV-31: several confirmed affinities for one block', () => {
  it('INV-31: the owner recorded in the block keeps its affinity', () => {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.block(spare, 'node-b'), '5');
    cluster.affinity('node-a', spare);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-31 error ${affinityOfA} R5 also INV-30`]);
    expect(judgement?.finding.related).toEqual([
      { kind: 'BlockAffinity', name: 'node-b-10-60-0-16-29' },
      { kind: 'IPAMBlock', name: '10-60-0-16-29' },
    ]);
  });

  it('INV-31: without a block and with both nodes alive a person decides', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    cluster.affinity('node-b', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      `INV-31 error ${affinityOfA} by hand also INV-29`,
      'INV-29 info BlockAffinity/node-b-10-60-0-16-29',
    ]);
  });

  it('INV-31: without a block the affinity of the missing node is deleted', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare);
    cluster.affinity('node-x', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-31 error BlockAffinity/node-x-10-60-0-16-29 R5 also INV-36 INV-29',
      `INV-29 info ${affinityOfA}`,
    ]);
  });
});

it('INV-32: an old pending affinity of its own block is confirmed, a recent one is a candidate', () => {
  const cluster = healthy();
  const affinity = cluster.affinityOf('node-b', '10.60.0.8/29');
  affinity.spec.state = 'pending';
  expect(findingsOf(cluster.snapshot())).toEqual(['INV-32 warning BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28']);
  writtenAgo(affinity, 299_000);
  expect(findingsOf(cluster.snapshot())).toEqual([
    'INV-32 warning (candidate) BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28',
  ]);
});

describe('INV-33: an interrupted release of a block', () => {
  it('INV-33: the release is reverted for a live node in an enabled pool', () => {
    const cluster = healthy();
    cluster.affinityOf('node-b', '10.60.0.8/29').spec.state = 'pendingDeletion';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-33 warning BlockAffinity/node-b-10-60-0-8-29 R4 also INV-28']);
  });

  it('INV-33: the release is completed in a disabled pool when the block is empty', () => {
    const cluster = healthy();
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    const block = cluster.block('10.99.0.0/29', 'node-a');
    cluster.affinityOf('node-a', '10.99.0.0/29').spec.state = 'pendingDeletion';
    const affinityName = 'BlockAffinity/node-a-10-99-0-0-29';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${affinityName} R6 also INV-28`]);
    cluster.pod('c-1', 'node-a', block, '4');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${affinityName} by hand also INV-28`]);
  });

  it('INV-33: the affinity is deleted when it has no block', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare, 'pendingDeletion');
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-33 warning ${affinityOfA} R5 also INV-29`]);
  });

  it('INV-33: the affinity is deleted and its half-deleted block is deleted completely', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-a').spec.deleted = true;
    cluster.affinityOf('node-a', spare).spec.state = 'pendingDeletion';
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-14 warning IPAMBlock/10-60-0-16-29 R7',
      `INV-33 warning ${affinityOfA} R5 also INV-29`,
    ]);
  });
});

it('INV-34: a half-deleted affinity is deleted completely after a minute and does not count as an affinity', () => {
  const cluster = healthy();
  const affinity = cluster.affinity('node-a', spare);
  affinity.spec.deleted = 'true';
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-34 warning ${affinityOfA} R7`]);
  writtenAgo(affinity, 59_999);
  expect(findingsOf(cluster.snapshot())).toEqual([`INV-34 warning (candidate) ${affinityOfA} R7`]);
});

describe('INV-35: names and labels of affinities', () => {
  const affinityName = 'BlockAffinity/node-a-10-60-0-0-29';

  it('INV-35: missing labels and a missing type', () => {
    const cluster = healthy();
    const affinity = cluster.affinityOf('node-a', '10.60.0.0/29');
    delete affinity.metadata.labels;
    delete affinity.spec.type;
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${affinityName} R8`]);
    expect(judgement?.action).toMatchObject({ primitive: 'R8', affinity: 'node-a-10-60-0-0-29' });
    expect(judgement?.finding.evidence).toContain('spec.type is missing');
    expect(judgement?.finding.evidence).toContain('label projectcalico.org/ip-version is missing');
  });

  it('INV-35: a wrong hash of the host name', () => {
    const cluster = healthy();
    const { labels = {} } = cluster.affinityOf('node-a', '10.60.0.0/29').metadata;
    labels['projectcalico.org/hostname-hash'] = 'WRONG';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${affinityName} R8`]);
  });

  it('INV-35: the name of another affinity, reported together with the block that lacks its own', () => {
    const cluster = healthy();
    cluster.affinityOf('node-a', '10.60.0.0/29').spec.cidr = spare;
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${affinityName} by hand also INV-29 INV-28`]);
  });

  it('INV-35: a wrong name', () => {
    const cluster = healthy();
    cluster.affinityOf('node-a', '10.60.0.0/29').metadata.name = 'odd';
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-35 warning BlockAffinity/odd by hand']);
  });

  it('INV-35: an unreadable CIDR', () => {
    const cluster = healthy();
    cluster.affinity('node-a', spare).spec.cidr = 'nonsense';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-35 warning ${affinityOfA} by hand`]);
  });
});

describe('INV-36: an affinity of a missing node', () => {
  it('INV-36: the affinity is released together with its empty block', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-x');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-x-10-60-0-16-29 R6']);
  });

  it('INV-36: an affinity that was written less than five minutes ago is a candidate, with and without a block', () => {
    const cluster = healthy();
    cluster.block(spare, 'node-x');
    writtenAgo(cluster.affinityOf('node-x', spare), 2000);
    writtenAgo(cluster.affinity('node-x', '10.60.0.24/29'), 2000);
    const found = findingsOf(cluster.snapshot());
    expect(found).toHaveLength(2);
    for (const line of found) expect(line).toContain('INV-36 warning (candidate) ');
    expect(planRepairs(evaluate(cluster.snapshot()).judgements)).toEqual([]);
  });

  it('INV-36: the affinity is deleted when it has no block', () => {
    const cluster = healthy();
    cluster.affinity('node-x', spare);
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-36 warning BlockAffinity/node-x-10-60-0-16-29 R5 also INV-29',
    ]);
  });

  it('INV-36: the affinity stays while another node borrows from its block', () => {
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.block(spare, 'node-x'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-x-10-60-0-16-29 by hand']);
  });

  it('INV-36: a virtual owner needs no node', () => {
    const cluster = healthy();
    cluster.pool('services', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.affinity('load-balancer', '10.70.0.0/29', 'confirmed', 'virtual');
    cluster.bareBlock('10.70.0.0/29', 'virtual:load-balancer');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});

it('affinities are not judged when they were not read', () => {
  const unreadKinds = unread('BlockAffinity');
  expect(findingsOf(healthy().snapshot({ affinities: [], unread: unreadKinds }))).toEqual([]);
});
