// Cells that the tables of several kinds share. Which kind has which column is in the kind's own file.
import { goFloat } from '../text/go-number.ts';
import type { Column, Need } from './kind.ts';
import type { KubeObject } from './object.ts';

/** The NAME column. */
export const nameColumn: Column = column('NAME', (object) => object.metadata.name);

/** A column. `needs` are the objects of other kinds that its cells are made from. */
export function column<T extends KubeObject>(
  heading: string,
  cell: Column<T>['cell'],
  needs: readonly Need[] = [],
): Column<T> {
  return { heading, needs, cell };
}

/** The entries, comma-separated. */
export function joined(entries: readonly string[] | null | undefined): string {
  return (entries ?? []).join(',');
}

/** The entries, comma-separated; what is longer than 80 bytes is cut to 77 bytes and `...`. */
export function joinedAndCut(entries: readonly string[] | null | undefined): string {
  const bytes = new TextEncoder().encode(joined(entries));
  return bytes.length > 80 ? `${new TextDecoder().decode(bytes.slice(0, 77))}...` : joined(entries);
}

/** `true` or `false`; `unset` when there is no value. */
export function yesNo(value: boolean | null | undefined, unset = 'false'): string {
  return value === undefined || value === null ? unset : String(value);
}

/** The number as Go prints a float, `1e+06`; `<nil>` when there is none. */
export function goNumber(value: number | bigint | null | undefined): string {
  return value === undefined || value === null ? '<nil>' : goFloat(Number(value));
}
