// What the two ends of a pod's network have, and which steps of its wiring are so already: for CHECK, and for runs that
// finish what an earlier one began.
import { type Cidr, formatCidr } from '../../net/cidr.ts';
import { compareIp } from '../../net/ip.ts';
import { parseAddresses } from '../../node-state/iproute/addresses.ts';
import { parseInterfaces } from '../../node-state/iproute/interfaces.ts';
import type { DeviceAddress, Interface, KernelRoute } from '../../node-state/iproute/iproute.ts';
import { parseRoutes } from '../../node-state/iproute/routes.ts';
import type { Parsed } from '../../node-state/parse-result.ts';
import { parseSysctls } from '../../node-state/sysctls.ts';
import type { RouteEffect, Side, Step, VethEffect } from './effect.ts';

/** One end of the pair, and what of its namespace matters for it. */
export interface EndState {
  /** The interface itself; undefined if there is none of that name. */
  readonly link: Interface | undefined;
  readonly addresses: readonly DeviceAddress[];
  /** Routes of the main table, of both families. */
  readonly routes: readonly KernelRoute[];
  readonly settings: ReadonlyMap<string, string>;
}

export type WiringState = Readonly<Record<Side, EndState>>;

/** What one end answered: standard output by probe. An interface that does not exist leaves all of them empty. */
export interface EndOutputs {
  readonly link: string;
  readonly addresses: string;
  readonly routes4: string;
  readonly routes6: string;
  readonly settings: string;
}

/**
 * The commands that read one end, by what they read; none of them changes anything. On a node only the routes to the
 * given addresses are read, because its table may be long.
 */
export function endProbes(
  device: string,
  settings: readonly string[],
  destinations?: readonly Cidr[],
): Readonly<Record<keyof EndOutputs, readonly string[]>> {
  const routes = (family: 4 | 6): readonly string[] => {
    const only = destinations?.find(({ version }) => version === family);
    const filter = only === undefined ? [] : ['root', formatCidr(only)];
    return ['ip', '-j', '-d', `-${family}`, 'route', 'show', ...filter];
  };
  return {
    link: ['ip', '-j', '-d', 'link', 'show', 'dev', device],
    addresses: ['ip', '-j', 'addr', 'show', 'dev', device],
    routes4: routes(4),
    routes6: routes(6),
    settings: ['grep', '-sH', '', ...settings.map((path) => `/proc/sys/${path}`)],
  };
}

/** The paths of the settings that the steps change on this side. */
export function settingPaths(steps: readonly Step[], side: Side): readonly string[] {
  return steps.flatMap((step) => (step.type === 'setting' && step.side === side ? [step.path] : []));
}

/** Reads the answers of one end. What is not understood is a problem, never taken for absent. */
export function endState(device: string, outputs: EndOutputs): { state: EndState; problems: readonly string[] } {
  const problems: string[] = [];
  const read = <T>(text: string, empty: T, parsed: (text: string) => Parsed<T>): T => {
    if (text.trim() === '') return empty;
    const result = parsed(text);
    if (result.ok) {
      problems.push(...result.skipped);
      return result.value;
    }
    problems.push(result.problem);
    return empty;
  };
  const links = read(outputs.link, [] as readonly Interface[], parseInterfaces);
  const routes = ([4, 6] as const).flatMap((family) =>
    read(outputs[`routes${family}`], [] as readonly KernelRoute[], (text) => parseRoutes(text, family)),
  );
  const state: EndState = {
    link: links.find(({ name }) => name === device),
    addresses: read(outputs.addresses, [] as readonly DeviceAddress[], parseAddresses),
    routes,
    settings: read(outputs.settings, new Map<string, string>() as ReadonlyMap<string, string>, parseSysctls),
  };
  return { state, problems };
}

/** True when what the step makes is there. */
function isMade(step: Step, state: WiringState): boolean {
  const end = state[step.side];
  switch (step.type) {
    case 'no-link':
      return end.link === undefined;
    case 'veth':
      return isPair(step, state);
    case 'eui64':
      return true;
    case 'up':
      return end.link?.flags.includes('UP') === true;
    case 'address':
      return end.addresses.some(
        ({ address, prefixLength }) =>
          prefixLength === step.address.prefix && compareIp(address, step.address.base) === 0,
      );
    case 'route':
      return end.routes.some((route) => isRoute(step, route));
    case 'setting':
      return end.settings.get(step.path) === String(step.value);
  }
}

function isPair({ hostMac, podMac, mtu }: VethEffect, { node, pod }: WiringState): boolean {
  const [host, own] = [node.link, pod.link];
  if (host === undefined || own === undefined) return false;
  const fits = (link: Interface): boolean => link.kind === 'veth' && (mtu === undefined || link.mtu === mtu);
  const isPeer = host.peerIndex === own.index && own.peerIndex === host.index;
  return fits(host) && fits(own) && isPeer && host.mac === hostMac && (podMac === undefined || own.mac === podMac);
}

/** Whatever its metric: Felix writes its own. */
function isRoute({ destination, via, device }: RouteEffect, route: KernelRoute): boolean {
  if (route.type !== 'unicast' || formatCidr(route.destination) !== formatCidr(destination)) return false;
  return route.nextHops.some(
    (hop) =>
      hop.device === device &&
      (via === undefined ? hop.gateway === undefined : hop.gateway !== undefined && compareIp(hop.gateway, via) === 0),
  );
}

/** The steps of the wiring that are not made. */
export function missingSteps(steps: readonly Step[], state: WiringState): readonly Step[] {
  return steps.filter((step) => step.type !== 'no-link' && !step.optional && !isMade(step, state));
}
