// How long the optimistic loops of IPAM go on. Rules: docs/reference/ipam.md#retries.
import { CalictlError } from '../world/errors.ts';
import type { Clock, Random } from '../world/world.ts';

/** Attempts of one operation against concurrent writers, one after the other without a pause. */
export const maxRetries = 100;

/** The error of an operation whose every attempt met a concurrent write. */
export function retriesExhausted(): CalictlError {
  return new CalictlError('Max retries hit - excessive concurrent IPAM requests', {
    code: 'IPAM_CONFLICT',
    hint: 'something else is writing the same objects all the time; run the command again later',
  });
}

/** What an operation needs of the world beside the datastore. */
export interface AllocatorWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

/** Before an operation starts over: at once after its first attempt, later after 5 to 50 ms, so that rivals part. */
export async function pauseAfter(attempt: number, { clock, random, signal }: AllocatorWorld): Promise<void> {
  signal?.throwIfAborted();
  if (attempt > 0) await clock.sleep(5 + Math.floor(random.float() * 46), signal);
}

/**
 * Does it again, with everything read again, for as long as it answers that others came between.
 * Errors: those of `once`; CalictlError when others always come between.
 */
export async function untilSettled<T>(world: AllocatorWorld, once: () => Promise<T | 'contended'>): Promise<T> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, world);
    const done = await once();
    if (done !== 'contended') return done;
  }
  throw retriesExhausted();
}
