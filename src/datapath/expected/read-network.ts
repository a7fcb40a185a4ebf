// Reads datastore objects into the network that expectations are computed from.

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
import type { UnreadKind } from '../../node-state/unreached.ts';
import { nodeLabels, nodeToV3 } from '../../resources/convert/node-v3.ts';
import { hasEndpoint, isFinished, podAddresses, podAnnotations } from '../../resources/convert/pod-addresses.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { withDefaults } from '../../resources/defaults.ts';
import type { BGPConfiguration } from '../../resources/kinds/bgp-configuration.ts';
import {
  affinityState,
  affinityType,
  type BlockAffinity,
  isDeletedAffinity,
} from '../../resources/kinds/block-affinity.ts';
import type { FelixConfiguration } from '../../resources/kinds/felix-configuration.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import type { Pod } from '../../resources/kinds/pod.ts';
import { defaultNamespace } from '../../resources/object.ts';
import { parseOrSelectAll } from '../../resources/selector.ts';
import { felixEnvironments } from './felix-environment.ts';
import { type FelixSettings, felixSettings } from './felix-settings.ts';
import {
  type BorrowedAddress,
  type Encapsulation,
  type Network,
  type NetworkBlock,
  type NetworkNode,
  type NetworkPool,
  type NodeAddress,
  poolAround,
  type ServiceRange,
  type StrayAddress,
  type Workload,
} from './network.ts';
import { vtepMac } from './vtep-mac.ts';

export interface NetworkObjects {
  readonly nodes: readonly CoreNode[];
  readonly pools: readonly IPPool[];
  readonly blocks: readonly IPAMBlock[];
  readonly affinities: readonly BlockAffinity[];
  readonly pods: readonly Pod[];
  readonly felixConfigurations: readonly FelixConfiguration[];
  readonly bgpConfigurations: readonly BGPConfiguration[];
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
  const { spec, status } = nodeToV3(node);
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
    wireguardAddresses: {
      4: ip(spec.wireguard?.interfaceIPv4Address),
      6: ip(spec.wireguard?.interfaceIPv6Address),
    },
    wireguardKeys: { 4: status?.wireguardPublicKey, 6: status?.wireguardPublicKeyV6 },
    isReflector: spec.bgp?.routeReflectorClusterID !== undefined,
    ready: (node.status?.conditions ?? []).find(({ type }) => type === 'Ready')?.status,
    internalIps: typed('InternalIP').flatMap((text) => parseIp(text) ?? []),
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

function networkPool(stored: IPPool, blocks: readonly Cidr[]): NetworkPool | undefined {
  const pool = withDefaults(ipPool, stored);
  const cidr = parseCidr(pool.spec.cidr);
  if (cidr === undefined) return undefined;
  const selects = parseOrSelectAll(pool.spec.nodeSelector);
  const uses = pool.spec.allowedUses ?? [];
  const forTunnels = isEnabled(pool) && uses.includes('Tunnel');
  return {
    name: pool.metadata.name,
    cidr,
    encapsulation: encapsulationOf(pool.spec, cidr.version),
    hasRoutes:
      (isEnabled(pool) && (uses.includes('Workload') || uses.includes('Tunnel'))) ||
      blocks.some((block) => cidrCovers(cidr, block)),
    exported: pool.spec.disableBGPExport !== true,
    givesTunnelAddresses: (labels) => forTunnels && selects(labels),
  };
}

/** Affinities of nodes that are not confirmed or are being deleted, as `node cidr`. */
function unsettledAffinities(affinities: readonly BlockAffinity[]): Set<string> {
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

/** Without Calico's IPAM the pod CIDRs of each Node are its blocks. */
function podCidrBlocks(nodes: readonly CoreNode[], pools: readonly NetworkPool[]): NetworkBlock[] {
  return nodes.flatMap(({ metadata, spec }) =>
    (spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])).flatMap((written): NetworkBlock[] => {
      const cidr = parseCidr(written);
      const pool = cidr === undefined ? undefined : poolAround(pools, cidr);
      if (cidr === undefined || pool === undefined) return [];
      return [{ cidr, text: formatCidr(cidr), owner: metadata.name, pool, confirmed: true, borrowed: [] }];
    }),
  );
}

/** Calico's plugin notes the address on the pod; a pod with an address of a pool is its work as well. */
function isOfCalico(pod: Pod, addresses: readonly IpAddress[], pools: readonly NetworkPool[]): boolean {
  const annotations = pod.metadata.annotations ?? {};
  return (
    [podAnnotations.podIP, podAnnotations.podIPs, podAnnotations.containerId].some((key) => key in annotations) ||
    addresses.some((address) => pools.some(({ cidr }) => cidrContains(cidr, address)))
  );
}

function workloadOf(
  pod: Pod,
  pools: readonly NetworkPool[],
  felix: (node: string) => FelixSettings,
): Workload | undefined {
  const node = pod.spec?.nodeName;
  if (!hasEndpoint(pod) || isFinished(pod) || node === undefined) return undefined;
  const { metadata, status } = pod;
  const namespace = metadata.namespace ?? defaultNamespace;
  const annotations = metadata.annotations ?? {};
  const addresses = podAddresses(pod)
    .map(parseIp)
    .filter((address) => address !== undefined);
  return {
    namespace,
    name: metadata.name,
    node,
    addresses,
    interfaceName: hostInterfaceName(namespace, metadata.name, felix(node).interfacePrefixes[0]),
    settled: status?.phase === 'Running' && !metadata.deletionTimestamp,
    mac: annotations['cni.projectcalico.org/hwAddr']?.toLowerCase().replaceAll('-', ':'),
    sendsAsOthers: annotations[podAnnotations.allowedSourcePrefixes] !== undefined,
    hasMoreNetworks: annotations[podAnnotations.networks] !== undefined,
    isCalicos: isOfCalico(pod, addresses, pools),
  };
}

const serviceFields = ['serviceClusterIPs', 'serviceExternalIPs', 'serviceLoadBalancerIPs'] as const;

function serviceRangesOf(configurations: readonly BGPConfiguration[]): ServiceRange[] {
  return configurations.flatMap(({ metadata, spec }) =>
    serviceFields.flatMap((field) =>
      (spec?.[field] ?? []).flatMap(({ cidr: written }) => {
        const cidr = parseCidr(written ?? '');
        if (cidr === undefined) return [];
        const isByService = field === 'serviceLoadBalancerIPs' && spec?.serviceLoadBalancerAggregation === 'Disabled';
        const isWhole = field === 'serviceClusterIPs' || !(isByService || cidr.prefix === bitsOf(cidr.version));
        return [{ cidr, field, configuration: metadata.name, isWhole }];
      }),
    ),
  );
}

/** By node, the interfaces that BIRD ignores: those of its own BGPConfiguration, else those of `default`. */
function ignoredInterfacesOf(configurations: readonly BGPConfiguration[]): Network['ignoredInterfaces'] {
  const ignored = new Map(configurations.map(({ metadata, spec }) => [metadata.name, spec?.ignoredInterfaces]));
  return (node) => {
    const own = ignored.get(`node.${node}`);
    return own === undefined
      ? { patterns: ignored.get('default') ?? [], configuration: 'default' }
      : { patterns: own, configuration: `node.${node}` };
  };
}

/**
 * True for Canal: nodes have annotations of flannel and no address of Calico's, which calico-node does not look for there.
 * After a migration from flannel to Calico both are there.
 */
function isCanal(nodes: readonly CoreNode[]): boolean {
  const keys = nodes.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}));
  return (
    keys.some((key) => key.startsWith('flannel.alpha.coreos.com/')) &&
    !keys.some((key) => /^projectcalico\.org\/IPv[46]Address$/.test(key))
  );
}

/** Finds the block of an address without scanning all blocks. */
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

/** True when some pod or node has an address of a pool, which only IPAM can have given it. */
function hasPoolAddresses(objects: NetworkObjects, pools: readonly NetworkPool[]): boolean {
  const isInPool = (address: IpAddress | undefined): boolean =>
    address !== undefined && pools.some(({ cidr }) => cidrContains(cidr, address));
  const tunnels = objects.nodes
    .map(networkNode)
    .flatMap((node) => [node.ipipAddress, ...Object.values(node.vxlanAddresses)]);
  const pods = objects.pods
    .filter((pod) => hasEndpoint(pod) && !isFinished(pod))
    .flatMap(podAddresses)
    .map(parseIp);
  return [...tunnels, ...pods].some(isInPool);
}

/** True when every pod has an address of the pod CIDR of its node, as host-local IPAM gives it. */
function followsPodCidrs(objects: NetworkObjects, pools: readonly NetworkPool[]): boolean {
  if (objects.affinities.length > 0) return false;
  const blocks = podCidrBlocks(objects.nodes, pools);
  const pods = objects.pods.filter((pod) => hasEndpoint(pod) && !isFinished(pod));
  const isInPool = (address: IpAddress): boolean => pools.some(({ cidr }) => cidrContains(cidr, address));
  return (
    blocks.length > 0 &&
    pods.every((pod) =>
      podAddresses(pod)
        .map(parseIp)
        .filter((address) => address !== undefined && isInPool(address))
        .every((address) =>
          blocks.some(
            ({ cidr, owner }) => owner === pod.spec?.nodeName && address !== undefined && cidrContains(cidr, address),
          ),
        ),
    )
  );
}

const namesPod = (block: IPAMBlock): boolean =>
  attributesOf(block).some(({ secondary }) => secondary?.['pod'] !== undefined);

/**
 * Kinds of which nothing is there although other objects speak of them: a cluster's own list is never empty then, a
 * folder just does not hold it. docs/reference/installations.md#what-was-not-read
 */
function unreadKinds(
  objects: NetworkObjects,
  pools: readonly NetworkPool[],
  isHostLocal: boolean,
  refused: readonly UnreadKind[],
): UnreadKind[] {
  const unread = [...refused];
  const note = (kind: string, reason: string): void => {
    if (!unread.some((one) => one.kind === kind)) unread.push({ kind, reason });
  };
  if (objects.pods.length === 0 && objects.blocks.some(namesPod)) {
    note('Pod', 'there is none, although addresses are allocated to pods');
  }
  const withoutBlocks = objects.blocks.length === 0 && !isHostLocal;
  if (withoutBlocks && (objects.affinities.length > 0 || hasPoolAddresses(objects, pools))) {
    note('IPAMBlock', 'there is none, although addresses of a pool are in use');
  }
  if (objects.pools.length === 0 && objects.blocks.length > 0) {
    note('IPPool', 'there is none, although there are IPAM blocks');
  }
  return unread;
}

/**
 * Reads the objects; what is invalid in them, such as a CIDR, is left out. `refused`: kinds that the store did not list,
 * with its reason.
 */
export function readNetwork(objects: NetworkObjects, refused: readonly UnreadKind[] = []): Network {
  const environments = felixEnvironments(objects.pods);
  const felix = felixSettings(objects.felixConfigurations, environments);
  const blockCidrs = objects.blocks.map(({ spec }) => parseCidr(spec.cidr)).filter((cidr) => cidr !== undefined);
  const pools = objects.pools.map((pool) => networkPool(pool, blockCidrs)).filter((pool) => pool !== undefined);
  const unsettled = unsettledAffinities(objects.affinities);
  const workloads = new Map<string, Workload[]>();
  for (const pod of objects.pods) {
    const workload = workloadOf(pod, pools, felix);
    if (workload === undefined) continue;
    const onNode = workloads.get(workload.node);
    if (onNode === undefined) workloads.set(workload.node, [workload]);
    else onNode.push(workload);
  }
  const claimed = objects.blocks
    .map((block) => networkBlock(block, pools, unsettled))
    .filter((block) => block !== undefined);
  const isHostLocal = claimed.length === 0 && followsPodCidrs(objects, pools);
  const blocks = isHostLocal ? podCidrBlocks(objects.nodes, pools) : claimed;
  const blockAt = blockFinder(blocks);
  const all = [...workloads.values()].flat();
  const live = new Map<string, Workload[]>();
  for (const workload of all.filter(({ settled }) => settled)) {
    for (const address of workload.addresses) {
      const key = formatIp(address);
      live.set(key, [...(live.get(key) ?? []), workload]);
    }
  }
  const unread = unreadKinds(objects, pools, isHostLocal, refused);
  const serviceRanges = serviceRangesOf(objects.bgpConfigurations);
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
    serviceRanges,
    ignoredInterfaces: ignoredInterfacesOf(objects.bgpConfigurations),
    addressSource: isHostLocal ? 'host-local' : 'calico-ipam',
    carrier: claimed.length === 0 && isCanal(objects.nodes) ? 'flannel' : 'calico',
    unread,
    blockAt,
    liveAt: (address) => live.get(formatIp(address)) ?? [],
    isLive: (node, address) => live.get(formatIp(address))?.some((workload) => workload.node === node) ?? false,
    felix,
    setsWireguard: [...objects.felixConfigurations.map(({ spec }) => spec), ...environments.values()].some(
      (spec) => spec?.wireguardEnabled !== undefined || spec?.wireguardEnabledV6 !== undefined,
    ),
  };
}
