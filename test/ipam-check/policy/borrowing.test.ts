import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { ipamConfig } from '../../support/clusters/ipam-state.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

function labelled(cluster: SnapshotBuilder, name: string, labels: Record<string, string>): void {
  for (const node of cluster.nodes) if (node.name === name) node.labels = { ...node.labels, ...labels };
}

describe('INV-41: borrowing under strict affinity', () => {
  function borrowed(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.blockOf('10.60.0.0/29'), '4');
    return cluster;
  }

  it('INV-41: a borrowed address is a warning, and an error in the block of a Windows node', () => {
    const strict = ipamConfig({ strictAffinity: true });
    const cluster = borrowed();
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual(['INV-41 warning IPAMBlock/10-60-0-0-29']);
    expect(evaluate(cluster.snapshot({ config: strict })).judgements[0]?.finding).toMatchObject({
      address: '10.60.0.3',
      node: 'node-b',
      owner: { kind: 'Pod', namespace: 'shop', name: 'b-2' },
    });
    labelled(cluster, 'node-a', { 'kubernetes.io/os': 'windows' });
    // The block has no Windows reserve, because the label was added later.
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual([
      'INV-16 error IPAMBlock/10-60-0-0-29',
      'INV-41 error IPAMBlock/10-60-0-0-29',
    ]);
  });

  it('INV-41: borrowing is allowed without strict affinity and not judged when IPAMConfig was not read', () => {
    expect(findingsOf(borrowed().snapshot())).toEqual([]);
    expect(findingsOf(borrowed().snapshot({ config: ipamConfig({}) }))).toEqual([]);
    const strict = ipamConfig({ strictAffinity: true });
    expect(findingsOf(borrowed().snapshot({ config: strict, unread: unread('IPAMConfig') }))).toEqual([]);
  });

  it('INV-41: addresses of a block without an owner, or released anyway, are not reported as borrowed', () => {
    const strict = ipamConfig({ strictAffinity: true });
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.bareBlock('10.60.0.16/29'), '4');
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual([]);
    const leaky = borrowed();
    leaky.pods.pop();
    expect(findingsOf(leaky.snapshot({ config: strict }))).toEqual(['INV-53 warning IPAMBlock/10-60-0-0-29 R1']);
  });
});
