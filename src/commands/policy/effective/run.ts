// What calictl policy effective does: reads the cluster, and lists what applies to the pod or the host endpoints.

import type { Cluster } from '../../../policy/cluster.ts';
import { effectivePolicies, type Stage } from '../../../policy/effective.ts';
import { workloadNamed } from '../../../policy/ends.ts';
import { isUnsure } from '../../../policy/match.ts';
import type { Member } from '../../../policy/member.ts';
import { nodeNotFound } from '../../../resources/kinds/node.ts';
import { CalictlError, exitCodes } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { readCluster } from '../read-cluster.ts';
import type { EffectiveInput } from './command.ts';
import {
  type DirectionShown,
  type EffectiveShown,
  type EndpointShown,
  policyEffectiveJson,
  policyEffectiveText,
  policyEffectiveYaml,
} from './text.ts';

const stagesOfHosts: readonly Stage[] = ['untracked', 'pre-dnat', 'ordinary'];

function directionsOf(cluster: Cluster, member: Member, stages: readonly Stage[]): DirectionShown[] {
  return stages.flatMap((stage) =>
    (['ingress', 'egress'] as const)
      // Policies before the translation of addresses are for incoming flows only.
      .filter((direction) => stage !== 'pre-dnat' || direction === 'ingress')
      .map((direction) => ({ direction, stage, effective: effectivePolicies(cluster, member, direction, stage) })),
  );
}

function hostEndpointsOf(cluster: Cluster, node: string): EndpointShown[] {
  const found = cluster.hostEndpoints.filter((endpoint) => endpoint.node === node);
  if (found.length > 0) {
    return found.map((member) => ({ member, node, directions: directionsOf(cluster, member, stagesOfHosts) }));
  }
  const isKnown = cluster.objects.nodes.some(({ metadata }) => metadata.name === node);
  if (!isKnown) throw nodeNotFound(node);
  throw new CalictlError(`node ${node} has no host endpoint: no policy applies to it`, {
    code: 'NO_HOST_ENDPOINT',
    hint: 'calictl get hostendpoints lists the host endpoints',
  });
}

export async function run(ctx: Context, { pod, namespace = 'default' }: EffectiveInput): Promise<EffectiveShown> {
  const { cluster, unread } = await readCluster(ctx);
  const [first = '', second] = pod.split(/\/(.*)/s);
  if (second !== undefined && first === 'node') return { endpoints: hostEndpointsOf(cluster, second), unread };
  const member =
    second === undefined ? workloadNamed(cluster, namespace, first, true) : workloadNamed(cluster, first, second, true);
  const directions = directionsOf(cluster, member, ['ordinary']);
  return { endpoints: [{ member, node: member.node, directions }], unread };
}

export const formats = {
  text: (shown: EffectiveShown, view: View) => policyEffectiveText(shown, view),
  json: policyEffectiveJson,
  yaml: policyEffectiveYaml,
};

/** Incomplete when it is not known of a policy whether it applies, what it says, or whether there are more. */
export function exit({ endpoints }: EffectiveShown): number {
  const policies = endpoints
    .flatMap(({ directions }) => directions)
    .flatMap(({ effective: { tiers } }) => tiers)
    .flatMap((tier) => tier.policies);
  const isPartial = policies.some(({ policy, selection }) => policy.unsure !== undefined || isUnsure(selection));
  return isPartial ? exitCodes.partial : exitCodes.ok;
}
