// The lists of `get`: each is read as it is printed, filtered, and sorted for --sort-by.
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import type { ResourceClient } from '../../resource-client/resource-client.ts';
import type { AppliedOrder, Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import type { Context } from '../command.ts';
import type { GetInput } from './command.ts';
import type { FoundList } from './query-result.ts';
import { relatedObjects } from './reader.ts';
import type { Sorting } from './sorting.ts';
import type { Target } from './targets.ts';
import { namespaceOf } from './watching.ts';

/** What stderr says of an empty list, so that it is not mistaken for a failure. */
function nothingFound({ kind, namespaced }: Kind, namespace: string | undefined): string {
  if (!namespaced || namespace === undefined) return `No ${kind} found.`;
  return `No ${kind} found in namespace ${namespace}; -A shows those of all namespaces.`;
}

/** All pages as one, sorted. Errors: those of reading; UsageError when no object has the value. */
async function* sortedPages(pages: AsyncIterable<ObjectPage>, sorting: Sorting): AsyncIterable<ObjectPage> {
  const items: KubeObject[] = [];
  let revision: string | undefined;
  for await (const page of pages) {
    items.push(...page.items);
    revision ??= page.resourceVersion;
  }
  yield { items: sorting.sorted(items, (object) => object), resourceVersion: revision ?? '' };
}

/** All pages as one, in the order in which Calico applies the objects; without the right to read what it depends on, as listed. */
async function* appliedPages(
  pages: AsyncIterable<ObjectPage>,
  { needs, compare }: AppliedOrder,
  store: Datastore,
  signal: AbortSignal,
): AsyncIterable<ObjectPage> {
  const related = await relatedObjects(store, needs, signal).catch((error: unknown) => {
    if (error instanceof DatastoreError && error.reason !== 'unavailable') return undefined;
    throw error;
  });
  const items: KubeObject[] = [];
  let revision: string | undefined;
  for await (const page of pages) {
    items.push(...page.items);
    revision ??= page.resourceVersion;
  }
  const inOrder = related === undefined ? items : items.toSorted((a, b) => compare(a, b, related));
  yield { items: inOrder, resourceVersion: revision ?? '' };
}

/** How many lists are not yet read, and whether any held an object. */
class Tally {
  #left: number;
  #holdsAny = false;

  constructor(lists: number) {
    this.#left = lists;
  }

  /** Counts a list that was read. Returns true after the last one, if all were empty. */
  counts(holdsAny: boolean): boolean {
    this.#holdsAny ||= holdsAny;
    return --this.#left === 0 && !this.#holdsAny;
  }
}

/**
 * The lists of the targets without a name. Of several kinds, one that cannot be read ends in `errors`, and the others are
 * read all the same; of all kinds, one that the cluster does not have is left out.
 */
export function listsOf(
  ctx: Context,
  store: Datastore,
  client: ResourceClient,
  input: GetInput,
  targets: readonly Target[],
  isAll: boolean,
  errors: Error[],
): FoundList[] {
  const kinds = targets.filter(({ name }) => name === undefined).map(({ kind }) => kind);
  const tally = new Tally(kinds.length);

  async function* read(kind: Kind): AsyncIterable<ObjectPage> {
    const namespace = namespaceOf(kind, input);
    let isEmpty = true;
    try {
      for await (const page of client.pages(kind, namespace, input.selector)) {
        const { items } = page;
        const selected = input.fieldSelector === undefined ? items : items.filter(input.fieldSelector);
        isEmpty &&= selected.length === 0;
        yield { ...page, items: selected };
      }
    } catch (error) {
      if (kinds.length === 1 || !(error instanceof DatastoreError) || error.reason === 'unavailable') throw error;
      if (!(isAll && error.missingKind)) errors.push(error);
    }
    if (tally.counts(!isEmpty) && errors.length === 0) {
      await ctx.note(kinds.length === 1 ? nothingFound(kind, namespace) : 'No objects found.');
    }
  }

  return kinds.map((kind) => {
    const pages = read(kind);
    if (input.sortBy !== undefined) return { type: 'list', kind, pages: sortedPages(pages, input.sortBy) };
    const { applied } = kind;
    return {
      type: 'list',
      kind,
      pages: applied === undefined ? pages : appliedPages(pages, applied, store, ctx.world.signal),
    };
  });
}
