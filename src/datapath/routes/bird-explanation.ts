// What BIRD says about a route that the kernel does not have: unreachable, not installed, not learned and why.
// With VXLAN pools BIRD's routes are no evidence: its table holds them, its kernel filter keeps them out.
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { BirdProtocol, BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { type Network, poolAround } from '../expected/network.ts';
import type { ExpectedRoute } from '../expected/routes.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand } from './comparison.ts';

type Explanation = Pick<RouteFinding, 'id' | 'message' | 'hint'>;

/** True when BIRD has the route and cannot use it: nothing leads to its next hop. */
function isUnreachable({ target, metric }: BirdRoute): boolean {
  return target === 'unreachable' || metric === '-';
}

/** A route of BIRD's whose next hop cannot be reached. */
export function unreachable(destination: string): Explanation {
  return {
    id: 'F93',
    message: `BIRD has the route to ${destination}, but nothing leads to its next hop`,
    hint: 'see whether ignoredInterfaces hides the uplink, and whether this node has a route to the next hop',
  };
}

function notInstalled(destination: string, waits: boolean): Explanation {
  return {
    id: 'F97',
    message: `BIRD has the route to ${destination}, the kernel does not${waits ? ': BIRD still waits for its peers after a restart' : ''}`,
    hint: waits
      ? 'wait until the graceful restart is over, or remove peers that do not answer'
      : 'look for "Netlink:" in the log of BIRD, and for another route of the same destination',
  };
}

function sessionText(protocol: BirdProtocol): string {
  return `${protocol.state} ${protocol.info}`.trim();
}

/** What the session with the other node has to do with it. */
function bySession(peer: string, state: NodeState, network: Network, version: 4 | 6): { cause: string; hint: string } {
  const { status, protocols } = state.bird[version];
  if (!protocols.seen) {
    return {
      cause: `BIRD was not seen (${status.seen ? protocols.why : status.why})`,
      hint: 'see whether BIRD runs: calictl node status',
    };
  }
  const address = network.nodes.get(peer)?.addresses[version]?.address;
  const session = protocols.value.find(
    ({ bgp }) => address !== undefined && isSameAddress(bgp?.neighborAddress, address),
  );
  if (session === undefined) {
    return {
      cause: `BIRD has no session with ${peer}${address === undefined ? '' : ` (${formatIp(address)})`}, and no other peer tells of it`,
      hint: 'see the peers of both nodes: calictl node status, calictl node bgp',
    };
  }
  if (session.state !== 'up') {
    return {
      cause: `BGP with ${peer} is not established (${session.name}: ${sessionText(session)})`,
      hint: `get the session up: calictl node status ${state.node} ${peer}`,
    };
  }
  return {
    cause: `BGP with ${peer} is established, but the route is not learned`,
    hint: 'see whether a filter keeps it back, and whether the block is claimed by that node: calictl ipam check',
  };
}

/** Why a route to another node is not in the kernel. */
export function whyMissing(
  route: ExpectedRoute,
  network: Network,
  state: NodeState,
  inBird: BirdRoute | undefined,
): Explanation {
  const destination = formatCidr(route.destination);
  const { version } = route.destination;
  const peer = route.peer ?? '';
  const base = `no route to ${destination} of ${peer}: packets take the default route`;
  const isOfBird = route.forms.some(({ protocols }) => protocols.includes('bird'));
  if (!isOfBird) {
    return {
      id: 'F44',
      message: base,
      hint: 'see whether Felix runs on this node and what it logs; restart calico-node',
    };
  }
  if (inBird !== undefined) {
    if (isUnreachable(inBird)) return unreachable(destination);
    const { status } = state.bird[version];
    return notInstalled(destination, status.seen && status.value.gracefulRestart !== undefined);
  }
  const { cause, hint } = bySession(peer, state, network, version);
  return { id: 'F44', message: `${base}; ${cause}`, hint };
}

/** Routes in pools that BIRD would give to the kernel and that are not there, beside the expected ones. */
export function missingInKernel(
  network: Network,
  node: string,
  version: 4 | 6,
  bird: ReadonlyMap<string, BirdRoute> | undefined,
  byDestination: ReadonlyMap<string, readonly KernelRoute[]>,
  known: ReadonlySet<string>,
): RouteComparison[] {
  const felix = network.felix(node);
  return [...(bird ?? [])].flatMap(([destination, route]): RouteComparison[] => {
    const kind = poolAround(network.pools, route.destination)?.encapsulation.kind;
    const owner = kind === 'ipip' ? felix.ipipOwner : kind === 'none' ? felix.plainOwner : 'felix';
    const forwards = route.target === 'via' || route.target === 'unreachable';
    if (owner !== 'bird' || !forwards || known.has(destination) || byDestination.has(destination)) return [];
    const { id, message, hint } = isUnreachable(route) ? unreachable(destination) : notInstalled(destination, false);
    return [
      {
        ...{ node, version, destination, expected: 'as BIRD has it', seen: nothing, verdict: 'missing' },
        ...{ why: `BIRD learned it from ${route.protocol}`, peer: undefined, subject: undefined },
        finding: { id, severity: 'error', message, hint },
        command: routeCommand(version, destination),
      },
    ];
  });
}
