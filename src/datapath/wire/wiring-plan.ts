// What must be done so that a pod is wired: each step with what undoes it, and whether it is made already; or why nothing
// may be done. Pure: the state of both ends is given. Rules: docs/reference/pod-wiring.md#by-hand.
import { formatCidr } from '../../net/cidr.ts';
import { compareIp, formatIp } from '../../net/ip.ts';
import type { Interface } from '../../node-state/iproute/iproute.ts';
import { batchesOf, inNamespace } from './batches.ts';
import type { RouteEffect, Side, Step, VethEffect } from './effect.ts';
import { hostEndMac, linkLocalGateway, type PodWiring, unwiringStep, wiringSteps } from './pod-wiring.ts';
import { isMade, isOtherEnd, type WiringState } from './wiring-state.ts';

/** One step of a plan. */
export interface PlannedStep {
  readonly step: Step;
  /** The command, as it would be run by itself. */
  readonly argv: readonly string[];
  /** The command that undoes it; undefined when none has to: it goes with the pair, or cannot be undone. */
  readonly undo: readonly string[] | undefined;
  /** What the step makes is there already. */
  readonly isMade: boolean;
}

export type WiringPlan =
  | { readonly ok: true; readonly steps: readonly PlannedStep[] }
  /** Something else is in the way, and it may be in use. */
  | { readonly ok: false; readonly why: string; readonly hint: string };

const unwireFirst = 'if nothing uses it any more, remove it first with calictl node unwire';

/** The steps that make the wiring complete. An interface or a route that is not of this pod is never replaced. */
export function wiringPlan(wiring: PodWiring, netns: string, state: WiringState): WiringPlan {
  const steps = wiringSteps(wiring, true);
  const pair = steps.find((step): step is Step & VethEffect => step.type === 'veth');
  const obstacle =
    (pair && pairObstacle(pair, state)) ??
    steps.map((step) => routeObstacle(step, state)).find((why) => why !== undefined);
  if (obstacle !== undefined) return { ok: false, why: obstacle, hint: unwireFirst };
  const isNew = state.node.link === undefined;
  return {
    ok: true,
    steps: steps.map((step) => ({
      step,
      argv: commandOf(step, netns),
      undo: undoOf(step, wiring, netns, state, isNew),
      isMade: !(isNew && isOfPair(step, wiring)) && isThere(step, state),
    })),
  };
}

/** What is there of a pair that is to be removed. */
export interface LinksToRemove {
  /** The interface of the node with the name of the node's end. */
  readonly node: Interface | undefined;
  /** The one of the pod's namespace; 'unknown' when the namespace was not named, or is gone. */
  readonly pod: Interface | 'unknown' | undefined;
  /** The other end of the pod's interface, under whatever name the node has it; read when there is no `node`. */
  readonly otherEnd: Interface | undefined;
}

/**
 * The removal of the pod's wiring by the node's end, or by the pod's where the node has none of that name. What is not seen to
 * be the pod's is not removed: both ends are, or the node's end has the name that follows from the pod and the MAC address of
 * pods' interfaces. `isNamed`: the name of the node's end was given, and says nothing of whose it is.
 */
export function unwiringPlan(
  { hostInterface, podInterface }: Pick<PodWiring, 'hostInterface' | 'podInterface'>,
  netns: string | undefined,
  links: LinksToRemove,
  isNamed: boolean,
): WiringPlan {
  const { node } = links;
  const pod = links.pod === 'unknown' ? undefined : links.pod;
  const refused = (why: string, hint: string): WiringPlan => ({ ok: false, why, hint });
  const findOut = 'find out what it is with ip -d link show';
  const notVeth = (name: string, where: string): WiringPlan =>
    refused(`${name} ${where} is not one end of a veth pair`, `Calico did not make it: ${findOut}`);
  if (node !== undefined && node.kind !== 'veth') return notVeth(hostInterface, 'on the node');
  if (node !== undefined && pod !== undefined && !isOtherEnd(node, pod)) {
    return refused(
      `${hostInterface} on the node and ${podInterface} in the namespace are not the two ends of one pair`,
      'name the namespace of the pod that the interface belongs to',
    );
  }
  if (node !== undefined && pod === undefined) {
    if (links.pod !== 'unknown') {
      return refused(
        `the other end of ${hostInterface} is not ${podInterface} in the namespace, which has no interface of that name`,
        'name the namespace of the pod that the interface belongs to, or the name of its end with --pod-interface',
      );
    }
    if (isNamed) {
      return refused(
        `nothing shows which pod ${hostInterface} on the node belongs to`,
        'name the namespace of the pod with --netns',
      );
    }
    if (node.mac !== hostEndMac) {
      return refused(
        `${hostInterface} on the node does not have the MAC address ${hostEndMac} of pods' interfaces`,
        findOut,
      );
    }
  }
  if (node === undefined && pod !== undefined) {
    if (pod.kind !== 'veth') return notVeth(podInterface, 'in the namespace');
    if (links.otherEnd?.mac !== hostEndMac) {
      return refused(
        `the other end of ${podInterface} in the namespace is not the interface of a pod on the node`,
        findOut,
      );
    }
  }
  const [side, device]: [Side, string] =
    node === undefined && pod !== undefined ? ['pod', podInterface] : ['node', hostInterface];
  const step = unwiringStep(side, device);
  const isGone = node === undefined && pod === undefined;
  return { ok: true, steps: [{ step, argv: commandOf(step, netns ?? ''), undo: undefined, isMade: isGone }] };
}

function commandOf(step: Step, netns: string): readonly string[] {
  return batchesOf([step], netns)[0]?.argv ?? [];
}

function pairObstacle({ podInterface, hostInterface, mtu, hostMac, podMac }: VethEffect, state: WiringState) {
  const [host, own] = [state.node.link, state.pod.link];
  if (host === undefined && own === undefined) return undefined;
  if (host === undefined)
    return `the pod already has an interface ${podInterface}, and ${hostInterface} is not its other end`;
  if (own === undefined || !isOtherEnd(host, own)) {
    return `the node already has an interface ${hostInterface}, and ${podInterface} of the pod is not its other end`;
  }
  const differs = [
    ...(mtu !== undefined && (host.mtu !== mtu || own.mtu !== mtu) ? [`MTU ${host.mtu} instead of ${mtu}`] : []),
    ...(host.mac !== hostMac ? [`MAC address ${host.mac} instead of ${hostMac} on the node`] : []),
    ...(podMac !== undefined && own.mac !== podMac ? [`MAC address ${own.mac} instead of ${podMac} in the pod`] : []),
  ];
  return differs.length === 0 ? undefined : `the pod is wired with ${differs.join(' and ')}`;
}

/** A route of the node to the same address that leads elsewhere: another pod may have the address. */
function routeObstacle(step: Step, { node }: WiringState): string | undefined {
  if (step.type !== 'route' || step.side !== 'node') return undefined;
  const destination = formatCidr(step.destination);
  const other = node.routes.find(
    (route) =>
      formatCidr(route.destination) === destination && !route.nextHops.some(({ device }) => device === step.device),
  );
  if (other === undefined) return undefined;
  const device = other.nextHops[0]?.device;
  return `the node already has a route to ${destination}${device === undefined ? '' : ` through ${device}`}`;
}

/** True for what the kernel keeps with the two interfaces, and removes with them. */
function isOfPair(step: Step, { hostInterface, podInterface }: PodWiring): boolean {
  if (step.type !== 'setting') return true;
  const device = step.side === 'node' ? hostInterface : podInterface;
  return step.path.includes(`/${device}/`);
}

function isThere(step: Step, state: WiringState): boolean {
  if (step.type !== 'eui64') return isMade(step, state);
  const expected = linkLocalGateway;
  return state.node.addresses.some(({ address }) => compareIp(address, expected) === 0);
}

function undoOf(
  step: Step,
  wiring: PodWiring,
  netns: string,
  state: WiringState,
  isNew: boolean,
): readonly string[] | undefined {
  if (isNew && isOfPair(step, wiring) && step.type !== 'veth') return undefined;
  const argv = undoArgv(step, state);
  return argv !== undefined && step.side === 'pod' ? [...inNamespace(netns), ...argv] : argv;
}

function undoArgv(step: Step, state: WiringState): readonly string[] | undefined {
  switch (step.type) {
    // By the pod's end: an interface of this name on the node may meanwhile belong to a newer pod of the same name.
    case 'veth':
      return ['ip', 'link', 'del', 'dev', step.podInterface];
    case 'up':
      return ['ip', 'link', 'set', 'dev', step.device, 'down'];
    case 'address':
      return ['ip', 'addr', 'del', formatCidr(step.address), 'dev', step.device];
    case 'route':
      return routeUndo(step);
    case 'setting': {
      const before = state[step.side].settings.get(step.path);
      return before === undefined ? undefined : ['sysctl', '-qw', `${step.path}=${before}`];
    }
    default:
      return undefined;
  }
}

function routeUndo({ destination, via, device }: RouteEffect): readonly string[] {
  const hop = via === undefined ? [] : ['via', formatIp(via)];
  return [
    'ip',
    `-${destination.version}`,
    'route',
    'del',
    formatCidr(destination),
    ...hop,
    'dev',
    device,
    'proto',
    'boot',
  ];
}
