// The network of a cluster, from which expectations are computed: nodes with their addresses, pools with their
// encapsulation, blocks with their owners and borrowers, workloads with their interfaces. read-network.ts reads it.
import { type Cidr, cidrContains, cidrCovers } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import type { FelixSettings } from './felix-settings.ts';

/** An address of a node and the subnet that it is recorded with; a /32 or /128 when there is none. */
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
  readonly wireguardAddresses: Readonly<Record<4 | 6, IpAddress | undefined>>;
  /** Felix notes its public key once it has set the device up. */
  readonly wireguardKeys: Readonly<Record<4 | 6, string | undefined>>;
  /** A route reflector, which may announce routes of other nodes as its own: a route may lead through it. */
  readonly isReflector: boolean;
  /** How Kubernetes knows the node. */
  readonly internalIps: readonly IpAddress[];
  /** The status of its condition Ready; undefined when the object does not say. */
  readonly ready: string | undefined;
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
  /** Pods get addresses from it, or it has blocks: routes in it are Calico's. False for a pool that only says what is not translated, or that is for LoadBalancer services alone. */
  readonly hasRoutes: boolean;
  /** disableBGPExport: BIRD tells nobody of routes in it. */
  readonly exported: boolean;
  /** True when nodes with these labels get the addresses of their tunnel devices from it. */
  givesTunnelAddresses(labels: Readonly<Record<string, string>>): boolean;
}

/** An address of a block that is allocated for a node other than the owner of the block. */
export interface BorrowedAddress {
  readonly address: IpAddress;
  readonly node: string;
}

export interface NetworkBlock {
  readonly cidr: Cidr;
  /** Canonical text of the CIDR. */
  readonly text: string;
  /** The node that owns it; undefined when none does. */
  readonly owner: string | undefined;
  readonly pool: NetworkPool | undefined;
  /** The affinity is confirmed; until it is, routes to the block may or may not exist. */
  readonly confirmed: boolean;
  readonly borrowed: readonly BorrowedAddress[];
}

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly IpAddress[];
  /** The host end of its veth pair, with the first prefix that Felix knows. */
  readonly interfaceName: string;
  /** It is running and not terminating: its wiring must be complete. */
  readonly settled: boolean;
  /** Set by annotation; otherwise the kernel chose it, and it is not known here. */
  readonly mac: string | undefined;
  /** It may send from source addresses that are not its own: reverse path filtering is off. */
  readonly sendsAsOthers: boolean;
  /** It has interfaces of other networks as well. */
  readonly hasMoreNetworks: boolean;
  /** Calico's CNI plugin connected it; otherwise its interface and routes are those of another plugin. */
  readonly isCalicos: boolean;
}

/** An address of a workload that lies in a pool, but in no block. */
export interface StrayAddress {
  readonly workload: Workload;
  readonly address: IpAddress;
  readonly pool: NetworkPool;
}

/** A range that a BGPConfiguration advertises for services. */
export interface ServiceRange {
  readonly cidr: Cidr;
  readonly field: 'serviceClusterIPs' | 'serviceExternalIPs' | 'serviceLoadBalancerIPs';
  /** The BGPConfiguration that has it. */
  readonly configuration: string;
  /** Advertised as a whole, and kept out of the kernel of all nodes; otherwise service by service. */
  readonly isWhole: boolean;
}

/** Who gives pods their addresses: Calico's blocks, or the pod CIDRs of the nodes. */
export type AddressSource = 'calico-ipam' | 'host-local';

export interface Network {
  readonly nodes: ReadonlyMap<string, NetworkNode>;
  readonly pools: readonly NetworkPool[];
  readonly blocks: readonly NetworkBlock[];
  readonly workloads: ReadonlyMap<string, readonly Workload[]>;
  readonly strayAddresses: readonly StrayAddress[];
  readonly addressSource: AddressSource;
  /** What carries packets between nodes; with `flannel` (Canal) routes and tunnels between nodes are not Calico's. */
  readonly carrier: 'calico' | 'flannel';
  /** The interfaces that BIRD ignores on a node, as patterns with `*`, and the BGPConfiguration that says so. */
  ignoredInterfaces(node: string): { readonly patterns: readonly string[]; readonly configuration: string };
  /** Ranges of addresses of services that BGP advertises. */
  readonly serviceRanges: readonly ServiceRange[];
  /** What rests on these kinds is not judged. */
  readonly unread: readonly UnreadKind[];
  /** The block that an address is in. */
  blockAt(address: IpAddress): NetworkBlock | undefined;
  /** The settled workloads that have the address. */
  liveAt(address: IpAddress): readonly Workload[];
  /** True when a settled workload of the node has the address. */
  isLive(node: string, address: IpAddress): boolean;
  felix(node: string): FelixSettings;
  /** Some object or environment says whether WireGuard is enabled. */
  readonly setsWireguard: boolean;
}

/** True when objects of the kind were read, or none are there to be read. */
export const isRead = ({ unread }: Pick<Network, 'unread'>, kind: string): boolean =>
  !unread.some((one) => one.kind === kind);

/** True when there are pods, none of them is Calico's to connect, and no block is in use. */
export function isPolicyOnly({ workloads, blocks }: Pick<Network, 'workloads' | 'blocks'>): boolean {
  const pods = [...workloads.values()].flat();
  return blocks.length === 0 && pods.length > 0 && pods.every(({ isCalicos }) => !isCalicos);
}

/** The pools in which routes are Calico's to write. */
export const routedPools = ({ pools }: Network): NetworkPool[] => pools.filter(({ hasRoutes }) => hasRoutes);

/** The smallest pool that contains a network. */
export function poolAround(pools: readonly NetworkPool[], cidr: Cidr): NetworkPool | undefined {
  let found: NetworkPool | undefined;
  for (const pool of pools) {
    if (cidrCovers(pool.cidr, cidr) && (found === undefined || pool.cidr.prefix > found.cidr.prefix)) found = pool;
  }
  return found;
}

/** The encapsulations in use: by a pool, or because the settings of Felix enable them. */
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

/** True when `remote` is in the subnet of `local`, as `local` sees it. */
export function isSameSubnet(local: NetworkNode, remote: NetworkNode, version: 4 | 6): boolean {
  const own = local.addresses[version];
  const other = remote.addresses[version];
  return own !== undefined && other !== undefined && cidrContains(own.subnet, other.address);
}
