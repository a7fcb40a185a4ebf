// Booleans and integers by the rules of Go's strconv, which calicoctl applies to its command line.

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false])),
};

/** The result of `strconv.ParseBool`, or undefined where that fails. */
export function parseGoBool(text: string): boolean | undefined {
  return Object.hasOwn(truths, text) ? truths[text] : undefined;
}

/** The result of `strconv.Atoi` (64 bits), or Go's words for why it fails. */
export function parseGoInt(text: string): bigint | 'invalid syntax' | 'value out of range' {
  if (!/^[+-]?[0-9]+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : 'value out of range';
}
