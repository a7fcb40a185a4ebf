// The forms that a route to another node may have, by the encapsulation of the pool: docs/reference/datapath.md#routes.
import type { Cidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { isHostRoute, isSameAddress } from '../../node-state/lookups.ts';
import type { FelixSettings, RouteOwner } from './felix-settings.ts';
import { isSameSubnet, type Network, type NetworkNode, type NetworkPool } from './network.ts';

/** One way in which a route may stand in the kernel. */
export interface RouteForm {
  readonly type: 'unicast' | 'blackhole';
  /** Undefined: the destination is on the link. */
  readonly gateway: IpAddress | undefined;
  /** BIRD resolves its next hop: the route then names whatever reaches the gateway. */
  readonly recursive: boolean;
  /** Undefined: the interface through which the gateway is reached. */
  readonly device: string | undefined;
  /** As protocolName says them. */
  readonly protocols: readonly string[];
  /** Undefined: either. */
  readonly onlink: boolean | undefined;
  /** The MTU that Felix is told to write; undefined: that of the device. */
  readonly mtu: number | undefined;
}

export interface RemoteForms {
  readonly forms: readonly RouteForm[];
  /** Why these: `VXLAN, other subnet`. */
  readonly why: string;
}

export const vxlanDevices = { 4: 'vxlan.calico', 6: 'vxlan-v6.calico' } as const;
export const ipipDevice = 'tunl0';

const felixProtocol = '80';

/** What a route of Felix's own has as its protocol. */
export function felixProtocolOf(felix: FelixSettings, usual: 'boot' | '80'): string {
  return felix.routeProtocol ?? usual;
}

function unicast(fields: Partial<RouteForm> & { readonly protocols: readonly string[] }): RouteForm {
  return {
    type: 'unicast',
    gateway: undefined,
    recursive: false,
    device: undefined,
    onlink: undefined,
    mtu: undefined,
    ...fields,
  };
}

/** A route to something on the link of a device. */
export function linkForm(device: string, protocols: readonly string[]): RouteForm {
  return unicast({ device, protocols });
}

/** A route that drops what nothing more specific takes. */
export function blackholeForm(protocols: readonly string[]): RouteForm {
  return { ...unicast({ protocols }), type: 'blackhole' };
}

/** The protocols of those who may have programmed a route. */
export function ownerProtocols(owner: RouteOwner, felix: FelixSettings): string[] {
  return [...(owner === 'felix' ? [] : ['bird']), ...(owner === 'bird' ? [] : [felixProtocolOf(felix, felixProtocol)])];
}

/** Without encapsulation: Felix names the node, BIRD what reaches it. */
function plainForms(gateway: IpAddress, owner: RouteOwner, felix: FelixSettings): RouteForm[] {
  const bird = unicast({ gateway, recursive: true, protocols: ['bird'], onlink: undefined });
  const own = unicast({ gateway, protocols: [felixProtocolOf(felix, felixProtocol)], onlink: true });
  return [...(owner === 'felix' ? [] : [bird]), ...(owner === 'bird' ? [] : [own])];
}

function vxlanForms(
  destination: Cidr,
  { local, remote, felix, crossSubnet }: Way,
  gateway: IpAddress,
): RemoteForms | undefined {
  const { version } = destination;
  const tunnel = remote.vxlanAddresses[version];
  const device = vxlanDevices[version];
  const protocols = [felixProtocolOf(felix, 'boot')];
  const mtu = version === 4 ? felix.vxlanMtu : felix.vxlanMtuV6;
  const tunnelled = unicast({ gateway: tunnel, device, protocols, onlink: true, mtu });
  if (crossSubnet && isSameSubnet(local, remote, version)) {
    // A borrowed address may also go through the tunnel: both ways arrive.
    const isBoth = isHostRoute(destination) && tunnel !== undefined;
    const plain = plainForms(gateway, 'felix', felix);
    return { forms: isBoth ? [...plain, tunnelled] : plain, why: 'VXLAN CrossSubnet, same subnet' };
  }
  const why = crossSubnet ? 'VXLAN CrossSubnet, other subnet' : 'VXLAN';
  if (tunnel === undefined) return undefined;
  // An address cannot be reached by way of itself.
  if (isHostRoute(destination) && isSameAddress(destination.base, tunnel)) {
    return { forms: [linkForm(device, protocols)], why: `${why}, the tunnel address itself` };
  }
  return { forms: [tunnelled], why };
}

function ipipForms({ local, remote, felix, crossSubnet }: Way, gateway: IpAddress): RemoteForms {
  if (crossSubnet && isSameSubnet(local, remote, 4)) {
    return { forms: plainForms(gateway, felix.ipipOwner, felix), why: 'IPIP CrossSubnet, same subnet' };
  }
  const protocols = ownerProtocols(felix.ipipOwner, felix);
  return {
    forms: [unicast({ gateway, device: ipipDevice, protocols, onlink: true, mtu: felix.ipipMtu })],
    why: crossSubnet ? 'IPIP CrossSubnet, other subnet' : 'IPIP',
  };
}

interface Way {
  readonly local: NetworkNode;
  readonly remote: NetworkNode;
  readonly felix: FelixSettings;
  readonly crossSubnet: boolean;
}

/** Who programs routes without encapsulation: Felix leaves them to BIRD while the cluster has any encapsulation. */
export function plainOwner(network: Network, felix: FelixSettings): RouteOwner {
  const isEncapsulated = network.pools.some(({ encapsulation }) => encapsulation.kind !== 'none');
  return felix.plainOwner === 'either' && (isEncapsulated || felix.wireguard || felix.wireguardV6)
    ? 'bird'
    : felix.plainOwner;
}

/**
 * How a node reaches a destination that another node has. Undefined when that node lacks the address that it would be
 * reached by: nobody can program the route then.
 */
export function remoteForms(
  network: Network,
  local: NetworkNode,
  remote: NetworkNode,
  pool: NetworkPool,
  destination: Cidr,
): RemoteForms | undefined {
  const gateway = remote.addresses[destination.version]?.address;
  if (gateway === undefined) return undefined;
  const felix = network.felix(local.name);
  const { kind, crossSubnet } = pool.encapsulation;
  const way: Way = { local, remote, felix, crossSubnet };
  if (kind === 'vxlan') return vxlanForms(destination, way, gateway);
  if (kind === 'ipip') return ipipForms(way, gateway);
  return { forms: plainForms(gateway, plainOwner(network, felix), felix), why: 'no encapsulation' };
}

/** A form as `ip route` would print it, without the destination. Routes of IPv6 have no scope. */
export function formText(form: RouteForm, version: 4 | 6): string {
  const { gateway, recursive, device, onlink, protocols, type } = form;
  const protocol = protocols.length === 0 ? '' : `proto ${protocols.join('|')}`;
  if (type === 'blackhole') return `blackhole ${protocol}`.trim();
  const parts = [
    gateway === undefined ? '' : `${recursive ? 'via the way to' : 'via'} ${formatIp(gateway)}`,
    device === undefined ? '' : `dev ${device}`,
    protocol,
    gateway === undefined && version === 4 ? 'scope link' : '',
    onlink === true ? 'onlink' : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
