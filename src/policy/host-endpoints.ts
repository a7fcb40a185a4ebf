// The verdicts of the host endpoints that a flow passes: policies before connections are tracked (doNotTrack), before
// addresses are translated (preDNAT), and ordinary ones. Rules: docs/reference/policy.md#host-endpoints.
import { cidrContains, parseCidrOrIp } from '../net/cidr.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Cluster } from './cluster.ts';
import { type Effective, effectivePolicies } from './effective.ts';
import type { Flow } from './flow.ts';
import type { HostEndpointMember } from './members.ts';
import type { Direction } from './policy.ts';
import { protocolNumber } from './protocol.ts';
import { judge, type SideVerdict, undecided } from './verdict.ts';

export type HostStage = 'failsafe' | 'doNotTrack' | 'preDNAT' | 'ordinary' | 'applyOnForward';

/** The verdict of one host endpoint. */
export interface HostVerdict extends SideVerdict {
  readonly node: string;
  readonly hostEndpoint: string;
  readonly direction: Direction;
  /** Which of its policies decided. */
  readonly stage: HostStage;
  /** True when the flow goes through the node, to or from a pod or another machine. */
  readonly forwarded: boolean;
  /** False when the flow may use an interface of another endpoint, or of none. */
  readonly isCertain: boolean;
}

interface FailsafePort {
  readonly protocol: string;
  readonly port: number | bigint;
  readonly net?: string | null;
}

const tcp = (...ports: readonly number[]): FailsafePort[] => ports.map((port) => ({ protocol: 'TCP', port }));
const udp = (...ports: readonly number[]): FailsafePort[] => ports.map((port) => ({ protocol: 'UDP', port }));

/** What Felix never closes unless FelixConfiguration says otherwise. */
const defaultFailsafes: Readonly<Record<Direction, readonly FailsafePort[]>> = {
  ingress: [...tcp(22, 179, 2379, 2380, 5473, 6443, 6666, 6667), ...udp(68)],
  egress: [...tcp(179, 2379, 2380, 5473, 6443, 6666, 6667), ...udp(53, 67)],
};

const failsafeFields = { ingress: 'failsafeInboundHostPorts', egress: 'failsafeOutboundHostPorts' } as const;

/** The failsafe ports of a node: its own configuration wins over the one of all nodes. */
function failsafesOf({ objects }: Cluster, node: string, direction: Direction): readonly FailsafePort[] {
  for (const name of [`node.${node}`, 'default']) {
    const found = objects.felixConfigurations.find(({ metadata }) => metadata.name === name);
    const ports = (found?.spec as Record<string, unknown> | undefined)?.[failsafeFields[direction]];
    if (Array.isArray(ports)) return ports as FailsafePort[];
  }
  return defaultFailsafes[direction];
}

function isFailsafe(cluster: Cluster, node: string, direction: Direction, flow: Flow): boolean {
  const { port } = flow.destination;
  const peer = direction === 'ingress' ? flow.source.ip : flow.destination.ip;
  return failsafesOf(cluster, node, direction).some((failsafe) => {
    if (protocolNumber(failsafe.protocol) !== flow.protocol || Number(failsafe.port) !== port) return false;
    const net = failsafe.net ? parseCidrOrIp(failsafe.net) : undefined;
    return net === undefined || cidrContains(net, peer);
  });
}

const nothingSaid: SideVerdict = {
  verdict: 'allow',
  decidedBy: undecided,
  doubts: [],
  staged: [],
  steps: [],
  http: false,
};

/** Ordinary policies for forwarded flows: only those that say so, and nothing is denied if there are none. */
function forwardPolicies({ tiers }: Effective): Effective {
  const kept = tiers
    .map(({ tier, policies }) => ({
      tier,
      policies: policies.filter(({ policy }) => policy.applyOnForward || policy.unsure),
    }))
    .filter(({ policies }) => policies.length > 0);
  return { tiers: kept, profiles: [] };
}

function hasEnforced({ tiers }: Effective): boolean {
  return tiers.some(({ policies }) => policies.some(({ policy }) => !policy.staged));
}

/** The verdict of one host endpoint, and which of its policies it comes from. */
function judgeEndpoint(
  cluster: Cluster,
  endpoint: HostEndpointMember,
  direction: Direction,
  flow: Flow,
  forwarded: boolean,
): SideVerdict & { readonly stage: HostStage } {
  if (!forwarded && isFailsafe(cluster, endpoint.node, direction, flow)) return { ...nothingSaid, stage: 'failsafe' };
  const early = [
    ['untracked', 'doNotTrack'],
    ...(direction === 'ingress' ? ([['pre-dnat', 'preDNAT']] as const) : []),
  ] as const;
  for (const [stage, name] of early) {
    const effective = effectivePolicies(cluster, endpoint, direction, stage);
    if (!hasEnforced(effective)) continue;
    const verdict = judge(effective, direction, flow, cluster, false);
    // What decides here is not looked at again; what is not known here may decide.
    if (verdict.decidedBy.kind !== 'None' || verdict.doubts.length > 0) return { ...verdict, stage: name };
  }
  const ordinary = effectivePolicies(cluster, endpoint, direction);
  if (!forwarded) return { ...judge(ordinary, direction, flow, cluster), stage: 'ordinary' };
  const forward = forwardPolicies(ordinary);
  if (!hasEnforced(forward)) return { ...nothingSaid, stage: 'applyOnForward' };
  return { ...judge(forward, direction, flow, cluster), stage: 'applyOnForward' };
}

/** The host endpoints of a node that a flow with this address of the node may pass, and whether it certainly does. */
function endpointsFor(
  { hostEndpoints }: Cluster,
  node: string,
  ip: IpAddress | undefined,
): { readonly endpoint: HostEndpointMember; readonly isCertain: boolean }[] {
  const own = hostEndpoints.filter((endpoint) => endpoint.node === node);
  const named = own.filter(({ interfaceName }) => interfaceName !== '*');
  const byAddress = named.filter(({ nets }) => ip !== undefined && nets.some((net) => cidrContains(net, ip)));
  if (byAddress.length > 0) return byAddress.map((endpoint) => ({ endpoint, isCertain: byAddress.length === 1 }));
  return own.map((endpoint) => ({ endpoint, isCertain: named.length === 0 }));
}

/**
 * The verdicts of the host endpoints of a node that the flow may pass. `ip` is the address of the node when the flow ends
 * there, undefined when the node forwards it.
 */
export function judgeHost(
  cluster: Cluster,
  node: string,
  direction: Direction,
  flow: Flow,
  ip: IpAddress | undefined,
): HostVerdict[] {
  return endpointsFor(cluster, node, ip).map(({ endpoint, isCertain }) => ({
    ...judgeEndpoint(cluster, endpoint, direction, flow, ip === undefined),
    node,
    hostEndpoint: endpoint.name,
    direction,
    forwarded: ip === undefined,
    isCertain,
  }));
}
