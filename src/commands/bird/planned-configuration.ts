// What the commands on BIRD's configuration read from the datastore, and the configurations that they make of it.

import type { BgpPlan } from '../../bgp/desired-sessions.ts';
import { type BirdConfiguration, birdConfiguration } from '../../bird-config/bird-files.ts';
import type { BirdEnvironment, BirdObjects, Passwords } from '../../bird-config/objects.ts';
import type { Datastore } from '../../datastore/datastore.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import { bgpFilter } from '../../resources/kinds/bgp-filter.ts';
import { blockAffinity, isDeletedAffinity } from '../../resources/kinds/block-affinity.ts';
import { endpointSlice } from '../../resources/kinds/endpoint-slice.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import { service } from '../../resources/kinds/service.ts';
import { CalictlError } from '../../world/errors.ts';
import { plannedBgp } from '../node/bgp-plan.ts';
import { listUnlessRefused } from '../node/network-objects.ts';

export interface PlannedConfiguration {
  readonly nodes: readonly CoreNode[];
  readonly plan: BgpPlan;
  readonly objects: BirdObjects;
}

/** Errors: those of the store; CalictlError for a kind that may not be read, since nothing can be said without it. */
export async function plannedConfiguration(store: Datastore, signal: AbortSignal): Promise<PlannedConfiguration> {
  const options = { signal, mode: 'scan' } as const;
  const refused: UnreadKind[] = [];
  const [planned, bgpFilters, affinities] = await Promise.all([
    plannedBgp(store, signal),
    listUnlessRefused(store, bgpFilter, options, refused),
    listUnlessRefused(store, blockAffinity, options, refused),
  ]);
  const spec = planned.bgpConfigurations.find(({ metadata }) => metadata.name === 'default')?.spec;
  const ranges = [spec?.serviceClusterIPs, spec?.serviceExternalIPs, spec?.serviceLoadBalancerIPs];
  // As Calico does: services are not looked at unless some of their addresses are advertised.
  const [services, endpointSlices] = ranges.some((list) => (list ?? []).length > 0)
    ? await Promise.all([
        listUnlessRefused(store, service, options, refused),
        listUnlessRefused(store, endpointSlice, options, refused),
      ])
    : [[], []];
  const [unread] = [...(planned.refused ?? []), ...refused];
  if (unread !== undefined) {
    throw new CalictlError(
      `${unread.kind} objects cannot be read, and the configuration depends on them: ${unread.reason}`,
      {
        code: 'BIRD_CONFIG_UNREAD',
        hint: 'ask for permission to list this kind',
      },
    );
  }
  const { nodes, plan, pools, bgpConfigurations } = planned;
  const kept = affinities.filter((affinity) => !isDeletedAffinity(affinity));
  return {
    nodes,
    plan,
    objects: { nodes, bgpConfigurations, bgpFilters, pools, affinities: kept, services, endpointSlices },
  };
}

/** The configuration of a node, or why it cannot be made. */
export type NodeConfiguration =
  | BirdConfiguration
  | { readonly node: string; readonly files: undefined; readonly error: CalictlError };

export function configurationOf(
  { plan, objects }: PlannedConfiguration,
  node: string,
  environment: BirdEnvironment,
  passwords: Passwords,
): NodeConfiguration {
  try {
    return birdConfiguration(node, plan, objects, environment, passwords);
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    return { node, files: undefined, error };
  }
}

/** Why configurations cannot be made. An object that no node's configuration can contain is one cause, not one for each node. */
export function distinctErrors(errors: readonly (CalictlError | undefined)[]): readonly CalictlError[] {
  return [...new Map(errors.flatMap((error) => (error === undefined ? [] : [[error.message, error]]))).values()];
}

/** For people: what is remarked on, each line with its nodes. */
export function remarkLines(configurations: readonly NodeConfiguration[]): string[] {
  const nodesByText = new Map<string, string[]>();
  for (const configuration of configurations) {
    if (configuration.files === undefined) continue;
    for (const { message, refused } of configuration.remarks) {
      const text = refused ? `${message}; BIRD refuses the configuration` : message;
      nodesByText.set(text, [...(nodesByText.get(text) ?? []), configuration.node]);
    }
  }
  return [...nodesByText].map(([text, nodes]) => `${[...new Set(nodes)].join(', ')}: ${text}`);
}
