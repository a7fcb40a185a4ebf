// Malformed objects: a user has to correct them before the commands that read them can work.

import type { Kind } from '../resources/kind.ts';
import { type IPAMBlock, ipamBlock } from '../resources/kinds/ipam-block.ts';
import { kinds } from '../resources/kinds.ts';
import type { KubeObject } from '../resources/object.ts';
import { problemsOf } from '../resources/validate.ts';
import { type CallOptions, type Datastore, DatastoreError } from './datastore.ts';
import { nameWithKind } from './object-rules.ts';

/** An error that says what is wrong with the object, or undefined when it is well-formed. */
export function malformed(kind: Kind, object: KubeObject, cause?: unknown): DatastoreError | undefined {
  const [first, ...more] = problemsOf(kind, object);
  if (first === undefined) return undefined;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return new DatastoreError(
    'invalid',
    `${nameWithKind(kind, object.metadata)} is malformed: ${first.path} ${first.message}${rest}`,
    {
      code: 'OBJECT_MALFORMED',
      hint: 'Correct the object or remove it from the datastore; nothing that depends on it can be determined.',
      cause,
    },
  );
}

/** The same for a block, but fast where it is well-formed: checks only what every reader takes for granted. */
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

/** The first malformed object of the store, to explain an unexpected error. */
export async function findMalformed(
  store: Datastore,
  cause: unknown,
  options?: CallOptions,
): Promise<DatastoreError | undefined> {
  for (const kind of kinds) {
    // The API server accepts only well-formed pods, nodes and services.
    if (store.type === 'kubernetes' && kind.api.group !== 'crd.projectcalico.org') continue;
    try {
      for await (const { items } of store.list(kind, options)) {
        for (const item of items) {
          const found = malformed(kind, item, cause);
          if (found !== undefined) return found;
        }
      }
    } catch {
      // A kind that cannot be read does not explain the error.
      if (options?.signal?.aborted) return undefined;
    }
  }
  return undefined;
}
