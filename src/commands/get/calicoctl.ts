// `get` as calicoctl has it: its checks in its order and words, and lists read as a whole before they are printed.
import { DatastoreError } from '../../datastore/datastore.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { isInCalicoctl, type Kind } from '../../resources/kind.ts';
import { defaultNamespace } from '../../resources/object.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import type { Context, Rendered } from '../command.ts';
import type { CalicoctlGetInput } from './command.ts';
import { documentsOf } from './documents.ts';
import { type Output, parseOutput } from './output.ts';
import type { Found, QueryResult } from './query-result.ts';
import { kindOfWord, relatedObjects, stripped } from './reader.ts';
import { needsOf, tablesOf } from './tables.ts';

interface Selected extends QueryResult {
  readonly format: CalicoctlFormat;
}

type CalicoctlFormat = Exclude<Output['format'], 'name'>;

/** Errors: UsageError for a format that calicoctl does not have. */
function outputOf({ output }: CalicoctlGetInput): Output & { readonly format: CalicoctlFormat } {
  const parsed = parseOutput(output);
  if (parsed !== undefined && parsed.format !== 'name') return { ...parsed, format: parsed.format };
  throw new UsageError(`unrecognized output format '${output}'`, undefined, 'UNKNOWN_FORMAT');
}

export function check(input: CalicoctlGetInput): void {
  outputOf(input);
}

export async function run(ctx: Context, input: CalicoctlGetInput): Promise<Selected> {
  try {
    return await select(ctx, input);
  } catch (error) {
    // Only what stops the command before it reads anything has the prefix.
    if (!(error instanceof UsageError)) throw error;
    throw new CalictlError(`failed to get resources: ${error.message}`, { code: error.code });
  }
}

/** Errors: UsageError for what no datastore could answer; those of opening the datastore. */
async function select(ctx: Context, input: CalicoctlGetInput): Promise<Selected> {
  const { names, namespace, allNamespaces } = input;
  const kind = kindOfWord(input.kind, isInCalicoctl);
  const store = await ctx.datastore();
  if (names.includes('')) throw new UsageError('resource name may not be empty', undefined, 'EMPTY_NAME');
  const clash = namespaceClash(kind, input);
  const inNamespace = allNamespaces || !kind.namespaced ? undefined : (namespace ?? defaultNamespace);
  const client = new ResourceClient(store, ctx.world);
  const { found, errors } =
    clash !== undefined
      ? // calicoctl finds it out object by object.
        { found: [], errors: (names.length === 0 ? [''] : names).map(() => clash) }
      : names.length === 0
        ? await readList(client, kind, inNamespace)
        : await readNamed(client, kind, inNamespace, input);
  const output = outputOf(input);
  const needs = found.length === 0 ? [] : needsOf(kind, output.format, output.headings);
  return {
    ...output,
    found,
    withNamespace: namespace !== undefined || allNamespaces,
    related: await relatedObjects(store, needs, ctx.world.signal),
    errors,
  };
}

/** Why the flags of namespaces do not fit the kind or each other. */
function namespaceClash(kind: Kind, { names, namespace, allNamespaces }: CalicoctlGetInput): CalictlError | undefined {
  const clash = (text: string): CalictlError => new CalictlError(text, { code: 'NAMESPACE' });
  if (!kind.namespaced) {
    return allNamespaces || namespace !== undefined ? clash(`${kind.kind} is not namespaced`) : undefined;
  }
  if (allNamespaces && namespace !== undefined) {
    return clash('cannot use both --namespace and --all-namespaces flags at the same time');
  }
  return allNamespaces && names.length > 0
    ? clash('cannot use --all-namespace flag for getting a single resource')
    : undefined;
}

type Read = Pick<QueryResult, 'found' | 'errors'>;

async function readNamed(
  client: ResourceClient,
  kind: Kind,
  namespace: string | undefined,
  input: CalicoctlGetInput,
): Promise<Read> {
  const found: Found[] = [];
  const errors: Error[] = [];
  for (const name of input.names) {
    try {
      const object = await client.one(kind, { name, namespace });
      found.push({ type: 'object', kind, object: input.export ? stripped(object) : object });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      errors.push(new CalictlError(calicoctlText(error, identity(kind.kind, name, namespace)), { code: error.code }));
    }
  }
  return { found, errors };
}

async function readList(client: ResourceClient, kind: Kind, namespace: string | undefined): Promise<Read> {
  try {
    const all: ObjectPage[] = [];
    for await (const page of client.pages(kind, namespace)) all.push(page);
    return { found: [{ type: 'list', kind, pages: replay(all) }], errors: [] };
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    return { found: [], errors: [new CalictlError(calicoctlText(error), { code: error.code })] };
  }
}

async function* replay(pages: readonly ObjectPage[]): AsyncIterable<ObjectPage> {
  yield* pages;
}

export function text(selected: Selected): Rendered {
  const { format } = selected;
  return format === 'yaml' || format === 'json' ? documentsOf(selected, format) : tablesOf(selected, format, true);
}

export const exit = ({ errors: all }: Selected): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (selected: Selected): readonly Error[] => selected.errors;
