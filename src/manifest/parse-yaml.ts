// Parses YAML as manifests use it: version 1.2, integers exact. A safe integer is a number, a bigger one a bigint.
import {
  type Document,
  type DocumentOptions,
  type ParsedNode,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
} from 'yaml';

/** Options of every parse. Values must be what any other YAML reader sees; duplicate keys are errors. */
export const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.2',
  // Strings that YAML 1.1 would take for something else (`yes`, `12:30`) are quoted when they are printed.
  compat: 'yaml-1.1',
  intAsBigInt: true,
  prettyErrors: false,
};

/** The parsed pieces of a file: a piece that was there at the last parse of the file is not parsed again. */
export class YamlPieces {
  #old = new Map<string, unknown>();
  #current = new Map<string, unknown>();

  /** The value of a text that is one document; undefined when it is not, which only the whole text can explain. */
  parse(text: string): unknown {
    if (this.#current.has(text)) return this.#current.get(text);
    const value = this.#old.has(text) ? this.#old.get(text) : parsed(text);
    this.#current.set(text, value);
    return value;
  }

  /** Begins another parse of the file; pieces that it does not use are forgotten at the next one. */
  begin(): void {
    this.#old = this.#current;
    this.#current = new Map();
  }
}

function parsed(text: string): unknown {
  if (text.length > longestYaml) return undefined;
  try {
    const document = parseDocument(text, yamlOptions);
    return document.errors.length > 0 ? undefined : plainValue(document, document.contents);
  } catch (error) {
    if (error instanceof TooDeepError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Text that is parsed in one piece: the parser needs 35 times as much memory. An object in a cluster has at most 1.5 MiB. */
export const longestYaml = 16 * 1024 ** 2;

/** Deeper than any object is, and far from where recursion overflows the stack. */
export const deepest = 200;

/** Far more than a parser takes, and than a text of other sense has: brackets in quotes and comments count too. */
const mostBrackets = 10_000;

/** True for a text with so many open brackets that parsing it would only take time and memory. */
export function hasTooManyBrackets(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // [ and {, ] and }
    if (code === 0x5b || code === 0x7b) open++;
    else if ((code === 0x5d || code === 0x7d) && open > 0) open--;
    if (open > mostBrackets) return true;
  }
  return false;
}

/** A value that is nested deeper than `deepest`. */
export class TooDeepError extends Error {}

/** Errors: TooDeepError. */
export function refuseTooDeep(value: unknown, left = deepest): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new TooDeepError(`it is nested deeper than ${deepest}`);
  if (Array.isArray(value)) for (const item of value) refuseTooDeep(item, left - 1);
  else for (const key in value) refuseTooDeep((value as Record<string, unknown>)[key], left - 1);
}

/** The plain value of a node; undefined when it has none (unresolved aliases, too many aliases). Errors: TooDeepError. */
export function plainValue(document: Document.Parsed | Document, node: ParsedNode | null): unknown {
  if (node === null) return null;
  let value: unknown;
  try {
    value = node.toJS(document as Document);
  } catch (error) {
    if (error instanceof RangeError) throw new TooDeepError(`it is nested deeper than ${deepest}`);
    return undefined;
  }
  refuseTooDeep(value);
  return withNumbers(value);
}

/** Safe integers as numbers, in place. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt(Number(value)) === value && isSafe(value) ? Number(value) : value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'bigint' || (typeof item === 'object' && item !== null)) value[i] = withNumbers(item);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === 'bigint') {
        if (isSafe(member)) Object.defineProperty(members, key, { value: Number(member) });
      } else if (typeof member === 'object' && member !== null) {
        withNumbers(member);
      }
    }
  }
  return value;
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
