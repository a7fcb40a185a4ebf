// Does a route of the kernel have one of the forms that are right for it? Type, gateway and device decide where packets
// go; protocol, onlink and MTU are minor. Also the text of routes for people.
import { formatIp, parseIp } from '../../net/ip.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import { isSameAddress } from '../../node-state/lookups.ts';
import { protocolName } from '../expected/felix-settings.ts';
import type { RouteForm } from '../expected/route-forms.ts';
import type { LocalView } from './local-view.ts';

export interface Match {
  readonly form: RouteForm;
  /** What differs and sends packets elsewhere. */
  readonly major: readonly ('type' | 'gateway' | 'device')[];
  /** What differs without sending packets elsewhere. */
  readonly minor: readonly ('protocol' | 'onlink' | 'mtu')[];
  /** The next hops that lead elsewhere. */
  readonly wrongHops: readonly NextHop[];
}

/** The next hops that BIRD chose for a destination, but for nodes that only announce what is not theirs. */
function hopsOfBird(form: RouteForm, view: LocalView, key: string, isOnLink: boolean): NextHop[] {
  return (view.bird?.get(key) ?? []).flatMap(({ nextHops, attributes }) => {
    // A route that names the node itself as next hop may not lead through a router when the node is on the link.
    const named = parseIp(attributes['BGP.next_hop']?.split(' ')[0] ?? '');
    if (isOnLink && isSameAddress(named, form.gateway)) return [];
    return nextHops
      .filter(({ gateway }) => gateway === undefined || !view.isOtherNode(gateway))
      .map(({ gateway, device }) => ({ gateway, device, flags: [] }));
  });
}

/** The next hops that a route of a recursive form may have: what reaches the gateway, and what BIRD itself chose. */
function recursiveHops(form: RouteForm, view: LocalView, key: string): readonly NextHop[] {
  const { gateway } = form;
  if (gateway === undefined) return [];
  const own = view.nextHopsTo(gateway);
  const isOnLink = own.some((hop) => isSameAddress(hop.gateway, gateway));
  return [...own, ...hopsOfBird(form, view, key, isOnLink)];
}

/** True for a next hop that leads to the node. */
function isRightHop(form: RouteForm, { gateway }: NextHop, hops: readonly NextHop[]): boolean {
  if (form.gateway === undefined) return gateway === undefined;
  return (
    isSameAddress(gateway, form.gateway) || (form.recursive && hops.some((hop) => isSameAddress(hop.gateway, gateway)))
  );
}

function isRightDevice(form: RouteForm, route: KernelRoute, hops: readonly NextHop[], view: LocalView): boolean {
  const devices = route.nextHops.map(({ device }) => device);
  if (form.device !== undefined) return devices.every((device) => device === form.device);
  if (form.recursive) return hops.length === 0 || devices.every((device) => hops.some((hop) => hop.device === device));
  return view.parent === undefined || devices.every((device) => device === view.parent);
}

function isRightMtu(form: RouteForm, route: KernelRoute, view: LocalView): boolean {
  const device = route.nextHops[0]?.device;
  const own = form.mtu ?? (device === undefined ? undefined : view.mtus?.get(device));
  return route.mtu === undefined || own === undefined || route.mtu === own;
}

function matchOf(form: RouteForm, route: KernelRoute, view: LocalView, key: string): Match {
  if (form.type !== route.type) return { form, major: ['type'], minor: [], wrongHops: [] };
  const hops = form.recursive ? recursiveHops(form, view, key) : [];
  const forwards = form.type === 'unicast';
  const major: Match['major'][number][] = [];
  // The kernel spreads packets over all next hops: one that is right does not make up for one that is wrong.
  const wrongHops = forwards ? route.nextHops.filter((hop) => !isRightHop(form, hop, hops)) : [];
  if (wrongHops.length > 0) major.push('gateway');
  if (forwards && !isRightDevice(form, route, hops, view)) major.push('device');
  const minor: Match['minor'][number][] = [];
  if (!form.protocols.includes(protocolName(route.protocol))) minor.push('protocol');
  if (form.onlink === true && !route.nextHops.some(({ flags }) => flags.includes('onlink'))) minor.push('onlink');
  if (forwards && !isRightMtu(form, route, view)) minor.push('mtu');
  return { form, major, minor, wrongHops };
}

/** The form that is closest to a route; undefined when there is no form. `key` is the route's destination as text. */
export function bestMatch(
  forms: readonly RouteForm[],
  route: KernelRoute,
  view: LocalView,
  key: string,
): Match | undefined {
  const weight = ({ major, minor }: Match): number => major.length * 10 + minor.length;
  const matches = forms.map((form) => matchOf(form, route, view, key));
  return matches.reduce<Match | undefined>(
    (best, match) => (best === undefined || weight(match) < weight(best) ? match : best),
    undefined,
  );
}

export function hopText({ gateway, device }: NextHop): string {
  return [gateway === undefined ? '' : `via ${formatIp(gateway)}`, device === undefined ? '' : `dev ${device}`]
    .filter((part) => part !== '')
    .join(' ');
}

/** A route as `ip route` prints it, without the destination. */
export function routeText(route: KernelRoute): string {
  const { type, nextHops, protocol, metric, mtu } = route;
  const forwards = type === 'unicast';
  const parts = [
    forwards ? '' : type,
    forwards ? nextHops.map(hopText).join(' and ') : '',
    `proto ${protocol}`,
    forwards && nextHops.every(({ gateway }) => gateway === undefined) && route.scope === 'link' ? 'scope link' : '',
    metric === undefined ? '' : `metric ${metric}`,
    nextHops.some(({ flags }) => flags.includes('onlink')) ? 'onlink' : '',
    mtu === undefined ? '' : `mtu ${mtu}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
