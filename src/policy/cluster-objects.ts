// What policies are judged by: the objects of a cluster as they were read, and what was not read.
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { Pod } from '../resources/kinds/pod.ts';
import type { WorkloadEndpoint } from '../resources/kinds/workload-endpoint-fields.ts';
import type { KubeObject } from '../resources/object.ts';

/** Objects of one cluster. Those of Calico are in the form that people see (projectcalico.org/v3). */
export interface PolicyObjects {
  readonly pods: readonly Pod[];
  /** Stored endpoints, in datastores where they are not made from pods. */
  readonly workloadEndpoints: readonly WorkloadEndpoint[];
  readonly namespaces: readonly KubeObject[];
  readonly serviceAccounts: readonly KubeObject[];
  readonly nodes: readonly CoreNode[];
  readonly hostEndpoints: readonly KubeObject[];
  readonly networkSets: readonly KubeObject[];
  readonly globalNetworkSets: readonly KubeObject[];
  readonly endpointSlices: readonly KubeObject[];
  /** Stored profiles. Those of namespaces and service accounts need no object. */
  readonly profiles: readonly KubeObject[];
  readonly tiers: readonly KubeObject[];
  readonly networkPolicies: readonly KubeObject[];
  readonly globalNetworkPolicies: readonly KubeObject[];
  readonly kubernetesNetworkPolicies: readonly KubeObject[];
  readonly adminNetworkPolicies: readonly KubeObject[];
  readonly baselineAdminNetworkPolicies: readonly KubeObject[];
  readonly clusterNetworkPolicies: readonly KubeObject[];
  readonly stagedNetworkPolicies: readonly KubeObject[];
  readonly stagedGlobalNetworkPolicies: readonly KubeObject[];
  readonly stagedKubernetesNetworkPolicies: readonly KubeObject[];
  readonly felixConfigurations: readonly KubeObject[];
}

export type ObjectList = keyof PolicyObjects;

export const noObjects: PolicyObjects = {
  pods: [],
  workloadEndpoints: [],
  namespaces: [],
  serviceAccounts: [],
  nodes: [],
  hostEndpoints: [],
  networkSets: [],
  globalNetworkSets: [],
  endpointSlices: [],
  profiles: [],
  tiers: [],
  networkPolicies: [],
  globalNetworkPolicies: [],
  kubernetesNetworkPolicies: [],
  adminNetworkPolicies: [],
  baselineAdminNetworkPolicies: [],
  clusterNetworkPolicies: [],
  stagedNetworkPolicies: [],
  stagedGlobalNetworkPolicies: [],
  stagedKubernetesNetworkPolicies: [],
  felixConfigurations: [],
};

/** Lists that were not read, or not in full, each with the reason as a sentence can continue: `NetworkSet was not read`. */
export type Unread = ReadonlyMap<ObjectList, string>;
