// The kind that a word names, copies for other clusters, and what the columns of a table need.
import { type Datastore, DatastoreError, listAll } from '../../datastore/datastore.ts';
import { isOnCommandLine, type Kind, type Need, type RelatedObjects } from '../../resources/kind.ts';
import { findKind, kinds, similarKindName } from '../../resources/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';
import { UsageError } from '../../world/errors.ts';

/** Errors: UsageError for a word that is not the name of a kind. */
export function kindOfWord(word: string, isKnown: (kind: Kind) => boolean = () => true): Kind {
  const kind = findKind(word);
  if (kind !== undefined && isKnown(kind)) return kind;
  throw new UsageError(`resource type '${word}' is not supported`, kindHint(word), 'UNKNOWN_KIND');
}

function kindHint(word: string): string {
  if (/^(?:po|pods?)$/i.test(word)) return 'Calico knows pods as workloadendpoints; kubectl shows the pods themselves';
  const similar = similarKindName(word);
  if (similar !== undefined) return `did you mean ${similar}?`;
  const known = kinds.filter(isOnCommandLine).map(({ aliases }) => aliases[0]);
  return `kinds are ${known.join(', ')}`;
}

function isNotFound(error: unknown): boolean {
  return error instanceof DatastoreError && error.reason === 'not-found';
}

/** A copy for another cluster: without what this one gave the object. */
export function stripped(object: KubeObject): KubeObject {
  const own = ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
  const kept = Object.entries(object.metadata).filter(([field]) => !own.includes(field));
  const metadata = { ...Object.fromEntries(kept), creationTimestamp: null } as ObjectMeta;
  return { ...object, metadata };
}

/**
 * Reads what the columns of a table need, all at once.
 * Errors: those of listing; an object that is needed by name and cannot be read is `unreadable`, which its column shows.
 */
export async function relatedObjects(
  store: Datastore,
  needs: readonly Need[],
  signal: AbortSignal,
): Promise<RelatedObjects> {
  const lists = new Map<Kind, readonly KubeObject[]>();
  const named = new Map<string, KubeObject | 'unreadable' | undefined>();
  const key = ({ kind }: Kind, name: string): string => `${kind}/${name}`;
  const read = async ({ kind, name }: Need): Promise<void> => {
    if (name === undefined) {
      lists.set(kind, await listAll(store, kind, { signal }));
    } else {
      const object = await store
        .get(kind, { name }, { signal })
        .catch((error: unknown) => (isNotFound(error) ? undefined : ('unreadable' as const)));
      named.set(key(kind, name), object);
    }
  };
  await Promise.all(needs.map(read));
  const none: readonly never[] = [];
  return {
    all: <T extends KubeObject>(kind: Kind<T>) => (lists.get(kind) ?? none) as readonly T[],
    one: <T extends KubeObject>(kind: Kind<T>, name: string) =>
      named.get(key(kind, name)) as T | 'unreadable' | undefined,
  };
}
