// Objects as tables and as names; as documents they are in documents.ts.

import { printable, streamedTable, table } from '../../output/columns.ts';
import type { Column, ColumnContext, Kind } from '../../resources/kind.ts';
import type { Found, Selection, ShownObject } from '../../resources/query-result.ts';
import { UsageError } from '../../world/errors.ts';

export type TableFormat = 'ps' | 'wide' | 'custom-columns';

const namespaceColumn: Column = {
  heading: 'NAMESPACE',
  cell: ({ metadata }) => metadata.namespace ?? '',
};

function everyColumn(kind: Kind): Column[] {
  const all = [...kind.columns.wide, ...kind.columns.default, ...(kind.columns.extra ?? [])];
  if (kind.namespaced) all.push(namespaceColumn);
  return [...new Map(all.map((column) => [column.heading, column])).values()];
}

/** The columns of a table. Errors: UsageError for a heading that the kind does not have. */
export function columnsOf(
  kind: Kind,
  format: TableFormat,
  headings: readonly string[],
  withNamespace: boolean,
): Column[] {
  if (format === 'custom-columns') {
    const all = everyColumn(kind);
    return headings.map((heading) => {
      const column = all.find((candidate) => candidate.heading === heading);
      if (column !== undefined) return column;
      const valid = all.map((candidate) => candidate.heading).join(', ');
      throw new UsageError(`unknown heading ${heading}, valid values are: ${valid}`, undefined, 'UNKNOWN_HEADING');
    });
  }
  const columns = format === 'wide' ? kind.columns.wide : kind.columns.default;
  return withNamespace && kind.namespaced ? [namespaceColumn, ...columns] : [...columns];
}

function row(columns: readonly Column[], kind: Kind, { stored, shown }: ShownObject, context: ColumnContext): string[] {
  // The columns of nodes read the annotations of the Kubernetes node.
  const source = kind.kind === 'Node' ? stored : shown;
  return columns.map((column) => column.cell(source, context));
}

async function* rowsOf(
  { kind, pages }: Extract<Found, { type: 'list' }>,
  columns: readonly Column[],
  context: ColumnContext,
): AsyncIterable<string[][]> {
  for await (const { items } of pages) yield items.map((item) => row(columns, kind, item, context));
}

/** A table for each object that was named, one for a list, each with a blank line after it. */
export async function* tablesOf(selection: Selection, format: TableFormat, alignAll: boolean): AsyncIterable<string> {
  const { found, headings: wanted, withNamespace } = selection;
  const [first] = found;
  if (first === undefined) return;
  // All are of one kind.
  const columns = columnsOf(first.kind, format, wanted, withNamespace);
  const headings = columns.map(({ heading }) => heading);
  const context = await selection.columnContext(headings);
  for (const entry of found) {
    if (entry.type === 'object') yield table(headings, [row(columns, entry.kind, entry.object, context)]);
    else yield* streamedTable(headings, rowsOf(entry, columns, context), alignAll);
  }
}

/** `ippool/pool-1`, a line each. */
export async function* namesOf({ found }: Selection): AsyncIterable<string> {
  for (const entry of found) {
    const line = ({ shown }: ShownObject): string =>
      `${entry.kind.kind.toLowerCase()}/${printable(shown.metadata.name)}\n`;
    if (entry.type === 'object') yield line(entry.object);
    else for await (const { items } of entry.pages) yield items.map(line).join('');
  }
}
