// The invariants that the check judges, by their numbers. What is said of each is in invariants/, a file a group.
// docs/reference/invariants.md is made from this table; the rules are those of docs/reference/ipam.md.

import { addressInvariants } from './addresses/invariants.ts';
import { affinityInvariants } from './affinities/invariants.ts';
import { blockInvariants } from './blocks/invariants.ts';
import { handleInvariants } from './handles/invariants.ts';
import type { Invariant } from './invariant.ts';
import { policyInvariants } from './policy/invariants.ts';
import { poolInvariants } from './pools/invariants.ts';

/** The groups, in the order of their page. */
export const invariantGroups = {
  blocks: blockInvariants,
  pools: poolInvariants,
  affinities: affinityInvariants,
  policy: policyInvariants,
  handles: handleInvariants,
  addresses: addressInvariants,
} as const;

type Groups = typeof invariantGroups;

/** The invariants that are judged, by their numbers in docs/reference/ipam.md. */
export type InvariantId = { [Name in keyof Groups]: keyof Groups[Name] }[keyof Groups];

export const invariants: Readonly<Record<InvariantId, Invariant>> = Object.assign(
  {},
  ...Object.values(invariantGroups),
);

/** All ids in ascending order. */
export const invariantIds: readonly InvariantId[] = (Object.keys(invariants) as InvariantId[]).sort();

/** The id in its canonical spelling, from `INV-07`, `inv-7` or `7`; undefined when no such invariant is judged. */
export function parseInvariantId(text: string): InvariantId | undefined {
  const digits = /^(?:inv-?)?0*(\d{1,2})$/i.exec(text.trim())?.[1];
  const id = `INV-${(digits ?? '').padStart(2, '0')}`;
  return Object.hasOwn(invariants, id) ? (id as InvariantId) : undefined;
}
