// Copies and comparisons of plain values as manifests hold them: objects, arrays, strings, numbers, bigints.

/** A copy that shares nothing with the original; members that are undefined are left out, as JSON does. */
export function deepCopy<T>(value: T): T {
  return copied(value, false) as T;
}

/** The same, but parts that are frozen by `frozen` are shared: nothing can change them. */
export function copyUnlessFrozen<T>(value: T): T {
  return copied(value, true) as T;
}

const frozenValues = new WeakSet<object>();

/** Freezes a value with all that is in it. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || frozenValues.has(value)) return value;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object') frozen(member);
  frozenValues.add(value);
  return Object.freeze(value);
}

function copied(value: unknown, sharing: boolean): unknown {
  if (typeof value !== 'object' || value === null || (sharing && frozenValues.has(value))) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : copied(item, sharing)));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key === '__proto__') {
      Object.defineProperty(copy, key, {
        value: copied(member, sharing),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else {
      copy[key] = copied(member, sharing);
    }
  }
  return copy;
}

/** True when both say the same: the order of keys does not matter, 5 and 5n are one number, undefined members are absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    return isWhole(a) && isWhole(b) && BigInt(a) === BigInt(b);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameValue(item, b[i]));
  }
  const left = definedEntries(a);
  const right = new Map(definedEntries(b));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameValue(value, right.get(key)));
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function isWhole(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}
