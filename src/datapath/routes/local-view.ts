// What a node's routes of one family are judged by: its routes, devices and next hops, and BIRD's routes.

import { formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isHostRoute, nextHopsTowards } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import { groupBy } from '../../text/group-by.ts';
import { type Network, poolAround } from '../expected/network.ts';
import { ipipDevice, vxlanDevices } from '../expected/route-forms.ts';

/** What of the node itself decides which form is right. */
export interface LocalView {
  /** All routes of the family. */
  readonly routes: readonly KernelRoute[];
  /** The interface with the node's own address; undefined when it was not seen. */
  readonly parent: string | undefined;
  /** MTU by interface; undefined when interfaces were not seen. */
  readonly mtus: ReadonlyMap<string, number> | undefined;
  /** The next hops by which the node reaches an address. */
  nextHopsTo(address: IpAddress): readonly NextHop[];
  /** BIRD's routes by destination, the best first; undefined when they were not seen. */
  readonly bird: ReadonlyMap<string, readonly BirdRoute[]> | undefined;
  /** True for the address of a node that is not a route reflector. */
  isOtherNode(address: IpAddress): boolean;
  /** Devices that cannot be used: missing, or not UP. */
  readonly deadDevices: ReadonlyMap<string, 'missing' | 'down'>;
  /** The single addresses that the kernel has routes to. */
  hostRoutes(): ReadonlySet<string>;
}

/** By destination, the best first. */
function birdRoutes(routes: Observed<readonly BirdRoute[]>): LocalView['bird'] {
  if (!routes.seen) return undefined;
  const all = groupBy(routes.value, ({ destination }) => formatCidr(destination));
  for (const group of all.values()) group.sort((a, b) => Number(b.primary) - Number(a.primary));
  return all;
}

/** The tunnel devices of Calico that are missing or not UP; none when interfaces were not seen. */
function deadDevicesOf({ interfaces }: NodeState): ReadonlyMap<string, 'missing' | 'down'> {
  if (!interfaces.seen) return new Map();
  return new Map(
    [ipipDevice, ...Object.values(vxlanDevices)].flatMap((name) => {
      const found = interfaces.value.find((one) => one.name === name);
      if (found?.flags.includes('UP') === true) return [];
      return [[name, found === undefined ? ('missing' as const) : ('down' as const)] as const];
    }),
  );
}

/** The addresses of nodes of one family, without route reflectors. */
function plainNodeAddresses(network: Network, version: 4 | 6): ReadonlySet<string> {
  return new Set(
    [...network.nodes.values()].flatMap(({ addresses: { [version]: own }, isReflector }) =>
      own === undefined || isReflector ? [] : [formatIp(own.address)],
    ),
  );
}

/** What routes of one family are judged by; undefined when the node's routes could not be read. */
export function localView(network: Network, state: NodeState, version: 4 | 6): LocalView | undefined {
  const routes = routesOf(state, version);
  if (!routes.seen) return undefined;
  const own = network.nodes.get(state.node)?.addresses[version]?.address;
  const { interfaces, addresses } = state;
  // Nodes are not reached through pods: of thousands of routes only these few are searched for each gateway.
  const underlay = routes.value.filter(({ destination }) => poolAround(network.pools, destination) === undefined);
  const hopsByAddress = new Map<string, readonly NextHop[]>();
  const others = plainNodeAddresses(network, version);
  let hostRoutes: ReadonlySet<string> | undefined;
  return {
    routes: routes.value,
    nextHopsTo: (address) => {
      const key = formatIp(address);
      const hops = hopsByAddress.get(key) ?? nextHopsTowards(underlay, address);
      hopsByAddress.set(key, hops);
      return hops;
    },
    parent: addresses.seen && own !== undefined ? deviceOf(addresses.value, own) : undefined,
    mtus: interfaces.seen
      ? new Map(interfaces.value.flatMap(({ name, mtu }) => (mtu === undefined ? [] : [[name, mtu] as const])))
      : undefined,
    bird: birdRoutes(state.bird[version].routes),
    isOtherNode: (address) => others.has(formatIp(address)),
    deadDevices: deadDevicesOf(state),
    hostRoutes: () => {
      hostRoutes ??= new Set(
        routes.value
          .filter(({ destination, type }) => isHostRoute(destination) && type === 'unicast')
          .map(({ destination }) => formatIp(destination.base)),
      );
      return hostRoutes;
    },
  };
}

/** What a comparison of one node and family knows. */
export interface Context {
  readonly network: Network;
  readonly state: NodeState;
  readonly view: LocalView;
}
