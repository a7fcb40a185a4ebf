// Carries out a repair plan in its order, several objects at a time, each with its preconditions checked before the write.
import pMap from 'p-map';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import { releaseInBlock } from '../../ipam/release/release.ts';
import { setHandleCount } from '../../ipam/repair/handle-repair.ts';
import {
  confirmNamedAffinity,
  createMissingAffinity,
  deleteEmptyBlock,
  dropNamedAffinity,
  finishTombstone,
  rebuildBlock,
  relabelNamedAffinity,
  releaseNamedAffinity,
} from '../../ipam/repair/primitives.ts';
import type { PreconditionCheck, RepairOutcome } from '../../ipam/repair/repair-outcome.ts';
import type { RepairAction } from '../../ipam-check/finding.ts';
import type { PlannedRepair } from '../../ipam-check/plan.ts';
import type { FixItem } from '../../ipam-check/report.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../../resources/kinds/ipam-handle.ts';
import type { LivePreconditions } from './preconditions.ts';

/** Objects written at the same time. */
const writesInFlight = 32;

export interface ApplyOptions {
  /** Handles as they were listed, by object name; each saves a read. */
  readonly handles: ReadonlyMap<string, IPAMHandle>;
  /** When aborted, no further repair is begun. */
  readonly stop: AbortSignal;
  readonly progress?: (done: number, all: number) => void;
}

/** Repairs done in one write: all addresses of a block together, everything else by itself. */
type Batch = [PlannedRepair, ...PlannedRepair[]];

/** Consecutive phases of a plan; within one, batches touch different objects and may run side by side. */
function phasesOf(plan: readonly PlannedRepair[]): Batch[][] {
  const phases = new Map<string, Map<string, Batch>>();
  for (const [index, repair] of plan.entries()) {
    const { action } = repair;
    const phase = phases.get(action.primitive) ?? new Map<string, Batch>();
    phases.set(action.primitive, phase);
    const key = action.primitive === 'R1' ? action.block : String(index);
    const batch = phase.get(key);
    if (batch === undefined) phase.set(key, [repair]);
    else batch.push(repair);
  }
  return [...phases.values()].map((phase) => [...phase.values()]);
}

/**
 * Applies the plan. Every repair has an outcome, and one that meets a conflict or an error does not affect the others.
 * When `stop` is aborted, what has not begun is `skipped`; what has begun is finished.
 */
export async function applyPlan(
  store: IpamStore,
  plan: readonly PlannedRepair[],
  preconditions: LivePreconditions,
  options: ApplyOptions,
): Promise<FixItem[]> {
  const outcomes = new Map<PlannedRepair, Omit<FixItem, 'finding'>>();
  for (const phase of phasesOf(plan)) {
    const blocks = new Map<string, Promise<IPAMBlock | undefined>>();
    // One read of a block, made after the handles were listed, serves all handles that it decides on.
    const block = (name: string): Promise<IPAMBlock | undefined> => {
      const reading = blocks.get(name) ?? store.blocks.get(name).then((found) => (found.ok ? found.value : undefined));
      blocks.set(name, reading);
      return reading;
    };
    await pMap(
      phase,
      async (batch) => {
        const results = await applyBatch(store, batch, preconditions, { ...options, block });
        for (const [index, repair] of batch.entries()) {
          outcomes.set(repair, results[index] ?? { outcome: 'failed', detail: 'the repair returned no outcome' });
        }
        options.progress?.(outcomes.size, plan.length);
      },
      { concurrency: writesInFlight },
    );
  }
  return plan.map((repair) => ({
    finding: repair.finding,
    ...(outcomes.get(repair) ?? { outcome: 'skipped' as const }),
  }));
}

type KnownObjects = ApplyOptions & { readonly block: (name: string) => Promise<IPAMBlock | undefined> };

async function applyBatch(
  store: IpamStore,
  batch: Batch,
  preconditions: LivePreconditions,
  known: KnownObjects,
): Promise<readonly Omit<FixItem, 'finding'>[]> {
  if (known.stop.aborted) return batch.map(() => ({ outcome: 'skipped', detail: 'stopped before it began' }) as const);
  try {
    const [{ action }] = batch;
    if (action.primitive === 'R1') return await releaseBatch(store, action.block, batch, preconditions);
    const [repair] = batch;
    return [await applyOne(store, action, () => preconditions.changeOf(repair.judgements), known)];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return batch.map(() => ({ outcome: 'failed', detail }) as const);
  }
}

function releaseBatch(
  store: IpamStore,
  block: string,
  batch: Batch,
  preconditions: LivePreconditions,
): Promise<RepairOutcome[]> {
  const requests = batch.flatMap((repair) =>
    repair.action.primitive === 'R1' ? [{ ...repair.action, judgements: repair.judgements }] : [],
  );
  return releaseInBlock(store, block, requests, (request) => preconditions.changeOf(request.judgements));
}

async function applyOne(
  store: IpamStore,
  action: Exclude<RepairAction, { primitive: 'R1' }>,
  checkPrecondition: PreconditionCheck,
  known: KnownObjects,
): Promise<RepairOutcome> {
  switch (action.primitive) {
    case 'R2':
      return rebuildBlock(store, action, checkPrecondition);
    case 'R3':
      return setHandleCount(store, action, checkPrecondition, {
        handle: known.handles.get(action.handle),
        block: known.block,
      });
    case 'R4':
      return 'block' in action
        ? createMissingAffinity(store, action, checkPrecondition)
        : confirmNamedAffinity(store, action, checkPrecondition);
    case 'R5':
      return dropNamedAffinity(store, action, checkPrecondition);
    case 'R6':
      return releaseNamedAffinity(store, action, checkPrecondition);
    case 'R7':
      return finishTombstone(store, action, checkPrecondition);
    case 'R8':
      return relabelNamedAffinity(store, action, checkPrecondition);
    case 'R9':
      return deleteEmptyBlock(store, action, checkPrecondition);
  }
}
