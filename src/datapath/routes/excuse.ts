// Routes that are missing for a good reason.

import { cidrContains } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { isSameAddress, routeTo } from '../../node-state/lookups.ts';
import { protocolName } from '../expected/felix-settings.ts';
import { isRead } from '../expected/network.ts';
import type { ExpectedRoute } from '../expected/routes.ts';
import type { Context } from './local-view.ts';

/** True when the fabric knows the way: a wider route by BGP, where no session with that node would bring its own. */
function isCoveredByFabric(route: ExpectedRoute, { network, state, view }: Context): boolean {
  const { destination, forms, peer } = route;
  if (!forms.some(({ protocols, device }) => protocols.includes('bird') && device === undefined)) return false;
  const covering = routeTo(view.routes, destination.base);
  if (covering === undefined || covering.type !== 'unicast' || protocolName(covering.protocol) !== 'bird') return false;
  if (covering.destination.prefix >= destination.prefix) return false;
  const { protocols } = state.bird[destination.version];
  // Without BIRD's words a default route proves nothing: it may have been there before.
  if (!protocols.seen) return covering.destination.prefix > 0;
  const address = network.nodes.get(peer ?? '')?.addresses[destination.version]?.address;
  return !protocols.value.some(({ bgp }) => address !== undefined && isSameAddress(bgp?.neighborAddress, address));
}

/** True when each live pod there has a route of its own: host-local IPAM that calico-node does not know about. */
function areRoutedOneByOne(route: ExpectedRoute, { network, view }: Context): boolean {
  if (network.addressSource !== 'host-local' || route.subject !== 'remote block') return false;
  const addresses = (network.workloads.get(route.peer ?? '') ?? [])
    .filter(({ settled }) => settled)
    .flatMap((workload) => workload.addresses.filter((address) => cidrContains(route.destination, address)));
  const routed = view.hostRoutes();
  return addresses.every((address) => routed.has(formatIp(address)));
}

/** Why a route need not be there; undefined when it must. */
export function excuse(route: ExpectedRoute, context: Context): string | undefined {
  if (!route.required) return '';
  if (!isRead(context.network, 'IPAMBlock')) return '';
  switch (route.subject) {
    case 'workload':
    case 'own block':
      return undefined;
    default:
      if (isCoveredByFabric(route, context)) return 'covered by a wider route of BIRD';
      return areRoutedOneByOne(route, context) ? 'one route per pod' : undefined;
  }
}
