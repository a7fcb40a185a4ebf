// What calictl get does: finds the objects that the command line names, and shows them as tables or documents.
import { DatastoreError } from '../../datastore/datastore.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Kind } from '../../resources/kind.ts';
import { defaultNamespace, type ObjectRef } from '../../resources/object.ts';
import { exitCodes, UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { GetInput } from './command.ts';
import { documentsOf } from './documents.ts';
import type { Found, QueryResult } from './query-result.ts';
import { kindOfWord, relatedObjects, stripped } from './reader.ts';
import { columnsOf, namesOf, needsOf, tablesOf } from './tables.ts';

export async function run(ctx: Context, input: GetInput): Promise<QueryResult> {
  const { names, namespace, allNamespaces, output } = input;
  const kind = kindOfWord(input.kind);
  columnsOf(kind, 'custom-columns', output.headings, false);
  const inNamespace = namespaceOf(kind, input);
  const store = await ctx.datastore();
  const client = new ResourceClient(store, ctx.world);
  const errors: Error[] = [];
  const found: Found[] = [];
  for (const name of names) {
    try {
      const object = await client.one(kind, { name, namespace: inNamespace });
      found.push({ type: 'object', kind, object: input.export ? stripped(object) : object });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      errors.push(await missing(error, client, kind, { name, namespace: inNamespace }));
      if (error.reason === 'unavailable') break;
    }
  }
  // A list is read as it is printed.
  if (names.length === 0) {
    const pages = client.pages(kind, inNamespace, input.selector);
    found.push({ type: 'list', kind, pages: notingNothing(pages, () => ctx.note(nothingFound(kind, inNamespace))) });
  }
  const needs = found.length === 0 ? [] : needsOf(kind, output.format, output.headings);
  return {
    found,
    withNamespace: namespace !== undefined || allNamespaces,
    headings: output.headings,
    related: await relatedObjects(store, needs, ctx.world.signal),
    errors,
  };
}

/** The pages as they come; `note` is called at their end when no object was in them. */
async function* notingNothing(pages: AsyncIterable<ObjectPage>, note: () => Promise<void>): AsyncIterable<ObjectPage> {
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.items.length === 0;
    yield page;
  }
  if (isEmpty) await note();
}

/** What stderr says of an empty list, so that it is not mistaken for a failure. */
function nothingFound({ kind, namespaced }: Kind, namespace: string | undefined): string {
  if (!namespaced || namespace === undefined) return `No ${kind} found.`;
  return `No ${kind} found in namespace ${namespace}; -A shows those of all namespaces.`;
}

/** The namespace to read, undefined for all or none. Errors: UsageError for a kind that has no namespaces. */
function namespaceOf(kind: Kind, { namespace, allNamespaces }: GetInput): string | undefined {
  if (kind.namespaced) return allNamespaces ? undefined : (namespace ?? defaultNamespace);
  if (!allNamespaces && namespace === undefined) return undefined;
  throw new UsageError(`${kind.kind} is not namespaced`, 'leave -n and -A out', 'NAMESPACE');
}

/** Says which object does not exist, and how the one is called that is made from an object of this name. */
async function missing(
  error: DatastoreError,
  client: ResourceClient,
  kind: Kind,
  { name, namespace }: ObjectRef,
): Promise<DatastoreError> {
  if (error.reason !== 'not-found' || error.missingKind || error.code === 'OTHER_SPELLING') return error;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  // Only a hint: without the right to read the other kind there is none.
  const made = await client.nameMadeFrom(kind, { name, namespace }).catch(() => undefined);
  return new DatastoreError('not-found', `${kind.kind} ${name} does not exist${where}`, {
    cause: error,
    ...(made !== undefined && { hint: `the ${kind.kind} of ${name} is called ${made}` }),
  });
}

export const formats = {
  ps: (selection: QueryResult) => tablesOf(selection, 'ps', false),
  wide: (selection: QueryResult) => tablesOf(selection, 'wide', false),
  'custom-columns': (selection: QueryResult) => tablesOf(selection, 'custom-columns', false),
  name: namesOf,
  yaml: (selection: QueryResult) => documentsOf(selection, 'yaml'),
  json: (selection: QueryResult) => documentsOf(selection, 'json'),
};

export const format = ({ output }: GetInput): string => output.format;

export const exit = ({ errors: all }: QueryResult): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (selection: QueryResult): readonly Error[] => selection.errors;
