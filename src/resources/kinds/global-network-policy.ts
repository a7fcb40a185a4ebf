// GlobalNetworkPolicy: a policy for endpoints of all namespaces, and for host endpoints.
import { policyResource } from '../convert/policy.ts';
import { fields, type Values } from '../field.ts';
import { customResourceApi, type Kind, type Refusal, type WriteVerb } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { isKubernetesAdminPolicy } from '../policy-names.ts';
import { globalNetworkPolicyRules } from '../rules/policy.ts';
import { globalNetworkPolicyFields, policyColumns, policyNaming, policyOrder } from './policy-fields.ts';

const spec = fields(globalNetworkPolicyFields);

export interface GlobalNetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

function refused(verbs: readonly WriteVerb[], when: Refusal['when']): Refusal {
  return {
    verbs,
    // Calico has no such copies from 3.32 on.
    names: (name, calicoApi) => calicoApi === customResourceApi && isKubernetesAdminPolicy(name),
    when,
    // The same words for every verb.
    message: (id) =>
      `operation create or apply is not supported on ${id}: kubernetes admin network policies must be managed through the kubernetes API`,
    hint: 'change the AdminNetworkPolicy of Kubernetes that it is a copy of, with kubectl',
  };
}

const refusals = [refused(['create', 'delete'], 'asked'), refused(['update'], 'written')];

export const globalNetworkPolicy: Kind<GlobalNetworkPolicy> = {
  kind: 'GlobalNetworkPolicy',
  about: 'Rules for the traffic of pods in any namespace, and of host endpoints.',
  aliases: ['globalnetworkpolicy', 'globalnetworkpolicies', 'gnp', 'gnps'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'globalnetworkpolicies' },
  fields: { spec },
  rules: globalNetworkPolicyRules,
  codec: policyResource,
  naming: policyNaming,
  refusals,
  applied: policyOrder,
  columns: policyColumns,
};
