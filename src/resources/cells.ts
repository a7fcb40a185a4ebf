// Cells that the tables of several kinds share. Which kind has which column is in the kind's own file.
import { goFloat } from '../text/go-number.ts';
import type { Column, Need } from './kind.ts';
import type { KubeObject } from './object.ts';

/** The NAME column. */
export const nameColumn: Column = column('NAME', (object) => object.metadata.name);

/** What a table shows of a value that is missing or of the wrong type: other objects and other cells are shown all the same. */
const malformedCell = '<malformed>';

/** A column. `needs` are the objects of other kinds that its cells are made from. */
export function column<T extends KubeObject>(
  heading: string,
  cell: Column<T>['cell'],
  needs: readonly Need[] = [],
): Column<T> {
  return {
    heading,
    needs,
    cell: (object, related) => {
      try {
        const text: unknown = cell(object, related);
        return typeof text === 'string' ? text : malformedCell;
      } catch {
        // Only objects that were never checked get here, and a cell is made from nothing else.
        return malformedCell;
      }
    },
  };
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
