// The verdict on a flow between two ends: the source's egress and the destination's ingress must both allow it, and so
// must the host endpoints on its way.
import { formatIp, type IpAddress } from '../net/ip.ts';
import { UsageError } from '../world/errors.ts';
import type { Cluster } from './cluster.ts';
import { effectivePolicies } from './effective.ts';
import type { End } from './ends.ts';
import type { Flow } from './flow.ts';
import { type HostVerdict, judgeHost } from './host-endpoints.ts';
import type { Direction } from './policy.ts';
import { protocolNumbers } from './protocol.ts';
import { judge, type SideVerdict, undecided, type Verdict } from './verdict.ts';

/** What is asked about a flow besides its ends. */
export interface FlowQuestion {
  readonly protocol: 'tcp' | 'udp' | 'sctp' | 'icmp';
  readonly port?: number | undefined;
  readonly sourcePort?: number | undefined;
  readonly icmpType?: number | undefined;
  readonly icmpCode?: number | undefined;
}

export interface FlowVerdict {
  readonly verdict: Verdict;
  /** Null when the source is not a workload. */
  readonly egress: SideVerdict | null;
  readonly ingress: SideVerdict | null;
  readonly hostEndpoints: readonly HostVerdict[];
  /** Why the verdict may be another one; empty when it is certain. */
  readonly doubts: readonly string[];
  readonly notes: readonly string[];
  readonly flow: Flow;
}

const echoRequest = { 4: 8, 6: 128 } as const;

function familiesOf({ addresses }: End): Set<4 | 6> {
  return new Set(addresses.map(({ version }) => version));
}

/** The families that both ends have, IPv4 first. Errors: UsageError when there is none. */
export function commonFamilies(source: End, destination: End): (4 | 6)[] {
  const common = ([4, 6] as const).filter((one) => familiesOf(source).has(one) && familiesOf(destination).has(one));
  if (common.length > 0) return common;
  const shown = (end: End): string =>
    end.addresses.length === 0
      ? 'no known address'
      : `only ${[...familiesOf(end)].map((one) => `IPv${one}`).join(' and ')}`;
  throw new UsageError(
    `${source.title} has ${shown(source)}, ${destination.title} has ${shown(destination)}`,
    'Both ends need an address of one family.',
    'NO_COMMON_FAMILY',
  );
}

const addressOf = ({ addresses }: End, version: 4 | 6): IpAddress =>
  addresses.find((address) => address.version === version) as IpAddress;

/** The first packet of the flow, between these addresses. */
function flowOf(cluster: Cluster, source: IpAddress, destination: IpAddress, question: FlowQuestion): Flow {
  const { version } = source;
  const isIcmp = question.protocol === 'icmp';
  const protocol = isIcmp && version === 6 ? protocolNumbers.icmpv6 : protocolNumbers[question.protocol];
  return {
    protocol,
    icmp: isIcmp ? { type: question.icmpType ?? echoRequest[version], code: question.icmpCode ?? 0 } : undefined,
    source: { ip: source, port: question.sourcePort, members: cluster.membersAt(source) },
    destination: { ip: destination, port: question.port, members: cluster.membersAt(destination) },
  };
}

const nothingDecides: SideVerdict = {
  verdict: 'allow',
  decidedBy: undecided,
  doubts: [],
  staged: [],
  steps: [],
  http: false,
};

function nodeOf(end: End): string | undefined {
  if (end.type === 'workload') return end.workload.node;
  return end.type === 'host' ? end.node : undefined;
}

const isSamePod = (a: End, b: End): boolean =>
  a.type === 'workload' && b.type === 'workload' && a.workload === b.workload;

/** The side of one end, null when it is not a workload. */
function sideOf(cluster: Cluster, end: End, peer: End, direction: Direction, flow: Flow): SideVerdict | null {
  if (end.type !== 'workload') return null;
  // A node reaches the workloads on it without policy, and what a pod sends to itself does not leave it.
  const isFromOwnNode = direction === 'ingress' && peer.type === 'host' && peer.node === end.workload.node;
  if (isFromOwnNode || isSamePod(end, peer)) return nothingDecides;
  return judge(effectivePolicies(cluster, end.workload, direction), direction, flow, cluster);
}

/** The host endpoints on the way: those of an end that is a node, and those of nodes that forward for a pod. */
function hostsOf(cluster: Cluster, source: End, destination: End, flow: Flow): HostVerdict[] {
  if (nodeOf(source) !== undefined && nodeOf(source) === nodeOf(destination)) return [];
  const at = (end: End, direction: Direction, ip: IpAddress): HostVerdict[] => {
    const node = nodeOf(end);
    if (!node) return [];
    const found = judgeHost(cluster, node, direction, flow, end.type === 'host' ? ip : undefined);
    // A node forwards what no policy is about.
    return found.filter(
      ({ forwarded, decidedBy, doubts }) => !forwarded || decidedBy.kind !== 'None' || doubts.length > 0,
    );
  };
  return [...at(source, 'egress', flow.source.ip), ...at(destination, 'ingress', flow.destination.ip)];
}

/** Why host endpoints make the verdict uncertain: which one a flow passes depends on the interface. */
function hostDoubts(hosts: readonly HostVerdict[]): string[] {
  return hosts
    .filter(({ verdict, isCertain, forwarded }) => verdict === 'deny' && (!isCertain || forwarded))
    .map(
      ({ hostEndpoint, node }) =>
        `host endpoint ${hostEndpoint} of node ${node} denies it if the flow uses its interface`,
    );
}

/** An address outside may be that of a pod that was not read. */
function unknownPods({ unread }: Cluster, ...ends: readonly End[]): string[] {
  const reason = unread.get('pods');
  return reason !== undefined && ends.some(({ type }) => type === 'address') ? [reason] : [];
}

/** VXLAN, on its usual port. */
function isTunnelled({ protocol, destination }: Flow): boolean {
  return protocol === protocolNumbers.udp && destination.port === 4789;
}

/** What is worth knowing about a verdict that is certain. */
function notesOf(cluster: Cluster, verdict: Omit<FlowVerdict, 'notes'>, source: End, destination: End): string[] {
  const notes: string[] = [];
  const { egress, ingress } = verdict;
  if (egress?.http || ingress?.http)
    notes.push('the deciding rule also looks at HTTP methods or paths, which are not judged');
  if (source.type === 'workload' && destination.type === 'host' && destination.node === source.workload.node) {
    notes.push(
      'after egress policy, defaultEndpointToHostAction of FelixConfiguration decides on flows to the own node',
    );
  }
  if (source.type === 'workload' && isTunnelled(verdict.flow)) {
    notes.push('Felix drops VXLAN packets from workloads unless allowVXLANPacketsFromWorkloads is set');
  }
  for (const kind of cluster.notEnforced)
    notes.push(`${kind} objects exist, but this release of Calico does not enforce them`);
  return notes;
}

function judgeBetween(cluster: Cluster, source: End, destination: End, flow: Flow): Omit<FlowVerdict, 'notes'> {
  const egress = sideOf(cluster, source, destination, 'egress', flow);
  const ingress = sideOf(cluster, destination, source, 'ingress', flow);
  const hostEndpoints = hostsOf(cluster, source, destination, flow);
  const certainHosts = hostEndpoints.filter(({ isCertain, forwarded }) => isCertain && !forwarded);
  const sides = [egress, ingress, ...certainHosts].filter((side) => side !== null);
  const denies = sides.filter(({ verdict }) => verdict === 'deny');
  // One side that certainly denies decides, whatever is not known of the others.
  const isCertainlyDenied = denies.some(({ doubts }) => doubts.length === 0);
  const doubts = isCertainlyDenied
    ? []
    : [
        ...sides.flatMap((side) => side.doubts),
        ...hostDoubts(hostEndpoints),
        ...unknownPods(cluster, source, destination),
      ];
  return {
    verdict: denies.length > 0 ? 'deny' : 'allow',
    egress,
    ingress,
    hostEndpoints,
    doubts: [...new Set(doubts)].sort(),
    flow,
  };
}

/** A node may also send to pods from the address of one of its tunnels: a doubt if the verdict is another one then. */
function tunnelDoubts(
  cluster: Cluster,
  source: End,
  destination: End,
  question: FlowQuestion,
  { verdict, flow }: Omit<FlowVerdict, 'notes'>,
): string[] {
  if (source.type !== 'host' || destination.type !== 'workload' || source.node === destination.workload.node) return [];
  const { ip } = flow.source;
  const others = source.addresses.filter((address) => address.version === ip.version && address !== ip);
  return others.flatMap((address) => {
    const other = judgeBetween(cluster, source, destination, flowOf(cluster, address, flow.destination.ip, question));
    if (other.verdict === verdict && other.doubts.length === 0) return [];
    return [`node ${source.node} may send from ${formatIp(address)}, for which the verdict is ${other.verdict}`];
  });
}

/** The verdict on a flow of one family. Both ends must have an address of it. */
export function flowVerdict(
  cluster: Cluster,
  source: End,
  destination: End,
  question: FlowQuestion,
  version: 4 | 6,
): FlowVerdict {
  const flow = flowOf(cluster, addressOf(source, version), addressOf(destination, version), question);
  const judged = judgeBetween(cluster, source, destination, flow);
  const doubts = [...judged.doubts, ...tunnelDoubts(cluster, source, destination, question, judged)];
  return { ...judged, doubts, notes: notesOf(cluster, judged, source, destination) };
}
