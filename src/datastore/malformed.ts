// Objects that are not as their kind says: a person has to correct them before what reads them can work.

import type { Kind } from '../resources/kind.ts';
import { type IPAMBlock, ipamBlock } from '../resources/kinds/ipam-block.ts';
import { kinds } from '../resources/kinds.ts';
import type { KubeObject } from '../resources/object.ts';
import { problemsOf } from '../resources/validate.ts';
import { type CallOptions, type Datastore, DatastoreError } from './datastore.ts';

/** What is wrong with the object as an error, or undefined when it is as its kind says. */
export function malformed(kind: Kind, object: KubeObject, cause?: unknown): DatastoreError | undefined {
  const [first, ...more] = problemsOf(kind, object);
  if (first === undefined) return undefined;
  const { name, namespace } = object.metadata;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const place = kind.namespaced ? `${namespace}/${name}` : name;
  return new DatastoreError('invalid', `${kind.kind} ${place} is malformed: ${first.path} ${first.message}${rest}`, {
    code: 'OBJECT_MALFORMED',
    hint: 'Correct the object, or take it out of the datastore; nothing that rests on it can be told.',
    cause,
  });
}

/** The same for a block, at the price of a look where it is well-formed: only what every reader takes for granted. */
function malformedBlock(block: IPAMBlock): DatastoreError | undefined {
  const spec: Partial<Record<keyof IPAMBlock['spec'], unknown>> | null | undefined = block.spec;
  const usable =
    typeof spec?.cidr === 'string' &&
    Array.isArray(spec.allocations) &&
    Array.isArray(spec.unallocated) &&
    Array.isArray(spec.attributes);
  return usable ? undefined : malformed(ipamBlock, block);
}

/** Errors: DatastoreError for the first block that cannot be counted. */
export function refuseMalformedBlocks(blocks: readonly IPAMBlock[]): void {
  for (const block of blocks) {
    const problem = malformedBlock(block);
    if (problem !== undefined) throw problem;
  }
}

/** The first malformed object of the store, for an error that nothing else explains. */
export async function findMalformed(
  store: Datastore,
  cause: unknown,
  options?: CallOptions,
): Promise<DatastoreError | undefined> {
  for (const kind of kinds) {
    // The API server itself takes no other pods, nodes and services than well-formed ones.
    if (store.type === 'kubernetes' && kind.api.group !== 'crd.projectcalico.org') continue;
    try {
      for await (const { items } of store.list(kind, options)) {
        for (const item of items) {
          const found = malformed(kind, item, cause);
          if (found !== undefined) return found;
        }
      }
    } catch (error) {
      // A kind that cannot be read explains nothing.
      if (!(error instanceof DatastoreError)) throw error;
    }
  }
  return undefined;
}
