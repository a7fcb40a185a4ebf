// Lookups in the routes and addresses of a node: which route is used, which interface has an address.
import { bitsOf, type Cidr, cidrContains, formatCidr } from '../net/cidr.ts';
import { compareIp, type IpAddress } from '../net/ip.ts';
import type { BirdRoute } from './bird/bird.ts';
import type { DeviceAddress, KernelRoute, NextHop } from './iproute/iproute.ts';

/** The metric of a route that has none set. */
const defaultMetric: Readonly<Record<4 | 6, number>> = { 4: 0, 6: 1024 };

/** The number that orders routes to one destination, lowest first. */
function metricOf(route: KernelRoute): number {
  return route.metric ?? defaultMetric[route.destination.version];
}

/** True for a route of the main table; the other tables are used only by rules. */
export function isInMainTable({ table }: KernelRoute): boolean {
  return table === undefined || table === 'main' || table === '254';
}

/** Routes of the main table by destination; the one that is used comes first. */
export function routesByDestination(routes: readonly KernelRoute[]): ReadonlyMap<string, readonly KernelRoute[]> {
  const byDestination = new Map<string, KernelRoute[]>();
  for (const route of routes) {
    if (!isInMainTable(route)) continue;
    const key = formatCidr(route.destination);
    const known = byDestination.get(key);
    if (known === undefined) byDestination.set(key, [route]);
    else known.push(route);
  }
  for (const group of byDestination.values()) group.sort((a, b) => metricOf(a) - metricOf(b));
  return byDestination;
}

/** The route of the main table that the kernel uses for an address; routes that `ignore` selects are skipped. */
export function routeTo(
  routes: readonly KernelRoute[],
  address: IpAddress,
  ignore: (route: KernelRoute) => boolean = () => false,
): KernelRoute | undefined {
  let best: KernelRoute | undefined;
  for (const route of routes) {
    if (!isInMainTable(route) || ignore(route) || !cidrContains(route.destination, address)) continue;
    const longer = best === undefined || route.destination.prefix > best.destination.prefix;
    const preferred =
      best !== undefined && route.destination.prefix === best.destination.prefix && metricOf(route) < metricOf(best);
    if (longer || preferred) best = route;
  }
  return best;
}

/** The next hops of packets to a gateway; the gateway itself when its subnet is on the link. */
export function nextHopsTowards(routes: readonly KernelRoute[], gateway: IpAddress): readonly NextHop[] {
  const route = routeTo(routes, gateway);
  if (route === undefined || route.type !== 'unicast') return [];
  return route.nextHops.map((hop) => ({ ...hop, gateway: hop.gateway ?? gateway }));
}

/** The interface that has an address; undefined when none has. */
export function deviceOf(addresses: readonly DeviceAddress[], address: IpAddress): string | undefined {
  return addresses.find((entry) => isSameAddress(entry.address, address))?.device;
}

/** True for equal addresses, and when both are undefined. */
export function isSameAddress(a: IpAddress | undefined, b: IpAddress | undefined): boolean {
  return a === undefined || b === undefined ? a === b : compareIp(a, b) === 0;
}

/** True for the network of a single address. */
export function isHostRoute({ version, prefix }: Cidr): boolean {
  return prefix === bitsOf(version);
}

/** True when BIRD has the route and cannot use it: nothing leads to its next hop. */
export function isUnresolved({ target, metric }: BirdRoute): boolean {
  return target === 'unreachable' || metric === '-';
}
