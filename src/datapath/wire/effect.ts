// One change of a node or of a pod's namespace, as data: the command that makes it, and why it is made.
// Rules: docs/reference/pod-wiring.md.
import { type Cidr, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';

/** The network namespace that an effect is in: the node's or the pod's. */
export type Side = 'node' | 'pod';

export interface VethEffect {
  readonly type: 'veth';
  readonly side: 'pod';
  readonly podInterface: string;
  readonly hostInterface: string;
  readonly hostMac: string;
  /** Chosen by the kernel if absent. */
  readonly podMac?: string | undefined;
  /** The kernel's default, 1500, if absent. */
  readonly mtu?: number | undefined;
  readonly queues: number;
  /** A process in the namespace of the node, where the other end goes; undefined: the shell that runs the command. */
  readonly nodePid: number | undefined;
}

export interface RouteEffect {
  readonly type: 'route';
  readonly side: Side;
  readonly destination: Cidr;
  readonly via?: IpAddress | undefined;
  readonly device: string;
}

/** A neighbour whose MAC address is fixed. */
export interface NeighbourEffect {
  readonly type: 'neighbour';
  readonly side: 'node';
  readonly address: IpAddress;
  readonly mac: string;
  readonly device: string;
}

/** A forwarding entry of a VXLAN device: frames for the MAC address go to the node with this address. */
export interface ForwardingEffect {
  readonly type: 'forwarding';
  readonly side: 'node';
  readonly mac: string;
  readonly destination: IpAddress;
  readonly device: string;
}

/** The removal of one route and of no other to the same destination: everything that was read of it is named. */
export interface NoRouteEffect {
  readonly type: 'no-route';
  readonly side: 'node';
  readonly destination: Cidr;
  readonly device: string;
  readonly protocol: string;
  readonly metric: number | undefined;
}

export interface SettingEffect {
  readonly type: 'setting';
  readonly side: Side;
  /** Below /proc/sys, with slashes: interface names may contain dots. */
  readonly path: string;
  readonly value: number;
}

export type Effect =
  | { readonly type: 'no-link'; readonly side: Side; readonly device: string }
  | VethEffect
  /** The link-local address follows from the MAC address, whatever the node's default is. */
  | { readonly type: 'eui64'; readonly side: 'node'; readonly device: string }
  | { readonly type: 'up'; readonly side: Side; readonly device: string }
  | { readonly type: 'address'; readonly side: 'pod'; readonly address: Cidr; readonly device: string }
  | RouteEffect
  | NoRouteEffect
  | NeighbourEffect
  | ForwardingEffect
  | SettingEffect;

/** A change, why it is made, and how bad it is if it cannot be made. */
export type Step = Effect & {
  readonly reason: string;
  /** Without it the pod still works: a failure is a warning. */
  readonly optional?: boolean;
};

/** The program of an effect, and its arguments, without a namespace. */
export function argvOf(effect: Effect): readonly string[] {
  switch (effect.type) {
    case 'no-link':
      return ['ip', 'link', 'del', 'dev', effect.device];
    case 'veth':
      return vethArgv(effect);
    case 'eui64':
      return ['ip', 'link', 'set', 'dev', effect.device, 'addrgenmode', 'eui64'];
    case 'up':
      return ['ip', 'link', 'set', 'dev', effect.device, 'up'];
    case 'address':
      return ['ip', 'addr', 'add', formatCidr(effect.address), 'dev', effect.device];
    case 'route':
      return routeArgv(effect);
    case 'no-route':
      return noRouteArgv(effect);
    case 'neighbour': {
      const { address, mac, device } = effect;
      return ['ip', 'neigh', 'replace', formatIp(address), 'lladdr', mac, 'dev', device, 'nud', 'permanent'];
    }
    case 'forwarding': {
      const { mac, destination, device } = effect;
      return ['bridge', 'fdb', 'append', mac, 'dev', device, 'dst', formatIp(destination), 'self', 'permanent'];
    }
    case 'setting':
      return ['sysctl', '-qw', `${effect.path}=${effect.value}`];
  }
}

function vethArgv({ podInterface, hostInterface, hostMac, podMac, mtu, queues, nodePid }: VethEffect): string[] {
  const size = mtu === undefined ? [] : ['mtu', String(mtu)];
  const queueWords = ['numtxqueues', String(queues), 'numrxqueues', String(queues)];
  const address = podMac === undefined ? [] : ['address', podMac];
  const pod = ['name', podInterface, ...address, ...size, ...queueWords];
  // With its address from the start no other program, such as udev, takes it for one without an address.
  const host = ['name', hostInterface, 'address', hostMac, ...size, ...queueWords];
  const pair = ['ip', 'link', 'add', ...pod, 'type', 'veth', 'peer', ...host];
  return nodePid === undefined ? pair : [...pair, 'netns', String(nodePid)];
}

function noRouteArgv({ destination, device, protocol, metric }: NoRouteEffect): string[] {
  const family = `-${destination.version}`;
  const order = metric === undefined ? [] : ['metric', String(metric)];
  return ['ip', family, 'route', 'del', formatCidr(destination), 'dev', device, 'proto', protocol, ...order];
}

function routeArgv({ destination, via, device }: RouteEffect): string[] {
  const { version } = destination;
  const to = destination.prefix === 0 ? 'default' : formatCidr(destination);
  const hop = via === undefined ? [] : ['via', formatIp(via)];
  const scope = via === undefined && version === 4 ? ['scope', 'link'] : [];
  return ['ip', 'route', 'add', to, ...hop, 'dev', device, ...scope];
}
