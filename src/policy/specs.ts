// The fields of policies that decide, as objects hold them. Only types: objects are read as they are stored, with fields
// that nobody checked, so everything may be absent.
import type { LabelSelector } from './labels.ts';

type Maybe<T> = T | null | undefined;
type MaybeList<T> = Maybe<readonly T[]>;

/** One side of a rule of Calico. */
export interface EntitySpec {
  readonly nets?: MaybeList<string>;
  readonly notNets?: MaybeList<string>;
  readonly selector?: Maybe<string>;
  readonly notSelector?: Maybe<string>;
  readonly namespaceSelector?: Maybe<string>;
  readonly ports?: MaybeList<number | bigint | string>;
  readonly notPorts?: MaybeList<number | bigint | string>;
  readonly serviceAccounts?: Maybe<{ readonly names?: MaybeList<string>; readonly selector?: Maybe<string> }>;
  readonly services?: Maybe<{ readonly name?: Maybe<string>; readonly namespace?: Maybe<string> }>;
}

export interface IcmpSpec {
  readonly type?: Maybe<number | bigint>;
  readonly code?: Maybe<number | bigint>;
}

/** A rule of Calico. */
export interface RuleSpec {
  readonly action?: Maybe<string>;
  readonly ipVersion?: Maybe<number | bigint>;
  readonly protocol?: Maybe<number | bigint | string>;
  readonly notProtocol?: Maybe<number | bigint | string>;
  readonly icmp?: Maybe<IcmpSpec>;
  readonly notICMP?: Maybe<IcmpSpec>;
  readonly source?: Maybe<EntitySpec>;
  readonly destination?: Maybe<EntitySpec>;
  readonly http?: unknown;
}

/** A NetworkPolicy or GlobalNetworkPolicy of Calico, enforced or staged. */
export interface CalicoPolicySpec {
  readonly tier?: Maybe<string>;
  readonly order?: Maybe<number | bigint>;
  readonly selector?: Maybe<string>;
  readonly namespaceSelector?: Maybe<string>;
  readonly serviceAccountSelector?: Maybe<string>;
  readonly types?: MaybeList<string>;
  readonly ingress?: MaybeList<RuleSpec>;
  readonly egress?: MaybeList<RuleSpec>;
  readonly doNotTrack?: Maybe<boolean>;
  readonly preDNAT?: Maybe<boolean>;
  readonly applyOnForward?: Maybe<boolean>;
  readonly stagedAction?: Maybe<string>;
}

interface KubernetesPeerSpec {
  readonly podSelector?: Maybe<LabelSelector>;
  readonly namespaceSelector?: Maybe<LabelSelector>;
  readonly ipBlock?: Maybe<{ readonly cidr?: Maybe<string>; readonly except?: MaybeList<string> }>;
}

interface KubernetesPortSpec {
  readonly protocol?: Maybe<string>;
  readonly port?: Maybe<number | bigint | string>;
  readonly endPort?: Maybe<number | bigint>;
}

export interface KubernetesRuleSpec {
  readonly from?: MaybeList<KubernetesPeerSpec>;
  readonly to?: MaybeList<KubernetesPeerSpec>;
  readonly ports?: MaybeList<KubernetesPortSpec>;
}

/** A NetworkPolicy of Kubernetes. */
export interface KubernetesPolicySpec {
  readonly podSelector?: Maybe<LabelSelector>;
  readonly policyTypes?: MaybeList<string>;
  readonly ingress?: MaybeList<KubernetesRuleSpec>;
  readonly egress?: MaybeList<KubernetesRuleSpec>;
  readonly stagedAction?: Maybe<string>;
}

interface NamespacedPodsSpec {
  readonly namespaceSelector?: Maybe<LabelSelector>;
  readonly podSelector?: Maybe<LabelSelector>;
}

export interface AdminPeerSpec {
  readonly namespaces?: Maybe<LabelSelector>;
  readonly pods?: Maybe<NamespacedPodsSpec>;
  readonly networks?: MaybeList<string>;
}

interface PortRangeSpec {
  readonly start?: Maybe<number | bigint>;
  readonly end?: Maybe<number | bigint>;
}

/** A port of an AdminNetworkPolicy. */
export interface AdminPortSpec {
  readonly portNumber?: Maybe<{ readonly protocol?: Maybe<string>; readonly port?: Maybe<number | bigint> }>;
  readonly portRange?: Maybe<PortRangeSpec & { readonly protocol?: Maybe<string> }>;
  readonly namedPort?: Maybe<string>;
}

interface ClusterPortSpec {
  readonly destinationPort?: Maybe<{ readonly number?: Maybe<number | bigint>; readonly range?: Maybe<PortRangeSpec> }>;
}

/** A protocol of a ClusterNetworkPolicy. */
export interface ClusterProtocolSpec {
  readonly tcp?: Maybe<ClusterPortSpec>;
  readonly udp?: Maybe<ClusterPortSpec>;
  readonly sctp?: Maybe<ClusterPortSpec>;
  readonly destinationNamedPort?: Maybe<string>;
}

export interface AdminRuleSpec {
  readonly name?: Maybe<string>;
  readonly action?: Maybe<string>;
  readonly from?: MaybeList<AdminPeerSpec>;
  readonly to?: MaybeList<AdminPeerSpec>;
  readonly ports?: MaybeList<AdminPortSpec>;
  readonly protocols?: MaybeList<ClusterProtocolSpec>;
}

/** An AdminNetworkPolicy, BaselineAdminNetworkPolicy or ClusterNetworkPolicy. */
export interface AdminPolicySpec {
  readonly tier?: Maybe<string>;
  readonly priority?: Maybe<number | bigint>;
  readonly subject?: Maybe<{ readonly namespaces?: Maybe<LabelSelector>; readonly pods?: Maybe<NamespacedPodsSpec> }>;
  readonly ingress?: MaybeList<AdminRuleSpec>;
  readonly egress?: MaybeList<AdminRuleSpec>;
}
