// The register of kinds and the ways to find one.

import { closest } from '../text/closest.ts';
import { isCalicoKind, type Kind, storedApiVersion, storedIn, v3ApiVersion } from './kind.ts';
import { adminNetworkPolicy } from './kinds/admin-network-policy.ts';
import { baselineAdminNetworkPolicy } from './kinds/baseline-admin-network-policy.ts';
import { bgpConfiguration } from './kinds/bgp-configuration.ts';
import { bgpFilter } from './kinds/bgp-filter.ts';
import { bgpPeer } from './kinds/bgp-peer.ts';
import { blockAffinity } from './kinds/block-affinity.ts';
import { calicoNodeStatus } from './kinds/calico-node-status.ts';
import { clusterInformation } from './kinds/cluster-information.ts';
import { clusterNetworkPolicy } from './kinds/cluster-network-policy.ts';
import { endpointSlice } from './kinds/endpoint-slice.ts';
import { felixConfiguration } from './kinds/felix-configuration.ts';
import { globalNetworkPolicy } from './kinds/global-network-policy.ts';
import { globalNetworkSet } from './kinds/global-network-set.ts';
import { hostEndpoint } from './kinds/host-endpoint.ts';
import { ipPool } from './kinds/ip-pool.ts';
import { ipReservation } from './kinds/ip-reservation.ts';
import { ipamBlock } from './kinds/ipam-block.ts';
import { ipamConfig } from './kinds/ipam-config.ts';
import { ipamHandle } from './kinds/ipam-handle.ts';
import { kubeControllersConfiguration } from './kinds/kube-controllers-configuration.ts';
import { kubernetesNetworkPolicy } from './kinds/kubernetes-network-policy.ts';
import { lease } from './kinds/lease.ts';
import { namespace } from './kinds/namespace.ts';
import { networkPolicy } from './kinds/network-policy.ts';
import { networkSet } from './kinds/network-set.ts';
import { calicoNode } from './kinds/node.ts';
import { pod } from './kinds/pod.ts';
import { profile } from './kinds/profile.ts';
import { secret } from './kinds/secret.ts';
import { service } from './kinds/service.ts';
import { serviceAccount } from './kinds/service-account.ts';
import { stagedGlobalNetworkPolicy } from './kinds/staged-global-network-policy.ts';
import { stagedKubernetesNetworkPolicy } from './kinds/staged-kubernetes-network-policy.ts';
import { stagedNetworkPolicy } from './kinds/staged-network-policy.ts';
import { tier } from './kinds/tier.ts';
import { workloadEndpoint } from './kinds/workload-endpoint.ts';

/** All kinds, in order of their names. */
export const kinds: readonly Kind[] = [
  adminNetworkPolicy,
  baselineAdminNetworkPolicy,
  bgpConfiguration,
  bgpFilter,
  bgpPeer,
  blockAffinity,
  calicoNodeStatus,
  clusterInformation,
  clusterNetworkPolicy,
  endpointSlice,
  felixConfiguration,
  globalNetworkPolicy,
  globalNetworkSet,
  hostEndpoint,
  ipamBlock,
  ipamConfig,
  ipamHandle,
  ipPool,
  ipReservation,
  kubeControllersConfiguration,
  lease,
  namespace,
  networkPolicy,
  kubernetesNetworkPolicy,
  networkSet,
  calicoNode,
  pod,
  profile,
  secret,
  service,
  serviceAccount,
  stagedGlobalNetworkPolicy,
  stagedKubernetesNetworkPolicy,
  stagedNetworkPolicy,
  tier,
  workloadEndpoint,
];

/** Calico's kinds last: of two kinds of one name, a name alone means Calico's. */
const byName: ReadonlyMap<string, Kind> = new Map(
  [...kinds.filter((kind) => !isCalicoKind(kind)), ...kinds.filter(isCalicoKind)].flatMap((kind) =>
    [kind.kind, kind.native?.kind ?? kind.kind].map((name) => [name, kind] as const),
  ),
);
const versionAndKind = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;
/** With the name that the kind has in each of the APIs. */
const byVersion: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => {
    const names: [apiVersion: string, name: string][] = [[storedApiVersion(kind), kind.kind]];
    if (isCalicoKind(kind)) names.push([v3ApiVersion, storedIn(kind, v3ApiVersion).kind]);
    else if (kind.codec !== undefined) names.push([v3ApiVersion, kind.kind]);
    return names.map(([apiVersion, name]) => [versionAndKind(apiVersion, name), kind] as const);
  }),
);
const byAlias: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => kind.aliases.map((alias) => [alias, kind] as const)),
);

/** The kind that has this CamelCase name in one of the APIs; the NetworkPolicy of Calico, not that of Kubernetes. */
export function kindNamed(name: string): Kind | undefined {
  return byName.get(name);
}

/** The CamelCase name of the kind, with its API group where another kind has the same name. */
export function distinctName(kind: Kind): string {
  return kindNamed(kind.kind) === kind ? kind.kind : `${kind.kind}.${kind.api.group}`;
}

/** The kind that has this name on the command line, in any case. */
export function findKind(alias: string): Kind | undefined {
  return byAlias.get(alias.toLowerCase());
}

/**
 * The name of the kind that a person probably means by a word that names none: of the kind that is derived from it, as
 * workload endpoints are from pods, or the one that is spelt almost like it. Undefined when none is close.
 */
export function similarKindName(word: string): string | undefined {
  const lower = word.toLowerCase();
  const derived = kinds.find(({ derived: derivation }) =>
    derivation?.sources.some(({ from }) => [from.kind.toLowerCase(), from.api.plural].includes(lower)),
  );
  if (derived !== undefined) return derived.aliases[0];
  // Among short names, almost every one is close to every other.
  return closest(
    lower,
    kinds.flatMap(({ aliases }) => aliases.filter((alias) => alias.length > 3)),
  );
}

/** The kind of a manifest: of one of the stored forms, or projectcalico.org/v3 for the kinds that have such a form. */
export function kindOf(apiVersion: string, kind: string): Kind | undefined {
  return byVersion.get(versionAndKind(apiVersion, kind));
}
