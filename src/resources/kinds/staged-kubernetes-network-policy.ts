// StagedKubernetesNetworkPolicy: a NetworkPolicy of Kubernetes that is not enforced yet. It is in no tier.
import { column, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { stagedKubernetesNetworkPolicyRules } from '../rules/policy.ts';
import { goLabelSelector, kubernetesPolicyFields } from './kubernetes-policy-fields.ts';
import { stagedActionField } from './policy-fields.ts';

const spec = fields(() => ({ stagedAction: stagedActionField, ...kubernetesPolicyFields() }));

export interface StagedKubernetesNetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

export const stagedKubernetesNetworkPolicy: Kind<StagedKubernetesNetworkPolicy> = {
  kind: 'StagedKubernetesNetworkPolicy',
  about: 'A Kubernetes NetworkPolicy that is not enforced, to see what it would do.',
  aliases: [
    'stagedkubernetesnetworkpolicy',
    'stagedkubernetesnetworkpolicies',
    'stagedkubernetespolicy',
    'stagedkubernetespolicies',
    'sknp',
    'skpol',
    'skpols',
  ],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'stagedkubernetesnetworkpolicies' },
  isRecent: true,
  fields: { spec },
  rules: stagedKubernetesNetworkPolicyRules,
  codec: customResource,
  columns: {
    default: [nameColumn],
    wide: [nameColumn, column('PODSELECTOR', ({ spec }) => goLabelSelector(spec.podSelector ?? {}))],
  },
};
