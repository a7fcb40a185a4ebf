// NetworkPolicy: Calico's policy of a namespace. That of Kubernetes is in kubernetes-network-policy.ts.
import { policyResource } from '../convert/policy.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { isKubernetesPolicy } from '../policy-names.ts';
import { refusedNames } from '../refusals.ts';
import { networkPolicyRules } from '../rules/policy.ts';
import { networkPolicyFields, policyColumns, policyNaming, policyOrder } from './policy-fields.ts';

const spec = fields(networkPolicyFields);

export interface NetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

export const networkPolicy: Kind<NetworkPolicy> = {
  kind: 'NetworkPolicy',
  about: 'Rules for the traffic of pods in one namespace.',
  aliases: ['networkpolicy', 'networkpolicies', 'policy', 'policies', 'np', 'pol', 'pols'],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'networkpolicies' },
  fields: { spec },
  rules: networkPolicyRules,
  codec: policyResource,
  naming: policyNaming,
  refusals: refusedNames(
    isKubernetesPolicy,
    'kubernetes network policies must be managed through the kubernetes API',
    'change the NetworkPolicy of Kubernetes that it is a copy of, with kubectl',
  ),
  applied: policyOrder,
  columns: policyColumns,
};
