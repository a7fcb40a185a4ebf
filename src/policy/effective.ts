// Which policies apply to an endpoint in a direction, in the order of evaluation: tiers by order, in each its policies by
// order. Nothing about flows is decided here (docs/reference/policy.md#order).
import { anyTier, type Cluster, type Profile } from './cluster.ts';
import type { Match } from './match.ts';
import type { Member } from './member.ts';
import { anything, comparePolicies, type Direction, type Policy } from './policy.ts';
import type { Rule } from './rule.ts';
import { compareTiers, type Tier, tiersNamed } from './tiers.ts';

/** A policy that selects the endpoint, or of which that is not known. */
export interface EffectivePolicy {
  readonly policy: Policy;
  readonly selection: Exclude<Match, false>;
  readonly rules: readonly Rule[];
}

export interface EffectiveTier {
  readonly tier: Tier;
  /** In the order of evaluation; staged ones are between the others. */
  readonly policies: readonly EffectivePolicy[];
}

export interface Effective {
  readonly tiers: readonly EffectiveTier[];
  readonly profiles: readonly Profile[];
}

/**
 * Which policies of a host endpoint: those before connections are tracked, those before addresses are translated, the
 * ordinary ones. Workloads only know ordinary ones.
 */
export type Stage = 'untracked' | 'pre-dnat' | 'ordinary';

function isOf(stage: Stage, { doNotTrack, preDNAT }: Policy): boolean {
  switch (stage) {
    case 'untracked':
      return doNotTrack;
    case 'pre-dnat':
      return preDNAT && !doNotTrack;
    case 'ordinary':
      return !doNotTrack && !preDNAT;
  }
}

/** Where nothing is known of the order of tiers, what may be first is anything. */
function doubtTier(because: string): EffectiveTier {
  const tier = { name: anyTier, order: Number.NEGATIVE_INFINITY, defaultAction: 'Pass', exists: true } as const;
  const policy: Policy = {
    kind: 'GlobalNetworkPolicy',
    staged: false,
    tier: anyTier,
    namespace: undefined,
    name: '',
    key: '',
    order: Number.NEGATIVE_INFINITY,
    selector: { text: 'all()', podsOnly: false, test: () => ({ because }) },
    ingress: [],
    egress: [],
    doNotTrack: false,
    preDNAT: false,
    applyOnForward: false,
    unsure: { because, may: anything },
  };
  return { tier, policies: [{ policy, selection: { because }, rules: [] }] };
}

/** The policies, staged ones too, that apply to the member. */
export function effectivePolicies(
  cluster: Cluster,
  member: Member,
  direction: Direction,
  stage: Stage = 'ordinary',
): Effective {
  const byTier = new Map<string, EffectivePolicy[]>();
  const all = [...cluster.policies, ...cluster.staged].sort((a, b) => comparePolicies(a, b));
  for (const policy of all) {
    const rules = policy[direction];
    if (rules === undefined || !isOf(stage, policy)) continue;
    const selection = policy.selector.test(member);
    if (selection === false) continue;
    const found = byTier.get(policy.tier) ?? [];
    found.push({ policy, selection, rules });
    byTier.set(policy.tier, found);
  }
  const unread = cluster.unread.get('tiers');
  const tiers = tiersNamed(byTier.keys(), cluster.objects.tiers, unread).map((tier) =>
    tier.name === anyTier
      ? { ...tier, order: Number.NEGATIVE_INFINITY, defaultAction: 'Pass' as const, exists: true, unsure: undefined }
      : tier,
  );
  const effective = tiers.sort(compareTiers).map((tier) => ({ tier, policies: byTier.get(tier.name) ?? [] }));
  const doubt = effective.find(({ tier, policies }) => tier.unsure && policies.some(({ policy }) => !policy.staged));
  return {
    tiers: doubt?.tier.unsure === undefined ? effective : [doubtTier(doubt.tier.unsure), ...effective],
    profiles: stage === 'ordinary' ? member.profiles.map((name) => cluster.profile(name)) : [],
  };
}
