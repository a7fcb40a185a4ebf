import { describe, expect, it } from 'vitest';
import { addressJudgements } from '../../../src/ipam-check/addresses/addresses.ts';
import type { Judgement } from '../../../src/ipam-check/finding.ts';
import { planRepairs } from '../../../src/ipam-check/plan.ts';
import type { IpamSnapshot } from '../../../src/ipam-check/snapshot.ts';
import { addressUsersOf } from '../../../src/ipam-check/view/address-users.ts';
import { CheckView } from '../../../src/ipam-check/view/check-view.ts';
import { loadBalancerHandle } from '../../../src/resources/names.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import {
  before,
  container,
  healthy,
  judgedAt,
  podHandle,
  type SnapshotBuilder,
  unread,
} from '../../support/clusters/snapshot-builder.ts';

function judged(cluster: SnapshotBuilder, changes: Partial<IpamSnapshot> = {}): Judgement[] {
  const view = new CheckView(cluster.snapshot(changes));
  return addressJudgements(view, addressUsersOf(view));
}

/** The only judgement; fails if there is none or more than one. */
function only(judgements: readonly Judgement[]): Judgement {
  expect(judgements.map(({ finding }) => `${finding.id} ${finding.address}`)).toHaveLength(1);
  return judgements[0] as Judgement;
}

/** A judgement as `INV-53 warning stable 10.60.0.3 automatic`. */
function brief({ finding, action }: Judgement): string {
  const { id, also, severity, stability, address, repair } = finding;
  const how = repair === undefined ? 'no repair' : repair.automatic ? 'automatic' : 'by hand';
  expect(action !== undefined).toBe(how === 'automatic');
  return `${[id, ...also].join('+')} ${severity} ${stability} ${address} ${how}`;
}

const shown = (cluster: SnapshotBuilder, changes?: Partial<IpamSnapshot>) => judged(cluster, changes).map(brief);

const longAgo = '2026-01-01 00:00:00 +0000 UTC';
const minutesAgo = (minutes: number) =>
  `${before(minutes * 60_000)
    .replace('T', ' ')
    .replace(/\.000Z/, '')} +0000 UTC`;

/** Allocates an address of node-a's block to a pod that does not exist, and returns it. */
function leak(cluster: SnapshotBuilder, timestamp = longAgo, pod = 'gone', node = 'node-a'): string {
  const secondary = { namespace: 'shop', pod, node, timestamp };
  return cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: podHandle('9'), secondary });
}

/** Allocates another address of node-a's block under the handle of pod a-1, which has 10.60.0.1, and returns it. */
function again(cluster: SnapshotBuilder, timestamp: string): string {
  const secondary = { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp };
  return cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: podHandle('1'), secondary });
}

const podOf = (cluster: SnapshotBuilder, name: string) => {
  const pod = cluster.pods.find((one) => one.name === name);
  if (!pod) throw new Error(`no pod ${name}`);
  return pod;
};

const nodeOf = (cluster: SnapshotBuilder, name: string) => {
  const node = cluster.nodes.find((one) => one.name === name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
};

describe('addresses allocated to pods', () => {
  it('a healthy cluster has no finding about an address', () => {
    expect(shown(healthy())).toEqual([]);
  });

  it('INV-53: an address whose pod does not exist is released', () => {
    const cluster = healthy();
    leak(cluster);
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-53 warning stable 10.60.0.3 automatic');
    expect(judgement.finding).toMatchObject({
      object: { kind: 'IPAMBlock', name: '10-60-0-0-29' },
      cidr: '10.60.0.0/29',
      handle: podHandle('9'),
      node: 'node-a',
      owner: { kind: 'Pod', namespace: 'shop', name: 'gone' },
      ageSeconds: 86_400,
      repair: {
        primitive: 'R1',
        summary: 'release 10.60.0.3 guarded by handle and sequence 1767225600000000003',
        command: 'calictl ipam release --ip 10.60.0.3',
      },
    });
    expect(judgement.action).toEqual({
      primitive: 'R1',
      block: '10-60-0-0-29',
      address: '10.60.0.3',
      ordinal: 3,
      handle: podHandle('9'),
      sequenceNumber: 1767225600000000003n,
    });
    expect(judgement.dependencies).toEqual([
      { kind: 'IPAMBlock', name: '10-60-0-0-29' },
      { kind: 'Pod', namespace: 'shop', name: 'gone' },
    ]);
    expect(judgement.fingerprint).toBe(`${podHandle('9')} 1767225600000000003`);
  });

  it('the guard of a release has the handle exactly as stored, a carriage return included', () => {
    const cluster = healthy();
    const secondary = { namespace: 'shop', pod: 'gone', node: 'node-a' };
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: `${podHandle('9')}\r\neth0`, secondary });
    expect(only(judged(cluster)).action).toMatchObject({ handle: `${podHandle('9')}\r\neth0` });
  });

  it.each([
    [14, false, 15, 'candidate'],
    [16, false, 15, 'stable'],
    [14, true, 15, 'stable'],
    [0, false, 0, 'stable'],
    [-60, false, 15, 'candidate'],
  ])('INV-53: an allocation %i minutes old (locked: %s, grace %i) is %s', (minutes, locked, grace, stability) => {
    const cluster = healthy();
    leak(cluster, minutesAgo(minutes));
    const { finding } = only(judged(cluster, { locked, graceMs: grace * 60_000 }));
    expect(finding.stability).toBe(stability);
    expect(finding.ageSeconds).toBe(Math.max(0, minutes * 60));
  });

  it('INV-53: an address that the pod does not list, when the container of the pod is unknown', () => {
    const cluster = healthy();
    leak(cluster, longAgo, 'a-1');
    podOf(cluster, 'a-1').containerId = undefined;
    expect(shown(cluster)).toEqual(['INV-53+INV-51 warning stable 10.60.0.3 automatic']);
  });

  it('an address of a pod that lists none yet is in use', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-1'), { addresses: [], containerId: undefined, phase: 'Pending' });
    expect(shown(cluster)).toEqual([]);
  });

  it('an address of the running container is in use, whatever the pod lists', () => {
    const cluster = healthy();
    const second = cluster.allocate(cluster.blockOf('10.60.0.8/29'), {
      handle_id: `other-network.${container('1')}`,
      secondary: { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp: longAgo },
    });
    expect(second).toBe('10.60.0.10');
    podOf(cluster, 'a-1').addresses = ['192.0.2.7'];
    const findings = judged(cluster).filter(({ finding }) => finding.id !== 'INV-55');
    expect(findings).toEqual([]);
  });

  it('all addresses of one handle are in use when the pod lists them and its container is unknown', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), {
      handle_id: podHandle('1'),
      secondary: { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp: longAgo },
    });
    podOf(cluster, 'a-1').containerId = undefined;
    podOf(cluster, 'a-1').addresses = ['10.60.0.1', '10.60.0.3'];
    expect(shown(cluster)).toEqual([]);
  });

  it('INV-50: a second address of the same handle and family is released', () => {
    const cluster = healthy();
    again(cluster, longAgo);
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-50 warning stable 10.60.0.3 automatic');
    expect(judgement.finding.evidence).toEqual(['the pod has 10.60.0.1 with the same handle']);
    expect(judgement.action).toMatchObject({ primitive: 'R1', address: '10.60.0.3', handle: podHandle('1') });
    expect(judgement.dependencies).toContainEqual({ kind: 'Pod', namespace: 'shop', name: 'a-1' });
    expect(planRepairs([judgement]).map(({ action }) => action)).toEqual([judgement.action]);
  });

  it('INV-50: a second address within the grace period is a candidate, because the second ADD may be the valid one', () => {
    const cluster = healthy();
    again(cluster, minutesAgo(14));
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-50 warning candidate 10.60.0.3 automatic');
    expect(planRepairs([judgement])).toEqual([]);
  });

  it('INV-50: a second address is left to a person when the pod may have more addresses than it lists', () => {
    const cluster = healthy();
    again(cluster, longAgo);
    podOf(cluster, 'a-1').moreAddresses = true;
    expect(shown(cluster)).toEqual(['INV-50 warning stable 10.60.0.3 by hand']);
  });

  it('INV-50: several addresses of one handle, none of them listed by the pod, are one finding for a person', () => {
    const cluster = healthy();
    again(cluster, longAgo);
    podOf(cluster, 'a-1').addresses = ['fd00::1'];
    expect(shown(cluster).filter((line) => line.startsWith('INV-50'))).toEqual([
      'INV-50 warning stable 10.60.0.1 by hand',
    ]);
    podOf(cluster, 'a-1').addresses = [];
    expect(shown(cluster)).toEqual(['INV-50 warning candidate 10.60.0.1 by hand']);
  });

  it('INV-50: one address of each family is not a duplicate, nor are two that the pod lists', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd00:60::/120', 125);
    const six = cluster.allocate(cluster.block('fd00:60::/125', 'node-a'), {
      handle_id: podHandle('1'),
      secondary: { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp: longAgo },
    });
    expect(shown(cluster)).toEqual([]);
    podOf(cluster, 'a-1').addresses = ['10.60.0.1', six, again(cluster, longAgo)];
    expect(shown(cluster)).toEqual([]);
  });

  it('INV-51: an address from another container, when the container of the pod is unknown', () => {
    const cluster = healthy();
    const address = leak(cluster, minutesAgo(600), 'a-1');
    Object.assign(podOf(cluster, 'a-1'), { containerId: undefined, addresses: ['10.60.0.1', address] });
    expect(shown(cluster)).toEqual(['INV-51 warning stable 10.60.0.1 no repair']);
    expect(only(judged(cluster)).finding.evidence).toEqual([
      `the pod has ${address} from another container`,
      'the pod has the address',
    ]);
  });

  it('INV-51: an address of a container that the pod no longer has is a candidate within the grace period', () => {
    const cluster = healthy();
    leak(cluster, minutesAgo(1), 'a-1');
    expect(shown(cluster)).toEqual(['INV-59+INV-53+INV-51 warning candidate 10.60.0.3 automatic']);
  });

  it('INV-51: addresses of two pods with one name on two nodes are not addresses of two containers of one pod', () => {
    const cluster = healthy();
    leak(cluster, longAgo, 'a-1', 'node-b');
    expect(shown(cluster)).toEqual(['INV-58+INV-59+INV-53 warning stable 10.60.0.3 automatic']);
  });

  it('INV-11: an address of a pod without a handle', () => {
    const cluster = healthy();
    Object.assign(cluster.blockOf('10.60.0.0/29').spec.attributes[1] as object, { handle_id: null });
    podOf(cluster, 'a-1').containerId = undefined;
    expect(shown(cluster)).toEqual(['INV-11 warning stable 10.60.0.1 no repair']);
    podOf(cluster, 'a-1').finished = true;
    expect(shown(cluster)).toEqual(['INV-53+INV-11 warning stable 10.60.0.1 automatic']);
  });

  it('INV-11: a tunnel address without a handle is a note, an address in cooldown is not reported', () => {
    const cluster = healthy();
    const [tunnel] = cluster.blockOf('10.60.0.0/29').spec.attributes;
    Object.assign(tunnel as object, { handle_id: null, secondary: null });
    expect(shown(cluster)).toEqual(['INV-11 info stable 10.60.0.0 no repair']);
    Object.assign(tunnel as object, { secondary: { node: 'node-a', type: 'vxlanTunnelAddress' } });
    expect(shown(cluster)).toEqual(['INV-11 info stable 10.60.0.0 no repair']);
    const cooled = healthy();
    cooled.allocate(cooled.blockOf('10.60.0.0/29'), { releasedAt: before(60_000) });
    expect(shown(cooled)).toEqual([]);
  });

  it('INV-11: where addresses cool down, the missing handle may be a dropped cooldown mark', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), {});
    const spec = { strictAffinity: false, autoAllocateBlocks: true, ipCooldownSeconds: 60 };
    const config = { apiVersion: 'v1', kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
    const [found] = judged(cluster, { config });
    expect(found && brief(found)).toBe('INV-53+INV-11 warning stable 10.60.0.3 by hand');
    expect(found?.finding.evidence.join(' ')).toContain('dropped the mark');
    expect(only(judged(cluster)).finding.evidence.join(' ')).not.toContain('dropped the mark');
  });

  it('an address of a stored workload endpoint is in use, with or without a pod', () => {
    const cluster = healthy();
    const address = leak(cluster);
    cluster.workloads.push({
      namespace: 'shop',
      name: 'node--a-k8s-gone-eth0',
      node: 'node-a',
      pod: 'gone',
      containerId: undefined,
      addresses: [address],
    });
    expect(shown(cluster)).toEqual([]);
  });

  it.each(['Succeeded', 'Failed'])('INV-60: an address of a pod in phase %s is released', (phase) => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-2'), { phase, finished: true });
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-60+INV-53 warning stable 10.60.0.2 automatic');
    expect(judgement.finding.owner).toEqual({ kind: 'Pod', namespace: 'shop', name: 'a-2' });
  });

  it('INV-53: an address of a pod that is being deleted and no longer runs is released', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-2'), { finished: true, deleting: true });
    expect(shown(cluster)).toEqual(['INV-53 warning stable 10.60.0.2 automatic']);
  });

  it('INV-61: an address of a pod that uses the host network is released', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-2'), { hostNetwork: true, addresses: ['192.0.2.11'], containerId: undefined });
    expect(shown(cluster)).toEqual(['INV-61+INV-53 warning stable 10.60.0.2 automatic']);
  });

  it('INV-58: an address whose pod now runs on another node with another address is released', () => {
    const cluster = healthy();
    leak(cluster, longAgo, 'b-1');
    expect(shown(cluster)).toEqual(['INV-58+INV-59+INV-53 warning stable 10.60.0.3 automatic']);
  });

  it('INV-58: an address is kept while its pod on the other node has no address', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-2'), { node: 'node-b', addresses: [], containerId: undefined });
    expect(shown(cluster)).toEqual(['INV-58 warning candidate 10.60.0.2 no repair']);
  });

  it('INV-58: an address that its pod uses on the other node is in danger, and the pod is to be restarted', () => {
    const cluster = healthy();
    podOf(cluster, 'a-2').node = 'node-b';
    expect(shown(cluster)).toEqual(['INV-58 error stable 10.60.0.2 by hand']);
  });

  it('INV-59: an address of an earlier container is released only when the pod has another address', () => {
    const unused = healthy();
    leak(unused, longAgo, 'a-1');
    expect(shown(unused)).toEqual(['INV-59+INV-53+INV-51 warning stable 10.60.0.3 automatic']);
    const used = healthy();
    podOf(used, 'a-1').containerId = container('8');
    expect(shown(used)).toEqual(['INV-59 warning stable 10.60.0.1 no repair']);
  });

  it('INV-62: an address whose node and pod are both gone is released', () => {
    const cluster = healthy();
    leak(cluster, longAgo, 'gone', 'node-x');
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-62+INV-53 warning stable 10.60.0.3 automatic');
    expect(judgement.finding.node).toBe('node-x');
  });

  it('INV-57: an address allocated to one pod and used by another', () => {
    const cluster = healthy();
    const attributes = cluster.blockOf('10.60.0.0/29').spec.attributes[2]?.secondary;
    if (attributes) attributes['pod'] = 'another';
    podOf(cluster, 'a-2').containerId = undefined;
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-57 error stable 10.60.0.2 no repair');
    expect(judgement.finding.related).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'a-2' }]);
    expect(judgement.dependencies).toContainEqual({ kind: 'Pod', namespace: 'shop', name: 'a-2' });
  });

  it('INV-57: an address of a finished pod that another pod uses is an error and is never released', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-1'), { phase: 'Succeeded', finished: true });
    podOf(cluster, 'a-2').addresses = ['10.60.0.1', '10.60.0.2'];
    expect(shown(cluster)).toEqual(['INV-60+INV-57 error stable 10.60.0.1 no repair']);
  });

  it('INV-53: an address of a stopped virtual machine is a note and is not released', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), {
      handle_id: 'k8s-pod-network.vmi.shop.vm-1',
      secondary: { namespace: 'shop', pod: 'virt-launcher-1', node: 'node-a', timestamp: longAgo },
    });
    expect(shown(cluster)).toEqual(['INV-53 info stable 10.60.0.3 by hand']);
  });

  it('INV-53: the address of a stopped virtual machine without attributes is a note that names the machine', () => {
    const cluster = healthy();
    const block = cluster.blockOf('10.60.0.0/29');
    cluster.allocate(block, { handle_id: 'k8s-pod-network.vmi.shop.vm-1' });
    cluster.allocate(block, { handle_id: 'k8s-pod-network.vmi._4mYp' });
    expect(shown(cluster)).toEqual(['INV-53 info stable 10.60.0.3 by hand', 'INV-53 info stable 10.60.0.4 by hand']);
    const [first, second] = judged(cluster).map(({ finding }) => finding);
    expect(first?.owner).toEqual({ kind: 'VirtualMachine', namespace: 'shop', name: 'vm-1' });
    expect(first?.repair?.command).toBe('calictl ipam release --ip 10.60.0.3 --force');
    expect(second?.evidence.join()).toContain('k8s-pod-network.vmi._4mYp');
  });

  it('the address of a virtual machine with a running pod is sound', () => {
    const cluster = healthy();
    const handle_id = 'k8s-pod-network.vmi.shop.vm-1';
    const [allocated] = cluster.blockOf('10.60.0.0/29').spec.attributes;
    Object.assign(allocated ?? {}, { handle_id });
    expect(shown(cluster).filter((line) => line.startsWith('INV-53'))).toEqual([]);
  });

  it('an address that two overlapping blocks allocate is never released automatically', () => {
    const cluster = healthy();
    leak(cluster);
    cluster.bareBlock('10.60.0.0/28', 'host:node-b');
    const wide = cluster.blockOf('10.60.0.0/28');
    wide.spec.unallocated = [3, ...wide.spec.unallocated.filter((ordinal) => ordinal !== 3)];
    cluster.allocate(wide, {
      handle_id: podHandle('8'),
      secondary: { namespace: 'shop', pod: 'gone-2', node: 'node-b', timestamp: longAgo },
    });
    expect(shown(cluster)).toEqual([
      'INV-53 warning stable 10.60.0.3 by hand',
      'INV-53 warning stable 10.60.0.3 by hand',
    ]);
  });

  it('an address without a known owner may be assigned by hand, so a person decides', () => {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), { handle_id: 'printer', secondary: { node: 'node-a' } });
    cluster.allocate(cluster.blockOf('10.60.0.0/29'), {});
    expect(shown(cluster)).toEqual([
      'INV-53 warning stable 10.60.0.3 by hand',
      'INV-53+INV-11 warning stable 10.60.0.4 by hand',
    ]);
  });

  it('the reserve of a Windows node, addresses in cooldown and those without readable attributes are not reported', () => {
    const cluster = healthy();
    cluster.node('win-1');
    cluster.block('10.60.0.16/29', 'win-1', true);
    const block = cluster.blockOf('10.60.0.0/29');
    cluster.allocate(block, { releasedAt: '2026-01-01T00:00:00Z' });
    const ordinal = block.spec.unallocated.shift() ?? 0;
    block.spec.allocations[ordinal] = 77;
    expect(shown(cluster)).toEqual([]);
  });
});

describe('tunnel addresses', () => {
  it('the gateway of a Windows node, in the reserve of its own block, is its VXLAN tunnel address; elsewhere it is INV-63', () => {
    const cluster = healthy();
    cluster.node('win-1');
    cluster.block('10.60.0.16/29', 'win-1', true);
    nodeOf(cluster, 'win-1').tunnels = { vxlanTunnelAddress: '10.60.0.17' };
    expect(shown(cluster)).toEqual([]);
    nodeOf(cluster, 'win-1').tunnels = { vxlanTunnelAddress: '10.60.0.18' };
    expect(shown(cluster)).toEqual(['INV-63 warning stable 10.60.0.18 no repair']);
    nodeOf(cluster, 'win-1').tunnels = { ipipTunnelAddress: '10.60.0.17' };
    expect(shown(cluster)).toEqual(['INV-63 warning stable 10.60.0.17 no repair']);
    nodeOf(cluster, 'win-1').tunnels = {};
    nodeOf(cluster, 'node-a').tunnels = { vxlanTunnelAddress: '10.60.0.17' };
    expect(shown(cluster)).toContain('INV-63 warning stable 10.60.0.17 no repair');
  });

  it('all five types of tunnel address that a node records are in use', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd60::/112', 125);
    cluster.pool('pool-ipip', '10.61.0.0/24', 29).spec.ipipMode = 'Always';
    const node = nodeOf(cluster, 'node-a');
    const [v6, ipip] = [cluster.block('fd60::/125', 'node-a'), cluster.block('10.61.0.0/29', 'node-a')];
    const assign = (block: typeof v6, type: string, handle: string) =>
      cluster.allocate(block, { handle_id: `${handle}-node-a`, secondary: { node: 'node-a', type } });
    node.tunnels = {
      ...node.tunnels,
      vxlanV6TunnelAddress: assign(v6, 'vxlanV6TunnelAddress', 'vxlan-v6-tunnel-addr'),
      wireguardV6TunnelAddress: assign(v6, 'wireguardV6TunnelAddress', 'wireguard-v6-tunnel-addr'),
      wireguardTunnelAddress: assign(ipip, 'wireguardTunnelAddress', 'wireguard-tunnel-addr'),
      ipipTunnelAddress: assign(ipip, 'ipipTunnelAddress', 'ipip-tunnel-addr'),
    };
    expect(shown(cluster)).toEqual([]);
  });

  it('INV-63: a second tunnel address is released when the recorded one is allocated', () => {
    const cluster = healthy();
    const node = nodeOf(cluster, 'node-a');
    cluster.tunnel(node, cluster.blockOf('10.60.0.0/29'));
    expect(node.tunnels.vxlanTunnelAddress).toBe('10.60.0.3');
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-63+INV-50+INV-53 warning stable 10.60.0.0 automatic');
    expect(judgement.dependencies).toContainEqual({ kind: 'Node', name: 'node-a' });
  });

  it.each([
    ['nothing', undefined],
    ['an address that is not allocated', '10.60.0.5'],
  ])('INV-63: a tunnel address is not released while the node records %s', (_, recorded) => {
    const cluster = healthy();
    nodeOf(cluster, 'node-a').tunnels = recorded === undefined ? {} : { vxlanTunnelAddress: recorded };
    const about = judged(cluster).filter(({ finding }) => finding.address === '10.60.0.0');
    expect(about.map(brief)).toEqual(['INV-63+INV-53 warning stable 10.60.0.0 by hand']);
  });

  it('INV-63: a recorded tunnel address that is not allocated', () => {
    const cluster = healthy();
    nodeOf(cluster, 'node-a').tunnels = { vxlanTunnelAddress: '10.60.0.0', wireguardTunnelAddress: '10.60.0.5' };
    expect(shown(cluster)).toEqual(['INV-63+INV-54 warning stable 10.60.0.5 no repair']);
  });

  it('INV-63: a recorded tunnel address allocated to a pod is an error only when the pod uses it', () => {
    const unused = healthy();
    nodeOf(unused, 'node-a').tunnels = { vxlanTunnelAddress: '10.60.0.0', wireguardTunnelAddress: leak(unused) };
    expect(shown(unused)).toEqual(['INV-63 warning stable 10.60.0.3 no repair']);
    const used = healthy();
    nodeOf(used, 'node-a').tunnels = { vxlanTunnelAddress: '10.60.0.0', wireguardTunnelAddress: '10.60.0.1' };
    expect(shown(used)).toEqual(['INV-63+INV-56 error stable 10.60.0.1 no repair']);
  });

  it('INV-63: a pod that uses the tunnel address of a node', () => {
    const cluster = healthy();
    podOf(cluster, 'a-1').addresses = ['10.60.0.1', '10.60.0.0'];
    expect(shown(cluster)).toEqual(['INV-63+INV-56 error stable 10.60.0.0 no repair']);
  });

  it('INV-63: a tunnel address under the handle of another node, or from a pool without this tunnel', () => {
    const handle = healthy();
    const attribute = handle.blockOf('10.60.0.8/29').spec.attributes[0];
    if (attribute) attribute.handle_id = 'vxlan-tunnel-addr-node-a';
    expect(shown(handle)).toEqual(['INV-63 warning stable 10.60.0.8 no repair']);
    const pool = healthy();
    for (const { spec } of pool.pools) spec.vxlanMode = 'Never';
    expect(shown(pool)).toEqual([
      'INV-63 warning stable 10.60.0.0 no repair',
      'INV-63 warning stable 10.60.0.8 no repair',
    ]);
  });

  it('INV-62: a tunnel address of a missing node is released once the node has no pod address left', () => {
    const held = healthy();
    held.removeNode('node-b');
    expect(shown(held)).toEqual([
      'INV-62 warning stable 10.60.0.9 no repair',
      'INV-62+INV-53 warning stable 10.60.0.8 by hand',
    ]);
    const young = healthy();
    young.removeNode('node-b');
    young.pods.pop();
    const secondary = young.blockOf('10.60.0.8/29').spec.attributes[1]?.secondary;
    if (secondary) secondary['timestamp'] = minutesAgo(1);
    expect(shown(young)).toEqual([
      'INV-62+INV-53 warning candidate 10.60.0.9 automatic',
      'INV-62+INV-53 warning stable 10.60.0.8 by hand',
    ]);
    const free = healthy();
    free.removeNode('node-b');
    free.pods.pop();
    expect(shown(free)).toEqual([
      'INV-62+INV-53 warning stable 10.60.0.9 automatic',
      'INV-62+INV-53 warning stable 10.60.0.8 automatic',
    ]);
  });
});

describe('addresses in use', () => {
  it('INV-54: a used address of an enabled pool that is not allocated', () => {
    const cluster = healthy();
    podOf(cluster, 'a-1').addresses = ['10.60.0.1', '10.60.0.6'];
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-54 error stable 10.60.0.6 no repair');
    expect(judgement.finding.object).toEqual({ kind: 'Pod', namespace: 'shop', name: 'a-1' });
    expect(judgement.dependencies).toEqual([
      { kind: 'Pod', namespace: 'shop', name: 'a-1' },
      { kind: 'Pod', namespace: 'shop', name: 'a-1' },
      { kind: 'IPAMBlock', name: '10-60-0-0-29' },
      { kind: 'IPPool', name: 'pool-1' },
    ]);
  });

  it('INV-54: an unallocated address of a pod that is being deleted is a candidate', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-1'), { addresses: ['10.60.0.1', '10.60.0.6'], deleting: true });
    expect(shown(cluster)).toEqual(['INV-54 error candidate 10.60.0.6 no repair']);
  });

  it('INV-55: a used address in a disabled pool or outside all pools', () => {
    const cluster = healthy();
    cluster.pool('pool-off', '10.70.0.0/24', 29).spec.disabled = true;
    podOf(cluster, 'a-1').addresses = ['10.60.0.1', '10.70.0.1', 'fd00::1'];
    expect(shown(cluster)).toEqual(['INV-55 info stable 10.70.0.1 no repair', 'INV-55 info stable fd00::1 no repair']);
  });

  it('addresses of a pod that does not use Calico IPAM are not reported', () => {
    const cluster = healthy();
    Object.assign(podOf(cluster, 'a-1'), { addresses: ['10.60.0.1', '10.60.0.6', '192.0.2.9'], noIpam: true });
    expect(shown(cluster)).toEqual([]);
  });

  it('addresses in an unreadable block are not reported', () => {
    const cluster = healthy();
    cluster.blockOf('10.60.0.8/29').spec.allocations.pop();
    expect(shown(cluster)).toEqual([]);
  });

  it('INV-56: one address used by two pods', () => {
    const cluster = healthy();
    podOf(cluster, 'b-1').addresses = ['10.60.0.9', '10.60.0.1'];
    const judgement = only(judged(cluster));
    expect(brief(judgement)).toBe('INV-56 error stable 10.60.0.1 by hand');
    expect(judgement.finding.object).toEqual({ kind: 'Pod', namespace: 'shop', name: 'a-1' });
    expect(judgement.finding.related).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'b-1' }]);
  });

  it('INV-56: finished pods, and host-network pods with the address of their node, do not count', () => {
    const cluster = healthy();
    const extra = (name: string, changes: object) =>
      cluster.pods.push({ ...podOf(cluster, 'a-1'), name, containerId: undefined, ...changes });
    extra('old', { finished: true, phase: 'Failed' });
    extra('host-1', { hostNetwork: true });
    extra('host-2', { hostNetwork: true });
    expect(shown(cluster)).toEqual([]);
  });
});

describe('addresses of LoadBalancer services', () => {
  const uid = '6f1d5a0e-3a54-4b8e-9a3a-0c8f2f9a5d11';
  const handle = loadBalancerHandle('web', 'shop', uid);
  const controllers = {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'KubeControllersConfiguration',
    metadata: { name: 'default' },
    spec: { controllers: { loadBalancer: { assignIPs: 'AllServices' } } },
  };

  function withService(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pool('pool-lb', '10.80.0.0/24', 29).spec.allowedUses = ['LoadBalancer'];
    cluster.affinity('load-balancer', '10.80.0.0/29', 'confirmed', 'virtual');
    const block = cluster.bareBlock('10.80.0.0/29', 'virtual:load-balancer');
    const secondary = { namespace: 'shop', service: 'web', type: 'LoadBalancer', timestamp: longAgo };
    const address = cluster.allocate(block, { handle_id: handle, secondary });
    cluster.services.push({
      namespace: 'shop',
      name: 'web',
      uid,
      loadBalancer: true,
      deleting: false,
      loadBalancerClass: undefined,
      annotations: {},
      ingress: [address],
    });
    return cluster;
  }
  const change = (cluster: SnapshotBuilder, changes: object) => {
    const service = cluster.services[0];
    if (service) cluster.services[0] = { ...service, ...changes };
  };
  const configured = { kubeControllers: controllers };

  it('an address that its service lists is not reported', () => {
    expect(shown(withService(), configured)).toEqual([]);
  });

  it('INV-44: the address of a deleted service is released', () => {
    const cluster = withService();
    cluster.services.pop();
    const judgement = only(judged(cluster, configured));
    expect(brief(judgement)).toBe('INV-44+INV-53 warning stable 10.80.0.0 automatic');
    expect(judgement.dependencies).toContainEqual({ kind: 'Service', namespace: 'shop', name: 'web' });
  });

  it('INV-44: an address that its service no longer lists is left to kube-controllers', () => {
    for (const changes of [
      { ingress: [] },
      { loadBalancerClass: 'other', ingress: [] },
      { loadBalancer: false, deleting: false, ingress: [] },
    ]) {
      const cluster = withService();
      change(cluster, changes);
      expect(shown(cluster, configured)).toEqual(['INV-44+INV-53 warning stable 10.80.0.0 by hand']);
    }
  });

  it('INV-44: an address under the handle of an earlier service with the same name', () => {
    const cluster = withService();
    change(cluster, { uid: 'aaaaaaaa-3a54-4b8e-9a3a-0c8f2f9a5d11' });
    expect(shown(cluster, configured)).toEqual(['INV-44 warning stable 10.80.0.0 no repair']);
  });

  it('INV-44: an address that a service lists and that is not allocated', () => {
    const cluster = withService();
    change(cluster, { ingress: ['10.80.0.0', '10.80.0.5'] });
    expect(shown(cluster, configured)).toEqual(['INV-44+INV-54 warning stable 10.80.0.5 no repair']);
  });

  it('an address used by a service of another load balancer is never released', () => {
    const cluster = healthy();
    const address = leak(cluster);
    cluster.services.push({
      namespace: 'shop',
      name: 'other',
      uid,
      loadBalancer: true,
      deleting: false,
      loadBalancerClass: 'metallb.io/lb',
      annotations: {},
      ingress: [address],
    });
    expect(shown(cluster, configured)).toEqual(['INV-53 warning stable 10.60.0.3 no repair']);
  });

  it.each(['Service', 'KubeControllersConfiguration'] as const)(
    'addresses of services are not judged when %s was not read',
    (kind) => {
      const cluster = withService();
      cluster.services.pop();
      expect(findingsOf(cluster.snapshot({ ...configured, unread: unread(kind) }))).toEqual([]);
    },
  );
});

it.each(['Node', 'WorkloadEndpoint'] as const)('addresses are not judged when %s was not read', (kind) => {
  const cluster = healthy();
  leak(cluster);
  expect(findingsOf(cluster.snapshot({ unread: unread(kind) }))).toEqual([]);
});

it('two checks of the same snapshot give the same findings about addresses', () => {
  const cluster = healthy();
  leak(cluster);
  podOf(cluster, 'a-1').addresses = ['10.60.0.1', '10.60.0.6'];
  const snapshot = cluster.snapshot({ now: judgedAt });
  const once = new CheckView(snapshot);
  const again = new CheckView(snapshot);
  expect(addressJudgements(again, addressUsersOf(again))).toEqual(addressJudgements(once, addressUsersOf(once)));
});
