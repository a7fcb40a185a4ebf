// Does a route of the kernel have one of the forms that are right for it? Gateway, device and type decide; protocol,
// onlink and MTU are told beside. Text of routes for people.
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute, NextHop } from '../../node-state/iproute/iproute.ts';
import { isSameAddress } from '../../node-state/lookups.ts';
import { protocolName } from '../expected/felix-settings.ts';
import type { RouteForm } from '../expected/route-forms.ts';

/** What of the node itself decides on which form is right. */
export interface LocalView {
  /** All routes of the family. */
  readonly routes: readonly KernelRoute[];
  /** The interface with the node's own address; undefined when it was not seen. */
  readonly parent: string | undefined;
  /** MTU of each link; undefined when interfaces were not seen. */
  readonly mtus: ReadonlyMap<string, number> | undefined;
  /** Next hops by which the node reaches an address. */
  waysTo(address: IpAddress): readonly NextHop[];
  /** BIRD's best routes by destination; undefined when they were not seen. */
  readonly bird: ReadonlyMap<string, BirdRoute> | undefined;
}

export type Aspect = 'type' | 'gateway' | 'device' | 'protocol' | 'onlink' | 'mtu';

export interface Match {
  readonly form: RouteForm;
  /** What differs and sends packets elsewhere. */
  readonly differs: readonly Aspect[];
  /** What differs beside. */
  readonly differsBeside: readonly Aspect[];
}

function hopsOfBird(route: BirdRoute | undefined): NextHop[] {
  return (route?.nextHops ?? []).map(({ gateway, device }) => ({ gateway, device, flags: [] }));
}

/** Next hops that a route with a recursive form may have: what reaches the gateway, and what BIRD itself chose. */
function waysTo(form: RouteForm, view: LocalView, key: string): readonly NextHop[] {
  if (form.gateway === undefined) return [];
  return [...view.waysTo(form.gateway), ...hopsOfBird(view.bird?.get(key))];
}

function isRightGateway(form: RouteForm, route: KernelRoute, ways: readonly NextHop[]): boolean {
  const { nextHops } = route;
  if (form.gateway === undefined) return nextHops.every(({ gateway }) => gateway === undefined);
  return nextHops.some(
    ({ gateway }) =>
      isSameAddress(gateway, form.gateway) ||
      (form.recursive && ways.some((way) => isSameAddress(way.gateway, gateway))),
  );
}

function isRightDevice(form: RouteForm, route: KernelRoute, ways: readonly NextHop[], view: LocalView): boolean {
  const devices = route.nextHops.map(({ device }) => device);
  if (form.device !== undefined) return devices.every((device) => device === form.device);
  if (form.recursive) return ways.length === 0 || devices.some((device) => ways.some((way) => way.device === device));
  return view.parent === undefined || devices.every((device) => device === view.parent);
}

function isRightMtu(form: RouteForm, route: KernelRoute, view: LocalView): boolean {
  const device = route.nextHops[0]?.device;
  const own = form.mtu ?? (device === undefined ? undefined : view.mtus?.get(device));
  return route.mtu === undefined || own === undefined || route.mtu === own;
}

function matchOf(form: RouteForm, route: KernelRoute, view: LocalView, key: string): Match {
  if (form.type !== route.type) return { form, differs: ['type'], differsBeside: [] };
  const ways = form.recursive ? waysTo(form, view, key) : [];
  const forwards = form.type === 'unicast';
  const differs: Aspect[] = [];
  if (forwards && !isRightGateway(form, route, ways)) differs.push('gateway');
  if (forwards && !isRightDevice(form, route, ways, view)) differs.push('device');
  const beside: Aspect[] = [];
  if (!form.protocols.includes(protocolName(route.protocol))) beside.push('protocol');
  if (form.onlink === true && !route.nextHops.some(({ flags }) => flags.includes('onlink'))) beside.push('onlink');
  if (forwards && !isRightMtu(form, route, view)) beside.push('mtu');
  return { form, differs, differsBeside: beside };
}

/** The form that a route comes nearest to; undefined when there is no form. `key` is its destination as text. */
export function bestMatch(
  forms: readonly RouteForm[],
  route: KernelRoute,
  view: LocalView,
  key: string,
): Match | undefined {
  const weight = ({ differs, differsBeside }: Match): number => differs.length * 10 + differsBeside.length;
  const matches = forms.map((form) => matchOf(form, route, view, key));
  return matches.reduce<Match | undefined>(
    (best, match) => (best === undefined || weight(match) < weight(best) ? match : best),
    undefined,
  );
}

function hopText({ gateway, device }: NextHop): string {
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
