// The cluster that the recordings of `ip` were taken in, as a datastore would hold it, and nodes as they were recorded:
// node-a and node-b in 10.90.0.0/24, node-c behind a router, each with one block.
import type { Network } from '../../../src/datapath/expected/network.ts';
import { type NetworkObjects, readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { type NodeState, nodeState } from '../../../src/node-state/node-state.ts';
import { allProbes, type NodeReading, type ProbeName, type ProbeOutcome } from '../../../src/node-state/probes.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import type { FelixConfiguration, FelixConfigurationSpec } from '../../../src/resources/kinds/felix-configuration.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { CoreNode } from '../../../src/resources/kinds/node-fields.ts';
import type { Pod } from '../../../src/resources/kinds/pod.ts';
import { recording } from './recordings.ts';

const apiVersion = 'crd.projectcalico.org/v1';

export type Mode = 'none' | 'ipip' | 'ipip-crosssubnet' | 'vxlan' | 'vxlan-crosssubnet';

interface NodeSeed {
  readonly ip: string;
  readonly ip6: string;
  readonly block: string;
  readonly tunnel: string;
  readonly block6: string;
  readonly tunnel6: string;
}

export type RecordedNode = 'node-a' | 'node-b' | 'node-c';

const seeds: Readonly<Record<RecordedNode, NodeSeed>> = {
  'node-a': {
    ip: '10.90.0.1/24',
    ip6: '2001:db8:90::1/64',
    block: '10.244.10.0/26',
    tunnel: '10.244.10.0',
    block6: 'fd00:244:0:a::/122',
    tunnel6: 'fd00:244:0:a::',
  },
  'node-b': {
    ip: '10.90.0.2/24',
    ip6: '2001:db8:90::2/64',
    block: '10.244.20.64/26',
    tunnel: '10.244.20.64',
    block6: 'fd00:244:0:b::/122',
    tunnel6: 'fd00:244:0:b::',
  },
  'node-c': {
    ip: '10.90.1.3/24',
    ip6: '2001:db8:91::3/64',
    block: '10.244.30.128/26',
    tunnel: '10.244.30.128',
    block6: 'fd00:244:0:c::/122',
    tunnel6: 'fd00:244:0:c::',
  },
};

export interface NodeChanges {
  readonly ip?: string | undefined;
  readonly vxlan?: string;
  readonly vtepMac?: string;
}

/** A node as Kubernetes holds it, with its tunnel addresses for a mode. */
export function recordedNode(name: RecordedNode, mode: Mode, v6 = false, changes: NodeChanges = {}): CoreNode {
  const seed = { ...seeds[name], ...changes };
  const vxlan = mode.startsWith('vxlan');
  const annotations: Record<string, string> = {
    ...(seed.ip === undefined ? {} : { 'projectcalico.org/IPv4Address': seed.ip }),
    ...(v6 ? { 'projectcalico.org/IPv6Address': seed.ip6 } : {}),
    ...(vxlan ? { 'projectcalico.org/IPv4VXLANTunnelAddr': changes.vxlan ?? seed.tunnel } : {}),
    ...(vxlan && v6 ? { 'projectcalico.org/IPv6VXLANTunnelAddr': seed.tunnel6 } : {}),
    ...(mode.startsWith('ipip') ? { 'projectcalico.org/IPv4IPIPTunnelAddr': seed.tunnel } : {}),
    ...(changes.vtepMac === undefined ? {} : { 'projectcalico.org/VXLANTunnelMACAddr': changes.vtepMac }),
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: {}, annotations }, spec: {}, status: {} };
}

function recordedPool(mode: Mode, version: 4 | 6 = 4): IPPool {
  const crossSubnet = mode.endsWith('crosssubnet') ? 'CrossSubnet' : 'Always';
  return {
    apiVersion,
    kind: 'IPPool',
    metadata: { name: version === 4 ? 'pool-4' : 'pool-6' },
    spec: {
      cidr: version === 4 ? '10.244.0.0/16' : 'fd00:244::/48',
      ipipMode: mode.startsWith('ipip') ? crossSubnet : 'Never',
      vxlanMode: mode.startsWith('vxlan') ? crossSubnet : 'Never',
    },
  };
}

export interface Allocation {
  readonly ordinal: number;
  readonly node?: string;
}

/** A block with some addresses allocated, and an owner if one is given. */
export function recordedBlock(
  cidr: string,
  owner: string | undefined,
  allocations: readonly Allocation[] = [],
): IPAMBlock {
  const size = cidr.endsWith('/26') || cidr.endsWith('/122') ? 64 : 1;
  const indexOf = (ordinal: number): number | null => {
    const index = allocations.findIndex((allocation) => allocation.ordinal === ordinal);
    return index < 0 ? null : index;
  };
  const ordinals = Array.from({ length: size }, (_, ordinal) => ordinal);
  return {
    apiVersion,
    kind: 'IPAMBlock',
    metadata: { name: cidr.replaceAll(/[.:/]/g, '-') },
    spec: {
      cidr,
      ...(owner === undefined ? {} : { affinity: `host:${owner}` }),
      allocations: ordinals.map(indexOf),
      unallocated: ordinals.filter((ordinal) => indexOf(ordinal) === null),
      attributes: allocations.map(({ node }) => ({ handle_id: 'h', secondary: node === undefined ? {} : { node } })),
    },
  };
}

export function recordedAffinity(node: string, cidr: string, state: string): BlockAffinity {
  return {
    apiVersion,
    kind: 'BlockAffinity',
    metadata: { name: `${node}-${cidr.replaceAll(/[.:/]/g, '-')}` },
    spec: { node, cidr, state, deleted: 'false' },
  };
}

export function recordedPod(node: string, name: string, ...addresses: readonly string[]): Pod {
  const [namespace = '', pod = ''] = name.split('/');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace, annotations: {} },
    spec: { nodeName: node },
    status: { phase: 'Running', podIPs: addresses.map((ip) => ({ ip })) },
  };
}

const coredns = 'kube-system/coredns-7db6d8ff4d-abcde';

/** The pods of the recordings. */
function recordedPods(v6: boolean): Pod[] {
  const pod = (node: string, name: string, ...addresses: readonly string[]): Pod =>
    recordedPod(node, name, ...(v6 ? addresses : addresses.slice(0, 1)));
  return [
    pod('node-a', 'default/web-1', '10.244.10.1', 'fd00:244:0:a::1'),
    pod('node-a', 'default/nginx', '10.244.10.2', 'fd00:244:0:a::2'),
    pod('node-b', coredns, '10.244.20.66', 'fd00:244:0:b::2'),
    pod('node-c', 'namespace/podname', '10.244.30.130', 'fd00:244:0:c::2'),
  ];
}

export interface NetworkChoice {
  readonly mode: Mode;
  /** The nodes that exist; all three if absent. */
  readonly nodes?: readonly RecordedNode[];
  readonly v6?: boolean;
}

export type MutableObjects = { -readonly [K in keyof NetworkObjects]: NetworkObjects[K][number][] };

/** The objects of the cluster, which a test may change before they are read. */
export function recordedObjects({
  mode,
  nodes = ['node-a', 'node-b', 'node-c'],
  v6 = false,
}: NetworkChoice): MutableObjects {
  const pods = recordedPods(v6).filter(({ spec }) => nodes.some((name) => name === spec?.nodeName));
  return {
    nodes: nodes.map((name) => recordedNode(name, mode, v6)),
    pools: [recordedPool(mode), ...(v6 ? [recordedPool(mode, 6)] : [])],
    blocks: nodes.flatMap((name) => [
      recordedBlock(seeds[name].block, name, [{ ordinal: 0, node: name }]),
      ...(v6 ? [recordedBlock(seeds[name].block6, name)] : []),
    ]),
    affinities: nodes.map((name) => recordedAffinity(name, seeds[name].block, 'confirmed')),
    pods,
    felixConfigurations: [],
    bgpConfigurations: [],
  };
}

export function recordedNetwork(choice: NetworkChoice): Network {
  return readNetwork(recordedObjects(choice));
}

export function felixConfiguration(spec: FelixConfigurationSpec, name = 'default'): FelixConfiguration {
  return { apiVersion, kind: 'FelixConfiguration', metadata: { name }, spec };
}

export function answered(stdout: string, exit = 0, stderr = '', argv: readonly string[] = ['ip']): ProbeOutcome {
  return { kind: 'answered', argv, exit, stdout, stderr, truncated: false };
}

/** The command that a probe runs first. */
function argvOf(name: string): readonly string[] {
  return allProbes().find((probe) => probe.name === name)?.alternatives[0] ?? [];
}

/** A reading of a node that answered some probes: texts, or names of recordings that end with `.json`. */
export function readingOf(node: string, answers: Partial<Record<ProbeName, string | ProbeOutcome>>): NodeReading {
  const outcomes = Object.entries(answers).map(([name, answer]) => {
    if (typeof answer !== 'string') return [name as ProbeName, answer] as const;
    const text = answer.endsWith('.json') ? recording('ip', answer) : answer;
    return [name as ProbeName, answered(text, 0, '', argvOf(name))] as const;
  });
  return { node, outcomes: new Map(outcomes), unreachable: undefined };
}

/** The state of a node that gave these answers. */
export function stateOf(node: string, answers: Partial<Record<ProbeName, string | ProbeOutcome>>): NodeState {
  return nodeState(readingOf(node, answers));
}

/** A recording of JSON entries after a change. */
export function changedRecording(
  name: string,
  change: (entries: Record<string, unknown>[]) => Record<string, unknown>[],
): string {
  return JSON.stringify(change(JSON.parse(recording('ip', name)) as Record<string, unknown>[]));
}
