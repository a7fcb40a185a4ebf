// What calictl get does: finds the objects that the command line or a manifest names, and shows them.
import { resolve } from 'node:path';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { listHint } from '../../datastore/object-rules.ts';
import type { TableLayout } from '../../output/columns.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { isInCalicoctl, type Kind } from '../../resources/kind.ts';
import type { ObjectRef } from '../../resources/object.ts';
import { exitCodes, UsageError } from '../../world/errors.ts';
import type { Context, Rendered, View } from '../command.ts';
import type { GetInput } from './command.ts';
import { documentsOf, documentValue } from './documents.ts';
import { listsOf } from './lists.ts';
import type { Found, FoundObject, QueryResult, TableOptions, WatchResult } from './query-result.ts';
import { relatedObjects, stripped } from './reader.ts';
import { columnsNamed, labelColumns, namesOf, needsOf, type TableFormat, tablesOf } from './tables.ts';
import { type Target, type Targets, targetsOf } from './targets.ts';
import { parseTemplateOf, safeText } from './templates.ts';
import { watchedTable, watchedTexts } from './watched.ts';
import { namespaceOf, watching } from './watching.ts';

export async function run(ctx: Context, input: GetInput): Promise<QueryResult | WatchResult> {
  const { output } = input;
  if (input.outputWatchEvents && !input.watch && !input.watchOnly) {
    throw new UsageError('--output-watch-events requires --watch or --watch-only', 'add one of them');
  }
  const named = input.kind === undefined ? await targetsInManifests(ctx, input) : targetsNamed(input.kind, input);
  for (const { kind } of named.targets) columnsNamed(kind, output.headings);
  const source = output.template;
  const template =
    source &&
    (await parseTemplateOf('file' in source ? { ...source, file: resolve(ctx.world.cwd, source.file) } : source));
  const store = await ctx.datastore();
  const shown = {
    table: tableOptions(input, named),
    template,
    related: (kind: Kind) => relatedObjects(store, needsOf(kind, output.format, output.headings), ctx.world.signal),
  };
  if (input.watch || input.watchOnly) return { ...shown, ...(await watching(ctx, store, input, named)) };
  return { ...shown, ...(await read(ctx, store, input, named)) };
}

/** Errors: UsageError for words that name nothing, or that do not go together. */
function targetsNamed(kind: string, input: GetInput): Targets {
  const named = targetsOf(kind, input.names);
  if (named.targets.some(({ name }) => name !== undefined)) refuseSelection(named.targets, input, 'NAME');
  return named;
}

/** The objects that manifests name. Errors: those of the manifests; UsageError. */
async function targetsInManifests(ctx: Context, input: GetInput): Promise<Targets> {
  const { loadManifests } = await import('../load-manifests.ts');
  const objects = await loadManifests(ctx, input);
  const targets = objects.map(({ kind, object: { metadata } }): Target => {
    const { name, namespace } = metadata;
    if (!kind.namespaced || namespace === undefined) return { kind, name };
    if (input.namespace !== undefined && input.namespace !== namespace) {
      const message = `${kind.kind} ${name} of the manifest is in namespace ${namespace}, not ${input.namespace}`;
      throw new UsageError(message, 'leave out -n', 'NAMESPACE');
    }
    return { kind, name, namespace };
  });
  refuseSelection(targets, input, '--filename');
  return { targets, isAll: false };
}

/** Errors: UsageError for flags that select from lists, together with what names objects. */
function refuseSelection(targets: readonly Target[], input: GetInput, names: string): void {
  const { allNamespaces, selector, fieldSelector } = input;
  if (selector !== undefined) {
    throw new UsageError(`--selector and ${names} cannot be used together`, 'leave one of them out');
  }
  if (fieldSelector !== undefined) {
    throw new UsageError(`--field-selector and ${names} cannot be used together`, 'leave one of them out');
  }
  if (allNamespaces && targets.some(({ kind }) => kind.namespaced)) {
    throw new UsageError(`--all-namespaces and ${names} cannot be used together`, 'specify the namespace with -n');
  }
}

function tableOptions(input: GetInput, { targets, isAll }: Targets): TableOptions {
  const { output, namespace, allNamespaces, noHeaders, showLabels } = input;
  const keys = input.labelColumns.flatMap((text) => text.split(',')).filter((key) => key !== '');
  return {
    withNamespace: namespace !== undefined || allNamespaces,
    headings: output.headings,
    columns: output.columns,
    labelColumns: labelColumns(keys, showLabels),
    withoutHeadings: noHeaders,
    isMixed: isAll || new Set(targets.map(({ kind }) => kind)).size > 1,
  };
}

async function read(
  ctx: Context,
  store: Datastore,
  input: GetInput,
  { targets, isAll }: Targets,
): Promise<Pick<QueryResult, 'found' | 'errors'>> {
  const client = new ResourceClient(store, ctx.world);
  const errors: Error[] = [];
  const objects = await readNamed(client, input, targets, errors);
  const lists = listsOf(ctx, store, client, input, targets, isAll, errors);
  const { sortBy } = input;
  const found: Found[] = [
    ...(sortBy === undefined ? objects : sortBy.sorted(objects, ({ object }) => object)),
    ...lists,
  ];
  return { found, errors };
}

async function readNamed(
  client: ResourceClient,
  input: GetInput,
  targets: readonly Target[],
  errors: Error[],
): Promise<FoundObject[]> {
  const found: FoundObject[] = [];
  for (const { kind, name, ...target } of targets) {
    if (name === undefined) continue;
    const ref = { name, namespace: target.namespace ?? namespaceOf(kind, input) };
    try {
      const object = await client.one(kind, ref);
      found.push({ type: 'object', kind, object: input.export ? stripped(object) : object });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      const isMissing = error.reason === 'not-found' && !error.missingKind;
      if (isMissing && input.ignoreNotFound) continue;
      const isExplained = !isMissing || error.code === 'OTHER_SPELLING';
      errors.push(isExplained ? error : await missing(error, client, kind, ref));
      if (error.reason === 'unavailable') break;
    }
  }
  return found;
}

/** Says which object does not exist, and how the one is called that is made from an object of this name. */
async function missing(
  error: DatastoreError,
  client: ResourceClient,
  kind: Kind,
  ref: ObjectRef,
): Promise<DatastoreError> {
  const where = ref.namespace === undefined ? '' : ` in namespace ${ref.namespace}`;
  // Only a hint: without the right to read the other kind there is none.
  const made = await client.nameMadeFrom(kind, ref).catch(() => undefined);
  const hint = made === undefined ? listHint(kind) : `the ${kind.kind} of ${ref.name} is called ${made}`;
  return new DatastoreError('not-found', `${kind.kind} ${ref.name} does not exist${where}`, { cause: error, hint });
}

function isWatch(result: QueryResult | WatchResult): result is WatchResult {
  return 'watched' in result;
}

/** In a pipe, tables that calicoctl prints too have its bytes, for scripts that rely on them. */
const layoutFor =
  ({ columns }: View) =>
  (kind: Kind): TableLayout => {
    return { padsLineEnds: columns === Number.POSITIVE_INFINITY && isInCalicoctl(kind), alignsAll: false };
  };

const tables =
  (format: TableFormat) =>
  (result: QueryResult | WatchResult, view: View): Rendered =>
    isWatch(result) ? watchedTable(result, format) : tablesOf(result, format, layoutFor(view));

const texts =
  (format: 'yaml' | 'json' | 'name' | 'template', rendered: (result: QueryResult) => Rendered) =>
  (result: QueryResult | WatchResult): Rendered =>
    isWatch(result) ? watchedTexts(result, format) : rendered(result);

/** Nothing for nothing: a template for a list would only fail. */
async function* throughTemplate(result: QueryResult): AsyncIterable<string> {
  if (result.found.length === 0 || result.template === undefined) return;
  yield safeText(result.template(await documentValue(result)));
}

export const formats = {
  ps: tables('ps'),
  wide: tables('wide'),
  'custom-columns': tables('custom-columns'),
  name: texts('name', namesOf),
  yaml: texts('yaml', (result) => documentsOf(result, 'yaml')),
  json: texts('json', (result) => documentsOf(result, 'json')),
  template: texts('template', throughTemplate),
};

export const format = ({ output }: GetInput): string => output.format;

export const exit = ({ errors: all }: QueryResult): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (selection: QueryResult): readonly Error[] => selection.errors;
