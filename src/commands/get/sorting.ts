// The order of --sort-by: by the value that a path selects, numbers by size, texts with the numbers in them by size.
import type { KubeObject } from '../../resources/object.ts';
import { jsonPath, textOfValue } from '../../template/jsonpath.ts';
import { UsageError } from '../../world/errors.ts';

type Value = string | number | bigint | boolean | undefined;

export interface Sorting {
  /**
   * The entries by the values of their objects; equal ones stay in their order.
   * Errors: UsageError when none of them has such a value.
   */
  sorted<T>(entries: readonly T[], objectOf: (entry: T) => KubeObject): T[];
}

/** Errors: UsageError for a path that cannot be read. */
export function parseSorting(path: string): Sorting {
  const select = jsonPath(path);
  const sortValue = (object: KubeObject): Value => {
    const [first] = select(object);
    if (first === undefined || first === null) return undefined;
    return typeof first === 'object' ? textOfValue(first) : (first as Value);
  };
  return {
    sorted: (entries, objectOf) => {
      const keyed = entries.map((entry) => ({ entry, value: sortValue(objectOf(entry)) }));
      if (keyed.length > 0 && keyed.every(({ value }) => value === undefined)) {
        const hint = 'write a path of the objects, as -o json prints them, like .spec.order';
        throw new UsageError(`no object has a value at ${path}`, hint, 'SORT_FIELD');
      }
      return keyed.sort((a, b) => compareValues(a.value, b.value)).map(({ entry }) => entry);
    },
  };
}

/** Runs of digits and of other characters, in turn. */
const runs = /\d+|\D+/g;

/** `pool-2` before `pool-10`. */
function compareTexts(a: string, b: string): number {
  const left = a.match(runs) ?? [];
  const right = b.match(runs) ?? [];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [x = '', y = ''] = [left[at], right[at]];
    const areNumbers = /^\d/.test(x) && /^\d/.test(y);
    const order = areNumbers ? compareScalars(BigInt(x), BigInt(y)) : compareScalars(x, y);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareScalars(a, b);
}

function compareScalars<T extends string | number | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Objects without the value first, as in kubectl. */
function compareValues(a: Value, b: Value): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  const areNumbers = typeof a !== 'string' && typeof b !== 'string';
  return areNumbers ? compareScalars(Number(a), Number(b)) : compareTexts(String(a), String(b));
}
