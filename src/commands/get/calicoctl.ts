// `get` as calicoctl has it: its checks in its order and words, and lists read as a whole before they are printed.
import { resolve } from 'node:path';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import type { CalicoctlRelease } from '../../manifest/calicoctl/decode.ts';
import type { TableLayout } from '../../output/columns.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { isInCalicoctl, type Kind, v3ApiVersion } from '../../resources/kind.ts';
import { clusterAsNumber, clusterBgp } from '../../resources/kinds/node.ts';
import { defaultNamespace } from '../../resources/object.ts';
import { CalictlError, exitCodes, systemText, UsageError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import { releaseFor } from '../calicoctl-release.ts';
import type { Context, Rendered } from '../command.ts';
import type { CalicoctlGetInput } from './command.ts';
import { documentsOf, listTypeOf } from './documents.ts';
import { parseOutput, type TemplateSource } from './output.ts';
import type { Found, QueryResult, TableOptions } from './query-result.ts';
import { kindOfWord, relatedObjects, stripped } from './reader.ts';
import { needsOf, tablesOf } from './tables.ts';

type CalicoctlFormat = 'ps' | 'wide' | 'custom-columns' | 'yaml' | 'json' | 'template';

interface CalicoctlOutput {
  readonly format: CalicoctlFormat;
  /** Of custom columns. */
  readonly headings: readonly string[];
  readonly template?: TemplateSource | undefined;
}

interface Selected extends QueryResult {
  readonly format: CalicoctlFormat;
  readonly release: CalicoctlRelease;
  /** What a template makes of the result. */
  readonly templateText: string;
}

/** A query: all objects of a kind, or the one of that name. */
interface Query {
  readonly kind: Kind;
  readonly name: string | undefined;
  readonly namespace?: string | undefined;
}

/** Errors: UsageError for a format that calicoctl does not have. */
function outputOf({ output }: CalicoctlGetInput): CalicoctlOutput {
  const parsed = output.startsWith('jsonpath') ? undefined : parseOutput(output);
  if (parsed !== undefined && parsed.format !== 'name') {
    return { format: parsed.format, headings: parsed.headings, template: parsed.template };
  }
  throw new UsageError(`unrecognized output format '${output}'`, undefined, 'UNKNOWN_FORMAT');
}

export function check(input: CalicoctlGetInput): void {
  outputOf(input);
}

export async function run(ctx: Context, input: CalicoctlGetInput): Promise<Selected> {
  let store: Datastore;
  let queries: readonly Query[];
  try {
    queries = await queriesOf(ctx, input);
    store = await ctx.datastore();
    if (input.names.includes('')) throw new UsageError('resource name may not be empty', undefined, 'EMPTY_NAME');
  } catch (error) {
    // Only what stops the command before it reads anything has the prefix, but for manifests that cannot be read.
    const hasPrefix = error instanceof UsageError || (error instanceof CalictlError && error.code === 'NO_OBJECTS');
    if (!hasPrefix) throw error;
    throw new CalictlError(`failed to get resources: ${error.message}`, { code: error.code });
  }
  const read = await readAll(new ResourceClient(store, ctx.world), queries, input);
  const output = outputOf(input);
  const related = await relatedOf(store, read.found, output, ctx.world.signal);
  const result = { ...output, ...read, table: tableOptions(output, input), related, template: undefined };
  const release = releaseFor(store.calicoApi);
  const templateText =
    output.template === undefined ? '' : await throughTemplate(ctx, store, output.template, read.found);
  return { ...result, release, templateText };
}

/** Errors: UsageError for what no datastore could answer; those of manifests. */
async function queriesOf(ctx: Context, input: CalicoctlGetInput): Promise<readonly Query[]> {
  const { kind: word, names, filename } = input;
  if (word === undefined) {
    const { calicoctlManifests } = await import('../calicoctl-writes.ts');
    const targets = await calicoctlManifests(ctx, { ...input, filename: filename ?? '' });
    // One without a name is a query for all of them.
    return targets.map(({ kind, object: { metadata } }) => {
      return { kind, name: metadata.name || undefined, namespace: metadata.namespace };
    });
  }
  const kind = kindOfWord(word, isInCalicoctl);
  if (names.length === 0) return [{ kind, name: undefined }];
  return names.map((name) => ({ kind, name }));
}

function tableOptions({ headings }: CalicoctlOutput, { namespace, allNamespaces }: CalicoctlGetInput): TableOptions {
  return {
    withNamespace: namespace !== undefined || allNamespaces,
    headings,
    columns: [],
    labelColumns: [],
    withoutHeadings: false,
    isMixed: false,
  };
}

/** What the columns of each kind need, read before anything is printed. */
async function relatedOf(
  store: Datastore,
  found: readonly Found[],
  { format, headings }: CalicoctlOutput,
  signal: AbortSignal,
): Promise<QueryResult['related']> {
  const needs = [...new Set(found.map(({ kind }) => kind))].flatMap((kind) => needsOf(kind, format, headings));
  const related = await relatedObjects(store, needs, signal);
  return async () => related;
}

/** The flags of namespaces do not fit the kind, the object or each other: calicoctl finds it out object by object. */
class NamespaceClash extends CalictlError {}

/** The namespace of a query: undefined for all, or for none. Errors: NamespaceClash. */
function namespaceOf({ kind, name, namespace: own }: Query, flags: CalicoctlGetInput): string | undefined {
  const { namespace: given, allNamespaces } = flags;
  const clash = (text: string): never => {
    throw new NamespaceClash(text, { code: 'NAMESPACE' });
  };
  if (!kind.namespaced) {
    if (own) {
      const text = `namespace should not be specified for a non-namespaced resource. ${kind.kind} is not a namespaced resource`;
      return clash(text);
    }
    return allNamespaces || given !== undefined ? clash(`${kind.kind} is not namespaced`) : undefined;
  }
  if (allNamespaces && given !== undefined) {
    return clash('cannot use both --namespace and --all-namespaces flags at the same time');
  }
  if (allNamespaces) {
    return name === undefined ? undefined : clash('cannot use --all-namespace flag for getting a single resource');
  }
  if (own && given && own !== given) {
    return clash(`resource namespace does not match client namespace. ${own} != ${given}`);
  }
  return own || (given ?? defaultNamespace);
}

/** The queries one after the other; what goes wrong in one does not end the others. */
async function readAll(
  client: ResourceClient,
  queries: readonly Query[],
  input: CalicoctlGetInput,
): Promise<Pick<QueryResult, 'found' | 'errors'>> {
  const found: Found[] = [];
  const errors: Error[] = [];
  for (const query of queries) {
    const { kind, name } = query;
    let namespace: string | undefined;
    try {
      namespace = namespaceOf(query, input);
      if (name === undefined) {
        found.push({ type: 'list', kind, pages: replay(await listed(client, kind, namespace)) });
      } else {
        const object = await client.one(kind, { name, namespace });
        found.push({
          type: 'object',
          kind,
          object: input.export && input.names.length > 0 ? stripped(object) : object,
        });
      }
    } catch (error) {
      if (!(error instanceof DatastoreError || error instanceof NamespaceClash)) throw error;
      const id = name === undefined ? undefined : identity(kind.kind, name, namespace);
      const text = error instanceof DatastoreError ? calicoctlText(error, id) : error.message;
      errors.push(new CalictlError(text, { code: error.code }));
    }
  }
  return { found, errors };
}

/** The whole list; each page has its revision. */
async function listed(client: ResourceClient, kind: Kind, namespace: string | undefined): Promise<ObjectPage[]> {
  const pages: ObjectPage[] = [];
  for await (const page of client.pages(kind, namespace)) pages.push(page);
  const resourceVersion = pages.findLast((page) => page.resourceVersion !== '')?.resourceVersion ?? '';
  return pages.map(({ items }) => ({ items, resourceVersion }));
}

async function* replay(pages: readonly ObjectPage[]): AsyncIterable<ObjectPage> {
  yield* pages;
}

/** What goes to stdout, byte for byte; cli/ guards terminals. Errors: those of a template file, of the template, and of calicoctl's guard. */
async function throughTemplate(
  ctx: Context,
  store: Datastore,
  source: TemplateSource,
  found: readonly Found[],
): Promise<string> {
  const [{ guardedTemplate }, { goList, goObject }] = await Promise.all([
    import('./guarded-template.ts'),
    import('./go-object.ts'),
  ]);
  const template = 'text' in source ? source.text : await textOf(resolve(ctx.world.cwd, source.file), source.file);
  const related = await relatedObjects(store, [clusterBgp], ctx.world.signal);
  const apply = guardedTemplate(template, clusterAsNumber(related));
  // The type of the elements, whatever they are.
  const type = 'runtime.Object';
  const data = await Promise.all(
    found.map(async (entry) => {
      if (entry.type === 'object') return goObject(entry.kind, entry.object, type);
      const items: ObjectPage[] = [];
      for await (const page of entry.pages) items.push(page);
      const list = {
        ...listTypeOf(entry.kind),
        apiVersion: v3ApiVersion,
        resourceVersion: items[0]?.resourceVersion ?? '',
      };
      return goList(
        entry.kind,
        list,
        items.flatMap((page) => page.items),
        type,
      );
    }),
  );
  return apply(data)
    .map((piece) => piece.text)
    .join('');
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    throw new CalictlError(`open ${shown}: ${systemText(error)}`, { code: 'FILE_UNREADABLE' });
  }
}

const calicoctlLayout: TableLayout = { padsLineEnds: true, alignsAll: true };

/** calicoctl 3.32 ends JSON without a newline. */
async function* withoutLastNewline(pieces: Rendered): AsyncIterable<string> {
  let held = '';
  for await (const piece of typeof pieces === 'string' ? [pieces] : pieces) {
    yield held;
    held = piece;
  }
  yield held.replace(/\n$/, '');
}

export function text(selected: Selected): Rendered {
  const { format } = selected;
  if (format === 'template') return selected.templateText;
  if (format === 'json' && selected.release === '3.32') return withoutLastNewline(documentsOf(selected, format));
  return format === 'yaml' || format === 'json'
    ? documentsOf(selected, format)
    : tablesOf(selected, format, () => calicoctlLayout);
}

export const exit = ({ errors: all }: Selected): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (selected: Selected): readonly Error[] => selected.errors;
