// The verdict of one endpoint on a flow in one direction, and the rule that decides. Where something is not known every
// outcome that is possible is followed: a verdict is certain when they all agree (docs/reference/policy.md#verdict).
import type { Cluster, Profile } from './cluster.ts';
import type { Effective, EffectivePolicy, EffectiveTier } from './effective.ts';
import type { Flow } from './flow.ts';
import { allOf, isUnsure, type Match } from './match.ts';
import type { Direction, Policy, PolicyKind } from './policy.ts';
import { type Action, type Rule, ruleMatches } from './rule.ts';

export type Verdict = 'allow' | 'deny';

/** What decided. */
export interface DecidedBy {
  readonly kind: Exclude<PolicyKind, `Staged${string}`> | 'Profile' | 'TierDefault' | 'None';
  readonly tier: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  /** Index of the rule among those of the object for the direction. */
  readonly rule: number | null;
  readonly action: 'Allow' | 'Deny' | null;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly decidedBy: DecidedBy;
}

/** What a staged policy would do if it were enforced; `rule` is null when none of its rules matches. */
export interface StagedOutcome {
  readonly kind: PolicyKind;
  readonly tier: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly rule: number | null;
  readonly action: Action | null;
}

/** A policy or profile that was looked at before something decided, and its outcome. */
export interface Step {
  readonly tier: string | null;
  readonly title: string;
  /** `no rule matches`, `rule 2 passes`. */
  readonly outcome: string;
}

export interface SideVerdict extends Decision {
  /** Why the verdict may be another one; empty when it is certain. */
  readonly doubts: readonly string[];
  readonly staged: readonly StagedOutcome[];
  readonly steps: readonly Step[];
  /** True when the deciding rule also matches requests by HTTP, which is not judged. */
  readonly http: boolean;
}

interface Outcome extends Decision {
  readonly http: boolean;
}

const verdictOf = (action: 'Allow' | 'Deny'): Verdict => (action === 'Allow' ? 'allow' : 'deny');

function decisionOf(policy: Policy, rule: Rule | undefined, action: 'Allow' | 'Deny'): Outcome {
  const { kind, tier, namespace, name } = policy;
  return {
    verdict: verdictOf(action),
    decidedBy: {
      kind: kind as DecidedBy['kind'],
      tier,
      namespace: namespace ?? null,
      name: name === '' ? null : name,
      rule: rule?.index ?? null,
      action,
    },
    http: rule?.http === true,
  };
}

export const undecided: DecidedBy = { kind: 'None', tier: null, namespace: null, name: null, rule: null, action: null };

function titleOf({ kind, namespace, name }: Policy): string {
  if (name === '') return `${kind} (not read)`;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

const outcomeWords = { Allow: 'allows', Deny: 'denies', Pass: 'passes to the next tier', Log: 'logs' } as const;

/** Follows one flow through the tiers and profiles of one endpoint. */
class Evaluation {
  readonly doubts = new Set<string>();
  readonly steps: Step[] = [];
  readonly #effective: Effective;
  readonly #matches: (rule: Rule) => Match;
  readonly #direction: Direction;
  readonly #hasEnd: boolean;
  /** Outcomes from the start of a tier on: a Pass that is not certain leads there twice. */
  readonly #known = new Map<number, readonly Outcome[]>();

  constructor(effective: Effective, matches: (rule: Rule) => Match, direction: Direction, hasEnd: boolean) {
    this.#effective = effective;
    this.#matches = matches;
    this.#direction = direction;
    this.#hasEnd = hasEnd;
  }

  /** All possible outcomes; the last is that in which nothing exists and nothing matches that is not known to. */
  outcomes(): readonly Outcome[] {
    return this.#from(0);
  }

  #from(index: number): readonly Outcome[] {
    const known = this.#known.get(index);
    if (known !== undefined) return known;
    const tier = this.#effective.tiers[index];
    const found = tier === undefined ? this.#profiles() : this.#tier(tier, index);
    this.#known.set(index, found);
    return found;
  }

  #doubt(match: Match): boolean {
    if (isUnsure(match)) this.doubts.add(match.because);
    return isUnsure(match);
  }

  #step(tier: string | null, title: string, outcome: string): void {
    this.steps.push({ tier, title, outcome });
  }

  #tier({ tier, policies }: EffectiveTier, index: number): readonly Outcome[] {
    const found: Outcome[] = [];
    let governs: Match = false;
    for (const one of policies) {
      if (one.policy.staged) continue;
      if (governs !== true) governs = one.selection;
      const end = this.#policy(one, index, found);
      if (end !== undefined) return [...found, ...end];
    }
    if (governs !== false && this.#hasEnd && tier.defaultAction === 'Deny') {
      const decidedBy: DecidedBy = { ...undecided, kind: 'TierDefault', tier: tier.name, action: 'Deny' };
      found.push({ verdict: 'deny', decidedBy, http: false });
      if (!this.#doubt(governs)) {
        this.#step(tier.name, `end of tier ${tier.name}`, 'denies');
        return found;
      }
    } else if (governs === true) this.#step(tier.name, `end of tier ${tier.name}`, 'passes to the next tier');
    return [...found, ...this.#from(index + 1)];
  }

  /** Adds what may come of it to `found`; the final outcomes when it certainly decides or passes. */
  #policy(
    { policy, selection, rules }: EffectivePolicy,
    index: number,
    found: Outcome[],
  ): readonly Outcome[] | undefined {
    const title = titleOf(policy);
    if (policy.unsure !== undefined) {
      this.doubts.add(policy.unsure.because);
      this.#step(policy.tier, title, 'not known');
      for (const action of policy.unsure.may) {
        if (action === 'Pass') found.push(...this.#from(index + 1));
        else found.push(decisionOf(policy, undefined, action));
      }
      return undefined;
    }
    let matched = false;
    for (const rule of rules) {
      const match = allOf(selection, this.#matches(rule));
      if (match === false) continue;
      matched = true;
      const isCertain = !this.#doubt(match);
      this.#step(
        policy.tier,
        title,
        `rule ${rule.index}${isCertain ? '' : ', if it matches,'} ${outcomeWords[rule.action]}`,
      );
      if (rule.action === 'Log') continue;
      const end = rule.action === 'Pass' ? this.#from(index + 1) : [decisionOf(policy, rule, rule.action)];
      if (isCertain) return end;
      found.push(...end);
    }
    if (!matched) this.#step(policy.tier, title, rules.length === 0 ? 'has no rules' : 'no rule matches');
    return undefined;
  }

  #profiles(): readonly Outcome[] {
    const found: Outcome[] = [];
    for (const profile of this.#effective.profiles) {
      const end = this.#profile(profile, found);
      if (end !== undefined) return [...found, end];
    }
    const action = this.#hasEnd ? 'Deny' : null;
    return [
      ...found,
      { verdict: action === null ? 'allow' : 'deny', decidedBy: { ...undecided, action }, http: false },
    ];
  }

  #profile(profile: Profile, found: Outcome[]): Outcome | undefined {
    const title = `Profile ${profile.name}`;
    const decided = (rule: Rule, action: 'Allow' | 'Deny'): Outcome => ({
      verdict: verdictOf(action),
      decidedBy: { ...undecided, kind: 'Profile', name: profile.name, rule: rule.index, action },
      http: false,
    });
    for (const rule of profile[this.#direction]) {
      const match = profile.unsure === undefined ? this.#matches(rule) : { because: profile.unsure };
      if (match === false || rule.action === 'Log' || rule.action === 'Pass') continue;
      this.#step(null, title, `rule ${rule.index} ${outcomeWords[rule.action]}`);
      if (!this.#doubt(match)) return decided(rule, rule.action);
      found.push(decided(rule, rule.action));
      if (profile.unsure !== undefined) found.push(decided(rule, rule.action === 'Allow' ? 'Deny' : 'Allow'));
    }
    return undefined;
  }
}

function stagedOutcome({ policy, rules }: EffectivePolicy, matches: (rule: Rule) => Match): StagedOutcome {
  const { kind, tier, namespace = null, name } = policy;
  const rule = rules.find((one) => one.action !== 'Log' && matches(one) === true);
  return { kind, tier, namespace, name, rule: rule?.index ?? null, action: rule?.action ?? null };
}

/**
 * The verdict on the flow of the endpoint whose policies these are. `hasEnd` is false for policies that leave what they do
 * not decide to those of a later stage: then nothing denies at the end of a tier, and `None` decides if nothing matches.
 */
export function judge(
  effective: Effective,
  direction: Direction,
  flow: Flow,
  cluster: Cluster,
  hasEnd = true,
): SideVerdict {
  const matches = (rule: Rule): Match => ruleMatches(rule, flow, cluster);
  const evaluation = new Evaluation(effective, matches, direction, hasEnd);
  const outcomes = evaluation.outcomes();
  const decided = outcomes.at(-1) as Outcome;
  const isCertain = outcomes.every(({ verdict }) => verdict === decided.verdict);
  const staged = effective.tiers
    .flatMap(({ policies }) => policies)
    .filter(({ policy, selection }) => policy.staged && selection === true && policy.unsure === undefined)
    .map((one) => stagedOutcome(one, matches));
  return {
    ...decided,
    doubts: isCertain ? [] : [...evaluation.doubts],
    staged,
    steps: evaluation.steps,
  };
}
