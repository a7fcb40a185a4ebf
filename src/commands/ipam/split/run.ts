// What calictl ipam split does: plan on what is stored, ask, write pool by pool.
import { planSplit, type SplitPlan } from '../../../ipam/pool/pool-split.ts';
import { applySplit, readForSplit } from '../../../ipam-live/split.ts';
import type { Context } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import type { SplitInput } from './command.ts';
import { requireLock } from './lock.ts';
import { splitError } from './problems.ts';
import { type IpamSplit, ipamSplitJson, ipamSplitText } from './text.ts';

const shown = (plan: SplitPlan, outcome: IpamSplit['outcome']): IpamSplit => ({
  name: plan.pool.metadata.name,
  cidr: plan.pool.spec.cidr,
  outcome,
  disable: plan.disable,
  parts: plan.parts,
});

export async function run(ctx: Context, input: SplitInput): Promise<IpamSplit> {
  const { name, cidr, number } = input;
  const request = { name, cidr, number, asCalicoctl: false };
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  const plan = planSplit(await readForSplit(store, { signal }), request);
  if ('problem' in plan) throw splitError(plan, request);
  if ('finished' in plan) {
    const parts = plan.finished.map((pool) => ({ pool, exists: true, blocks: 0 }));
    return { name: plan.name, cidr: undefined, outcome: 'already-split', disable: false, parts };
  }
  const planned = shown(plan, 'planned');
  if (input.dryRun) return planned;
  if (store.readOnly !== undefined) throw store.readOnly;
  await requireLock(store, signal);
  await requireConsent(ctx, input, {
    plan: ipamSplitText(planned).trimEnd().split('\n'),
    question: `Split ${planned.name} into ${number} pools?`,
    otherwise: 'nothing was written',
  });
  const { gone } = await applySplit(store, plan, { signal });
  await ctx.note('unlock the datastore when all pools are split, e.g. with: calicoctl datastore migrate unlock');
  return shown(plan, gone ? 'split' : 'terminating');
}

export const formats = { text: ipamSplitText, json: ipamSplitJson };
