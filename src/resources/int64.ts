// The one change that a read makes to an object: fields that their table declares int64 become bigints.
import { isObject } from '../text/plain-values.ts';
import type { FieldTable, FieldType } from './field.ts';
import { type Kind, perKind } from './kind.ts';

/** Where an int64 is: names of fields from the object down; `*` at the end means all keys of a map. Lists have none. */
type Path = readonly string[];

function pathsIn(type: FieldType, at: Path): Path[] {
  if (type.form === 'scalar') return type.json === 'int64' ? [at] : [];
  if (type.form === 'object') return pathsInTable(type.fields(), at);
  if (type.form === 'map') return pathsIn(type.values, [...at, '*']);
  return [];
}

function pathsInTable(table: FieldTable, at: Path): Path[] {
  return Object.entries(table).flatMap(([name, { type }]) => pathsIn(type, [...at, name]));
}

const int64Paths = perKind(({ fields: { spec, status } }) => [
  ...pathsInTable(spec?.() ?? {}, ['spec']),
  ...pathsInTable(status?.() ?? {}, ['status']),
]);

/** The fields declared int64 that hold whole numbers, each with the object that it is in. */
function int64Numbers(kind: Kind, object: unknown): [parent: Record<string, unknown>, key: string][] {
  const found: [Record<string, unknown>, string][] = [];
  for (const path of int64Paths(kind)) {
    let parent: unknown = object;
    for (const name of path.slice(0, -1)) parent = isObject(parent) ? parent[name] : undefined;
    if (!isObject(parent)) continue;
    const last = path.at(-1) ?? '';
    // Most often there is none, and checking the values is much faster than going through the keys.
    if (last === '*' && !Object.values(parent).some(Number.isSafeInteger)) continue;
    for (const key of last === '*' ? Object.keys(parent) : [last]) {
      if (Number.isSafeInteger(parent[key])) found.push([parent, key]);
    }
  }
  return found;
}

/** True when `normalise` would change nothing. */
export function isNormal(kind: Kind, object: unknown): boolean {
  return int64Numbers(kind, object).length === 0;
}

/**
 * Makes every field that is declared int64 a bigint, in the object itself, and returns it. Values that are not integers
 * stay: problemsOf reports them.
 */
export function normalise<T>(kind: Kind, object: T): T {
  for (const [parent, key] of int64Numbers(kind, object)) parent[key] = BigInt(parent[key] as number);
  return object;
}
