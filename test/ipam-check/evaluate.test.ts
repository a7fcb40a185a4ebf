import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import { invariants } from '../../src/ipam-check/invariants.ts';
import type { IPReservation } from '../../src/resources/kinds/ip-reservation.ts';
import type { IPAMConfig } from '../../src/resources/kinds/ipam-config.ts';
import { findingsOf } from '../support/clusters/brief-findings.ts';
import { healthy, podHandle } from '../support/clusters/snapshot-builder.ts';

describe('repairs that follow from released addresses', () => {
  it('the affinity of a missing node is released with its block after the last leaked address', () => {
    const cluster = healthy();
    cluster.pod('x-1', 'node-x', cluster.block('10.60.0.16/29', 'node-x'), '4');
    cluster.pods.pop();
    const found = findingsOf(cluster.snapshot());
    expect(found.filter((line) => line.startsWith('INV-36'))).toEqual([
      'INV-36 warning BlockAffinity/node-x-10-60-0-16-29 R6',
    ]);
    expect(found.filter((line) => line.includes(' R1'))).toHaveLength(1);
  });

  it('a missing handle is not created for an address that is released anyway', () => {
    const cluster = healthy();
    cluster.pods.shift();
    cluster.removeHandle(podHandle('1'));
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-53 warning IPAMBlock/10-60-0-0-29 R1 also INV-46']);
  });
});

it('findings are ordered errors, warnings, candidates, the same in every evaluation', () => {
  const cluster = healthy();
  cluster.handle(podHandle('f'), { '10.60.0.0/29': 1 });
  cluster.handle(podHandle('e'), { '10.60.0.0/29': 1 }).writtenAtMs = cluster.snapshot().now.getTime();
  cluster.blockOf('10.60.0.8/29').spec.unallocated.push(4);
  cluster.affinity('node-a', '10.60.0.16/29', 'pending');
  const found = findingsOf(cluster.snapshot());
  expect(found.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'INV-06 error IPAMBlock/10-60-0-8-29',
    'INV-29 warning BlockAffinity/node-a-10-60-0-16-29',
    `INV-45 warning IPAMHandle/${podHandle('f')}`,
    'INV-45 warning (candidate)',
  ]);
  expect(findingsOf(cluster.snapshot())).toEqual(found);
});

it('keys are unique and do not change with the resource versions of the objects', () => {
  const cluster = healthy();
  const handle = cluster.handle(podHandle('f'), { '10.60.0.0/29': 1 });
  const affinity = cluster.affinity('node-a', '10.60.0.16/29', 'pending');
  const first = evaluate(cluster.snapshot()).judgements;
  handle.resourceVersion = '9001';
  affinity.metadata.resourceVersion = '9002';
  const second = evaluate(cluster.snapshot()).judgements;
  expect(second.map(({ key }) => key)).toEqual(first.map(({ key }) => key));
  expect(second.map(({ fingerprint }) => fingerprint)).not.toEqual(first.map(({ fingerprint }) => fingerprint));
  expect(new Set(first.map(({ key }) => key)).size).toBe(first.length);
});

it('allocations and those in use are counted, with the Windows reserve', () => {
  const cluster = healthy();
  cluster.node('win-1');
  cluster.block('10.60.0.16/29', 'win-1', true);
  cluster.pods.shift();
  const { allocations, inUse } = evaluate(cluster.snapshot());
  expect({ allocations, inUse }).toEqual({ allocations: 9, inUse: 8 });
});

it('an address counts as in use while its container runs, whatever its pod lists', () => {
  const cluster = healthy();
  for (const pod of cluster.pods) pod.addresses = [];
  expect(evaluate(cluster.snapshot())).toMatchObject({ allocations: 5, inUse: 5 });
  cluster.pods.pop();
  expect(evaluate(cluster.snapshot())).toMatchObject({ allocations: 5, inUse: 4 });
});

describe('objects with any content', () => {
  const junk = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      undefined,
      '',
      'nonsense',
      '10.60.0.0/29',
      '10.60.0.7/28',
      true,
      -1,
      1.5,
      3,
      2n ** 70n,
    ),
    fc.array(fc.constantFrom<unknown>(null, 0, 1, 99, -1, 'x', {}, []), { maxLength: 9 }),
    fc.dictionary(fc.constantFrom('0', '1', 'x'), fc.constantFrom<unknown>(1n, 'y', null)),
  );
  const attribute = fc.record({ handle_id: junk, secondary: fc.oneof(junk, fc.record({ node: junk, pod: junk })) });
  const blockField = fc.constantFrom(
    'cidr',
    'affinity',
    'allocations',
    'unallocated',
    'attributes',
    'sequenceNumber',
    'sequenceNumberForAllocation',
    'deleted',
  );
  const affinityField = fc.constantFrom('cidr', 'node', 'state', 'type', 'deleted');
  const poolField = fc.constantFrom('cidr', 'blockSize', 'disabled', 'allowedUses', 'nodeSelector', 'assignmentMode');
  const configField = fc.constantFrom('strictAffinity', 'autoAllocateBlocks', 'maxBlocksPerHost');
  const stored = (kind: string, name: string, spec: unknown) => ({
    apiVersion: 'crd.projectcalico.org/v1',
    kind,
    metadata: { name },
    spec,
  });

  it('evaluate never throws and every finding is complete, whatever the objects contain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(blockField, junk), { maxLength: 3 }),
        fc.array(fc.tuple(affinityField, junk), { maxLength: 2 }),
        fc.array(fc.tuple(poolField, junk), { maxLength: 1 }),
        fc.array(attribute, { maxLength: 1 }),
        fc.oneof(junk, fc.dictionary(configField, junk)),
        fc.oneof(junk, fc.record({ reservedCIDRs: fc.oneof(junk, fc.array(junk)) })),
        (blockChanges, affinityChanges, poolChanges, attributes, config, reservation) => {
          const cluster = healthy();
          Object.assign(cluster.blockOf('10.60.0.0/29').spec, Object.fromEntries(blockChanges));
          Object.assign(cluster.blockOf('10.60.0.8/29').spec.attributes, attributes);
          Object.assign(cluster.affinityOf('node-a', '10.60.0.0/29').spec, Object.fromEntries(affinityChanges));
          for (const pool of cluster.pools) Object.assign(pool.spec, Object.fromEntries(poolChanges));
          const judgements = evaluate(
            cluster.snapshot({
              config: stored('IPAMConfig', 'default', config) as IPAMConfig,
              reservations: [stored('IPReservation', 'kept', reservation) as IPReservation],
            }),
          ).judgements;
          expect(new Set(judgements.map(({ key }) => key)).size).toBe(judgements.length);
          for (const { finding, action } of judgements) {
            expect(invariants[finding.id].severities).toContain(finding.severity);
            expect(finding.evidence.length).toBeGreaterThan(0);
            expect(action !== undefined).toBe(finding.repair?.automatic === true);
          }
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });

  it('objects without a spec are findings', () => {
    const cluster = healthy();
    Object.assign(cluster.blockOf('10.60.0.0/29'), { spec: undefined });
    Object.assign(cluster.affinityOf('node-a', '10.60.0.0/29'), { spec: undefined });
    Object.assign(cluster.pool('odd', '10.90.0.0/24', 29), { spec: undefined });
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-02 error IPAMBlock/10-60-0-0-29',
      'INV-26 error IPPool/odd',
      'INV-35 warning BlockAffinity/node-a-10-60-0-0-29 by hand',
    ]);
  });
});
