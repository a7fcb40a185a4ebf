// Objects as tables and as names; as documents they are in documents.ts.
import { streamedTable, type TableLayout, table } from '../../output/columns.ts';
import { printable } from '../../output/printable.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import { column } from '../../resources/cells.ts';
import type { Column, Kind, Need, RelatedObjects } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { UsageError } from '../../world/errors.ts';
import type { FoundList, QueryResult, TableOptions } from './query-result.ts';

export type TableFormat = 'ps' | 'wide' | 'custom-columns';

const namespaceColumn = column('NAMESPACE', ({ metadata }) => metadata.namespace ?? '');

/** The columns that custom-columns can name, by heading. */
function everyColumn(kind: Kind): Map<string, Column> {
  const all = [...kind.columns.wide, ...kind.columns.default, ...(kind.columns.extra ?? [])];
  if (kind.namespaced) all.push(namespaceColumn);
  return new Map(all.map((candidate) => [candidate.heading, candidate]));
}

/** The columns of these headings. Errors: UsageError for a heading that the kind does not have. */
export function columnsNamed(kind: Kind, headings: readonly string[]): readonly Column[] {
  const all = everyColumn(kind);
  return headings.map((heading) => {
    const found = all.get(heading);
    if (found !== undefined) return found;
    const valid = [...all.keys()].join(', ');
    throw new UsageError(`unknown heading ${heading}, valid values are: ${valid}`, undefined, 'UNKNOWN_HEADING');
  });
}

/** Names as KIND/NAME, which tell the tables of several kinds apart. */
function withKind(kind: Kind, columns: readonly Column[]): readonly Column[] {
  const name = column('NAME', ({ metadata }) => `${kind.kind.toLowerCase()}/${metadata.name}`);
  const hasName = columns.some(({ heading }) => heading === name.heading);
  return hasName ? columns.map((one) => (one.heading === name.heading ? name : one)) : [name, ...columns];
}

/** The columns of a table. Errors: UsageError for a heading that the kind does not have. */
export function columnsOf(kind: Kind, format: TableFormat, options: TableOptions): readonly Column[] {
  const { headings, columns, labelColumns, withNamespace, isMixed } = options;
  if (format === 'custom-columns') return [...columnsNamed(kind, headings), ...columns];
  const plain = format === 'wide' ? kind.columns.wide : kind.columns.default;
  const own = isMixed ? withKind(kind, plain) : plain;
  return [...(withNamespace && kind.namespaced ? [namespaceColumn] : []), ...own, ...labelColumns];
}

/** What the columns of an output need besides the objects; nothing for documents and names. Unknown headings need nothing. */
export function needsOf(kind: Kind, format: string, headings: readonly string[]): readonly Need[] {
  if (format === 'custom-columns') {
    const all = everyColumn(kind);
    return headings.flatMap((heading) => all.get(heading)?.needs ?? []);
  }
  if (format !== 'ps' && format !== 'wide') return [];
  return kind.columns[format === 'wide' ? 'wide' : 'default'].flatMap(({ needs }) => needs);
}

/** The columns of --show-labels and -L: all labels in one, or one for each key, called by what follows its last slash. */
export function labelColumns(keys: readonly string[], withAll: boolean): readonly Column[] {
  const each = keys.map((key) =>
    column((key.split('/').at(-1) ?? key).toUpperCase(), ({ metadata }) => metadata.labels?.[key] ?? ''),
  );
  const all = column('LABELS', ({ metadata }) => {
    const pairs = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
  });
  return withAll ? [...each, all] : each;
}

export function rowOf(columns: readonly Column[], object: KubeObject, related: RelatedObjects): string[] {
  return columns.map(({ cell }) => cell(object, related));
}

async function* rowsOf(
  pages: AsyncIterable<ObjectPage>,
  columns: readonly Column[],
  related: RelatedObjects,
): AsyncIterable<string[][]> {
  for await (const { items } of pages) yield items.map((item) => rowOf(columns, item, related));
}

/** The pages, without those at the beginning that hold nothing; undefined when none holds anything. */
async function withItems(pages: AsyncIterable<ObjectPage>): Promise<AsyncIterable<ObjectPage> | undefined> {
  const iterator = pages[Symbol.asyncIterator]();
  for (;;) {
    const next = await iterator.next();
    if (next.done) return undefined;
    if (next.value.items.length > 0) return continued(next.value, iterator);
  }
}

async function* continued(first: ObjectPage, rest: AsyncIterator<ObjectPage>): AsyncIterable<ObjectPage> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** A table for each object that was named, one for a list, each with a blank line after it. */
export async function* tablesOf(
  selection: QueryResult,
  format: TableFormat,
  layoutOf: (kind: Kind) => TableLayout,
): AsyncIterable<string> {
  const { isMixed, withoutHeadings } = selection.table;
  for (const entry of selection.found) {
    const { kind } = entry;
    const columns = columnsOf(kind, format, selection.table);
    const headings = withoutHeadings ? undefined : columns.map(({ heading }) => heading);
    const pages = entry.type === 'object' ? undefined : isMixed ? await withItems(entry.pages) : entry.pages;
    if (entry.type === 'object') {
      const related = await selection.related(kind);
      yield table(headings, [rowOf(columns, entry.object, related)], layoutOf(kind));
    } else if (pages !== undefined) {
      const related = await selection.related(kind);
      yield* streamedTable(headings, rowsOf(pages, columns, related), layoutOf(kind));
    }
  }
}

/** `ippool/pool-1`, with a line end. */
export function nameLine(kind: Kind, { metadata }: KubeObject): string {
  return `${kind.kind.toLowerCase()}/${printable(metadata.name)}\n`;
}

async function* namesIn({ kind, pages }: FoundList): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield items.map((item) => nameLine(kind, item)).join('');
  }
}

/** The name lines of all objects. */
export async function* namesOf({ found }: QueryResult): AsyncIterable<string> {
  for (const entry of found) {
    if (entry.type === 'object') yield nameLine(entry.kind, entry.object);
    else yield* namesIn(entry);
  }
}
