// Wording that messages share: how many there are of a thing, the first few names of many, the first line of a text, and a
// sentence of its own.

/**
 * A count with its noun: `1 route`, `2 routes`, `1 address`, `3 block affinities`.
 * `many` is the plural, needed only where it is not formed by rule or a verb goes with it (`address is`, `addresses are`).
 */
export function counted(count: number | bigint, one: string, many = plural(one)): string {
  return `${count} ${count === 1 || count === 1n ? one : many}`;
}

/** The regular English plural: `pool` -> `pools`, `address` -> `addresses`, `affinity` -> `affinities`, `key` -> `keys`. */
export function plural(noun: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The first names and how many are left out: `10.0.0.1, 10.0.0.2 and 7 more`. */
export function listed(names: readonly (string | number)[], most = 5): string {
  return names.slice(0, most).join(', ') + andMore(names.length - most);
}

/** ` and 7 more`, to follow what is named; empty when nothing is left out. */
export function andMore(count: number): string {
  return count > 0 ? ` and ${count} more` : '';
}

/** The first line that is not blank, without white space around it; empty for a blank text. */
export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trimEnd() ?? '';
}

/** A size for people: `640 bytes`, `12 KiB`, `2.1 GiB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit > 0 && size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${units[unit]}`;
}

/** First words that are written as they are, although they look like any other word. */
const programs: readonly string[] = ['calictl', 'calicoctl', 'kubectl', 'ip', 'birdcl'];

/**
 * The text as a sentence of its own, as all hints are printed: a capital at its start, unless that is a program, path, flag
 * or field, and a full stop at its end, unless it ends with a command after a colon, which is to be copied.
 */
export function sentence(text: string): string {
  const [first = ''] = /^\S*/.exec(text) ?? [];
  const isWord = /^[a-z]+[,:;]?$/.test(first) && !programs.includes(first);
  const begun = isWord ? first.charAt(0).toUpperCase() + text.slice(1) : text;
  const isEnded = /[.?!]$/.test(begun) || /: (?:calictl|kubectl|sudo) [^:]+$/.test(begun);
  return begun === '' || isEnded ? begun : `${begun}.`;
}
