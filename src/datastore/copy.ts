// Copies and comparisons of plain values as manifests hold them: objects, arrays, strings, numbers, bigints.

/** A copy that shares nothing with the original; members that are undefined are left out, as JSON does. */
export function deepCopy<T>(value: T): T {
  return copyOver(value, undefined);
}

/**
 * A copy that shares with `before` what says the same in both at the same place: `before` itself when nothing differs.
 * It shares nothing with the original that is not in `before` too.
 */
export function copyOver<T>(value: T, before: unknown): T {
  return copied(value, before) as T;
}

/** Freezes a value with all that is in it. What is frozen already must be so to its depth, as by this. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object') frozen(member);
  return Object.freeze(value);
}

function copied(value: unknown, before: unknown): unknown {
  if (value === before || value === null) return value;
  if (typeof value !== 'object') return sameValue(value, before) ? before : value;
  if (Array.isArray(value)) return copiedList(value, Array.isArray(before) ? before : undefined);
  const known = typeof before === 'object' && !Array.isArray(before) ? before : null;
  return copiedMembers(value as Members, known as Members | null);
}

type Members = Readonly<Record<string, unknown>>;

function copiedList(list: readonly unknown[], before: readonly unknown[] | undefined): readonly unknown[] {
  // V8 copies a frozen list at once and goes through it slowly; through the copies it goes fast.
  const copy = [...list];
  const known = [...(before ?? [])];
  let same = known.length === copy.length;
  copy.forEach((item, place) => {
    if (item === known[place] && item !== undefined) return;
    copy[place] = item === undefined ? null : copied(item, known[place]);
    if (copy[place] !== known[place]) same = false;
  });
  return same && before !== undefined ? before : copy;
}

function copiedMembers(object: Members, before: Members | null): Members {
  const keys = Object.keys(object);
  const values = Object.values(object);
  const knownKeys = before === null ? [] : Object.keys(before);
  const knownValues = before === null ? [] : Object.values(before);
  const copy: Record<string, unknown> = {};
  let members = 0;
  let same = before !== null;
  let next = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    const given = values[at];
    if (given === undefined) continue;
    members += 1;
    let known: unknown;
    // Keys mostly come in the same order in both, which spares looking each up.
    if (key === knownKeys[next]) known = knownValues[next++];
    else if (before !== null && Object.hasOwn(before, key)) known = before[key];
    const member = given === known ? given : copied(given, known);
    if (member !== known) same = false;
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true });
    } else {
      copy[key] = member;
    }
  }
  return same && before !== null && knownKeys.length === members ? before : copy;
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
