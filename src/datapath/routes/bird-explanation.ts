// What BIRD says about a route that the kernel does not have: next hop unreachable, not installed, not learned and why.
// For VXLAN pools BIRD's routes prove nothing: its table holds them, and its kernel filter keeps them out.
import { faults } from '../../faults/faults.ts';
import { sharedHints } from '../../faults/shared-findings.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { BirdProtocol, BirdRoute } from '../../node-state/bird/bird.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isSameAddress, isUnresolved } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { type Network, poolAround } from '../expected/network.ts';
import type { ExpectedRoute } from '../expected/routes.ts';
import { nothing, type RouteComparison, type RouteFinding, routeCommand, routeFinding } from './comparison.ts';

/** BIRD has the route, and its next hop cannot be reached. */
export function nextHopUnreachable(destination: string): RouteFinding {
  const message = `BIRD has the route to ${destination}, but nothing leads to its next hop`;
  return routeFinding(faults.nextHopUnreachable, message, sharedHints.nextHopUnreachable);
}

function notInstalled(destination: string, isRecovering: boolean): RouteFinding {
  const message = `BIRD has the route to ${destination}, but the kernel does not`;
  return isRecovering
    ? routeFinding(
        faults.routeNotInstalled,
        `${message}: BIRD still waits for its peers after a restart`,
        'wait until the graceful restart is over, or remove peers that do not answer',
      )
    : routeFinding(faults.routeNotInstalled, message, sharedHints.routeNotInstalled);
}

function sessionText(protocol: BirdProtocol): string {
  return `${protocol.state} ${protocol.info}`.trim();
}

/** How the session with the other node explains it. */
function bySession(peer: string, state: NodeState, network: Network, version: 4 | 6): { cause: string; hint: string } {
  const { status, protocols } = state.bird[version];
  if (!protocols.seen) {
    return {
      cause: `BIRD could not be read (${status.seen ? protocols.why : status.why})`,
      hint: 'check whether BIRD runs: calictl node status',
    };
  }
  const address = network.nodes.get(peer)?.addresses[version]?.address;
  const session = protocols.value.find(
    ({ bgp }) => address !== undefined && isSameAddress(bgp?.neighborAddress, address),
  );
  if (session === undefined) {
    return {
      cause: `BIRD has no session with ${peer}${address === undefined ? '' : ` (${formatIp(address)})`}, and no other peer announces it`,
      hint: 'check the peers of both nodes: calictl node status, calictl node bgp',
    };
  }
  if (session.state !== 'up') {
    return {
      cause: `BGP with ${peer} is not established (${session.name}: ${sessionText(session)})`,
      hint: `bring the session up: calictl node status ${state.node} ${peer}`,
    };
  }
  return {
    cause: `BGP with ${peer} is established, but the route is not learned`,
    hint: 'check whether a filter rejects it, and whether the block has an affinity to that node: calictl ipam check',
  };
}

/** Why a route to another node is not in the kernel. */
export function whyMissing(
  route: ExpectedRoute,
  network: Network,
  state: NodeState,
  inBird: BirdRoute | undefined,
): RouteFinding {
  const destination = formatCidr(route.destination);
  const { version } = route.destination;
  const peer = route.peer ?? '';
  const message = `no route to ${destination} of ${peer}: packets take the default route`;
  const isOfBird = route.forms.some(({ protocols }) => protocols.includes('bird'));
  if (!isOfBird) {
    const hint = 'check that Felix runs on this node, and read its log; restart calico-node';
    return routeFinding(faults.remoteRouteMissing, message, hint);
  }
  if (inBird !== undefined) {
    if (isUnresolved(inBird)) return nextHopUnreachable(destination);
    const { status } = state.bird[version];
    return notInstalled(destination, status.seen && status.value.gracefulRestart !== undefined);
  }
  const { cause, hint } = bySession(peer, state, network, version);
  return routeFinding(faults.remoteRouteMissing, `${message}; ${cause}`, hint);
}

/** Routes in pools that BIRD has for the kernel and the kernel does not have, in addition to the expected ones. */
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
    return [
      {
        node,
        version,
        subject: undefined,
        destination,
        expected: 'as BIRD has it',
        seen: nothing,
        verdict: 'missing',
        why: `BIRD learned it from ${route.protocol}`,
        peer: undefined,
        finding: isUnresolved(route) ? nextHopUnreachable(destination) : notInstalled(destination, false),
        command: routeCommand(version, destination),
      },
    ];
  });
}
