// What a pod's network needs on its node, as a list of steps in order. Pure: addresses, names and MTU are given.
// Rules: docs/reference/pod-wiring.md.
import { type Cidr, networkOf, parseCidrOrIp } from '../../net/cidr.ts';
import { type IpAddress, parseIp } from '../../net/ip.ts';
import type { Effect, Side, Step } from './effect.ts';

/** The MAC address of the node's end of every pod: the pods' gateway answers with it. */
export const hostEndMac = 'ee:ee:ee:ee:ee:ee';

const gateway: Readonly<Record<4 | 6, IpAddress>> = {
  4: parseIp('169.254.1.1') as IpAddress,
  // The link-local address that follows from hostEndMac.
  6: parseIp('fe80::ecee:eeff:feee:eeee') as IpAddress,
};

/** The next hop of IPv6 pods. */
export const linkLocalGateway: IpAddress = gateway[6];

/** Everything, by family: what a pod reaches through its gateway unless host-local IPAM has routes. */
export const defaultRoutes: readonly Cidr[] = ['0.0.0.0/0', '::/0'].map((text) => parseCidrOrIp(text) as Cidr);

export interface PodWiring {
  /** Name of the node's end: hostInterfaceName of resources/convert. */
  readonly hostInterface: string;
  /** Name of the pod's end: `eth0`. */
  readonly podInterface: string;
  readonly addresses: readonly IpAddress[];
  /** Undefined: the kernel's default. */
  readonly mtu: number | undefined;
  readonly queues: number;
  /** The pod's MAC address; undefined: the kernel chooses one. */
  readonly podMac: string | undefined;
  readonly allowForwarding: boolean;
  /** What the pod reaches through its gateway; families without an address are left out. */
  readonly routes: readonly Cidr[];
  /** False for the target of a live migration, whose node must not attract its packets yet. */
  readonly hasHostRoutes: boolean;
  /** A process in the network namespace of the node; undefined: the shell that makes the pair. */
  readonly nodePid: number | undefined;
}

/** The steps that connect a pod to its node, in order. `isNew`: there is no interface of that name to be removed first. */
export function wiringSteps(wiring: PodWiring, isNew: boolean): readonly Step[] {
  const { hostInterface: host, podInterface, podMac, mtu, queues, nodePid } = wiring;
  const families = ([4, 6] as const).filter((family) => wiring.addresses.some(({ version }) => version === family));
  const pair: Step = {
    type: 'veth',
    side: 'pod',
    podInterface,
    hostInterface: host,
    hostMac: hostEndMac,
    podMac,
    mtu,
    queues,
    nodePid,
    reason: "connect the pod with the node; the node's end has the MAC address of every pod's gateway",
  };
  return [
    ...(isNew ? [] : [removal('node', host, 'an earlier pod of the same name left its interface')]),
    pair,
    ...families.flatMap((family) => podSettings(wiring, family)),
    ...families.flatMap((family) => hostSettings(host, family)),
    hostSetting(6, 'conf', host, 'accept_ra', 0, 'the pod cannot give the node routes', true),
    ...(families.includes(6) ? [eui64(host)] : []),
    { type: 'up', side: 'node', device: host, reason: "the node's end carries packets" },
    { type: 'up', side: 'pod', device: podInterface, reason: "the pod's end carries packets" },
    ...families.flatMap((family) => podRoutes(wiring, family)),
    ...wiring.addresses.map((address) => podAddress(address, podInterface)),
    ...(wiring.hasHostRoutes ? hostRoutes(wiring) : []),
  ];
}

/** The step that takes a pod's network away by one end of its pair. */
export function unwiringStep(side: Side, device: string): Step {
  return removal(side, device, 'the other end, its addresses, routes and settings go with it');
}

function removal(side: Side, device: string, reason: string): Step {
  return { type: 'no-link', side, device, reason };
}

function eui64(device: string): Step {
  return { type: 'eui64', side: 'node', device, reason: "the link-local address is the pod's IPv6 gateway" };
}

function hostSetting(
  family: 4 | 6,
  folder: 'conf' | 'neigh',
  device: string,
  name: string,
  value: number,
  reason: string,
  optional = false,
): Step {
  const path = `net/ipv${family}/${folder}/${device}/${name}`;
  return { type: 'setting', side: 'node', path, value, reason, ...(optional && { optional }) };
}

function hostSettings(host: string, family: 4 | 6): readonly Step[] {
  if (family === 4) {
    return [
      hostSetting(4, 'conf', host, 'route_localnet', 1, 'the pod reaches node ports at 127.0.0.1'),
      hostSetting(4, 'neigh', host, 'proxy_delay', 0, 'the gateway answers ARP at once', true),
      hostSetting(4, 'conf', host, 'proxy_arp', 1, 'the node answers ARP for the gateway 169.254.1.1'),
      hostSetting(4, 'conf', host, 'forwarding', 1, 'packets of the pod are forwarded; proxy ARP needs it too'),
    ];
  }
  return [
    hostSetting(6, 'conf', host, 'accept_dad', 0, 'the link-local address is usable at once'),
    hostSetting(6, 'conf', host, 'disable_ipv6', 0, "IPv6 is on at the node's end"),
    hostSetting(6, 'conf', host, 'proxy_ndp', 1, 'the node may answer for neighbours of the pod'),
    hostSetting(6, 'conf', host, 'forwarding', 1, 'packets of the pod are forwarded'),
  ];
}

function podSettings({ podInterface, allowForwarding }: PodWiring, family: 4 | 6): readonly Step[] {
  const setting = (path: string, value: number, reason: string): Step => ({
    type: 'setting',
    side: 'pod',
    path: `net/ipv${family}/${path}`,
    value,
    reason,
  });
  const forwarding = allowForwarding ? 1 : 0;
  const why = allowForwarding ? 'container_settings allow the pod to forward' : 'the pod does not forward';
  if (family === 4) return [setting('ip_forward', forwarding, why)];
  return [
    setting(`conf/${podInterface}/accept_dad`, 0, 'the address is usable at once'),
    ...['all', 'default', 'lo'].map((name) => setting(`conf/${name}/disable_ipv6`, 0, 'IPv6 is on in the pod')),
    setting('conf/all/forwarding', forwarding, why),
  ];
}

function podRoutes({ podInterface: device, routes }: PodWiring, family: 4 | 6): readonly Step[] {
  const via = gateway[family];
  const link: Effect = { type: 'route', side: 'pod', destination: networkOf(gateway[4], 32), device };
  return [
    ...(family === 4 ? [{ ...link, reason: 'the gateway is on the link' }] : []),
    ...routes
      .filter(({ version }) => version === family)
      .map(
        (destination): Step => ({
          type: 'route',
          side: 'pod',
          destination,
          via,
          device,
          reason: 'the pod sends everything to its node',
        }),
      ),
  ];
}

function hostCidr(address: IpAddress): Cidr {
  return networkOf(address, address.version === 4 ? 32 : 128);
}

function podAddress(address: IpAddress, device: string): Step {
  return { type: 'address', side: 'pod', address: hostCidr(address), device, reason: 'the address of the pod' };
}

function hostRoutes({ addresses, hostInterface: device }: PodWiring): readonly Step[] {
  return addresses.map((address) => ({
    type: 'route',
    side: 'node',
    destination: hostCidr(address),
    device,
    reason: 'the node sends packets for the pod to it',
  }));
}
