// What the datastore says of the network, in the form that expectations are computed from: nodes with their addresses,
// pools with their encapsulation, blocks with their owners and borrowers, workloads with their interfaces.
import { allocatedOrdinals, attributesOf, ownerOf } from '../../ipam/block/block.ts';
import { isEnabled } from '../../ipam/pool/pools.ts';
import {
  addressAt,
  bitsOf,
  type Cidr,
  cidrContains,
  cidrCovers,
  formatCidr,
  networkOf,
  parseCidr,
  parseInterface,
} from '../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { BGPConfiguration } from '../../resources/bgp-configuration.ts';
import { affinityState, affinityType, type BlockAffinity, isDeletedAffinity } from '../../resources/block-affinity.ts';
import type { FelixConfiguration } from '../../resources/felix-configuration.ts';
import { type IPPool, ipPool } from '../../resources/ip-pool.ts';
import type { IPAMBlock } from '../../resources/ipam-block.ts';
import type { CoreNode } from '../../resources/node.ts';
import { nodeLabels, nodeToV3 } from '../../resources/node-v3.ts';
import type { Pod } from '../../resources/pod.ts';
import { hasEndpoint, isFinished, podAddresses, podAnnotations } from '../../resources/pod-addresses.ts';
import { parseOrSelectAll } from '../../resources/selector.ts';
import { hostInterfaceName } from '../../resources/workload-endpoint-of-pod.ts';
import { vtepMac } from '../vtep-mac.ts';
import { type FelixSettings, felixSettings } from './felix-settings.ts';

export interface NetworkObjects {
  readonly nodes: readonly CoreNode[];
  readonly pools: readonly IPPool[];
  readonly blocks: readonly IPAMBlock[];
  readonly affinities: readonly BlockAffinity[];
  readonly pods: readonly Pod[];
  readonly felixConfigurations: readonly FelixConfiguration[];
  readonly bgpConfigurations: readonly BGPConfiguration[];
}

/** An address of a node and the subnet that it is recorded with: a /32 or /128 when none is. */
export interface NodeAddress {
  readonly address: IpAddress;
  readonly subnet: Cidr;
}

export interface NetworkNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: Readonly<Record<4 | 6, NodeAddress | undefined>>;
  readonly ipipAddress: IpAddress | undefined;
  readonly vxlanAddresses: Readonly<Record<4 | 6, IpAddress | undefined>>;
  readonly vtepMacs: Readonly<Record<4 | 6, string>>;
}

export interface Encapsulation {
  readonly kind: 'none' | 'ipip' | 'vxlan';
  /** Only to nodes outside the subnet. */
  readonly crossSubnet: boolean;
}

export interface NetworkPool {
  readonly name: string;
  readonly cidr: Cidr;
  readonly encapsulation: Encapsulation;
  readonly disabled: boolean;
  /** True when nodes with these labels take the addresses of their tunnel devices from it. */
  givesTunnelAddresses(labels: Readonly<Record<string, string>>): boolean;
}

/** An address of a block that another node than its owner has. */
export interface BorrowedAddress {
  readonly address: IpAddress;
  readonly node: string;
}

export interface NetworkBlock {
  readonly cidr: Cidr;
  /** Canonical text of the CIDR. */
  readonly text: string;
  /** Node that owns it; undefined when none does. */
  readonly owner: string | undefined;
  readonly pool: NetworkPool | undefined;
  /** The claim is confirmed; while it is not, routes to the block may be there or not. */
  readonly confirmed: boolean;
  readonly borrowed: readonly BorrowedAddress[];
}

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly IpAddress[];
  /** Host's end of its veth pair, by the first prefix that Felix knows. */
  readonly interfaceName: string;
  /** It runs and is not going: its wiring must be there. */
  readonly settled: boolean;
  /** Asked for by annotation; else chosen by the kernel and not known here. */
  readonly mac: string | undefined;
  /** May send with other sources than its own: reverse path filtering is off. */
  readonly sendsAsOthers: boolean;
  /** It has interfaces of other networks, too. */
  readonly hasMoreNetworks: boolean;
}

/** A workload's address that lies in a pool, but in no block. */
export interface StrayAddress {
  readonly workload: Workload;
  readonly address: IpAddress;
  readonly pool: NetworkPool;
}

export interface Network {
  readonly nodes: ReadonlyMap<string, NetworkNode>;
  readonly pools: readonly NetworkPool[];
  readonly blocks: readonly NetworkBlock[];
  readonly workloads: ReadonlyMap<string, readonly Workload[]>;
  readonly strayAddresses: readonly StrayAddress[];
  readonly serviceCidrs: readonly Cidr[];
  /** The block that an address is in. */
  blockAt(address: IpAddress): NetworkBlock | undefined;
  /** True when a settled workload of the node has the address. */
  isLive(node: string, address: IpAddress): boolean;
  felix(node: string): FelixSettings;
}

/** docs/reference/datapath.md#addresses-of-a-node */
function nodeAddressOf(
  recorded: string | undefined,
  others: readonly string[],
  version: 4 | 6,
): NodeAddress | undefined {
  if (recorded !== undefined) {
    const read = parseInterface(recorded);
    if (read !== undefined) return { address: read.address, subnet: read.cidr };
  }
  for (const text of recorded === undefined ? others : [recorded]) {
    const address = parseIp(text);
    if (address?.version === version) return { address, subnet: networkOf(address, bitsOf(version)) };
  }
  return undefined;
}

function networkNode(node: CoreNode): NetworkNode {
  const { spec } = nodeToV3(node);
  const { name } = node.metadata;
  const typed = (type: string): string[] =>
    (node.status?.addresses ?? []).filter((entry) => entry.type === type).map(({ address }) => address);
  const others = [...typed('InternalIP'), ...typed('ExternalIP')];
  const ip = (text: string | undefined): IpAddress | undefined => parseIp((text ?? '').split('/')[0] ?? '');
  return {
    name,
    labels: nodeLabels(node),
    addresses: {
      4: nodeAddressOf(spec.bgp?.ipv4Address, others, 4),
      6: nodeAddressOf(spec.bgp?.ipv6Address, others, 6),
    },
    ipipAddress: ip(spec.bgp?.ipv4IPIPTunnelAddr),
    vxlanAddresses: { 4: ip(spec.ipv4VXLANTunnelAddr), 6: ip(spec.ipv6VXLANTunnelAddr) },
    vtepMacs: { 4: vtepMac(name, 4, spec.vxlanTunnelMACAddr), 6: vtepMac(name, 6, spec.vxlanTunnelMACAddrV6) },
  };
}

function encapsulationOf({ vxlanMode, ipipMode }: IPPool['spec'], version: 4 | 6): Encapsulation {
  if (vxlanMode !== undefined && vxlanMode !== 'Never')
    return { kind: 'vxlan', crossSubnet: vxlanMode === 'CrossSubnet' };
  // IPIP carries IPv4 only.
  if (version === 6 || ipipMode === undefined || ipipMode === 'Never') return { kind: 'none', crossSubnet: false };
  return { kind: 'ipip', crossSubnet: ipipMode === 'CrossSubnet' };
}

function networkPool(stored: IPPool): NetworkPool | undefined {
  const pool = ipPool.withDefaults?.(stored) ?? stored;
  const cidr = parseCidr(pool.spec.cidr);
  if (cidr === undefined) return undefined;
  const selects = parseOrSelectAll(pool.spec.nodeSelector);
  const forTunnels = isEnabled(pool) && (pool.spec.allowedUses ?? []).includes('Tunnel');
  return {
    name: pool.metadata.name,
    cidr,
    encapsulation: encapsulationOf(pool.spec, cidr.version),
    disabled: pool.spec.disabled === true,
    givesTunnelAddresses: (labels) => forTunnels && selects(labels),
  };
}

/** The smallest pool around a network. */
export function poolAround(pools: readonly NetworkPool[], cidr: Cidr): NetworkPool | undefined {
  let found: NetworkPool | undefined;
  for (const pool of pools) {
    if (cidrCovers(pool.cidr, cidr) && (found === undefined || pool.cidr.prefix > found.cidr.prefix)) found = pool;
  }
  return found;
}

/** Claims of nodes that are not confirmed or are going, as `node cidr`. */
function unsettledClaims(affinities: readonly BlockAffinity[]): Set<string> {
  return new Set(
    affinities
      .filter((affinity) => affinityType(affinity) === 'host')
      .filter((affinity) => affinityState(affinity) !== 'confirmed' || isDeletedAffinity(affinity))
      .map(({ spec }) => `${spec.node} ${spec.cidr}`),
  );
}

function borrowedIn(block: IPAMBlock, cidr: Cidr, owner: string | undefined): BorrowedAddress[] {
  const attributes = attributesOf(block);
  return allocatedOrdinals(block).flatMap((ordinal) => {
    const index = block.spec.allocations[ordinal];
    const node = index === null || index === undefined ? undefined : attributes[index]?.secondary?.['node'];
    return node === undefined || node === owner ? [] : [{ address: addressAt(cidr, ordinal), node }];
  });
}

function networkBlock(
  block: IPAMBlock,
  pools: readonly NetworkPool[],
  unsettled: Set<string>,
): NetworkBlock | undefined {
  const cidr = parseCidr(block.spec.cidr);
  if (cidr === undefined || block.spec.deleted === true) return undefined;
  const owner = ownerOf(block);
  const node = owner?.type === 'host' ? owner.name : undefined;
  const text = formatCidr(cidr);
  return {
    cidr,
    text,
    owner: node,
    pool: poolAround(pools, cidr),
    confirmed: node !== undefined && !unsettled.has(`${node} ${text}`),
    borrowed: borrowedIn(block, cidr, node),
  };
}

function workloadOf(pod: Pod, felix: (node: string) => FelixSettings): Workload | undefined {
  const node = pod.spec?.nodeName;
  if (!hasEndpoint(pod) || isFinished(pod) || node === undefined) return undefined;
  const { metadata, status } = pod;
  const namespace = metadata.namespace ?? 'default';
  const annotations = metadata.annotations ?? {};
  return {
    namespace,
    name: metadata.name,
    node,
    addresses: podAddresses(pod)
      .map(parseIp)
      .filter((address) => address !== undefined),
    interfaceName: hostInterfaceName(namespace, metadata.name, felix(node).interfacePrefixes[0]),
    settled: status?.phase === 'Running' && !metadata.deletionTimestamp,
    mac: annotations['cni.projectcalico.org/hwAddr']?.toLowerCase().replaceAll('-', ':'),
    sendsAsOthers: annotations[podAnnotations.allowedSourcePrefixes] !== undefined,
    hasMoreNetworks: annotations[podAnnotations.networks] !== undefined,
  };
}

function serviceCidrsOf(configurations: readonly BGPConfiguration[]): Cidr[] {
  return configurations
    .flatMap(({ spec }) => spec?.serviceClusterIPs ?? [])
    .map(({ cidr }) => parseCidr(cidr ?? ''))
    .filter((cidr) => cidr !== undefined);
}

/** Finds the block of an address without going through all of them. */
function blockFinder(blocks: readonly NetworkBlock[]): (address: IpAddress) => NetworkBlock | undefined {
  const byCidr = new Map(blocks.map((block) => [block.text, block]));
  const lengths = { 4: new Set<number>(), 6: new Set<number>() };
  for (const { cidr } of blocks) lengths[cidr.version].add(cidr.prefix);
  const longestFirst = { 4: [...lengths[4]].sort((a, b) => b - a), 6: [...lengths[6]].sort((a, b) => b - a) };
  return (address) => {
    for (const prefix of longestFirst[address.version]) {
      const block = byCidr.get(formatCidr(networkOf(address, prefix)));
      if (block !== undefined) return block;
    }
    return undefined;
  };
}

/** Reads the objects; what cannot be read in them (a CIDR that is none) is left out. */
export function readNetwork(objects: NetworkObjects): Network {
  const felix = felixSettings(objects.felixConfigurations);
  const pools = objects.pools.map(networkPool).filter((pool) => pool !== undefined);
  const unsettled = unsettledClaims(objects.affinities);
  const workloads = new Map<string, Workload[]>();
  for (const pod of objects.pods) {
    const workload = workloadOf(pod, felix);
    if (workload === undefined) continue;
    const onNode = workloads.get(workload.node);
    if (onNode === undefined) workloads.set(workload.node, [workload]);
    else onNode.push(workload);
  }
  const blocks = objects.blocks
    .map((block) => networkBlock(block, pools, unsettled))
    .filter((block) => block !== undefined);
  const blockAt = blockFinder(blocks);
  const all = [...workloads.values()].flat();
  const live = new Set(
    all
      .filter(({ settled }) => settled)
      .flatMap(({ node, addresses }) => addresses.map((address) => `${node} ${formatIp(address)}`)),
  );
  const strayAddresses = all.flatMap((workload) =>
    workload.addresses.flatMap((address): StrayAddress[] => {
      const pool = poolAround(pools, networkOf(address, bitsOf(address.version)));
      return pool === undefined || blockAt(address) !== undefined ? [] : [{ workload, address, pool }];
    }),
  );
  return {
    nodes: new Map(objects.nodes.map((node) => [node.metadata.name, networkNode(node)])),
    pools,
    blocks,
    workloads,
    strayAddresses,
    serviceCidrs: serviceCidrsOf(objects.bgpConfigurations),
    blockAt,
    isLive: (node, address) => live.has(`${node} ${formatIp(address)}`),
    felix,
  };
}

/** The encapsulations that are in use on the cluster: by a pool, or because Felix is told so. */
export function enabledEncapsulations(network: Network, node: string, version: 4 | 6): ReadonlySet<'ipip' | 'vxlan'> {
  const felix = network.felix(node);
  const kinds = new Set(
    network.pools.filter(({ cidr }) => cidr.version === version).map(({ encapsulation }) => encapsulation.kind),
  );
  const enabled = new Set<'ipip' | 'vxlan'>();
  if (version === 4 && (felix.ipipEnabled ?? kinds.has('ipip'))) enabled.add('ipip');
  if (kinds.has('vxlan') ? felix.vxlanEnabled !== false : felix.vxlanEnabled === true && version === 4)
    enabled.add('vxlan');
  return enabled;
}

/** True when a node reaches another one in its own subnet, as the first of them sees it. */
export function isSameSubnet(local: NetworkNode, remote: NetworkNode, version: 4 | 6): boolean {
  const own = local.addresses[version];
  const other = remote.addresses[version];
  return own !== undefined && other !== undefined && cidrContains(own.subnet, other.address);
}
