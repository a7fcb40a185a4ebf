// Values in the language of BIRD 1.6: what users wrote must not end the text, or the statement, that it stands in.
import { isMaskedCidr, parseCidr } from '../net/cidr.ts';
import { type Remark, refusal, UnrenderableError } from './objects.ts';

/** Control characters and quotes: a text of BIRD has no escapes. */
const breaksText = /["\u0000-\u001f\u007f]/;

/**
 * The text in quotes. `what` names the value in the error, which does not repeat it: it may be a password.
 * Errors: UnrenderableError for a text that has quotes or line ends.
 */
export function quoted(text: string, what: string): string {
  if (breaksText.test(text)) {
    throw new UnrenderableError(
      `${what} has a quote, a line end or another control character, which no text in the configuration of BIRD can have`,
    );
  }
  return `"${text}"`;
}

/** The CIDR as it is written. Errors: UnrenderableError for a text that is none. */
export function cidrText(text: string, what: string): string {
  if (parseCidr(text) === undefined) {
    throw new UnrenderableError(`${what} is not a CIDR: ${JSON.stringify(text)}`);
  }
  return text;
}

/** What BIRD refuses in a CIDR: bits beyond the prefix length. */
export const prefixRemarks = (text: string, what: string): Remark[] =>
  isMaskedCidr(text) ? [] : [refusal(`${what}, ${text}, has bits beyond its prefix length`)];

/** An unsigned 32-bit number in decimal digits. Errors: UnrenderableError for anything else. */
export function numberText(value: unknown, what: string): string {
  const text = String(value);
  if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffffffff) {
    throw new UnrenderableError(`${what} is not a number that BIRD knows: ${JSON.stringify(text)}`);
  }
  return text;
}

/** A community as arguments: `(65000, 1)`, or three numbers for a large one. Errors: UnrenderableError for other texts. */
export function communityTuple(text: string, what: string): { tuple: string; isLarge: boolean } {
  if (!/^\d{1,10}(?::\d{1,10}){1,2}$/.test(text)) {
    throw new UnrenderableError(`${what} is not a community: ${JSON.stringify(text)}`);
  }
  const numbers = text.split(':');
  return { tuple: `(${numbers.join(', ')})`, isLarge: numbers.length === 3 };
}

/** What BIRD refuses in a community: numbers of more than 16 bits, of more than 32 in a large one. */
export function communityRemarks(text: string, what: string): Remark[] {
  const numbers = text.split(':').map(Number);
  const most = numbers.length === 3 ? 0xffffffff : 0xffff;
  return numbers.every((number) => number <= most)
    ? []
    : [refusal(`${what} has the community ${text}, which is too large`)];
}

/** A block in braces, its lines indented. */
export const block = (head: string, lines: readonly string[], end = '}'): string[] => [
  `${head} {`,
  ...lines.map((line) => `  ${line}`),
  end,
];
