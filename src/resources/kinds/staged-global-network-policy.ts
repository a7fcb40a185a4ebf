// StagedGlobalNetworkPolicy: a GlobalNetworkPolicy that is not enforced yet.
import { policyResource } from '../convert/policy.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { stagedGlobalNetworkPolicyRules } from '../rules/policy.ts';
import {
  globalNetworkPolicyFields,
  policyColumns,
  policyNaming,
  policyOrder,
  stagedActionField,
} from './policy-fields.ts';

const spec = fields(() => ({ stagedAction: stagedActionField, ...globalNetworkPolicyFields() }));

export interface StagedGlobalNetworkPolicy extends KubeObject {
  spec: Values<typeof spec>;
}

export const stagedGlobalNetworkPolicy: Kind<StagedGlobalNetworkPolicy> = {
  kind: 'StagedGlobalNetworkPolicy',
  about: 'A GlobalNetworkPolicy that is not enforced, to see what it would do.',
  aliases: ['stagedglobalnetworkpolicy', 'stagedglobalnetworkpolicies', 'sgnp', 'sgnps'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'stagedglobalnetworkpolicies' },
  isRecent: true,
  fields: { spec },
  rules: stagedGlobalNetworkPolicyRules,
  codec: policyResource,
  naming: policyNaming,
  applied: policyOrder,
  columns: policyColumns,
};
