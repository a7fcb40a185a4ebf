// The register of kinds and the ways to find one.

import { type Kind, storedApiVersion, v3ApiVersion } from './kind.ts';
import { bgpConfiguration } from './kinds/bgp-configuration.ts';
import { bgpPeer } from './kinds/bgp-peer.ts';
import { blockAffinity } from './kinds/block-affinity.ts';
import { clusterInformation } from './kinds/cluster-information.ts';
import { felixConfiguration } from './kinds/felix-configuration.ts';
import { ipPool } from './kinds/ip-pool.ts';
import { ipReservation } from './kinds/ip-reservation.ts';
import { ipamBlock } from './kinds/ipam-block.ts';
import { ipamConfig } from './kinds/ipam-config.ts';
import { ipamHandle } from './kinds/ipam-handle.ts';
import { kubeControllersConfiguration } from './kinds/kube-controllers-configuration.ts';
import { lease } from './kinds/lease.ts';
import { namespace } from './kinds/namespace.ts';
import { calicoNode } from './kinds/node.ts';
import { pod } from './kinds/pod.ts';
import { service } from './kinds/service.ts';
import { workloadEndpoint } from './kinds/workload-endpoint.ts';

/** All kinds, in order of their names. */
export const kinds: readonly Kind[] = [
  bgpConfiguration,
  bgpPeer,
  blockAffinity,
  clusterInformation,
  felixConfiguration,
  ipamBlock,
  ipamConfig,
  ipamHandle,
  ipPool,
  ipReservation,
  kubeControllersConfiguration,
  lease,
  namespace,
  calicoNode,
  pod,
  service,
  workloadEndpoint,
];

const byName: ReadonlyMap<string, Kind> = new Map([
  ...kinds.map((kind) => [kind.kind, kind] as const),
  ...kinds.flatMap((kind) => (kind.native?.kind === undefined ? [] : [[kind.native.kind, kind] as const])),
]);
const byAlias: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => kind.aliases.map((alias) => [alias, kind] as const)),
);

/** The kind that has this CamelCase name in one of the APIs. */
export function kindNamed(name: string): Kind | undefined {
  return byName.get(name);
}

/** The kind that has this name on the command line, in any case. */
export function findKind(alias: string): Kind | undefined {
  return byAlias.get(alias.toLowerCase());
}

/** The kind of a manifest: stored form, or projectcalico.org/v3 for the kinds that have such a form. */
export function kindOf(apiVersion: string, kind: string): Kind | undefined {
  const found = byName.get(kind);
  if (found === undefined) return undefined;
  if (apiVersion === storedApiVersion(found)) return kind === found.kind ? found : undefined;
  return found.codec !== undefined && apiVersion === v3ApiVersion ? found : undefined;
}
