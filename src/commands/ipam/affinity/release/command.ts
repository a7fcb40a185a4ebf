// calictl ipam affinity release: take blocks from their owner. Addresses are released by calictl ipam release.
import type { AffinityReleaseResult, PlannedAffinityRelease } from '../../../../ipam/affinity/affinity-plan.ts';
import type { IpamStore } from '../../../../ipam/ipam-store.ts';
import { counted } from '../../../../text/wording.ts';
import { CalictlError, type ExitCode, exitCodes, RefusedError, UsageError } from '../../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../../command.ts';
import { requireConsent } from '../../../consent.ts';
import { nodeOf, outputFlag, yesFlag } from '../../../shared-flags.ts';

async function run(ctx: Context, input: Input): Promise<AffinityReleaseResult> {
  const [range] = input.args;
  const node = nodeOf(input);
  if (range === undefined && node === undefined)
    throw new UsageError('nothing to release', 'name a range as CIDR, or the owner with --node');
  const datastore = await ctx.datastore();
  const [{ ipamStoreOf }, { planAffinityRelease }, { releaseUntilSettled }, { appliedUnless }, { runInOrder }] =
    await Promise.all([
      import('../../../../datastore/stored-ipam.ts'),
      import('../../../../ipam/affinity/affinity-plan.ts'),
      import('../../../../ipam/affinity/release-by-hand.ts'),
      import('../../../../ipam/repair/repair-outcome.ts'),
      import('../../../../ipam-live/sequential-steps.ts'),
    ]);
  const store = ipamStoreOf(datastore);
  const plan = await planAffinityRelease(store, { range, node, keepAddresses: input.on('keep-addresses') });
  const todo = plan.filter(({ does }) => does !== 'keep');
  refuse(plan, todo, { range, node });
  await warnOfLivingNodes(ctx, store, plan);
  if (input.on('dry-run')) return { plan, dryRun: true, outcomes: [] };
  if (todo.length > 1) {
    await requireConsent(ctx, input, {
      plan: todo.map(({ affinity, does, used }) => {
        const kept = does === 'orphan' ? `  keeps ${counted(used, 'address', 'addresses')}` : '';
        return `${affinity.cidr}  ${affinity.owner.name}${kept}`;
      }),
      question: `Release these ${todo.length} block affinities?`,
      otherwise: 'nothing was released',
    });
  }
  const outcomes = await runInOrder(
    todo,
    ({ affinity }) => affinity.cidr,
    // A block that was empty when it was looked at has to be so still.
    async ({ affinity, does }) =>
      appliedUnless(await releaseUntilSettled(store, affinity, { mustBeEmpty: does !== 'orphan' })),
    ctx.world.signal,
  );
  return { plan, dryRun: false, outcomes };
}

/** What a node that exists holds in blocks that are taken from it is borrowed from then on. */
async function warnOfLivingNodes(
  ctx: Context,
  store: IpamStore,
  plan: readonly PlannedAffinityRelease[],
): Promise<void> {
  const orphaned = plan.filter(({ affinity, does }) => does === 'orphan' && affinity.owner.type === 'host');
  for (const name of new Set(orphaned.map(({ affinity }) => affinity.owner.name))) {
    if ((await store.nodeLabels(name)) === undefined) continue;
    await ctx.note(`warning: the node ${name} exists; what it holds in these blocks counts as borrowed from then on`);
  }
}

/** Errors: CalictlError when there is no claim, RefusedError when no block of those claimed is empty. */
function refuse(
  plan: readonly PlannedAffinityRelease[],
  todo: readonly PlannedAffinityRelease[],
  { range, node }: { range: string | undefined; node: string | undefined },
): void {
  const [first] = plan;
  if (first === undefined) {
    const where = range === undefined ? '' : ` in ${range}`;
    throw new CalictlError(`${node ?? 'nobody'} claims ${node === undefined ? 'a' : 'no'} block${where}`, {
      code: 'NO_AFFINITY',
      hint: 'calictl ipam affinity list shows who claims what',
    });
  }
  if (todo.length > 0) return;
  const more = plan.length > 1 ? ` (and ${plan.length - 1} more are not)` : '';
  throw new RefusedError(
    `block '${first.affinity.cidr}' is not empty${more}; nothing was released`,
    'BLOCK_NOT_EMPTY',
    'calictl ipam show --node tells who has its addresses; --keep-addresses leaves them in a block without an owner',
  );
}

function exit({ plan, dryRun, outcomes }: AffinityReleaseResult): ExitCode {
  if (dryRun) return exitCodes.ok;
  const applied = outcomes.filter(({ outcome }) => outcome === 'applied').length;
  if (applied === plan.length) return exitCodes.ok;
  return applied > 0 ? exitCodes.partial : exitCodes.failed;
}

export const ipamAffinityRelease = defineCommand<AffinityReleaseResult>({
  path: ['ipam', 'affinity', 'release'],
  summary: 'Take blocks from their owner',
  description:
    'Of a range, of a node, or of a node in a range. An empty block is deleted with its claim; one that holds addresses ' +
    'stays (exit 4 when there is nothing else, 5 otherwise), unless --keep-addresses says that it may lose its owner. ' +
    'Addresses are never released. The node need not exist any more.',
  examples: [
    { command: 'calictl ipam affinity release 10.60.0.0/26 --dry-run', about: 'what would become of a block' },
    { command: 'calictl ipam affinity release --node node-a', about: 'all empty blocks of a node' },
    {
      command: 'calictl ipam affinity release --node node-gone --keep-addresses --yes',
      about: 'all blocks of a node, those with addresses too',
    },
  ],
  args: [{ name: 'CIDR', about: 'only blocks in this range, whoever owns them' }],
  flags: [
    { name: 'node', value: 'NODE', about: 'only blocks of this node' },
    { name: 'keep-addresses', about: 'also blocks with addresses: these stay, in a block that nobody owns' },
    { name: 'dry-run', about: 'show what would be released, write nothing' },
    yesFlag,
    outputFlag('text', 'json'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: async (done) => (await import('../text.ts')).affinityReleaseText(done),
    json: async (done) => (await import('../text.ts')).affinityReleaseJson(done),
  },
  exit,
});
