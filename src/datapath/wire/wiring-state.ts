// What the two ends of a pod's network have, and which steps of its wiring are in place: for CHECK, and for runs that
// finish what an earlier one began.
import { formatCidr } from '../../net/cidr.ts';
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
  /** Those of the main table to the destinations of the steps. */
  readonly routes: readonly KernelRoute[];
  readonly settings: ReadonlyMap<string, string>;
}

export type WiringState = Readonly<Record<Side, EndState>>;

type Subject = 'link' | 'addresses' | 'routes4' | 'routes6' | 'settings';

/** A command that reads something of one end. It changes nothing. */
export interface EndProbe {
  readonly subject: Subject;
  readonly argv: readonly string[];
}

/** Standard output of a probe; empty for what does not exist. */
export interface EndAnswer {
  readonly subject: Subject;
  readonly stdout: string;
}

/** The commands that read what the steps make at one end. Only routes of the steps are read: the table of a node may be long. */
export function endProbes(device: string, steps: readonly Step[], side: Side): readonly EndProbe[] {
  const own = steps.filter((step) => step.side === side && !step.optional);
  const destinations = own.flatMap((step) => (step.type === 'route' ? [step.destination] : []));
  const settings = own.flatMap((step) => (step.type === 'setting' ? [`/proc/sys/${step.path}`] : []));
  return [
    { subject: 'link', argv: ['ip', '-j', '-d', 'link', 'show', 'dev', device] },
    { subject: 'addresses', argv: ['ip', '-j', 'addr', 'show', 'dev', device] },
    ...destinations.map((destination): EndProbe => {
      const { version } = destination;
      const argv = ['ip', '-j', '-d', `-${version}`, 'route', 'show', 'exact', formatCidr(destination)];
      return { subject: `routes${version}`, argv };
    }),
    ...(settings.length === 0 ? [] : [{ subject: 'settings', argv: ['grep', '-H', '', ...settings] } as const]),
  ];
}

/** True when a probe that failed says only that the interface, or settings of it, do not exist. */
export function saysAbsent(stderr: string): boolean {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => absent.test(line));
}

const absent =
  /^(Device ".*" does not exist\.|Cannot find device ".*"|grep: \/proc\/sys\/.*: No such file or directory)$/;

/** Reads the answers of one end. What is not understood is a problem, never taken for absent. */
export function endState(
  device: string,
  answers: readonly EndAnswer[],
): { state: EndState; problems: readonly string[] } {
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
  const outputs = (subject: Subject): readonly string[] =>
    answers.filter((answer) => answer.subject === subject).map(({ stdout }) => stdout);
  const only = (subject: Subject): string => outputs(subject).join('');
  const links = read(only('link'), [] as readonly Interface[], parseInterfaces);
  const routes = ([4, 6] as const).flatMap((family) =>
    outputs(`routes${family}`).flatMap((output) =>
      read(output, [] as readonly KernelRoute[], (text) => parseRoutes(text, family)),
    ),
  );
  const state: EndState = {
    link: links.find(({ name }) => name === device),
    addresses: read(only('addresses'), [] as readonly DeviceAddress[], parseAddresses),
    routes,
    settings: read(only('settings'), new Map<string, string>() as ReadonlyMap<string, string>, parseSysctls),
  };
  return { state, problems };
}

/** True when what the step makes is there. */
export function isMade(step: Step, state: WiringState): boolean {
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
    // Of one node, not of a pod: node-repair reads them by itself.
    case 'no-route':
    case 'neighbour':
    case 'forwarding':
      return false;
  }
}

function isPair({ hostMac, podMac, mtu }: VethEffect, { node, pod }: WiringState): boolean {
  const [host, own] = [node.link, pod.link];
  if (host === undefined || own === undefined) return false;
  const fits = (link: Interface): boolean => link.kind === 'veth' && (mtu === undefined || link.mtu === mtu);
  const isPair = fits(host) && fits(own) && isOtherEnd(host, own);
  return isPair && host.mac === hostMac && (podMac === undefined || own.mac === podMac);
}

/** True when two interfaces of different namespaces are the ends of one veth pair. */
export function isOtherEnd(one: Interface, other: Interface): boolean {
  const isVeth = one.kind === 'veth' && other.kind === 'veth';
  return isVeth && one.peerIndex === other.index && other.peerIndex === one.index;
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
