// How long the optimistic loops of IPAM go on. Rules: docs/reference/ipam.md#retries.
import { CalictlError } from '../world/errors.ts';

/** Attempts of one operation against concurrent writers, one after the other without a pause. */
export const maxRetries = 100;

/** The error of an operation whose every attempt met a concurrent write. */
export function retriesExhausted(): CalictlError {
  return new CalictlError('Max retries hit - excessive concurrent IPAM requests', {
    code: 'IPAM_CONFLICT',
    hint: 'Something else is writing the same objects all the time; run the command again later.',
  });
}
