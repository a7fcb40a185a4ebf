// NetworkPolicy of Kubernetes (networking.k8s.io): read, because Calico enforces it like its own.
import { nameColumn } from '../cells.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { kubernetesPolicyFields } from './kubernetes-policy-fields.ts';

const spec = fields(kubernetesPolicyFields);

export interface KubernetesNetworkPolicy extends KubeObject {
  spec?: Values<typeof spec>;
}

export const kubernetesNetworkPolicy: Kind<KubernetesNetworkPolicy> = {
  kind: 'NetworkPolicy',
  about: 'Rules for the traffic of pods in one namespace, as Kubernetes defines them.',
  aliases: [],
  namespaced: true,
  api: { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies' },
  fields: { spec },
  columns: { default: [nameColumn], wide: [nameColumn] },
};
