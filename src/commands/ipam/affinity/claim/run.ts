// What calictl ipam affinity claim does: plan, ask, claim block by block.
import { ipamStoreOf } from '../../../../datastore/stored-ipam.ts';
import {
  type AffinityClaimResult,
  type ClaimPlan,
  type PlannedClaim,
  planClaim,
} from '../../../../ipam/affinity/affinity-plan.ts';
import { claimUntilSettled } from '../../../../ipam/affinity/claim-by-hand.ts';
import type { Owner } from '../../../../ipam/block/block.ts';
import { appliedUnless } from '../../../../ipam/repair/repair-outcome.ts';
import { runInOrder } from '../../../../ipam-live/sequential-steps.ts';
import { formatCidr } from '../../../../net/cidr.ts';
import { exitCodes } from '../../../../world/errors.ts';
import type { Context } from '../../../command.ts';
import { requireConsent } from '../../../consent.ts';
import { affinityClaimJson, affinityClaimText } from '../text.ts';
import type { AffinityClaimInput } from './command.ts';

const canBeDone = ({ does }: PlannedClaim): boolean => does !== 'fail';

export async function run(ctx: Context, input: AffinityClaimInput): Promise<AffinityClaimResult> {
  const { range, node, dryRun } = input;
  const datastore = await ctx.datastore();
  if (!input.dryRun && datastore.readOnly !== undefined) throw datastore.readOnly;
  const store = ipamStoreOf(datastore);
  const owner: Owner = { type: 'host', name: node };
  const plan = await planClaim(store, range, owner);
  await warnOfLimit(ctx, node, plan);
  const todo = plan.blocks.filter(canBeDone);
  if (dryRun || todo.length === 0) return { node, plan, dryRun, outcomes: [] };
  if (todo.length > 1) {
    await requireConsent(ctx, input, {
      plan: todo.map(({ cidr }) => formatCidr(cidr)),
      question: `Claim these ${todo.length} blocks for ${node}?`,
      otherwise: 'nothing was claimed',
    });
  }
  const outcomes = await runInOrder(
    todo,
    ({ cidr }) => formatCidr(cidr),
    async ({ cidr }) => appliedUnless(await claimUntilSettled(store, plan.owner, cidr, ctx.world)),
    ctx.world.signal,
  );
  return { node, plan, dryRun: false, outcomes };
}

async function warnOfLimit(ctx: Context, node: string, { blocks, owned, limit }: ClaimPlan): Promise<void> {
  const more = blocks.filter(({ does }) => does === 'claim').length;
  if (more === 0 || owned + more <= limit) return;
  await ctx.note(
    `warning: ${node} would own ${owned + more} blocks and its limit is ${limit}: it will not claim more by itself`,
  );
}

export const formats = { text: affinityClaimText, json: affinityClaimJson };

export function exit({ plan, dryRun, outcomes }: AffinityClaimResult): number {
  const done = dryRun ? plan.blocks.filter(canBeDone) : outcomes.filter(({ outcome }) => outcome === 'applied');
  if (done.length === 0) return exitCodes.failed;
  return dryRun || done.length === plan.blocks.length ? exitCodes.ok : exitCodes.partial;
}
