// calictl ipam affinity claim: give a node the free blocks of a range.
import type { AffinityClaimResult, ClaimPlan, PlannedClaim } from '../../../../ipam/affinity/affinity-plan.ts';
import type { Owner } from '../../../../ipam/block/block.ts';
import { type ExitCode, exitCodes, UsageError } from '../../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../../command.ts';
import { requireConsent } from '../../../consent.ts';
import { nodeOf, outputFlag, yesFlag } from '../../../shared-flags.ts';

const canBeDone = ({ does }: PlannedClaim): boolean => does !== 'fail';

async function run(ctx: Context, input: Input): Promise<AffinityClaimResult> {
  const [range = ''] = input.args;
  const node = nodeOf(input);
  if (node === undefined) throw new UsageError('no node is named', 'name the node that gets the blocks with --node');
  const datastore = await ctx.datastore();
  const [{ ipamStoreOf }, { planClaim }, { claimUntilSettled }, { appliedUnless }, { runInOrder }, { formatCidr }] =
    await Promise.all([
      import('../../../../datastore/stored-ipam.ts'),
      import('../../../../ipam/affinity/affinity-plan.ts'),
      import('../../../../ipam/affinity/claim-by-hand.ts'),
      import('../../../../ipam/repair/repair-outcome.ts'),
      import('../../../../ipam-live/sequential-steps.ts'),
      import('../../../../net/cidr.ts'),
    ]);
  const store = ipamStoreOf(datastore);
  const owner: Owner = { type: 'host', name: node };
  const plan = await planClaim(store, range, owner);
  await warnOfLimit(ctx, node, plan);
  const todo = plan.blocks.filter(canBeDone);
  if (input.on('dry-run') || todo.length === 0) return { node, plan, dryRun: input.on('dry-run'), outcomes: [] };
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
    `warning: with these blocks ${node} has ${owned + more}, and its limit is ${limit}: it will claim no more by itself`,
  );
}

function exit({ plan, dryRun, outcomes }: AffinityClaimResult): ExitCode {
  const done = dryRun ? plan.blocks.filter(canBeDone) : outcomes.filter(({ outcome }) => outcome === 'applied');
  if (done.length === 0) return exitCodes.failed;
  return dryRun || done.length === plan.blocks.length ? exitCodes.ok : exitCodes.partial;
}

export const ipamAffinityClaim = defineCommand<AffinityClaimResult>({
  path: ['ipam', 'affinity', 'claim'],
  summary: 'Give a node the free blocks of a range',
  description:
    'Each block of the range that does not exist is made for the node; those that it has already are confirmed. Blocks ' +
    'of others, blocks without an owner and what would overlap a block of another size are listed and left. The block ' +
    'limit of the node does not count; passing it is warned of.',
  examples: [
    { command: 'calictl ipam affinity claim 10.60.0.0/26 --node node-a', about: 'one block' },
    { command: 'calictl ipam affinity claim 10.60.0.0/24 --node node-a --dry-run', about: 'which blocks it would be' },
  ],
  args: [{ name: 'CIDR', about: 'the range: one block or more, inside one enabled pool', required: true }],
  flags: [
    { name: 'node', value: 'NODE', about: 'the node that gets the blocks' },
    { name: 'dry-run', about: 'show which blocks would be claimed, write nothing' },
    yesFlag,
    outputFlag('text', 'json'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: async (done) => (await import('../text.ts')).affinityClaimText(done),
    json: async (done) => (await import('../text.ts')).affinityClaimJson(done),
  },
  exit,
});
