// One check of a datastore, from reading to confirmed judgements: what `ipam check` does without --fix.
import type { Datastore } from '../../datastore/datastore.ts';
import { evaluate } from '../../ipam-check/evaluate.ts';
import { type Confirmed, confirm } from './confirm.ts';
import { type ObserveOptions, observe } from './observe.ts';

/** Reads and judges the datastore, then reads again what the judgements rest on and judges once more. */
export async function check(store: Datastore, options: ObserveOptions): Promise<Confirmed> {
  const snapshot = await observe(store, options);
  return confirm(store, snapshot, evaluate(snapshot), options.signal);
}
