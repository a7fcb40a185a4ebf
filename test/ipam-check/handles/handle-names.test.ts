import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, podHandle } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.0/29';

describe('INV-49: names and IDs of handles', () => {
  it('INV-49: two IDs that differ only by case share one object', () => {
    const cluster = healthy();
    cluster.pod('A-3', 'node-a', cluster.blockOf(cidr), 'a');
    cluster.pod('A-4', 'node-a', cluster.blockOf(cidr), 'b');
    const twin = podHandle('a').toUpperCase();
    for (const attribute of cluster.blockOf(cidr).spec.attributes) {
      if (attribute.handle_id === podHandle('b')) attribute.handle_id = twin;
    }
    cluster.removeHandle(podHandle('b'));
    cluster.handleOf(podHandle('a')).block[cidr] = 2;
    for (const pod of cluster.pods) if (pod.name === 'A-4') pod.containerId = 'A'.repeat(64);
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-49 error IPAMHandle/${podHandle('a')}`]);
    expect(evaluate(cluster.snapshot()).judgements[0]?.finding).toMatchObject({
      related: [{ kind: 'IPAMBlock', name: '10-60-0-0-29' }],
      evidence: [`${podHandle('a')} has 10.60.0.3`, `${twin} has 10.60.0.4`],
    });
  });

  it('INV-49: an ID that differs from the name of its object only in case is valid, as in Calico', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).handleId = `K8S-pod-network.${'1'.repeat(64)}`;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-49: an object whose name does not match its ID', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).handleId = 'other.id';
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-49 error IPAMHandle/${podHandle('1')}`]);
  });

  it('INV-49: a misnamed handle without addresses is reported as stray and deleted', () => {
    const cluster = healthy();
    Object.assign(cluster.handleOf(podHandle('1')), { name: 'misplaced' });
    expect(findingsOf(cluster.snapshot())).toEqual([
      'INV-45 warning IPAMHandle/misplaced R3 also INV-47 INV-49',
      `INV-46 warning IPAMHandle/${podHandle('1')} R3`,
    ]);
  });

  it('INV-49: an ID ends before its carriage return', () => {
    const cluster = healthy();
    cluster.handleOf(podHandle('1')).handleId = `${podHandle('1')}\r\neth0`;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});
