// What `ipam check` judges: everything that was read, as records small enough to hold for a whole cluster.
// It is read from a datastore by ipam-live/check/observe.ts.
import type { CalicoApi } from '../resources/kind.ts';
import type { BlockAffinity } from '../resources/kinds/block-affinity.ts';
import type { ClusterInformation } from '../resources/kinds/cluster-information.ts';
import type { IPPool } from '../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../resources/kinds/ipam-config.ts';
import type { KubeControllersConfiguration } from '../resources/kinds/kube-controllers-configuration.ts';
import type { OptionalKind } from './invariant.ts';

export interface HandleRecord {
  /** Object name: the handle id in lower case. */
  readonly name: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** spec.handleID, case kept. */
  readonly handleId: string;
  /** The counts of addresses by the CIDR text of their block, as stored. */
  readonly block: Readonly<Record<string, number>>;
  readonly deleted: boolean;
  /** The later of creation and last recorded write (managedFields), ms since 1970; undefined when neither is recorded. */
  readonly writtenAtMs: number | undefined;
}

export interface NodeRecord {
  readonly name: string;
  /** Canonical address text of each tunnel field that is set. */
  readonly tunnels: Readonly<Partial<Record<TunnelType, string>>>;
  readonly labels: Readonly<Record<string, string>>;
  /** True when condition Ready is True, false for False and Unknown; undefined when the node has no such condition. */
  readonly ready: boolean | undefined;
  /** The canonical addresses of the machine itself: Calico's for BGP and the InternalIPs that the kubelet reports. */
  readonly addresses: readonly string[];
  /** Ranges that Kubernetes gave the node for its pods; only a host-local IPAM uses them. */
  readonly podCIDRs: readonly string[];
}

/** Values of the `type` attribute of tunnel addresses. */
export type TunnelType =
  | 'ipipTunnelAddress'
  | 'vxlanTunnelAddress'
  | 'vxlanV6TunnelAddress'
  | 'wireguardTunnelAddress'
  | 'wireguardV6TunnelAddress';

export interface PodRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly node: string | undefined;
  readonly hostNetwork: boolean;
  readonly phase: string | undefined;
  readonly reason: string | undefined;
  /** Canonical addresses of the pod (docs/reference/ipam.md#addresses-in-use), for finished pods too. */
  readonly addresses: readonly string[];
  /** Phase Failed, Succeeded or Completed, or being deleted with its address annotation emptied: holds no address. */
  readonly finished: boolean;
  readonly deleting: boolean;
  /** Annotation cni.projectcalico.org/containerID. */
  readonly containerId: string | undefined;
  /** Annotation ipAddrsNoIpam is set: its addresses are not assigned by Calico IPAM. */
  readonly noIpam: boolean;
  /** It may have more addresses: it is on additional networks, or its CNI plugin noted others than its status shows. */
  readonly moreAddresses: boolean;
  /** Canonical addresses on additional networks, as Multus reports them. */
  readonly otherAddresses: readonly string[];
  /** True when Calico's CNI plugin set up its network: it notes the container and the addresses on the pod. */
  readonly wired: boolean;
  /** Names or CIDRs of the pools that it requests its addresses from, a list for each family; none when it does not. */
  readonly pools: readonly (readonly string[])[];
}

/** A stored WorkloadEndpoint, as in folders with calicoctl exports; in Kubernetes the pods say the same. */
export interface WorkloadRecord {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | undefined;
  readonly pod: string | undefined;
  readonly containerId: string | undefined;
  readonly addresses: readonly string[];
}

export interface ServiceRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  /** spec.type is LoadBalancer. */
  readonly loadBalancer: boolean;
  readonly deleting: boolean;
  readonly loadBalancerClass: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** status.loadBalancer.ingress[].ip, canonical; hostname-only entries left out. */
  readonly ingress: readonly string[];
}

/** A kind that could not be read, and why. */
export interface UnreadKind {
  readonly kind: OptionalKind;
  readonly reason: string;
  /** When only the objects of these namespaces are missing: what belongs to another one is judged. */
  readonly namespaces?: ReadonlySet<string>;
}

export interface IpamSnapshot {
  /** The time that ages are relative to. */
  readonly now: Date;
  /** ClusterInformation default has datastoreReady: false. */
  readonly locked: boolean;
  /** The API in which the datastore keeps Calico's objects. */
  readonly calicoApi: CalicoApi;
  /** Allocations younger than this (milliseconds) are candidates; with 0 there are none. */
  readonly graceMs: number;
  readonly clusterInformation: ClusterInformation | undefined;
  /** All lists are in name order. */
  readonly pools: readonly IPPool[];
  readonly blocks: readonly IPAMBlock[];
  readonly affinities: readonly BlockAffinity[];
  readonly handles: readonly HandleRecord[];
  readonly config: IPAMConfig | undefined;
  readonly reservations: readonly IPReservation[];
  readonly nodes: readonly NodeRecord[];
  readonly pods: readonly PodRecord[];
  readonly workloads: readonly WorkloadRecord[];
  readonly services: readonly ServiceRecord[];
  readonly kubeControllers: KubeControllersConfiguration | undefined;
  readonly unread: readonly UnreadKind[];
}
