// Splits a pool in a live datastore: reads what the plan needs, and writes in an order in which every crash can be resumed.
// What to write is decided by ipam/pool/pool-split.ts.
import { type CallOptions, type Datastore, DatastoreError, getIfAny, listAll } from '../datastore/datastore.ts';
import { type SplitPlan, type SplitReading, sameSpec, splitMark } from '../ipam/pool/pool-split.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';
import { ipamBlock } from '../resources/kinds/ipam-block.ts';
import { CalictlError, exitCodes } from '../world/errors.ts';

/** A write of a split failed; running the split again continues from there. */
export class SplitStopped extends CalictlError {
  readonly step: 'disable' | 'create' | 'delete';
  /** The part that could not be created. */
  readonly part: IPPool | undefined;

  constructor(step: SplitStopped['step'], plan: SplitPlan, cause: CalictlError, part?: IPPool) {
    const what = { disable: 'disable', create: 'split', delete: 'delete' }[step];
    super(`could not ${what} the pool ${plan.pool.metadata.name}: ${cause.message}`, {
      code: 'SPLIT_STOPPED',
      cause,
      hint: 'run the same command again: it continues from what is stored',
      exit: step === 'disable' ? exitCodes.failed : exitCodes.partial,
    });
    this.step = step;
    this.part = part;
  }
}

/** Everything that a split is decided by. Errors: those of the store. */
export async function readForSplit(store: Datastore, options: CallOptions): Promise<SplitReading> {
  const [pools, blocks] = await Promise.all([listAll(store, ipPool, options), listAll(store, ipamBlock, options)]);
  return { pools, blocks: blocks.map(({ spec }) => String(spec?.cidr)) };
}

/**
 * Disables the pool, creates the parts that are missing, checks that all parts exist, and deletes the pool at the revision
 * at which it was disabled. Affinities, blocks and handles are not touched. Returns whether the pool is gone, which
 * finalizers may prevent. Errors: SplitStopped for a write that failed; those of reading.
 */
export async function applySplit(store: Datastore, plan: SplitPlan, options: CallOptions): Promise<{ gone: boolean }> {
  const attempt = async <T>(step: SplitStopped['step'], work: () => Promise<T>, part?: IPPool): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof CalictlError ? new SplitStopped(step, plan, error, part) : error;
    }
  };
  const pool = plan.disable ? await attempt('disable', () => disable(store, plan, options)) : plan.pool;
  for (const { pool: part, exists } of plan.parts) {
    if (!exists) await attempt('create', () => create(store, part, options), part);
  }
  return attempt('delete', async () => {
    await requireParts(store, plan, options);
    return remove(store, pool, options);
  });
}

function disable(store: Datastore, { pool, parts }: SplitPlan, options: CallOptions): Promise<IPPool> {
  const annotations = { ...pool.metadata.annotations, [splitMark]: String(parts.length) };
  const disabled = {
    ...pool,
    metadata: { ...pool.metadata, annotations },
    spec: { ...pool.spec, disabled: true },
  };
  return store.update(ipPool, disabled, options);
}

/** Creates a part; one that exists by now with the same spec counts as created. */
async function create(store: Datastore, part: IPPool, options: CallOptions): Promise<void> {
  try {
    await store.create(ipPool, part, options);
  } catch (error) {
    if (!(error instanceof DatastoreError && error.reason === 'already-exists')) throw error;
    const existing = await getIfAny(store, ipPool, { name: part.metadata.name }, options);
    if (existing === undefined || !sameSpec(existing, part)) throw error;
  }
}

async function requireParts(store: Datastore, { parts }: SplitPlan, options: CallOptions): Promise<void> {
  const stored = new Map((await listAll(store, ipPool, options)).map((pool) => [pool.metadata.name, pool]));
  for (const { pool: part } of parts) {
    const found = stored.get(part.metadata.name);
    if (found === undefined || found.metadata.deletionTimestamp || !sameSpec(found, part)) {
      throw new DatastoreError('conflict', `${part.metadata.name} was changed by another client in the meantime`);
    }
  }
}

async function remove(store: Datastore, pool: IPPool, options: CallOptions): Promise<{ gone: boolean }> {
  const { name, uid, resourceVersion } = pool.metadata;
  if (!pool.metadata.deletionTimestamp) await store.delete(ipPool, { name }, { uid, resourceVersion }, options);
  const left = await getIfAny(store, ipPool, { name }, options);
  return { gone: left === undefined };
}
