// StagedNetworkPolicy: a NetworkPolicy that is not enforced yet.
import { policyResource } from '../convert/policy.ts';
import { fields, type Values } from '../field.ts';
import { customResourceApi, type Kind, type Refusal, type WriteVerb } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { isKubernetesPolicy } from '../policy-names.ts';
import { stagedNetworkPolicyRules } from '../rules/policy.ts';
import { networkPolicyFields, policyColumns, policyNaming, policyOrder, stagedActionField } from './policy-fields.ts';

const spec = fields(() => ({ stagedAction: stagedActionField, ...networkPolicyFields() }));

export interface StagedNetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

/** Names of the copies of Kubernetes' policies, which are never staged. From 3.32 on Calico takes them. */
function refused(verb: WriteVerb, when: Refusal['when'], words: string): Refusal {
  return {
    verbs: [verb],
    names: (name, calicoApi) => calicoApi === customResourceApi && isKubernetesPolicy(name),
    when,
    message: () => `operation ${words}`,
    hint: 'stage a policy of Kubernetes as a StagedKubernetesNetworkPolicy',
  };
}

const refusals = [
  refused(
    'create',
    'written',
    'Create is not supported on knp.default.: Cannot create a StagedNetworkPolicy with that name prefix',
  ),
  refused(
    'update',
    'written',
    'Update is not supported on knp.default.: Cannot creaupdatete a StagedNetworkPolicy with that name prefix',
  ),
  refused(
    'delete',
    'asked',
    'Delete is not supported on knp.default.: No staged network policies should be available to be deleted for the knp prefix',
  ),
];

export const stagedNetworkPolicy: Kind<StagedNetworkPolicy> = {
  kind: 'StagedNetworkPolicy',
  about: 'A NetworkPolicy that is not enforced, to see what it would do.',
  aliases: ['stagednetworkpolicy', 'stagednetworkpolicies', 'stagedpolicy', 'stagedpolicies', 'snp', 'spol', 'spols'],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'stagednetworkpolicies' },
  isRecent: true,
  fields: { spec },
  rules: stagedNetworkPolicyRules,
  codec: policyResource,
  naming: policyNaming,
  refusals,
  applied: policyOrder,
  columns: policyColumns,
};
