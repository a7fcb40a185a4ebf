// The reading half of `get`: kind and names on the command line -> objects of the datastore in the form people see.
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { labelSelector } from '../../datastore/label-selector.ts';
import { isOnCommandLine, type Kind } from '../../resources/kind.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import type { Found, ObjectPage, Selection } from '../../resources/query-result.ts';
import { CalictlError, UsageError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import type { Context } from '../command.ts';
import { Reader, relatedObjects, stripped } from './reader.ts';
import { columnsOf, needsOf } from './tables.ts';

export interface ObjectQuery {
  readonly kind: string;
  readonly names: readonly string[];
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Label selector, for lists. */
  readonly selector: string | undefined;
  /** Without what belongs to this cluster, for objects that are named. */
  readonly stripped: boolean;
  readonly format: string;
  /** Headings of custom columns. */
  readonly headings: readonly string[];
}

/** Errors: UsageError for a word that names no kind, in compat mode also for the kinds that calicoctl does not have. */
function kindFor(word: string, compat: boolean): Kind {
  const kind = findKind(word);
  if (kind !== undefined && (kind.codec !== undefined || !compat)) return kind;
  const known = kinds.filter(isOnCommandLine).map(({ aliases }) => aliases[0]);
  throw new UsageError(`resource type '${word}' is not supported`, `kinds are ${known.join(', ')}`, 'UNKNOWN_KIND');
}

function refuseEmptyNames(names: readonly string[]): void {
  if (names.includes(''))
    throw new UsageError('resource name may not be empty', 'leave the name out to show all', 'EMPTY_NAME');
}

/** The namespace to read, undefined for all or none. Errors: UsageError when the flags do not fit the kind. */
function namespaceFor(kind: Kind, query: ObjectQuery): string | undefined {
  const { namespace, allNamespaces, names } = query;
  if (!kind.namespaced) {
    if (allNamespaces || namespace !== undefined)
      throw new UsageError(`${kind.kind} is not namespaced`, 'leave -n and -A out', 'NAMESPACE');
    return undefined;
  }
  if (allNamespaces && namespace !== undefined) {
    throw new UsageError(
      'cannot use both --namespace and --all-namespaces flags at the same time',
      'leave one of them out',
      'NAMESPACE',
    );
  }
  if (allNamespaces && names.length > 0) {
    throw new UsageError(
      'cannot use --all-namespace flag for getting a single resource',
      'name its namespace with -n',
      'NAMESPACE',
    );
  }
  return allNamespaces ? undefined : (namespace ?? 'default');
}

function errorFor(
  error: DatastoreError,
  kind: Kind,
  name: string,
  namespace: string | undefined,
  compat: boolean,
): Error {
  if (compat) return new CalictlError(calicoctlText(error, identity(kind.kind, name, namespace)), { code: error.code });
  if (error.reason !== 'not-found' || error.missingKind) return error;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return new DatastoreError('not-found', `${kind.kind} ${name} does not exist${where}`, { cause: error });
}

async function* replay(pages: readonly ObjectPage[]): AsyncIterable<ObjectPage> {
  yield* pages;
}

/**
 * Finds what a `get` asks for. Lists are read as they are shown, in compat mode before.
 * Errors: UsageError for what no datastore could answer; those of opening the datastore.
 */
export async function selectObjects(ctx: Context, query: ObjectQuery): Promise<Selection> {
  const { compat, world } = ctx;
  const kind = kindFor(query.kind, compat);
  if (!compat) refuseEmptyNames(query.names);
  if (query.selector !== undefined) {
    if (query.names.length > 0)
      throw new UsageError('--selector and names cannot be used together', 'leave one of them out');
    labelSelector(query.selector);
  }
  if (!compat) columnsOf(kind, 'custom-columns', query.headings, false);

  const errors: Error[] = [];
  const found: Found[] = [];
  const selection = async (store: Datastore): Promise<Selection> => ({
    found,
    withNamespace: query.namespace !== undefined || query.allNamespaces,
    headings: query.headings,
    related: await relatedObjects(
      store,
      found.length === 0 ? [] : needsOf(kind, query.format, query.headings),
      world.signal,
    ),
    errors,
  });

  let namespace: string | undefined;
  if (!compat) namespace = namespaceFor(kind, query);
  const store = await ctx.datastore();
  if (compat) {
    refuseEmptyNames(query.names);
    try {
      namespace = namespaceFor(kind, query);
    } catch (error) {
      // calicoctl finds it out object by object.
      const message = error instanceof Error ? error.message : '';
      const each = query.names.length === 0 ? [''] : query.names;
      errors.push(...each.map(() => new CalictlError(message, { code: 'NAMESPACE' })));
      return selection(store);
    }
  }

  const reader = new Reader(store, kind, world);
  for (const name of query.names) {
    try {
      const object = await reader.one(name, namespace);
      found.push({
        type: 'object',
        kind,
        object: query.stripped ? stripped(object) : object,
      });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      errors.push(errorFor(error, kind, name, namespace, compat));
      if (error.reason === 'unavailable' && !compat) break;
    }
  }
  if (query.names.length > 0) return selection(store);

  const selects = query.selector === undefined ? undefined : labelSelector(query.selector);
  const pages = reader.pages(namespace, selects);
  if (!compat) {
    found.push({ type: 'list', kind, pages });
    return selection(store);
  }
  try {
    const all: ObjectPage[] = [];
    for await (const page of pages) all.push(page);
    found.push({ type: 'list', kind, pages: replay(all) });
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    errors.push(new CalictlError(calicoctlText(error), { code: error.code }));
  }
  return selection(store);
}
