// Calico's label selectors: `has(app) && zone in {'a', 'b'}`. Grammar: docs/reference/ipam.md#selectors.
import { CalictlError } from '../world/errors.ts';

export type Labels = Readonly<Record<string, string>>;

/** True when the labels are selected. */
export type Selector = (labels: Labels) => boolean;

/** The text is not a valid selector. */
export class SelectorError extends CalictlError {
  constructor(message: string) {
    super(message, { code: 'SELECTOR' });
  }
}

const maxLabelLength = 512;
const labelPattern = /^[A-Za-z0-9_./-]+/;

/** Operators after a label; one that another begins with comes after it. */
const operators: readonly (readonly [RegExp, keyof typeof comparisons | 'in' | 'not in'])[] = [
  [/^==/, '=='],
  [/^!=/, '!='],
  [/^contains/, 'contains'],
  [/^starts[ \t]*with/, 'starts with'],
  [/^ends[ \t]*with/, 'ends with'],
  [/^not[ \t]*in/, 'not in'],
  [/^in/, 'in'],
];

const comparisons = {
  '==': (value: string | undefined, given: string) => value === given,
  '!=': (value: string | undefined, given: string) => value !== given,
  contains: (value: string | undefined, given: string) => value?.includes(given) === true,
  'starts with': (value: string | undefined, given: string) => value?.startsWith(given) === true,
  'ends with': (value: string | undefined, given: string) => value?.endsWith(given) === true,
} as const;

/** A reader of one selector text, from left to right. */
class Reader {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
    this.skipSpace();
  }

  get rest(): string {
    return this.#rest;
  }

  skipSpace(): void {
    this.#rest = this.#rest.replace(/^[ \t]+/, '');
  }

  /** Takes the pattern (anchored at its start) and the space after it; undefined when it does not match. */
  take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.#rest)?.[0];
    if (found === undefined) return undefined;
    this.#rest = this.#rest.slice(found.length);
    this.skipSpace();
    return found;
  }

  label(): string {
    const label = this.take(labelPattern);
    if (label === undefined) throw new SelectorError('expected identifier');
    if (label.length > maxLabelLength) throw new SelectorError(`label too long: ${label}`);
    return label;
  }

  string(): string | undefined {
    const quote = this.#rest[0];
    if (quote !== "'" && quote !== '"') return undefined;
    const end = this.#rest.indexOf(quote, 1);
    if (end < 0) throw new SelectorError('unterminated string');
    const text = this.#rest.slice(1, end);
    this.#rest = this.#rest.slice(end + 1);
    this.skipSpace();
    return text;
  }
}

function or(reader: Reader): Selector {
  const terms = [and(reader)];
  while (reader.rest.startsWith('|')) {
    if (reader.take(/^\|\|/) === undefined) throw new SelectorError('expected ||');
    terms.push(and(reader));
  }
  return (labels) => terms.some((term) => term(labels));
}

function and(reader: Reader): Selector {
  const terms = [operation(reader)];
  while (reader.rest.startsWith('&')) {
    if (reader.take(/^&&/) === undefined) throw new SelectorError('expected &&');
    terms.push(operation(reader));
  }
  return (labels) => terms.every((term) => term(labels));
}

function operation(reader: Reader): Selector {
  let negated = false;
  while (reader.take(/^!(?!=)/) !== undefined) negated = !negated;
  const selects = atom(reader);
  return negated ? (labels) => !selects(labels) : selects;
}

function closed(reader: Reader, after: string): void {
  if (reader.take(/^\)/) === undefined) throw new SelectorError(`no closing ')' after ${after}`);
}

function atom(reader: Reader): Selector {
  if (reader.rest === '') throw new SelectorError('unexpected end of string looking for op');
  if (reader.take(/^\(/) !== undefined) {
    const inner = or(reader);
    if (reader.take(/^\)/) === undefined) throw new SelectorError('expected )');
    return inner;
  }
  if (reader.take(/^has\(/) !== undefined) {
    const label = reader.label();
    closed(reader, 'has(');
    return (labels) => Object.hasOwn(labels, label);
  }
  const always = reader.take(/^(all|global)\(/);
  if (always !== undefined) {
    closed(reader, always);
    return () => true;
  }
  if (!labelPattern.test(reader.rest)) throw new SelectorError(`unexpected token: ${reader.rest}`);
  return comparison(reader);
}

function comparison(reader: Reader): Selector {
  const label = reader.label();
  const valueIn = (labels: Labels): string | undefined => (Object.hasOwn(labels, label) ? labels[label] : undefined);
  const operator = operators.find(([pattern]) => reader.take(pattern) !== undefined)?.[1];
  if (operator === undefined) {
    throw new SelectorError(reader.rest.startsWith('=') ? 'expected ==' : `expected operator after label "${label}"`);
  }
  if (operator === 'in' || operator === 'not in') {
    const values = set(reader);
    return (labels) => {
      const value = valueIn(labels);
      return (value !== undefined && values.has(value)) === (operator === 'in');
    };
  }
  const given = reader.string();
  if (given === undefined) throw new SelectorError('expected string');
  return (labels) => comparisons[operator](valueIn(labels), given);
}

function set(reader: Reader): ReadonlySet<string> {
  if (reader.take(/^\{/) === undefined) throw new SelectorError('expected set literal');
  const values = new Set<string>();
  for (let value = reader.string(); value !== undefined; value = reader.string()) {
    values.add(value);
    if (reader.take(/^,/) === undefined) break;
  }
  if (reader.take(/^\}/) === undefined) throw new SelectorError('expected }');
  return values;
}

/** Parsed selectors by their text: each assignment uses those of all pools. */
const known = new Map<string, Selector>();

/** Reads a selector; the empty one selects everything. Errors: SelectorError. */
export function parseSelector(text: string): Selector {
  const selector = known.get(text) ?? read(text);
  known.set(text, selector);
  return selector;
}

function read(text: string): Selector {
  const reader = new Reader(text);
  if (reader.rest === '') return () => true;
  const selects = or(reader);
  if (reader.rest !== '') throw new SelectorError(`unexpected content at end of selector [${reader.rest}]`);
  return selects;
}

/** The same, but an invalid selector selects everything: for reads that must not fail on a typing error. */
export function parseOrSelectAll(text: unknown): Selector {
  try {
    return parseSelector(typeof text === 'string' ? text : '');
  } catch (error) {
    if (error instanceof SelectorError) return () => true;
    throw error;
  }
}

/** True when the selector selects the labels. Errors: SelectorError. */
export function evaluate(selector: string | undefined, labels: Labels): boolean {
  return parseSelector(selector ?? '')(labels);
}
