// Names of policies and of the tiers that they are in. Rules: docs/reference/policy-names.md.

export const defaultTier = 'default';
/** The label that says in which tier a policy is. */
export const TIER_LABEL = 'projectcalico.org/tier';

/** Prefixes of policies that Calico makes from those of Kubernetes, and others that keep their name; each with its tier. */
const reserved: readonly (readonly [prefix: string, tier: string])[] = [
  ['knp.default.', defaultTier],
  ['kanp.adminnetworkpolicy.', 'adminnetworkpolicy'],
  ['kbanp.baselineadminnetworkpolicy.', 'baselineadminnetworkpolicy'],
  ['ossg.', defaultTier],
];

/** True for the copy of a NetworkPolicy of Kubernetes. */
export function isKubernetesPolicy(name: string): boolean {
  return name.startsWith('knp.default.');
}

/** True for the copy of an AdminNetworkPolicy or a BaselineAdminNetworkPolicy of Kubernetes. */
export function isKubernetesAdminPolicy(name: string): boolean {
  return name.startsWith('kanp.adminnetworkpolicy.') || name.startsWith('kbanp.baselineadminnetworkpolicy.');
}

/**
 * The names under which a custom resource of crd.projectcalico.org/v1 may hold the policy: first the one of Calico up to
 * 3.31, which puts `default.` before names without a dot, then the name itself, which later versions use.
 */
export function storedPolicyNames(name: string): readonly string[] {
  return name.includes('.') ? [name] : [`${defaultTier}.${name}`, name];
}

/** The tier of a policy that does not say: the part of its name before the first dot. */
export function tierOfPolicyName(name: string): string {
  const known = reserved.find(([prefix]) => name.startsWith(prefix));
  if (known !== undefined) return known[1];
  const dot = name.indexOf('.');
  return dot < 0 ? defaultTier : name.slice(0, dot);
}

/**
 * What calicoctl up to 3.31 says about a policy of that name in that tier (`default` when it is empty), or undefined when
 * the name is right: a policy of another tier begins with `<tier>.`, one of `default` has no dot or begins with `default.`.
 */
export function policyNameProblem(tier: string | undefined, name: string): string | undefined {
  if (name === '') return 'Policy name is empty';
  const wanted = tier || defaultTier;
  const isReserved = reserved.some(([prefix, itsTier]) => itsTier === wanted && name.startsWith(prefix));
  const fits = isReserved || name.startsWith(`${wanted}.`) || (wanted === defaultTier && !name.includes('.'));
  return fits ? undefined : `Incorrectly formatted policy name ${name}`;
}
