// ClusterNetworkPolicy: read only, because Calico enforces it like its own policies.
import { nameColumn } from '../cells.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { clusterPolicyFields } from './admin-policy-fields.ts';

const spec = fields(clusterPolicyFields);

export interface ClusterNetworkPolicy extends KubeObject {
  spec?: Values<typeof spec>;
}

export const clusterNetworkPolicy: Kind<ClusterNetworkPolicy> = {
  kind: 'ClusterNetworkPolicy',
  about: 'What traffic pods may have, before or after the policies of their namespaces.',
  aliases: [],
  namespaced: false,
  api: { group: 'policy.networking.k8s.io', version: 'v1alpha2', plural: 'clusternetworkpolicies' },
  fields: { spec },
  isRecent: true,
  columns: { default: [nameColumn], wide: [nameColumn] },
};
