// What calictl ipam affinity release does: plan, refuse, ask, release block by block.
import { ipamStoreOf } from '../../../../datastore/stored-ipam.ts';
import {
  type AffinityReleaseResult,
  type PlannedAffinityRelease,
  planAffinityRelease,
} from '../../../../ipam/affinity/affinity-plan.ts';
import { releaseUntilSettled } from '../../../../ipam/affinity/release-by-hand.ts';
import type { IpamStore } from '../../../../ipam/ipam-store.ts';
import { appliedUnless } from '../../../../ipam/repair/repair-outcome.ts';
import { runInOrder } from '../../../../ipam-live/sequential-steps.ts';
import { counted } from '../../../../text/wording.ts';
import { CalictlError, exitCodes, RefusedError } from '../../../../world/errors.ts';
import type { Context } from '../../../command.ts';
import { requireConsent } from '../../../consent.ts';
import { affinityReleaseJson, affinityReleaseText } from '../text.ts';
import type { AffinityReleaseInput } from './command.ts';

export async function run(ctx: Context, input: AffinityReleaseInput): Promise<AffinityReleaseResult> {
  const { range, node, keepAddresses } = input;
  const datastore = await ctx.datastore();
  if (!input.dryRun && datastore.readOnly !== undefined) throw datastore.readOnly;
  const store = ipamStoreOf(datastore);
  const plan = await planAffinityRelease(store, { range, node, keepAddresses });
  const todo = plan.filter(({ does }) => does !== 'keep');
  refuse(plan, todo, { range, node });
  await warnOfLivingNodes(ctx, store, plan);
  if (input.dryRun) return { plan, dryRun: true, outcomes: [] };
  if (todo.length > 1) {
    await requireConsent(ctx, input, {
      plan: todo.map(({ affinity, does, used }) => {
        const kept = does === 'orphan' ? `  keeps ${counted(used, 'address')}` : '';
        return `${affinity.cidr}  ${affinity.owner.name}${kept}`;
      }),
      question: `Release these ${todo.length} block affinities?`,
      otherwise: 'nothing was released',
    });
  }
  const outcomes = await runInOrder(
    todo,
    ({ affinity }) => affinity.cidr,
    // A block that was empty when the plan was made must be empty still.
    async ({ affinity, does }) =>
      appliedUnless(await releaseUntilSettled(store, affinity, { mustBeEmpty: does !== 'orphan' })),
    ctx.world.signal,
  );
  return { plan, dryRun: false, outcomes };
}

/** Addresses that an existing node holds in blocks that it loses count as borrowed from then on. */
async function warnOfLivingNodes(
  ctx: Context,
  store: IpamStore,
  plan: readonly PlannedAffinityRelease[],
): Promise<void> {
  const orphaned = plan.filter(({ affinity, does }) => does === 'orphan' && affinity.owner.type === 'host');
  for (const name of new Set(orphaned.map(({ affinity }) => affinity.owner.name))) {
    if ((await store.nodeLabels(name)) === undefined) continue;
    await ctx.note(`warning: node ${name} exists; the addresses it holds in these blocks will count as borrowed`);
  }
}

/** Errors: CalictlError when there is no affinity, RefusedError when none of the blocks is empty. */
function refuse(
  plan: readonly PlannedAffinityRelease[],
  todo: readonly PlannedAffinityRelease[],
  { range, node }: { range: string | undefined; node: string | undefined },
): void {
  const [first] = plan;
  if (first === undefined) {
    const where = range === undefined ? '' : ` in ${range}`;
    throw new CalictlError(`no block affinities found${node === undefined ? '' : ` for node ${node}`}${where}`, {
      code: 'NO_AFFINITY',
      hint: 'calictl ipam affinity list shows all affinities',
    });
  }
  if (todo.length > 0) return;
  const more = plan.length > 1 ? ` (${plan.length - 1} more are not empty either)` : '';
  throw new RefusedError(
    `block '${first.affinity.cidr}' is not empty${more}; nothing was released`,
    'BLOCK_NOT_EMPTY',
    'calictl ipam show --node shows who has its addresses; --keep-addresses leaves them in a block without an owner',
  );
}

export const formats = { text: affinityReleaseText, json: affinityReleaseJson };

export function exit({ plan, dryRun, outcomes }: AffinityReleaseResult): number {
  if (dryRun) return exitCodes.ok;
  const applied = outcomes.filter(({ outcome }) => outcome === 'applied').length;
  if (applied === plan.length) return exitCodes.ok;
  return applied > 0 ? exitCodes.partial : exitCodes.failed;
}
