// The order of keys in YAML output: letters by code point, other characters before letters, runs of digits as numbers.

const asciiLetters = /^[A-Za-z]*$/;
const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/** The number that the digits from `at` form after those in `start`, and where they end. */
function digitRun(
  chars: readonly string[],
  at: number,
  start: number,
): { readonly value: number; readonly end: number } {
  let value = start;
  let end = at;
  for (; end < chars.length && digit.test(chars[end] ?? ''); end++) value = value * 10 + Number(chars[end]);
  return { value, end };
}

/** True when the run of digits before the position has a digit other than 0. */
function insideNumber(chars: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0 && digit.test(chars[before] ?? ''); before--) {
    if (chars[before] !== '0') return true;
  }
  return false;
}

function byCodePoint(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}

/** Compares two keys, for sorting, where they first differ. */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  if (asciiLetters.test(left) && asciiLetters.test(right)) return left < right ? -1 : 1;
  const a = [...left];
  const b = [...right];
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a[at] === b[at]) at++;
  if (at === shorter) return a.length - b.length;

  const [x = '', y = ''] = [a[at], b[at]];
  const [xLetter, yLetter] = [letter.test(x), letter.test(y)];
  if (xLetter && yLetter) return byCodePoint(x, y);
  if (xLetter || yLetter) return xLetter ? 1 : -1;
  const start = (x === '0' || y === '0') && insideNumber(a, at) ? 1 : 0;
  const [xRun, yRun] = [digitRun(a, at, start), digitRun(b, at, start)];
  return xRun.value - yRun.value || xRun.end - yRun.end || byCodePoint(x, y);
}
