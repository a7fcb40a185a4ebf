// Truth values and whole numbers in text, by the rules of Go's strconv: what calicoctl takes on its command line.

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false])),
};

/** What the text says by `strconv.ParseBool`, or undefined when it says nothing. */
export function parseGoBool(text: string): boolean | undefined {
  return Object.hasOwn(truths, text) ? truths[text] : undefined;
}

/** The number that the text is by `strconv.Atoi` (64 bits), or Go's words for why it is none. */
export function parseGoInt(text: string): bigint | 'invalid syntax' | 'value out of range' {
  if (!/^[+-]?[0-9]+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : 'value out of range';
}
