// How often IPAM operations retry after conflicts. Rules: docs/reference/ipam.md#retries.
import { CalictlError } from '../world/errors.ts';
import type { Clock, Random } from '../world/world.ts';

/** How often an operation is attempted against concurrent writers. */
export const maxRetries = 100;

/** The error when every attempt of an operation met a concurrent write. */
export function retriesExhausted(): CalictlError {
  return new CalictlError('Max retries hit - excessive concurrent IPAM requests', {
    code: 'IPAM_CONFLICT',
    hint: 'another client keeps writing the same objects; run the command again later',
  });
}

/** What an operation needs of the outside world, apart from the datastore. */
export interface AllocatorWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

/** The pause before an operation starts over: none after the first attempt, then 5 to 50 ms, so that rivals diverge. */
export async function pauseAfter(attempt: number, { clock, random, signal }: AllocatorWorld): Promise<void> {
  signal?.throwIfAborted();
  if (attempt > 0) await clock.sleep(5 + Math.floor(random.float() * 46), signal);
}

/**
 * Repeats an operation, which reads everything again, as long as it returns `contended`.
 * Errors: those of `once`; CalictlError when every attempt was contended.
 */
export async function untilSettled<T>(world: AllocatorWorld, once: () => Promise<T | 'contended'>): Promise<T> {
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, world);
    const done = await once();
    if (done !== 'contended') return done;
  }
  throw retriesExhausted();
}
