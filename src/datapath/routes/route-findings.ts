// What is wrong with a route that should be there: missing, different in a way that does not matter to packets, or leading
// elsewhere. Each as a finding with its next step.

import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults } from '../../faults/faults.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import { listed } from '../../text/wording.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { isSameSubnet, type Network, type ServiceRange } from '../expected/network.ts';
import type { ExpectedRoute } from '../expected/routes.ts';
import { nextHopUnreachable, whyMissing } from './bird-explanation.ts';
import { becauseOfObjects, type RouteFinding, rangesOverlapHint, routeFinding } from './comparison.ts';
import { isForeign } from './foreign.ts';
import type { Context, LocalView } from './local-view.ts';
import { hopText, type Match } from './match.ts';

const foreignHint = 'find out what adds it and why: packets to pods must not take it';

/** `pod shop/cart-0 (10.0.0.1)`. */
const podText = ({ why, destination }: ExpectedRoute): string => `${why} (${formatIp(destination.base)})`;

/** A route that the kernel filter of BIRD keeps out because its range is advertised for services. */
export function inServiceRange(route: ExpectedRoute, { field }: ServiceRange): RouteFinding {
  return {
    ...routeFinding(
      faults.rangesOverlap,
      `the route to ${route.text} is kept out of the kernel: the range is advertised for services`,
      rangesOverlapHint(field),
    ),
    because: becauseOfObjects,
  };
}

export function missingFinding(
  route: ExpectedRoute,
  network: Network,
  state: NodeState,
  view: LocalView,
): RouteFinding {
  switch (route.subject) {
    case 'workload':
      return routeFinding(
        faults.podRouteMissing,
        `the route to ${podText(route)} is missing`,
        `Felix writes it: check that it runs on this node, and read its log (calictl node status ${state.node})`,
      );
    case 'own block':
      if (network.addressSource === 'host-local') return podCidrFinding(route, state);
      return routeFinding(
        faults.blackholeMissing,
        `the blackhole for the node's own block ${route.text} is missing: packets to free addresses leave the node`,
        endingAdvice.restartForRoutes.hint,
      );
    default:
      return whyMissing(route, network, state, view, view.bird?.get(route.text)?.[0]);
  }
}

/** F103: what announces a pod CIDR also writes a blackhole for it. */
function podCidrFinding(route: ExpectedRoute, state: NodeState): RouteFinding {
  return routeFinding(
    faults.podCidrNotAnnounced,
    `${state.node} does not announce its pod CIDR ${route.text}: other nodes need one route per pod`,
    'set USE_POD_CIDR=true in the environment of calico-node',
  );
}

/** A route that leads the right way, but is not as Calico writes it. */
export function minorFinding(
  match: Match,
  route: KernelRoute,
  destination: string,
  felix: FelixSettings,
): RouteFinding {
  const [aspect] = match.minor;
  if (aspect === 'mtu') {
    const message = `the route to ${destination} has MTU ${route.mtu}, not that of its device`;
    return routeFinding(faults.mtuWrong, message, endingAdvice.restartForRoutes.hint);
  }
  if (aspect === 'onlink') {
    const message = `the route to ${destination} is not marked onlink`;
    return routeFinding(faults.remoteRouteWrong, message, endingAdvice.restartForRoutes.hint, 'warning');
  }
  const protocol = protocolName(route.protocol);
  if (isForeign(route, felix)) {
    const message = `the route to ${destination} has protocol ${protocol}, not one of Calico's: it stays when Calico's routes change`;
    return routeFinding(faults.foreignRoute, message, foreignHint, 'warning');
  }
  return routeFinding(
    faults.routeOwnerWrong,
    `the route to ${destination} has protocol ${protocol}, expected ${match.form.protocols.join(' or ')}`,
    'let either Felix or BIRD program these routes: FelixConfiguration programClusterRoutes',
  );
}

/** The next hops that are wrong, each with the node that has its address. */
function wrongHopsText({ wrongHops }: Match, network: Network): string {
  const owner = (gateway: IpAddress): string => {
    const node = [...network.nodes.values()].find(({ addresses }) =>
      isSameAddress(addresses[gateway.version]?.address, gateway),
    );
    return node === undefined ? formatIp(gateway) : `${formatIp(gateway)} (${node.name})`;
  };
  const texts = wrongHops.map((hop) => (hop.gateway === undefined ? hopText(hop) : owner(hop.gateway)));
  return texts.length === 0 ? '' : `: ${listed(texts)}`;
}

/** A route to another node that sends packets elsewhere. */
function remoteFinding(route: ExpectedRoute, match: Match, winner: KernelRoute, context: Context): RouteFinding {
  const { network, state, view } = context;
  const { destination, peer = '' } = route;
  const { version } = destination;
  const local = network.nodes.get(state.node);
  const remote = network.nodes.get(peer);
  // BIRD writes this to the kernel when nothing leads to the next hop.
  if (winner.type === 'unreachable') {
    return nextHopUnreachable(network, state.node, destination, view.bird?.get(route.text)?.[0]);
  }
  const address = remote?.addresses[version]?.address;
  const to = `${peer}${address === undefined ? '' : ` (${formatIp(address)})`}`;
  const message = `the route to ${route.text} of ${to} has the wrong ${match.major.join(' and ')}${wrongHopsText(match, network)}`;
  const isOnLink = local !== undefined && remote !== undefined && isSameSubnet(local, remote, version);
  const hint =
    winner.nextHops.length > 1
      ? `packets are spread over all next hops: find out with calictl node status -o wide what announces it besides ${peer}`
      : isOnLink && match.major.includes('gateway') && match.form.device === undefined
        ? `${peer} is in the subnet of this node and must be the next hop itself: find out what leads to it through a router (ip route get ${address === undefined ? peer : formatIp(address)}, nextHopMode of the peers)`
        : `check whether ${peer} changed its address, or the pool its encapsulation; ${endingAdvice.restartForRoutes.hint}`;
  return routeFinding(faults.remoteRouteWrong, message, hint);
}

/** A route that sends packets elsewhere. */
export function majorFinding(
  route: ExpectedRoute,
  match: Match,
  winner: KernelRoute,
  isMasking: boolean,
  context: Context,
): RouteFinding {
  const destination = route.text;
  const how = `has the wrong ${match.major.join(' and ')}`;
  if (isMasking) {
    const protocol = protocolName(winner.protocol);
    const message = `a route with protocol ${protocol} to ${destination} takes precedence over Calico's: it ${how}`;
    return routeFinding(faults.foreignRoute, message, foreignHint);
  }
  if (route.subject === 'workload') {
    return routeFinding(
      faults.podRouteWrong,
      `the route to ${podText(route)} ${how}`,
      `find out which pod has the address: calictl ipam show --ip ${formatIp(route.destination.base)}, calictl ipam check`,
    );
  }
  if (route.subject === 'own block') {
    const message = `the node's own block ${destination} is not a blackhole: packets to free addresses go elsewhere`;
    return routeFinding(faults.blackholeMissing, message, endingAdvice.restartForRoutes.hint);
  }
  return remoteFinding(route, match, winner, context);
}
