import { expect, it } from 'vitest';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import { buildReport, type FixItem } from '../../src/ipam-check/report.ts';
import { before, healthy, podHandle } from '../support/clusters/snapshot-builder.ts';

const startedAt = new Date('2026-01-02T00:00:00Z');
const finishedAt = new Date('2026-01-02T00:00:01Z');

function parts() {
  const cluster = healthy();
  cluster.blockOf('10.60.0.0/29').spec.unallocated.push(4);
  cluster.handle(podHandle('f'), { '10.60.0.0/29': 1 });
  cluster.affinity('node-a', '10.60.0.16/29');
  cluster.affinity('node-b', '10.60.0.24/29', 'pending').metadata.creationTimestamp = before(1000);
  const snapshot = cluster.snapshot();
  return { datastoreType: 'kubernetes', snapshot, ...evaluate(snapshot), startedAt, finishedAt };
}

it('a report counts stable findings by severity, and candidates separately', () => {
  const report = buildReport(parts());
  expect(report.summary).toEqual({
    pools: 1,
    blocks: 2,
    affinities: 4,
    handles: 6,
    allocations: 5,
    inUse: 5,
    errors: 1,
    warnings: 1,
    infos: 1,
    candidates: 1,
    fixable: 2,
  });
  expect(report).toMatchObject({
    apiVersion: 'calictl/v1',
    kind: 'IPAMCheckReport',
    datastore: { type: 'kubernetes', locked: false, clusterGUID: 'c0ffee', calicoVersion: 'v3.31.4' },
    startedAt: '2026-01-02T00:00:00.000Z',
    finishedAt: '2026-01-02T00:00:01.000Z',
  });
  expect(report).not.toHaveProperty('fix');
  expect(report).not.toHaveProperty('unread');
});

it('a report with a selection leaves the other findings out of its list and its counts', () => {
  const report = buildReport({ ...parts(), selection: { only: ['INV-45'] } });
  expect(report.findings.map(({ id }) => id)).toEqual(['INV-45']);
  expect(report.summary).toMatchObject({ errors: 0, warnings: 1, infos: 0, candidates: 0, fixable: 1 });
});

it('a report counts repairs by outcome, and those that are still needed', () => {
  const made = parts();
  const [first] = made.judgements;
  if (!first) throw new Error('nothing found');
  const outcomes: FixItem['outcome'][] = ['applied', 'applied', 'conflict', 'skipped', 'failed'];
  const items: FixItem[] = outcomes.map((outcome) => ({
    finding: first.finding,
    outcome,
    ...(outcome === 'conflict' && { resolved: true }),
  }));
  expect(buildReport({ ...made, items, journal: '/var/log/j' }).fix).toEqual({
    planned: 5,
    applied: 2,
    conflicts: 1,
    skipped: 1,
    failed: 1,
    left: 2,
    journal: '/var/log/j',
    items,
  });
});

it('a report survives JSON without loss, with sequence numbers exact and in texts', () => {
  const cluster = healthy();
  cluster.pods.splice(1, 1);
  const snapshot = cluster.snapshot();
  const report = buildReport({ datastoreType: 'kubernetes', snapshot, ...evaluate(snapshot), startedAt, finishedAt });
  const read: unknown = JSON.parse(JSON.stringify(report));
  expect(read).toEqual(report);

  const numbers: number[] = [];
  JSON.stringify(read, (_, value: unknown) => {
    if (typeof value === 'number') numbers.push(value);
    return value;
  });
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers.filter((value) => !Number.isSafeInteger(value))).toEqual([]);
  // The sequence number of the block is its creation time in nanoseconds, which a double cannot hold; a-2 has the third address.
  expect(report.findings.map(({ id, repair }) => [id, repair?.summary])).toEqual([
    ['INV-53', 'release 10.60.0.2 guarded by handle and sequence 1767225600000000002'],
  ]);
});
