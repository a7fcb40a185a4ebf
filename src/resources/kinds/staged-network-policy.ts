// StagedNetworkPolicy: a NetworkPolicy that is not enforced yet.
import { policyResource } from '../convert/policy.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { stagedNetworkPolicyRules } from '../rules/policy.ts';
import { networkPolicyFields, policyColumns, policyNaming, policyOrder, stagedActionField } from './policy-fields.ts';

const spec = fields(() => ({ stagedAction: stagedActionField, ...networkPolicyFields() }));

export interface StagedNetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

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
  applied: policyOrder,
  columns: policyColumns,
};
