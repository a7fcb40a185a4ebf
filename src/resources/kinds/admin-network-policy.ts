// AdminNetworkPolicy: read only, because Calico enforces it like its own policies.
import { nameColumn } from '../cells.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { adminPolicyFields } from './admin-policy-fields.ts';

const spec = fields(adminPolicyFields);

export interface AdminNetworkPolicy extends KubeObject {
  spec?: Values<typeof spec>;
}

export const adminNetworkPolicy: Kind<AdminNetworkPolicy> = {
  kind: 'AdminNetworkPolicy',
  about: 'What traffic pods may have, before the policies of their namespaces.',
  aliases: [],
  namespaced: false,
  api: { group: 'policy.networking.k8s.io', version: 'v1alpha1', plural: 'adminnetworkpolicies' },
  fields: { spec },
  isRecent: true,
  columns: { default: [nameColumn], wide: [nameColumn] },
};
