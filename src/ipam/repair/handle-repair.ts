// R3: sets the counts of a handle to what the blocks record. Rules: docs/reference/ipam.md#repair-primitives.
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../../resources/kinds/ipam-handle.ts';
import { sanitiseHandle } from '../../resources/names.ts';
import { isObject } from '../../text/plain-values.ts';
import { deleteInTwoPhases, isTombstone } from '../deletion.ts';
import { countOf, countsOfHandle, newHandle, withCounts } from '../handles.ts';
import type { IpamStore } from '../ipam-store.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';
import { applied, conflict, type PreconditionCheck, type RepairOutcome, skipped } from './repair-outcome.ts';

export interface SetHandleCount {
  /** Object name. */
  readonly handle: string;
  /** spec.handleID, for an object that must be created. */
  readonly handleId: string;
  readonly uid: string | undefined;
  /** The revision that the decision is based on; undefined when there was no object. */
  readonly resourceVersion: string | undefined;
  /** Names of the blocks that have its addresses, or that it names. */
  readonly blocks: readonly string[];
  /** True when counts may be lowered and the object deleted: the caller knows that the revision is old enough. */
  readonly lowers: boolean;
}

/** What the caller has read already, to save requests. */
export interface KnownForHandle {
  /** The stored object at the revision of the action. */
  readonly handle?: IPAMHandle | undefined;
  /**
   * Reads a block; if absent, the store does. Any read made after the handles were listed will do, because a new allocation
   * changes the revision of its handle before its block; so many handles can share one read.
   */
  readonly block?: (name: string) => Promise<IPAMBlock | undefined>;
}

/**
 * Sets the counts of a handle to what its blocks record. Creating and raising are always right; lowering and deleting only
 * at the revision of the action, because allocators raise the count of a handle before they write the block. Deleting takes
 * two requests when the caller knows the object: the write that marks it checks the revision.
 */
export async function setHandleCount(
  store: IpamStore,
  action: SetHandleCount,
  checkPrecondition: PreconditionCheck,
  known: KnownForHandle = {},
): Promise<RepairOutcome> {
  const counts = countsOfHandle(action.handle, await blocksOf(store, action, known));
  let stored = known.handle;
  if (stored?.metadata.resourceVersion !== action.resourceVersion) stored = undefined;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (stored === undefined && (attempt > 0 || action.resourceVersion !== undefined)) {
      const found = await store.handles.get(action.handle);
      stored = found.ok ? found.value : undefined;
    }
    if (stored !== undefined && isTombstone(stored)) return conflict('the handle is being deleted');
    const change = changeOf(action, stored, counts);
    if ('outcome' in change) return change;
    const refusal = await checkPrecondition();
    if (refusal !== undefined) return skipped(refusal);
    const written = await write(store, action, stored, change.counts);
    if (written.ok) return change.partial ? { outcome: 'applied', detail: onlyRaised } : applied;
    stored = undefined;
  }
  throw retriesExhausted();
}

const onlyRaised = 'the handle was changed in the meantime: counts were raised, but none lowered';

async function blocksOf(store: IpamStore, action: SetHandleCount, known: KnownForHandle): Promise<IPAMBlock[]> {
  const read =
    known.block ??
    (async (name: string) => {
      const found = await store.blocks.get(name);
      return found.ok ? found.value : undefined;
    });
  const blocks = await Promise.all(action.blocks.map(read));
  return blocks.filter((block) => block !== undefined);
}

/** The counts to write, or why nothing is written. `partial`: counts that are too high were left as they are. */
function changeOf(
  action: SetHandleCount,
  stored: IPAMHandle | undefined,
  counts: Readonly<Record<string, number>>,
): { counts: Readonly<Record<string, number>>; partial: boolean } | RepairOutcome {
  if (stored === undefined) {
    const needed = Object.keys(counts).length > 0;
    return needed
      ? { counts, partial: false }
      : skipped('no block has an address of the handle, and the handle does not exist');
  }
  const written = storedCounts(stored);
  if (written === undefined) return conflict('the handle is malformed and is left to a person');
  const raised = { ...written };
  for (const [cidr, count] of Object.entries(counts)) raised[cidr] = Math.max(countOf(raised[cidr]), count);
  if (sameCounts(written, counts)) return skipped('the counts are already right');
  const { uid, resourceVersion } = stored.metadata;
  const unchanged = resourceVersion === action.resourceVersion && (action.uid === undefined || uid === action.uid);
  if (action.lowers && unchanged) return { counts, partial: false };
  const lower = !sameCounts(raised, counts);
  if (sameCounts(written, raised)) {
    return action.lowers ? conflict('the handle was changed in the meantime') : skipped('no count needs raising');
  }
  return { counts: raised, partial: lower };
}

/** The stored counts, empty for null; undefined when spec.block is not a map. */
function storedCounts({ spec }: IPAMHandle): Readonly<Record<string, number>> | undefined {
  if (!isObject(spec)) return undefined;
  const block: unknown = spec.block ?? {};
  return isObject(block) ? (block as Readonly<Record<string, number>>) : undefined;
}

function sameCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const cidrs = Object.keys(a);
  return cidrs.length === Object.keys(b).length && cidrs.every((cidr) => a[cidr] === b[cidr]);
}

async function write(
  store: IpamStore,
  action: SetHandleCount,
  stored: IPAMHandle | undefined,
  counts: Readonly<Record<string, number>>,
): Promise<{ readonly ok: boolean }> {
  if (stored === undefined) return store.handles.create(newHandle(sanitiseHandle(action.handleId), counts));
  return Object.keys(counts).length === 0
    ? deleteInTwoPhases(store.handles, stored)
    : store.handles.update(withCounts(stored, counts));
}
