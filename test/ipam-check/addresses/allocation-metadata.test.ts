import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { BlockAttribute } from '../../../src/resources/kinds/ipam-block.ts';
import { goTimeText } from '../../../src/text/go-time.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { before, healthy, judgedAt, podHandle, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.0/29';
const block = 'IPAMBlock/10-60-0-0-29';
const minutes = (count: number) => new Date(judgedAt.getTime() + count * 60_000);

/** Changes the attributes of the address of pod a-1, 10.60.0.1. */
function recorded(cluster: SnapshotBuilder, change: (attribute: BlockAttribute) => void): SnapshotBuilder {
  const attribute = cluster.blockOf(cidr).spec.attributes.find(({ handle_id }) => handle_id === podHandle('1'));
  if (!attribute) throw new Error('a-1 has no address');
  change(attribute);
  return cluster;
}
const secondary = (changes: Record<string, string>) => (attribute: BlockAttribute) => {
  attribute.secondary = { ...attribute.secondary, ...changes };
};
const firstFinding = (cluster: SnapshotBuilder) => evaluate(cluster.snapshot()).judgements[0]?.finding;

describe('INV-17: a carriage return in a handle', () => {
  const migrated = () =>
    recorded(healthy(), (attribute) => {
      attribute.handle_id = `${podHandle('1')}\r\neth0`;
    });

  it('INV-17: a handle with a carriage return is a note', () => {
    expect(findingsOf(migrated().snapshot())).toEqual([`INV-17 info ${block}`]);
    expect(firstFinding(migrated())).toMatchObject({
      address: '10.60.0.1',
      handle: `${podHandle('1')}\r\neth0`,
      owner: { kind: 'Pod', namespace: 'shop', name: 'a-1' },
    });
  });

  it('INV-17: a carriage return is not reported when the address is released anyway', () => {
    const cluster = migrated();
    cluster.pods.shift();
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-53 warning ${block} R1`]);
  });
});

describe('INV-64: handles of Calico 2', () => {
  it.each([
    ['with the pod recorded', { namespace: 'shop', pod: 'a-1', node: 'node-a' }],
    ['with nothing recorded', {}],
  ])('INV-64: a handle of Calico 2 %s is a note', (_, attributes) => {
    const cluster = recorded(healthy(), (attribute) => {
      attribute.handle_id = 'shop.a-1';
      attribute.secondary = attributes;
    });
    Object.assign(cluster.handleOf(podHandle('1')), { name: 'shop.a-1', handleId: 'shop.a-1' });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-64 info ${block}`]);
  });
});

describe('INV-65: invalid and future times', () => {
  it.each([
    [4, []],
    [6, [`INV-65 warning ${block}`]],
  ])('INV-65: an allocation %i minutes in the future', (ahead, findings) => {
    const timestamp = goTimeText(minutes(ahead));
    expect(findingsOf(recorded(healthy(), secondary({ timestamp })).snapshot())).toEqual(findings);
  });

  it.each(['', 'yesterday', '2026-01-01T00:00:00Z', '2026-13-01 00:00:00 +0000 UTC'])(
    'INV-65: an allocation with the invalid timestamp "%s"',
    (timestamp) => {
      const cluster = recorded(healthy(), secondary({ timestamp }));
      expect(findingsOf(cluster.snapshot())).toEqual([`INV-65 warning ${block}`]);
      expect(firstFinding(cluster)?.evidence).toEqual([`invalid timestamp ${JSON.stringify(timestamp)}`]);
    },
  );

  it('INV-65: timestamps with other time zones and fractions are valid', () => {
    const timestamp = '2026-01-01 02:00:00.123456789 +0200 CEST';
    expect(findingsOf(recorded(healthy(), secondary({ timestamp })).snapshot())).toEqual([]);
  });

  it.each([
    ['a minute ago', minutes(-1).toISOString(), []],
    ['in four minutes', minutes(4).toISOString(), []],
    ['in six minutes', minutes(6).toISOString(), [`INV-65 warning ${block}`]],
    ['at an invalid time', 'soon', [`INV-65 warning ${block}`]],
  ])('INV-65: addresses in cooldown, released %s, are one finding at most', (_, releasedAt, findings) => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf(cidr), { releasedAt });
    const { spec } = cluster.blockOf(cidr);
    const second = spec.unallocated.shift() as number;
    spec.allocations[second] = spec.attributes.length - 1;
    Object.assign(spec.sequenceNumberForAllocation as object, { [second]: 1767225600000000003n });
    expect(findingsOf(cluster.snapshot())).toEqual(findings);
    if (findings.length > 0) expect(firstFinding(cluster)?.evidence[0]).toMatch(/ at ordinals 3, 4$/);
  });
});

describe('INV-66: alternate owners', () => {
  const moving = { namespace: 'shop', pod: 'a-2', node: 'node-a' };
  const machine = (cluster: SnapshotBuilder, alternateOwnerAttrs: Record<string, string>): SnapshotBuilder => {
    const handleId = 'k8s-pod-network.vmi.shop.vm-1';
    Object.assign(cluster.handleOf(podHandle('1')), { name: handleId, handleId });
    return recorded(cluster, (attribute) => Object.assign(attribute, { handle_id: handleId, alternateOwnerAttrs }));
  };

  it('INV-66: the pod that a virtual machine moves to is a valid alternate owner', () => {
    expect(findingsOf(machine(healthy(), moving).snapshot())).toEqual([]);
  });

  it('INV-66: an empty alternate owner is ignored', () => {
    const cluster = recorded(healthy(), (attribute) => Object.assign(attribute, { alternateOwnerAttrs: {} }));
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-66: an alternate owner of a pod that is not a virtual machine', () => {
    const cluster = recorded(healthy(), (attribute) => Object.assign(attribute, { alternateOwnerAttrs: moving }));
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-66 warning ${block}`]);
  });

  it.each([
    ['a missing pod', { ...moving, pod: 'gone' }],
    ['not a pod', { node: 'node-a' }],
  ])('INV-66: an alternate owner that is %s', (_, alternate) => {
    expect(findingsOf(machine(healthy(), alternate).snapshot())).toEqual([`INV-66 warning ${block}`]);
  });

  it('INV-66: a finished pod as alternate owner is a candidate while the block was written recently', () => {
    const cluster = machine(healthy(), moving);
    for (const pod of cluster.pods) if (pod.name === 'a-2') pod.finished = true;
    const of66 = () => findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-66'));
    expect(of66()).toEqual([`INV-66 warning ${block}`]);
    cluster.blockOf(cidr).metadata.managedFields = [{ manager: 'calico', operation: 'Update', time: before(60_000) }];
    expect(of66()).toEqual([`INV-66 warning (candidate) ${block}`]);
  });
});

describe('INV-68: the node of an allocation', () => {
  it('INV-68: an allocation without a node in a block of a node', () => {
    const cluster = recorded(healthy(), (attribute) => {
      attribute.secondary = { namespace: 'shop', pod: 'a-1' };
    });
    expect(findingsOf(cluster.snapshot())).toEqual([`INV-68 info ${block}`]);
  });

  it('INV-68: an allocation with a node in a block of a virtual owner', () => {
    const cluster = healthy();
    const made = cluster.bareBlock('10.60.0.16/29', 'virtual:load-balancer');
    cluster.affinity('load-balancer', '10.60.0.16/29', 'confirmed', 'virtual');
    cluster.pod('v-1', 'node-a', made, '4');
    expect(findingsOf(cluster.snapshot())).toContain('INV-68 info IPAMBlock/10-60-0-16-29');
  });

  it('INV-68: an allocation without a node is valid in a block without an owner', () => {
    const cluster = recorded(healthy(), (attribute) => {
      attribute.secondary = { namespace: 'shop', pod: 'a-1' };
    });
    delete cluster.blockOf(cidr).spec.affinity;
    expect(findingsOf(cluster.snapshot()).filter((line) => line.startsWith('INV-68'))).toEqual([]);
  });
});
