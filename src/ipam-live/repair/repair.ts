// The repairs of `ipam check --fix`: plan, apply, check again, until nothing more can be repaired.

import type { Datastore, RepairLock } from '../../datastore/datastore.ts';
import type { Journal } from '../../files/journal.ts';
import { type PlannedRepair, planRepairs, type Selection } from '../../ipam-check/plan.ts';
import type { FixItem } from '../../ipam-check/report.ts';
import { CalictlError } from '../../world/errors.ts';
import { check } from '../check/check.ts';
import type { Confirmed } from '../check/confirm.ts';
import type { ObserveOptions } from '../check/observe.ts';
import { applyPlan } from './apply.ts';
import { journaled } from './journal.ts';
import { LivePreconditions } from './preconditions.ts';
import { repairStore } from './repair-store.ts';

export interface RepairOptions extends ObserveOptions {
  readonly selection: Selection;
  readonly journal: Journal;
  readonly lock: RepairLock | undefined;
  readonly signal: AbortSignal;
  /** Called before each plan after the first; false ends the repair. */
  readonly goOn: (plan: readonly PlannedRepair[]) => Promise<boolean>;
}

/** One repair can make another possible: a released address empties the block of a removed node. */
const mostRounds = 5;

export interface Repaired {
  readonly items: readonly FixItem[];
  /** What is left afterwards. Without a last check: what was found before, except what was repaired. */
  readonly confirmed: Confirmed;
  /** False when the repair ended before its last check. */
  readonly isChecked: boolean;
  /** Why the last check failed. */
  readonly uncheckable?: CalictlError;
}

/**
 * Applies the plan made from `confirmed`, checks again, and continues with what became repairable. A repair that did not
 * succeed is not tried again in the same run; one that was begun before the signal is finished.
 * Errors: CalictlError when the journal could not be written and nothing was repaired.
 */
export async function repair(store: Datastore, confirmed: Confirmed, options: RepairOptions): Promise<Repaired> {
  const { lock, signal } = options;
  const lost = lock?.lost ?? new AbortController().signal;
  const stop = AbortSignal.any([signal, lost]);
  const ipam = journaled(repairStore(store), options.journal, lost);
  const items: FixItem[] = [];
  const repairs: PlannedRepair[] = [];
  const tried = new Set<string>();
  let current = confirmed;
  for (let round = 0; round < mostRounds && !stop.aborted; round += 1) {
    const plan = planRepairs(current.judgements, options.selection).filter(
      (repair) => !repair.judgements.every((judgement) => tried.has(judgement.key)),
    );
    if (plan.length === 0 || (round > 0 && !(await options.goOn(plan)))) break;
    for (const { judgements } of plan) for (const { key } of judgements) tried.add(key);
    const preconditions = new LivePreconditions(store, current.snapshot, lost);
    const progress = (done: number, total: number): void =>
      options.progress?.('repairing', { done, total, unit: 'repairs' });
    const done = await applyPlan(ipam, plan, preconditions, { handles: current.handles, stop, progress });
    items.push(...done);
    repairs.push(...plan);
    const { failure } = options.journal;
    if (failure !== undefined && !items.some(({ outcome }) => outcome === 'applied')) throw failure;
    try {
      signal.throwIfAborted();
      current = await check(store, options);
    } catch (error) {
      const unchecked = { items, confirmed: withoutRepaired(current, plan, done), isChecked: false };
      if (signal.aborted) return unchecked;
      if (error instanceof CalictlError) return { ...unchecked, uncheckable: error };
      throw error;
    }
    if (failure !== undefined) break;
  }
  return { items: withResolved(items, repairs, confirmed, current), confirmed: current, isChecked: true };
}

/**
 * The items, those marked that another client has made superfluous. `repairs` are theirs. Nothing is marked when the last
 * check could read less than the first: what it does not report may still be there.
 */
function withResolved(
  items: readonly FixItem[],
  repairs: readonly PlannedRepair[],
  first: Confirmed,
  last: Confirmed,
): readonly FixItem[] {
  const unread = new Set(first.snapshot.unread.map(({ kind }) => kind));
  if (last.snapshot.unread.some(({ kind }) => !unread.has(kind))) return items;
  const left = new Set(last.judgements.map(({ key }) => key));
  return items.map((item, index) => {
    const isGone = repairs[index]?.judgements.every(({ key }) => !left.has(key)) ?? false;
    return isGone && item.outcome !== 'applied' ? { ...item, resolved: true } : item;
  });
}

/** `done` has an outcome for each repair of the plan, in its order. */
function withoutRepaired(before: Confirmed, plan: readonly PlannedRepair[], done: readonly FixItem[]): Confirmed {
  const resolved = new Set(
    plan.flatMap(({ judgements }, index) =>
      done[index]?.outcome === 'applied' ? judgements.map(({ key }) => key) : [],
    ),
  );
  return { ...before, judgements: before.judgements.filter(({ key }) => !resolved.has(key)) };
}
