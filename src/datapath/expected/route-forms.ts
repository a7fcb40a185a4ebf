// The forms that a route to another node may have, by the encapsulation of the pool: docs/reference/datapath.md#routes.
import type { Cidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { isHostRoute, isSameAddress } from '../../node-state/lookups.ts';
import type { FelixSettings, RouteOwner } from './felix-settings.ts';
import { isSameSubnet, type Network, type NetworkNode, type NetworkPool } from './network.ts';

/** One form that a route may have in the kernel. */
export interface RouteForm {
  readonly type: 'unicast' | 'blackhole';
  /** Undefined when the destination is on the link. */
  readonly gateway: IpAddress | undefined;
  /** BIRD resolves the next hop: the route then has whatever next hop reaches the gateway. */
  readonly recursive: boolean;
  /** Undefined for the interface through which the gateway is reached. */
  readonly device: string | undefined;
  /** As protocolName returns them. */
  readonly protocols: readonly string[];
  /** Undefined when both are right. */
  readonly onlink: boolean | undefined;
  /** The MTU that the settings of Felix say; undefined for that of the device. */
  readonly mtu: number | undefined;
}

export interface RemoteForms {
  readonly forms: readonly RouteForm[];
  /** Why these are right: `VXLAN, other subnet`. */
  readonly why: string;
}

export const vxlanDevices = { 4: 'vxlan.calico', 6: 'vxlan-v6.calico' } as const;
export const ipipDevice = 'tunl0';

const felixProtocol = '80';

/** The protocol of a route that Felix writes. */
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

/** A route that drops packets for which there is no more specific route. */
export function blackholeForm(protocols: readonly string[]): RouteForm {
  return { ...unicast({ protocols }), type: 'blackhole' };
}

/** The protocols that a route may have, by who programs it. */
export function ownerProtocols(owner: RouteOwner, felix: FelixSettings): string[] {
  return [...(owner === 'felix' ? [] : ['bird']), ...(owner === 'bird' ? [] : [felixProtocolOf(felix, felixProtocol)])];
}

/** Without encapsulation Felix writes the node as gateway, BIRD the next hop that reaches it. */
function plainForms(gateway: IpAddress, owner: RouteOwner, felix: FelixSettings): RouteForm[] {
  const bird = unicast({ gateway, recursive: true, protocols: ['bird'], onlink: undefined });
  const own = unicast({ gateway, protocols: [felixProtocolOf(felix, felixProtocol)], onlink: true });
  return [...(owner === 'felix' ? [] : [bird]), ...(owner === 'bird' ? [] : [own])];
}

function vxlanForms(
  destination: Cidr,
  { local, remote, felix, crossSubnet }: Direction,
  gateway: IpAddress,
): RemoteForms | undefined {
  const { version } = destination;
  const tunnel = remote.vxlanAddresses[version];
  const device = vxlanDevices[version];
  const protocols = [felixProtocolOf(felix, 'boot')];
  const mtu = version === 4 ? felix.vxlanMtu : felix.vxlanMtuV6;
  const tunnelled = unicast({ gateway: tunnel, device, protocols, onlink: true, mtu });
  if (crossSubnet && isSameSubnet(local, remote, version)) {
    // A borrowed address may also go through the tunnel: both routes arrive.
    const isBoth = isHostRoute(destination) && tunnel !== undefined;
    const plain = plainForms(gateway, 'felix', felix);
    return { forms: isBoth ? [...plain, tunnelled] : plain, why: 'VXLAN CrossSubnet, same subnet' };
  }
  const why = crossSubnet ? 'VXLAN CrossSubnet, other subnet' : 'VXLAN';
  if (tunnel === undefined) return undefined;
  // An address cannot be its own gateway.
  if (isHostRoute(destination) && isSameAddress(destination.base, tunnel)) {
    return { forms: [linkForm(device, protocols)], why: `${why}, the tunnel address itself` };
  }
  return { forms: [tunnelled], why };
}

function ipipForms({ local, remote, felix, crossSubnet }: Direction, gateway: IpAddress): RemoteForms {
  if (crossSubnet && isSameSubnet(local, remote, 4)) {
    return { forms: plainForms(gateway, felix.ipipOwner, felix), why: 'IPIP CrossSubnet, same subnet' };
  }
  const protocols = ownerProtocols(felix.ipipOwner, felix);
  return {
    forms: [unicast({ gateway, device: ipipDevice, protocols, onlink: true, mtu: felix.ipipMtu })],
    why: crossSubnet ? 'IPIP CrossSubnet, other subnet' : 'IPIP',
  };
}

/** From which node to which, and what decides on the encapsulation between them. */
interface Direction {
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
 * How a node reaches a destination at another node. Undefined when that node lacks the address by which it would be
 * reached: the route cannot be programmed then.
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
  const direction: Direction = { local, remote, felix, crossSubnet };
  if (kind === 'vxlan') return vxlanForms(destination, direction, gateway);
  if (kind === 'ipip') return ipipForms(direction, gateway);
  return { forms: plainForms(gateway, plainOwner(network, felix), felix), why: 'no encapsulation' };
}

/** A form as `ip route` would print it, without the destination. IPv6 routes have no scope. */
export function formText(form: RouteForm, version: 4 | 6): string {
  const { gateway, recursive, device, onlink, protocols, type } = form;
  const protocol = protocols.length === 0 ? '' : `proto ${protocols.join('|')}`;
  if (type === 'blackhole') return `blackhole ${protocol}`.trim();
  const parts = [
    gateway === undefined ? '' : `${recursive ? 'via the next hop to' : 'via'} ${formatIp(gateway)}`,
    device === undefined ? '' : `dev ${device}`,
    protocol,
    gateway === undefined && version === 4 ? 'scope link' : '',
    onlink === true ? 'onlink' : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
