import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { IpamSnapshot } from '../../../src/ipam-check/snapshot.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { ipamConfig } from '../../support/clusters/ipam-state.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

function labelled(cluster: SnapshotBuilder, name: string, labels: Record<string, string>): void {
  for (const node of cluster.nodes) if (node.name === name) node.labels = { ...node.labels, ...labels };
}

describe('INV-43: settings', () => {
  it.each([
    [{ autoAllocateBlocks: false }, 'strictAffinity and autoAllocateBlocks are both off'],
    [{ maxBlocksPerHost: 5 }, 'maxBlocksPerHost is 5, but strictAffinity is off'],
  ])('INV-43: the settings %j without strict affinity', (spec, evidence) => {
    const snapshot = healthy().snapshot({ config: ipamConfig(spec) });
    expect(findingsOf(snapshot)).toEqual(['INV-43 warning IPAMConfig/default']);
    expect(evaluate(snapshot).judgements[0]?.finding.evidence).toEqual([evidence]);
    expect(findingsOf(healthy().snapshot({ config: ipamConfig({ ...spec, strictAffinity: true }) }))).toEqual([]);
    expect(findingsOf(healthy().snapshot({ config: ipamConfig(spec), unread: unread('IPAMConfig') }))).toEqual([]);
  });

  it('INV-43: Windows nodes need strict affinity, also when IPAMConfig does not exist', () => {
    const cluster = healthy();
    labelled(cluster, 'node-a', { 'kubernetes.io/os': 'windows' });
    labelled(cluster, 'node-b', { 'kubernetes.io/os': 'windows' });
    const settings = (snapshot: IpamSnapshot) =>
      evaluate(snapshot).judgements.filter(({ finding }) => finding.object.kind === 'IPAMConfig');
    const [found] = settings(cluster.snapshot());
    expect(found?.finding).toMatchObject({
      id: 'INV-43',
      severity: 'warning',
      evidence: ['node node-a and 1 more run Windows, but strictAffinity is off'],
    });
    expect(settings(cluster.snapshot({ config: ipamConfig({ strictAffinity: true }) }))).toEqual([]);
  });

  it('INV-43: a reservation with an entry that is not a network', () => {
    const kept = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPReservation',
      metadata: { name: 'kept' },
      spec: { reservedCIDRs: ['10.60.0.40', '10.60.0/24', 'x'] },
    };
    const snapshot = healthy().snapshot({ reservations: [kept] });
    expect(findingsOf(snapshot)).toEqual(['INV-43 warning IPReservation/kept']);
    expect(evaluate(snapshot).judgements[0]?.finding.evidence).toHaveLength(2);
  });
});
