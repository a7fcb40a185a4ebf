// A result as one JSON document, as `-o json` prints it, and the counts in it.
import { printJson } from '../text/json.ts';
import { withoutSteering } from '../text/steering.ts';

/** Indented, with a line end; what would steer a terminal is escaped, as JSON allows for every character. */
export function jsonDocument(document: unknown): string {
  return `${withoutSteering(printJson(document, { indent: 2 }))}\n`;
}

/** A document at a deeper level of another one; line ends inside strings are escapes, so all others are layout. */
export function nested(document: string, spaces: number): string {
  return document.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** A count for JSON and YAML: above what a double holds exactly it is a decimal string. */
export function jsonCount(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}
