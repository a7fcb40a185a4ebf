// Flags that name invariants: --only and --skip.
import type { InvariantId } from '../../../ipam-check/invariants.ts';
import { flag, type Parameter } from '../../parameters.ts';

/** Takes comma-separated ids, and may be repeated. */
export function invariantFlag(about: string): Parameter<readonly (readonly InvariantId[])[], readonly InvariantId[]> {
  return flag
    .parsed('ID,…', about, {
      noun: 'invariant',
      hint: 'calictl explain invariants lists them',
      parse: async (text) => {
        // The catalogue is only loaded when it is asked for something.
        const { parseInvariantId } = await import('../../../ipam-check/invariants.ts');
        const ids = text.split(',').map(parseInvariantId);
        return ids.every((id) => id !== undefined) ? ids : undefined;
      },
    })
    .repeatable();
}
