import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import { isSelected, planRepairs } from '../../src/ipam-check/plan.ts';
import type { IpamSnapshot } from '../../src/ipam-check/snapshot.ts';
import { before, healthy, podHandle } from '../support/clusters/snapshot-builder.ts';

const blockA = '10.60.0.0/29';

function plan(snapshot: IpamSnapshot, selection = {}) {
  return planRepairs(evaluate(snapshot).judgements, selection).map(({ action, judgements }) => [
    action.primitive,
    judgements.map(({ finding }) => finding.id),
  ]);
}

function damaged() {
  const cluster = healthy();
  cluster.handle(podHandle('f'), { [blockA]: 1 });
  cluster.bareBlock('10.60.0.16/29');
  cluster.block('10.60.0.24/29', 'node-x');
  cluster.affinity('node-a', '10.60.0.32/29', 'pending');
  cluster.affinityOf('node-b', '10.60.0.8/29').spec.state = 'pending';
  cluster.affinity('node-b', '10.60.0.40/29').spec.deleted = 'true';
  const { spec } = cluster.blockOf(blockA);
  spec.unallocated = [1, 4, 4, 5, 6];
  return cluster;
}

it('repairs are planned in a safe order, with one repair for all faults of a free list', () => {
  expect(plan(damaged().snapshot())).toEqual([
    ['R7', ['INV-34']],
    ['R2', ['INV-06', 'INV-07', 'INV-08']],
    ['R4', ['INV-32']],
    ['R5', ['INV-29']],
    ['R3', ['INV-45']],
    ['R9', ['INV-22']],
    ['R6', ['INV-36']],
  ]);
});

it('no repair is planned for a healthy cluster', () => {
  expect(plan(healthy().snapshot())).toEqual([]);
});

describe('--only and --skip', () => {
  it('--only and --skip match a finding by its own ID and by the other invariants it breaks', () => {
    expect(plan(damaged().snapshot(), { only: ['INV-45', 'INV-22'] })).toEqual([
      ['R3', ['INV-45']],
      ['R9', ['INV-22']],
    ]);
    expect(plan(damaged().snapshot(), { only: ['INV-28'] })).toEqual([['R4', ['INV-32']]]);
    expect(plan(damaged().snapshot(), { only: ['INV-45'], skip: ['INV-47'] })).toEqual([]);
  });

  it('an empty --only selects every finding', () => {
    const [judgement] = evaluate(damaged().snapshot()).judgements;
    expect(judgement && isSelected(judgement.finding, { only: [], skip: [] })).toBe(true);
  });
});

it('candidates are never repaired', () => {
  const cluster = healthy();
  const affinity = cluster.affinityOf('node-b', '10.60.0.8/29');
  affinity.spec.state = 'pending';
  affinity.metadata.creationTimestamp = before(10_000);
  expect(plan(cluster.snapshot())).toEqual([]);
});

it('a block outside all pools with a pending affinity is released without confirming the affinity first', () => {
  const cluster = healthy();
  cluster.block('10.99.0.0/29', 'node-a');
  cluster.affinityOf('node-a', '10.99.0.0/29').spec.state = 'pending';
  expect(plan(cluster.snapshot())).toEqual([['R6', ['INV-19', 'INV-32']]]);
});
