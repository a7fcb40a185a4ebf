// Tiers: their order, and what happens at the end of one. The built-in ones exist in every cluster.
import type { KubeObject } from '../resources/object.ts';
import { adminTiers } from './admin-policy.ts';

export interface Tier {
  readonly name: string;
  /** Infinity when it has none: then it is after all that have one. */
  readonly order: number;
  /** What happens to flows for which nothing in the tier decided. */
  readonly defaultAction: 'Deny' | 'Pass';
  /** Why order and default action are not known. */
  readonly unsure?: string | undefined;
  /** False for a tier that policies name but that does not exist: then it comes after all others. */
  readonly exists: boolean;
}

export const defaultTier = 'default';
const defaultTierOrder = 1_000_000;
const adminOrder = 1_000;
const baselineOrder = 10_000_000;

const builtIn: readonly Tier[] = [
  { name: adminTiers.admin, order: adminOrder, defaultAction: 'Pass', exists: true },
  { name: adminTiers.kubeAdmin, order: adminOrder, defaultAction: 'Pass', exists: true },
  { name: defaultTier, order: defaultTierOrder, defaultAction: 'Deny', exists: true },
  { name: adminTiers.baseline, order: baselineOrder, defaultAction: 'Pass', exists: true },
  { name: adminTiers.kubeBaseline, order: baselineOrder, defaultAction: 'Pass', exists: true },
];

/** Names of the tiers that need no object. */
export const builtInTiers: readonly string[] = builtIn.map(({ name }) => name);

interface TierSpec {
  readonly order?: number | bigint | null;
  readonly defaultAction?: string | null;
}

function tierOf({ metadata: { name }, spec }: KubeObject): Tier {
  const { order, defaultAction } = (spec ?? {}) as TierSpec;
  return {
    name,
    order: order === undefined || order === null ? Number.POSITIVE_INFINITY : Number(order),
    defaultAction: defaultAction === 'Pass' ? 'Pass' : 'Deny',
    exists: true,
  };
}

/** Tiers in their order: those that exist first, then by order, then by name. */
export function compareTiers(a: Tier, b: Tier): number {
  if (a.exists !== b.exists) return a.exists ? -1 : 1;
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/**
 * The tiers of these names, in order. `unread` is why there may be Tier objects that were not read; then what is not
 * built in has an order and a default action that are not known.
 */
export function tiersNamed(
  names: Iterable<string>,
  objects: readonly KubeObject[],
  unread: string | undefined,
): Tier[] {
  const known = new Map([...builtIn, ...objects.map(tierOf)].map((tier) => [tier.name, tier]));
  const missing = (name: string): Tier => ({
    name,
    order: Number.POSITIVE_INFINITY,
    defaultAction: 'Deny',
    exists: false,
    unsure: unread,
  });
  return [...new Set(names)].map((name) => known.get(name) ?? missing(name)).sort(compareTiers);
}
