// One policy, whatever kind of object it comes from: where it stands, which endpoints it is for, and its rules.
import type { MemberSelector } from './member.ts';
import type { Rule } from './rule.ts';

/** The kinds of objects that policies come from, by the names that verdicts use. */
export type PolicyKind =
  | 'NetworkPolicy'
  | 'GlobalNetworkPolicy'
  | 'StagedNetworkPolicy'
  | 'StagedGlobalNetworkPolicy'
  | 'StagedKubernetesNetworkPolicy'
  | 'KubernetesNetworkPolicy'
  | 'AdminNetworkPolicy'
  | 'BaselineAdminNetworkPolicy'
  | 'ClusterNetworkPolicy';

export type Direction = 'ingress' | 'egress';

export interface Policy {
  readonly kind: PolicyKind;
  readonly staged: boolean;
  readonly tier: string;
  readonly namespace: string | undefined;
  /** As people see it. */
  readonly name: string;
  /** What decides between policies of one order: the key under which Calico holds it. */
  readonly key: string;
  /** Infinity when it has none: then it is last. */
  readonly order: number;
  readonly selector: MemberSelector;
  /** Undefined for a direction that the policy does not govern. */
  readonly ingress: readonly Rule[] | undefined;
  readonly egress: readonly Rule[] | undefined;
  /** Only GlobalNetworkPolicies have these, and only host endpoints know them. */
  readonly doNotTrack: boolean;
  readonly preDNAT: boolean;
  readonly applyOnForward: boolean;
  readonly unsure?: UnsurePolicy | undefined;
}

/** A policy of which it is not known what it does, or that may not exist at all. */
export interface UnsurePolicy {
  /** `a selector is not valid: …`, or that objects of its kind were not read. */
  readonly because: string;
  /** What it may do with any flow, besides nothing. */
  readonly may: readonly ('Allow' | 'Deny' | 'Pass')[];
}

export const anything: UnsurePolicy['may'] = ['Allow', 'Deny', 'Pass'];

const plain = (text: string): boolean => text !== '';

/** Policies in the order in which they are looked at within a tier. */
export function comparePolicies(a: Policy, b: Policy): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return 0;
}

/** `NetworkPolicy shop/allow-web`. */
export function policyTitle({ kind, namespace, name }: Pick<Policy, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${[namespace ?? '', name].filter(plain).join('/')}`;
}
