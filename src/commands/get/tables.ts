// Objects as tables and as names; as documents they are in documents.ts.

import { streamedTable, table } from '../../output/columns.ts';
import { printable } from '../../output/printable.ts';
import { column } from '../../resources/cells.ts';
import type { Column, Kind, Need, RelatedObjects } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { UsageError } from '../../world/errors.ts';
import type { Found, QueryResult } from './query-result.ts';

export type TableFormat = 'ps' | 'wide' | 'custom-columns';

const namespaceColumn = column('NAMESPACE', ({ metadata }) => metadata.namespace ?? '');

/** The columns that custom-columns can name, by heading. */
function everyColumn(kind: Kind): Map<string, Column> {
  const all = [...kind.columns.wide, ...kind.columns.default, ...(kind.columns.extra ?? [])];
  if (kind.namespaced) all.push(namespaceColumn);
  return new Map(all.map((candidate) => [candidate.heading, candidate]));
}

/** The columns of a table. Errors: UsageError for a heading that the kind does not have. */
export function columnsOf(
  kind: Kind,
  format: TableFormat,
  headings: readonly string[],
  withNamespace: boolean,
): readonly Column[] {
  if (format === 'custom-columns') {
    const all = everyColumn(kind);
    return headings.map((heading) => {
      const found = all.get(heading);
      if (found !== undefined) return found;
      const valid = [...all.keys()].join(', ');
      throw new UsageError(`unknown heading ${heading}, valid values are: ${valid}`, undefined, 'UNKNOWN_HEADING');
    });
  }
  const columns = format === 'wide' ? kind.columns.wide : kind.columns.default;
  return withNamespace && kind.namespaced ? [namespaceColumn, ...columns] : columns;
}

/** What the columns of an output need besides the objects; nothing for documents and names. Unknown headings need nothing. */
export function needsOf(kind: Kind, format: string, headings: readonly string[]): readonly Need[] {
  if (format === 'custom-columns') {
    const all = everyColumn(kind);
    return headings.flatMap((heading) => all.get(heading)?.needs ?? []);
  }
  return format === 'ps' || format === 'wide' ? columnsOf(kind, format, [], false).flatMap(({ needs }) => needs) : [];
}

function row(columns: readonly Column[], object: KubeObject, related: RelatedObjects): string[] {
  return columns.map(({ cell }) => cell(object, related));
}

async function* rowsOf(
  { pages }: Extract<Found, { type: 'list' }>,
  columns: readonly Column[],
  related: RelatedObjects,
): AsyncIterable<string[][]> {
  for await (const { items } of pages) yield items.map((item) => row(columns, item, related));
}

/** A table for each object that was named, one for a list, each with a blank line after it. */
export async function* tablesOf(selection: QueryResult, format: TableFormat, alignAll: boolean): AsyncIterable<string> {
  const { found, headings: wanted, withNamespace, related } = selection;
  const [first] = found;
  if (first === undefined) return;
  // All are of one kind.
  const columns = columnsOf(first.kind, format, wanted, withNamespace);
  const headings = columns.map(({ heading }) => heading);
  for (const entry of found) {
    if (entry.type === 'object') yield table(headings, [row(columns, entry.object, related)]);
    else yield* streamedTable(headings, rowsOf(entry, columns, related), alignAll);
  }
}

/** `ippool/pool-1`, one per line. */
export async function* namesOf({ found }: QueryResult): AsyncIterable<string> {
  for (const entry of found) {
    const line = ({ metadata }: KubeObject): string => `${entry.kind.kind.toLowerCase()}/${printable(metadata.name)}\n`;
    if (entry.type === 'object') yield line(entry.object);
    else for await (const { items } of entry.pages) yield items.map(line).join('');
  }
}
