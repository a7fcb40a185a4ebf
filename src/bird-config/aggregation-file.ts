// bird_aggr.cfg: the routes that the node itself has to offer, and the function that exports its blocks as a whole.

import type { PeerRoute } from '../bgp/session.ts';
import { formatCidr, parseCidr } from '../net/cidr.ts';
import { formatIp } from '../net/ip.ts';
import { affinityState, affinityType, type BlockAffinity } from '../resources/kinds/block-affinity.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { BirdEnvironment } from './objects.ts';
import { inOrder } from './service-routes.ts';
import { block } from './syntax.ts';

export interface OwnBlock {
  readonly cidr: string;
  /** Claims that are not confirmed keep their route, and are not exported. */
  readonly confirmed: boolean;
}

/** The blocks of the node in Calico's order: those of its affinities, or its pod CIDRs where host-local IPAM uses these. */
export function ownBlocks(
  node: CoreNode,
  affinities: readonly BlockAffinity[],
  environment: BirdEnvironment,
): readonly OwnBlock[] {
  const claims = affinities.filter(
    (affinity) => affinity.spec.node === node.metadata.name && affinityType(affinity) === 'host',
  );
  const found = new Map<string, boolean>();
  const add = (text: string, confirmed: boolean): void => {
    const cidr = parseCidr(text);
    if (cidr !== undefined) found.set(formatCidr(cidr), confirmed);
  };
  if (environment.USE_POD_CIDR === 'true') {
    for (const cidr of node.spec?.podCIDRs ?? [node.spec?.podCIDR ?? '']) add(cidr, true);
  } else {
    for (const claim of claims) {
      const state = affinityState(claim);
      if (state !== 'pending') add(claim.spec.cidr, state === 'confirmed');
    }
  }
  return inOrder([...found.keys()]).map((cidr) => ({ cidr, confirmed: found.get(cidr) === true }));
}

const isOfFamily = (cidr: string, version: 4 | 6): boolean => cidr.includes(':') === (version === 6);

/** The file of one family. */
export function aggregationFile(
  version: 4 | 6,
  blocks: readonly OwnBlock[],
  services: readonly string[],
  peerRoutes: readonly PeerRoute[],
): string[] {
  const own = blocks.filter(({ cidr }) => isOfFamily(cidr, version));
  const bits = version === 4 ? 32 : 128;
  const routes = [
    ...own.filter(({ cidr }) => !cidr.endsWith(`/${bits}`)).map(({ cidr }) => `route ${cidr} blackhole;`),
    ...services.filter((cidr) => isOfFamily(cidr, version)).map((cidr) => `route ${cidr} blackhole;`),
    ...peerRoutes
      .filter(({ peer }) => peer.version === version)
      .map(({ peer, gateway }) => `route ${formatIp(peer)}/${bits} via ${formatIp(gateway)};`),
  ];
  const exported = own
    .filter(({ confirmed }) => confirmed)
    .flatMap(({ cidr }) => [`if ( net = ${cidr} ) then { accept; }`, `if ( net ~ ${cidr} ) then { reject; }`]);
  return [
    ...block('protocol static', routes),
    '',
    '# The blocks of this node are exported as a whole, and nothing inside them.',
    'function calico_aggr ()',
    '{',
    ...exported.map((line) => `  ${line}`),
    '}',
  ];
}
