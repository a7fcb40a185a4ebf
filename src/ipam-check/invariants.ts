// The catalogue of all invariants that the check judges, collected from its groups: each folder has the rules of a group
// and their rows. docs/reference/invariants.md is made from it.
import { addressInvariants } from './addresses/invariants.ts';
import { affinityInvariants } from './affinities/invariants.ts';
import { blockInvariants } from './blocks/invariants.ts';
import { handleInvariants } from './handles/invariants.ts';
import type { Invariant, OptionalKind } from './invariant.ts';
import { policyInvariants } from './policy/invariants.ts';
import { poolInvariants } from './pools/invariants.ts';
import { waitingInvariants } from './waiting/invariants.ts';

/** The groups, in the order of docs/reference/invariants.md. */
export const invariantGroups = {
  blocks: blockInvariants,
  pools: poolInvariants,
  affinities: affinityInvariants,
  policy: policyInvariants,
  handles: handleInvariants,
  addresses: addressInvariants,
  waiting: waitingInvariants,
} as const;

type Groups = typeof invariantGroups;

/** `INV-` and the number that docs/reference/ipam.md uses. */
export type InvariantId = { [Name in keyof Groups]: keyof Groups[Name] }[keyof Groups];

export const invariants: Readonly<Record<InvariantId, Invariant>> = Object.assign(
  {},
  ...Object.values(invariantGroups),
);

/** All ids in ascending order. */
export const invariantIds: readonly InvariantId[] = (Object.keys(invariants) as InvariantId[]).sort();

/** The invariants that are not judged when the kind could not be read, in ascending order. */
export function invariantsNeeding(kind: OptionalKind): InvariantId[] {
  return invariantIds.filter((id) => invariants[id].needs.includes(kind));
}

/** The id in its canonical spelling, from `INV-07`, `inv-7` or `7`; undefined when there is no such invariant. */
export function parseInvariantId(text: string): InvariantId | undefined {
  const digits = /^(?:inv-?)?0*(\d{1,2})$/i.exec(text.trim())?.[1];
  const id = `INV-${(digits ?? '').padStart(2, '0')}`;
  return Object.hasOwn(invariants, id) ? (id as InvariantId) : undefined;
}
