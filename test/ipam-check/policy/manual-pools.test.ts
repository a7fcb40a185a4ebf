import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

describe('INV-67: pools with manual assignment', () => {
  function manual(): SnapshotBuilder {
    const cluster = healthy();
    for (const pool of cluster.pools) pool.spec.assignmentMode = 'Manual';
    return cluster;
  }

  it('INV-67: tunnel addresses from a manual pool are a note, addresses of pods are not reported', () => {
    expect(findingsOf(manual().snapshot())).toEqual([
      'INV-67 info IPAMBlock/10-60-0-0-29',
      'INV-67 info IPAMBlock/10-60-0-8-29',
    ]);
    expect(evaluate(manual().snapshot()).judgements[0]?.finding).toMatchObject({
      address: '10.60.0.0',
      owner: { kind: 'Node', name: 'node-a' },
    });
    expect(findingsOf(manual().snapshot({ unread: unread('Service') }))).toEqual([]);
  });

  it('INV-67: a tunnel address from a pool without tunnel use is reported once, together with INV-63', () => {
    const cluster = manual();
    for (const pool of cluster.pools) pool.spec.allowedUses = ['Workload'];
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-63 warning IPAMBlock/10-60-0-0-29 also INV-67',
      'INV-63 warning IPAMBlock/10-60-0-8-29 also INV-67',
    ]);
  });

  it('INV-67: an address of a service that did not request it', () => {
    const cluster = healthy();
    const pool = cluster.pool('services', '10.70.0.0/24', 29);
    Object.assign(pool.spec, { allowedUses: ['LoadBalancer'], assignmentMode: 'Manual' });
    cluster.affinity('load-balancer', '10.70.0.0/29', 'confirmed', 'virtual');
    const block = cluster.bareBlock('10.70.0.0/29', 'virtual:load-balancer');
    const address = cluster.allocate(block, {
      handle_id: 'lb-1',
      secondary: { service: 'front', namespace: 'shop', type: 'LoadBalancer' },
    });
    const front = (annotations: Record<string, string>) => ({
      namespace: 'shop',
      name: 'front',
      uid: undefined,
      loadBalancer: true,
      deleting: false,
      loadBalancerClass: 'calico',
      annotations,
      ingress: [address],
    });
    const controllers = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'KubeControllersConfiguration',
      metadata: { name: 'default' },
      spec: { controllers: { loadBalancer: { assignIPs: 'AllServices' } } },
    };
    const found = (annotations: Record<string, string>) =>
      findingsOf(cluster.snapshot({ services: [front(annotations)], kubeControllers: controllers }));
    expect(found({})).toEqual(['INV-67 info IPAMBlock/10-70-0-0-29']);
    expect(found({ 'projectcalico.org/ipv4pools': '["services"]' })).toEqual([]);
    expect(found({ 'projectcalico.org/loadBalancerIPs': `["${address}"]` })).toEqual([]);
  });
});
