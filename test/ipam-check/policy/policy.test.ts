import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { IpamSnapshot } from '../../../src/ipam-check/snapshot.ts';
import type { IPAMConfig } from '../../../src/resources/kinds/ipam-config.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const config = (spec: object): IPAMConfig => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMConfig',
  metadata: { name: 'default' },
  spec: { autoAllocateBlocks: true, strictAffinity: false, ...spec },
});
const unread = (kind: string) => [{ kind, reason: 'forbidden', invariants: [] }];

function labelled(cluster: SnapshotBuilder, name: string, labels: Record<string, string>): void {
  for (const node of cluster.nodes) if (node.name === name) node.labels = { ...node.labels, ...labels };
}

describe('INV-37: names of owners', () => {
  test('a node called load-balancer', () => {
    const cluster = healthy();
    cluster.node('load-balancer');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 error Node/load-balancer']);
    expect(findingsOf(cluster.snapshot({ unread: unread('BlockAffinity') }))).toEqual([]);
  });

  test('a virtual owner that nobody knows, with its claim and without', () => {
    const cluster = healthy();
    cluster.pool('services', '10.70.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.affinity('egress', '10.70.0.0/29', 'confirmed', 'virtual');
    cluster.bareBlock('10.70.0.0/29', 'virtual:egress');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 warning BlockAffinity/egress-10-70-0-0-29']);
    cluster.removeAffinity('egress-10-70-0-0-29');
    expect(findingsOf(cluster.snapshot())).toContain('INV-37 warning IPAMBlock/10-70-0-0-29');
  });

  test('a type that is none', () => {
    const cluster = healthy();
    cluster.removeAffinity('node-a-10-60-0-0-29');
    cluster.affinity('node-a', '10.60.0.0/29', 'confirmed', 'cloud');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-37 warning BlockAffinity/node-a-10-60-0-0-29']);
  });
});

describe('INV-41: borrowing under strict affinity', () => {
  function borrowed(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pod('b-2', 'node-b', cluster.blockOf('10.60.0.0/29'), '4');
    return cluster;
  }

  test('is a warning, and an error in the block of a Windows node', () => {
    const strict = config({ strictAffinity: true });
    const cluster = borrowed();
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual(['INV-41 warning IPAMBlock/10-60-0-0-29']);
    expect(evaluate(cluster.snapshot({ config: strict })).judgements[0]?.finding).toMatchObject({
      address: '10.60.0.3',
      node: 'node-b',
      owner: { kind: 'Pod', namespace: 'shop', name: 'b-2' },
    });
    labelled(cluster, 'node-a', { 'kubernetes.io/os': 'windows' });
    // The block was not laid out for Windows, as labels came later.
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual([
      'INV-16 error IPAMBlock/10-60-0-0-29',
      'INV-41 error IPAMBlock/10-60-0-0-29',
    ]);
  });

  test('is allowed without strict affinity, and unknown without the configuration', () => {
    expect(findingsOf(borrowed().snapshot())).toEqual([]);
    expect(findingsOf(borrowed().snapshot({ config: config({}) }))).toEqual([]);
    const strict = config({ strictAffinity: true });
    expect(findingsOf(borrowed().snapshot({ config: strict, unread: unread('IPAMConfig') }))).toEqual([]);
  });

  test('a block that is nobody’s lends nothing; an address that is released anyway is one fault', () => {
    const strict = config({ strictAffinity: true });
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.bareBlock('10.60.0.16/29'), '4');
    expect(findingsOf(cluster.snapshot({ config: strict }))).toEqual([]);
    const leaky = borrowed();
    leaky.pods.pop();
    expect(findingsOf(leaky.snapshot({ config: strict }))).toEqual(['INV-53 warning IPAMBlock/10-60-0-0-29 R1']);
  });
});

describe('INV-43: settings', () => {
  test.each([
    [{ autoAllocateBlocks: false }, 'strictAffinity and autoAllocateBlocks are both off'],
    [{ maxBlocksPerHost: 5 }, 'maxBlocksPerHost is 5 without strictAffinity'],
  ])('%j', (spec, evidence) => {
    const snapshot = healthy().snapshot({ config: config(spec) });
    expect(findingsOf(snapshot)).toEqual(['INV-43 warning IPAMConfig/default']);
    expect(evaluate(snapshot).judgements[0]?.finding.evidence).toEqual([evidence]);
    expect(findingsOf(healthy().snapshot({ config: config({ ...spec, strictAffinity: true }) }))).toEqual([]);
    expect(findingsOf(healthy().snapshot({ config: config(spec), unread: unread('IPAMConfig') }))).toEqual([]);
  });

  test('Windows nodes need strict affinity, also where there is no configuration', () => {
    const cluster = healthy();
    labelled(cluster, 'node-a', { 'kubernetes.io/os': 'windows' });
    labelled(cluster, 'node-b', { 'kubernetes.io/os': 'windows' });
    const settings = (snapshot: IpamSnapshot) =>
      evaluate(snapshot).judgements.filter(({ finding }) => finding.object.kind === 'IPAMConfig');
    const [found] = settings(cluster.snapshot());
    expect(found?.finding).toMatchObject({
      id: 'INV-43',
      severity: 'warning',
      evidence: ['strictAffinity is off, and node node-a and 1 more runs Windows'],
    });
    expect(settings(cluster.snapshot({ config: config({ strictAffinity: true }) }))).toEqual([]);
  });

  test('an entry of a reservation that is no network', () => {
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

describe('INV-67: pools that assign by hand only', () => {
  function manual(): SnapshotBuilder {
    const cluster = healthy();
    for (const pool of cluster.pools) pool.spec.assignmentMode = 'Manual';
    return cluster;
  }

  test('tunnel addresses in them are a note, pods may have asked', () => {
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

  test('a pool without tunnel use breaks it with INV-63, once', () => {
    const cluster = manual();
    for (const pool of cluster.pools) pool.spec.allowedUses = ['Workload'];
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-63 warning IPAMBlock/10-60-0-0-29 also INV-67',
      'INV-63 warning IPAMBlock/10-60-0-8-29 also INV-67',
    ]);
  });

  test('an address of a service that did not ask for it', () => {
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
