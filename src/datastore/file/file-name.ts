// The name of the file for a new object: readable, and safe for any name of the object.
import { createHash } from 'node:crypto';
import type { Kind } from '../../resources/kind.ts';
import type { ObjectRef } from '../../resources/object.ts';

const LONGEST = 120;

/** Names to try in turn until one is free: `ippool-pool-1.yaml`, then the same with a number. */
export function* fileNames(kind: Kind, ref: ObjectRef): Generator<string> {
  const wanted = [kind.kind.toLowerCase(), kind.namespaced ? ref.namespace : undefined, ref.name]
    .filter((part) => part !== undefined)
    .join('-');
  const safe = wanted.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, LONGEST);
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 10);
  const base = safe === wanted ? safe : `${safe}-${hash}`;
  yield `${base}.yaml`;
  for (let n = 2; ; n++) yield `${base}-${n}.yaml`;
}
