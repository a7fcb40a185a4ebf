// Which kind of installation a cluster is, by evidence in objects, devices and answers of nodes; and in one line.
// What is not known from what was read is left open: docs/reference/installations.md.
import { isEnabled } from '../../ipam/pool/pools.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { withDefaults } from '../../resources/defaults.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import type { Network } from '../expected/network.ts';

export interface Installation {
  /** Who connects pods to their node. */
  readonly wiring: 'calico' | 'other' | undefined;
  /** The other plugin, where the names of its interfaces are known; `flannel` with Calico's plugin is Canal. */
  readonly plugin: string | undefined;
  readonly ipam: 'calico-ipam' | 'host-local' | undefined;
  /** Of the pools that pods get addresses from: `IPIP`, `VXLAN CrossSubnet`, `no encapsulation`. */
  readonly encapsulations: readonly string[];
  /** Whether BIRD runs on some node that was asked; undefined when none said so. */
  readonly bird: 'running' | 'absent' | undefined;
  readonly packetFilter: 'iptables' | 'nftables' | 'eBPF' | 'different on nodes' | undefined;
  readonly wireguard: boolean | undefined;
  readonly families: readonly (4 | 6)[];
}

/** What was read; `network` only where a command reads blocks and pods. */
export interface InstallationEvidence {
  readonly nodes: readonly CoreNode[];
  readonly pools: readonly IPPool[];
  readonly network?: Network;
  readonly states: readonly NodeState[];
}

/** Names of other plugins by the prefix of their interfaces. */
const otherPlugins: readonly (readonly [prefix: RegExp, plugin: string])[] = [
  [/^eni[0-9a-f]{11}$/, 'Amazon VPC CNI'],
  [/^azv/, 'Azure CNI'],
  [/^gke/, 'GKE'],
  [/^lxc/, 'Cilium'],
];

const isFlannels = ({ metadata }: CoreNode): boolean =>
  Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith('flannel.alpha.coreos.com/'));

function pluginOf(states: readonly NodeState[]): string | undefined {
  const names = states.flatMap(({ interfaces }) => (interfaces.seen ? interfaces.value.map(({ name }) => name) : []));
  return otherPlugins.find(([prefix]) => names.some((name) => prefix.test(name)))?.[1];
}

function wiringOf({ nodes, network, states }: InstallationEvidence): Pick<Installation, 'wiring' | 'plugin'> {
  const workloads = [...(network?.workloads.values() ?? [])].flat();
  const isCanal = nodes.some(isFlannels);
  if (workloads.some(({ isCalicos }) => isCalicos))
    return { wiring: 'calico', plugin: isCanal ? 'flannel' : undefined };
  const plugin = pluginOf(states);
  if (network === undefined || (network.pools.length > 0 && plugin === undefined)) {
    return { wiring: undefined, plugin: undefined };
  }
  return workloads.length > 0 || plugin !== undefined
    ? { wiring: 'other', plugin: plugin ?? (isCanal ? 'flannel' : undefined) }
    : { wiring: undefined, plugin: undefined };
}

function encapsulationText(stored: IPPool): string {
  const { cidr, vxlanMode = 'Never', ...spec } = withDefaults(ipPool, stored).spec;
  // IPIP carries IPv4 only.
  const ipipMode = cidr.includes(':') ? 'Never' : (spec.ipipMode ?? 'Never');
  const [kind, mode] = vxlanMode !== 'Never' ? ['VXLAN', vxlanMode] : ['IPIP', ipipMode];
  if (mode === 'Never') return 'no encapsulation';
  return mode === 'CrossSubnet' ? `${kind} CrossSubnet` : kind;
}

const givesPods = (pool: IPPool): boolean =>
  isEnabled(pool) && (withDefaults(ipPool, pool).spec.allowedUses ?? []).includes('Workload');

/** Whether any BIRD of the node answered; undefined when it is silent for a reason other than its absence. */
function birdOf({ bird }: NodeState): 'running' | 'absent' | undefined {
  const parts = ([4, 6] as const).map((version) => bird[version].protocols);
  if (parts.some(({ seen }) => seen)) return 'running';
  return parts.some((part) => !part.seen && part.why.includes('Unable to connect')) ? 'absent' : undefined;
}

function filterOf({ interfaces, iptables, iptablesLegacy, nft }: NodeState): Installation['packetFilter'] {
  if (interfaces.seen && interfaces.value.some(({ name }) => name === 'bpfin.cali')) return 'eBPF';
  const tables = [iptables, iptablesLegacy].flatMap((part) => (part.seen ? part.value : []));
  if (tables.some(({ chains }) => chains.some(({ name }) => name.startsWith('cali-')))) return 'iptables';
  if (nft.seen && nft.value.some(({ chains }) => chains.length > 0)) return 'nftables';
  return undefined;
}

/** The one value that all have; undefined for none, `otherwise` for several. */
function common<T>(values: readonly (T | undefined)[], otherwise: T | undefined): T | undefined {
  const known = new Set(values.filter((value) => value !== undefined));
  return known.size > 1 ? otherwise : [...known][0];
}

/** What the evidence says. */
export function recogniseInstallation(evidence: InstallationEvidence): Installation {
  const { pools, network, states } = evidence;
  const birds = states.map(birdOf);
  const [first] = states;
  return {
    ...wiringOf(evidence),
    ipam: network === undefined || pools.length === 0 ? undefined : network.addressSource,
    encapsulations: [...new Set(pools.filter(givesPods).map(encapsulationText))].sort(),
    bird: birds.includes('running') ? 'running' : common(birds, undefined),
    packetFilter: common(states.map(filterOf), 'different on nodes'),
    wireguard: network === undefined || first === undefined ? undefined : network.felix(first.node).wireguard,
    families: ([4, 6] as const).filter((version) =>
      pools.some(({ spec }) => (spec.cidr.includes(':') ? 6 : 4) === version),
    ),
  };
}

function routingText({ wiring, plugin, encapsulations, bird }: Installation): string {
  if (wiring === 'other') return `policy only: ${plugin ?? 'another CNI plugin'} connects pods`;
  if (plugin === 'flannel') return 'Canal: flannel carries packets between nodes';
  if (encapsulations.length === 0) return bird === 'running' ? 'BIRD, no pool for pods' : 'no pool for pods';
  const how = encapsulations.join(' and ');
  if (bird === undefined) return how;
  return `${how} ${bird === 'running' ? 'with' : 'without'} BIRD`;
}

const ipamTexts = { 'calico-ipam': 'Calico IPAM', 'host-local': 'host-local IPAM' } as const;

/** `VXLAN without BIRD, nftables, Calico IPAM`. */
export function installationText(installation: Installation): string {
  const { packetFilter, ipam, wireguard, families, wiring } = installation;
  const parts = [
    routingText(installation),
    families.length === 2 ? 'IPv4 and IPv6' : '',
    packetFilter === undefined ? '' : packetFilter === 'different on nodes' ? 'packet filters differ' : packetFilter,
    wiring === 'other' || ipam === undefined ? '' : ipamTexts[ipam],
    wireguard === true ? 'WireGuard' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
