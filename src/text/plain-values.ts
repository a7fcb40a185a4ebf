// Plain values as manifests hold them (objects, arrays, strings, numbers, bigints): recognised, copied and compared.

/** True for an object with members: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy that shares nothing with the original. Like JSON, it leaves out members that are undefined. */
export function deepCopy<T>(value: T): T {
  return copied(value, undefined, false) as T;
}

/**
 * A copy that shares with `before` every part that is equal in both at the same path: `before` itself if nothing differs.
 * It shares nothing with the original unless `before` shares it too. Parts that are not in `before` are frozen.
 */
export function copyOver<T>(value: T, before: unknown): T {
  return copied(value, before, true) as T;
}

/** Freezes a value and everything in it. Parts that are frozen already must be frozen in depth, as by this function. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object') frozen(member);
  return Object.freeze(value);
}

function copied(value: unknown, before: unknown, freeze: boolean): unknown {
  if (value === before || value === null) return value;
  if (typeof value !== 'object') return sameValue(value, before) ? before : value;
  const isList = Array.isArray(value);
  const alike = typeof before === 'object' && before !== null && Array.isArray(before) === isList;
  const copy = isList
    ? copiedList(value, alike ? (before as readonly unknown[]) : undefined, freeze)
    : copiedMembers(value as Members, alike ? (before as Members) : undefined, freeze);
  return freeze && copy !== before ? Object.freeze(copy) : copy;
}

type Members = Readonly<Record<string, unknown>>;

const nothing: Members = {};

function copiedList(list: readonly unknown[], before: readonly unknown[] | undefined, freeze: boolean) {
  // V8 copies a frozen list fast but iterates over it slowly, so copies are iterated over.
  const copy = [...list];
  const known = before === undefined ? [] : [...before];
  let same = known.length === copy.length;
  for (let at = 0; at < copy.length; at++) {
    const item = copy[at];
    if (item === known[at] && item !== undefined) continue;
    copy[at] = item === undefined ? null : copied(item, known[at], freeze);
    if (copy[at] !== known[at]) same = false;
  }
  return same && before !== undefined ? before : copy;
}

function copiedMembers(object: Members, before: Members | undefined, freeze: boolean): Members {
  const keys = Object.keys(object);
  const values = Object.values(object);
  const known = before !== undefined && mayShare(values, Object.values(before)) ? before : nothing;
  const knownKeys = known === nothing ? [] : Object.keys(known);
  const copy: Record<string, unknown> = {};
  let members = 0;
  let same = known === before;
  let next = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    const given = values[at];
    if (given === undefined) continue;
    members += 1;
    // Keys mostly come in the same order in both, which saves a lookup per key.
    const isKnown = next < knownKeys.length && (key === knownKeys[next] || Object.hasOwn(known, key));
    if (isKnown) next += 1;
    const former = isKnown ? known[key] : undefined;
    const member = isKnown || typeof given === 'object' ? copied(given, former, freeze) : given;
    if (member !== former) same = false;
    if (key === '__proto__') {
      Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true });
    } else {
      copy[key] = member;
    }
  }
  return same && knownKeys.length === members ? known : copy;
}

/** False when the members are scalars and not as many as before: with nothing to share, none needs to be looked up. */
function mayShare(values: readonly unknown[], before: readonly unknown[]): boolean {
  return values.length === before.length || values.some((value) => value === undefined || typeof value === 'object');
}

/** True for equal values: the order of keys does not matter, 5 and 5n are equal, undefined members count as absent. */
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
