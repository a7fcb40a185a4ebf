import { describe, expect, it } from 'vitest';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, unread } from '../../support/clusters/snapshot-builder.ts';

describe('INV-37: names of owners', () => {
  it('INV-37: a node named load-balancer', () => {
    const cluster = healthy();
    cluster.node('load-balancer');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 error Node/load-balancer']);
    expect(findingsOf(cluster.snapshot({ unread: unread('BlockAffinity') }))).toEqual([]);
  });

  it('INV-37: an unknown virtual owner, with and without its affinity', () => {
    const cluster = healthy();
    cluster.pool('services', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.affinity('egress', '10.70.0.0/29', 'confirmed', 'virtual');
    cluster.bareBlock('10.70.0.0/29', 'virtual:egress');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 warning BlockAffinity/egress-10-70-0-0-29']);
    cluster.removeAffinity('egress-10-70-0-0-29');
    expect(findingsOf(cluster.snapshot())).toContain('INV-37 warning IPAMBlock/10-70-0-0-29');
  });

  it('INV-37: an affinity of an unknown type', () => {
    const cluster = healthy();
    cluster.removeAffinity('node-a-10-60-0-0-29');
    cluster.affinity('node-a', '10.60.0.0/29', 'confirmed', 'cloud');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 warning BlockAffinity/node-a-10-60-0-0-29']);
  });
});
