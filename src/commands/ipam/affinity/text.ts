// What `ipam affinity claim` and `ipam affinity release` print.
import type {
  AffinityClaimResult,
  AffinityReleaseResult,
  PlannedAffinityRelease,
  PlannedClaim,
} from '../../../ipam/affinity/affinity-plan.ts';
import type { ReleaseOutcome } from '../../../ipam/release/release-plan.ts';
import { formatCidr } from '../../../net/cidr.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { counted } from '../../../text/wording.ts';

const text = (lines: readonly string[]): string => lines.map((line) => `${printable(line)}\n`).join('');

const reasonOf = ({ detail }: ReleaseOutcome): string => (detail === undefined ? '' : `: ${detail}`);

function wouldClaim(block: PlannedClaim, node: string): string[] {
  const cidr = formatCidr(block.cidr);
  if (block.does === 'fail') return [];
  return [block.does === 'own' ? `${node} already owns ${cidr}` : `would claim ${cidr} for ${node}`];
}

/** One line per block: what was done, or would be in a dry run; last the blocks that cannot be claimed. */
export function affinityClaimText({ node, plan, dryRun, outcomes }: AffinityClaimResult): string {
  const lines = dryRun ? plan.blocks.flatMap((block) => wouldClaim(block, node)) : [];
  for (const outcome of outcomes) {
    if (outcome.outcome === 'applied') lines.push(`Successfully claimed ${outcome.subject} for ${node}`);
    else lines.push(`Did not claim ${outcome.subject} (${outcome.outcome})${reasonOf(outcome)}`);
  }
  for (const block of plan.blocks) {
    if (block.does === 'fail') lines.push(`${formatCidr(block.cidr)} cannot be claimed: ${block.why}`);
  }
  return text(lines);
}

/** Plan and outcomes as one JSON document. */
export function affinityClaimJson({ node, plan, dryRun, outcomes }: AffinityClaimResult): string {
  const planned = plan.blocks.map(({ cidr, ...rest }) => ({ cidr: formatCidr(cidr), ...rest }));
  return jsonDocument({
    kind: 'IPAMAffinityClaim',
    dryRun,
    node,
    owned: plan.owned,
    limit: plan.limit,
    planned,
    outcomes,
  });
}

function wouldRelease({ affinity, does, used }: PlannedAffinityRelease): string[] {
  const what = `would release ${affinity.cidr} from ${affinity.owner.name}`;
  switch (does) {
    case 'delete':
      return [`${what} and delete the block`];
    case 'orphan':
      return [`${what}; the block keeps ${counted(used, 'address')} and has no owner`];
    case 'drop':
      return [`${what}: only the affinity, the block is not owned by ${affinity.owner.name}`];
    case 'keep':
      return [];
  }
}

/** One line per affinity: what was done, or would be in a dry run; last those that stay. */
export function affinityReleaseText({ plan, dryRun, outcomes }: AffinityReleaseResult): string {
  const lines = dryRun ? plan.flatMap(wouldRelease) : [];
  for (const outcome of outcomes) {
    if (outcome.outcome === 'applied') lines.push(`Successfully released ${outcome.subject}`);
    else lines.push(`Did not release ${outcome.subject} (${outcome.outcome})${reasonOf(outcome)}`);
  }
  for (const { affinity, does, used } of plan) {
    if (does === 'keep')
      lines.push(`${affinity.cidr} stays with ${affinity.owner.name}: it holds ${counted(used, 'address')}`);
  }
  return text(lines);
}

/** Plan and outcomes as one JSON document. */
export function affinityReleaseJson({ plan, dryRun, outcomes }: AffinityReleaseResult): string {
  const planned = plan.map(({ affinity, does, used }) => ({
    cidr: affinity.cidr,
    node: affinity.owner.name,
    type: affinity.owner.type,
    affinity: affinity.name,
    inUse: used,
    does,
  }));
  return jsonDocument({ kind: 'IPAMAffinityRelease', dryRun, planned, outcomes });
}
