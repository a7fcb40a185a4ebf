// Calico's label selectors: `has(app) && zone in {'a', 'b'}`. Grammar: docs/reference/ipam.md#selectors.
import { CalictlError } from '../world/errors.ts';

export type Labels = Readonly<Record<string, string>>;

/** True when the labels are selected. */
export type Selector = (labels: Labels) => boolean;

/** The text is not a valid selector. */
export class SelectorError extends CalictlError {
  /** Where in the text, counted in characters from 1. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message, { code: 'SELECTOR' });
    this.position = position;
  }
}

type Comparison = '==' | '!=' | 'contains' | 'starts with' | 'ends with';

/** A selector as data. */
type Expression =
  | { readonly type: 'all' | 'global' }
  | { readonly type: 'has'; readonly label: string }
  | { readonly type: 'not'; readonly inner: Expression }
  | { readonly type: 'and' | 'or'; readonly terms: readonly Expression[] }
  | { readonly type: 'compare'; readonly label: string; readonly operator: Comparison; readonly value: string }
  | { readonly type: 'in' | 'not in'; readonly label: string; readonly values: ReadonlySet<string> };

const maxLabelLength = 512;
const labelPattern = /^[A-Za-z0-9_./-]+/;
/** Deeper than any selector is, and far from where recursion overflows the stack. */
const deepestNesting = 500;

/** Operators after a label; one that another begins with comes after it. */
const operators: readonly (readonly [RegExp, Comparison | 'in' | 'not in'])[] = [
  [/^==/, '=='],
  [/^!=/, '!='],
  [/^contains/, 'contains'],
  [/^starts[ \t]*with/, 'starts with'],
  [/^ends[ \t]*with/, 'ends with'],
  [/^not[ \t]*in/, 'not in'],
  [/^in/, 'in'],
];

/** A reader of one selector text, from left to right. */
class Reader {
  readonly #length: number;
  #rest: string;
  #depth = 0;

  constructor(text: string) {
    this.#length = text.length;
    this.#rest = text;
    this.skipSpace();
  }

  get rest(): string {
    return this.#rest;
  }

  /** Errors: SelectorError at the next character. */
  fail(message: string): never {
    throw new SelectorError(message, this.#length - this.#rest.length + 1);
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
    const [label] = labelPattern.exec(this.#rest) ?? [];
    if (label === undefined) this.fail('expected identifier');
    if (label.length > maxLabelLength) this.fail(`label too long: ${label}`);
    this.take(labelPattern);
    return label;
  }

  string(): string | undefined {
    const quote = this.#rest[0];
    if (quote !== "'" && quote !== '"') return undefined;
    const end = this.#rest.indexOf(quote, 1);
    if (end < 0) this.fail('unterminated string');
    const text = this.#rest.slice(1, end);
    this.#rest = this.#rest.slice(end + 1);
    this.skipSpace();
    return text;
  }

  /** What is in parentheses. */
  nested<T>(read: () => T): T {
    if (this.#depth === deepestNesting) this.fail('nested too deep');
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }
}

function or(reader: Reader): Expression {
  const terms = [and(reader)];
  while (reader.rest.startsWith('|')) {
    if (reader.take(/^\|\|/) === undefined) reader.fail('expected ||');
    terms.push(and(reader));
  }
  return terms.length === 1 ? (terms[0] as Expression) : { type: 'or', terms };
}

function and(reader: Reader): Expression {
  const terms = [operation(reader)];
  while (reader.rest.startsWith('&')) {
    if (reader.take(/^&&/) === undefined) reader.fail('expected &&');
    terms.push(operation(reader));
  }
  return terms.length === 1 ? (terms[0] as Expression) : { type: 'and', terms };
}

function operation(reader: Reader): Expression {
  let negated = false;
  while (reader.take(/^!(?!=)/) !== undefined) negated = !negated;
  const inner = atom(reader);
  return negated ? { type: 'not', inner } : inner;
}

function closed(reader: Reader, after: string): void {
  if (reader.take(/^\)/) === undefined) reader.fail(`no closing ')' after ${after}`);
}

function atom(reader: Reader): Expression {
  if (reader.rest === '') reader.fail('unexpected end of string looking for op');
  if (reader.take(/^\(/) !== undefined) {
    const inner = reader.nested(() => or(reader));
    if (reader.take(/^\)/) === undefined) reader.fail('expected )');
    return inner;
  }
  if (reader.take(/^has\(/) !== undefined) {
    const label = reader.label();
    closed(reader, 'has(');
    return { type: 'has', label };
  }
  const always = reader.take(/^(?:all|global)\(/);
  if (always !== undefined) {
    closed(reader, always);
    return { type: always === 'all(' ? 'all' : 'global' };
  }
  if (!labelPattern.test(reader.rest)) reader.fail(`unexpected token: ${reader.rest}`);
  return comparison(reader);
}

function comparison(reader: Reader): Expression {
  const label = reader.label();
  const operator = operators.find(([pattern]) => reader.take(pattern) !== undefined)?.[1];
  if (operator === undefined) {
    reader.fail(reader.rest.startsWith('=') ? 'expected ==' : `expected operator after label "${label}"`);
  }
  if (operator === 'in' || operator === 'not in') return { type: operator, label, values: set(reader) };
  const value = reader.string();
  if (value === undefined) reader.fail('expected string');
  return { type: 'compare', label, operator, value };
}

function set(reader: Reader): ReadonlySet<string> {
  if (reader.take(/^\{/) === undefined) reader.fail('expected set literal');
  const values = new Set<string>();
  for (let value = reader.string(); value !== undefined; value = reader.string()) {
    values.add(value);
    if (reader.take(/^,/) === undefined) break;
  }
  if (reader.take(/^\}/) === undefined) reader.fail('expected }');
  return values;
}

/** Errors: SelectorError. */
function expressionOf(text: string): Expression {
  const reader = new Reader(text);
  if (reader.rest === '') return { type: 'all' };
  const expression = or(reader);
  if (reader.rest !== '') reader.fail(`unexpected content at end of selector [${reader.rest}]`);
  return expression;
}

const comparisons: Readonly<Record<Comparison, (value: string | undefined, given: string) => boolean>> = {
  '==': (value, given) => value === given,
  '!=': (value, given) => value !== given,
  contains: (value, given) => value?.includes(given) === true,
  'starts with': (value, given) => value?.startsWith(given) === true,
  'ends with': (value, given) => value?.endsWith(given) === true,
};

const labelValue = (labels: Labels, label: string): string | undefined =>
  Object.hasOwn(labels, label) ? labels[label] : undefined;

/** The test that the expression stands for. */
function selectorOf(expression: Expression): Selector {
  switch (expression.type) {
    case 'all':
    case 'global':
      return () => true;
    case 'has':
      return (labels) => Object.hasOwn(labels, expression.label);
    case 'not': {
      const inner = selectorOf(expression.inner);
      return (labels) => !inner(labels);
    }
    case 'and': {
      const terms = expression.terms.map(selectorOf);
      return (labels) => terms.every((term) => term(labels));
    }
    case 'or': {
      const terms = expression.terms.map(selectorOf);
      return (labels) => terms.some((term) => term(labels));
    }
    case 'compare': {
      const compare = comparisons[expression.operator];
      return (labels) => compare(labelValue(labels, expression.label), expression.value);
    }
    case 'in':
    case 'not in':
      return (labels) => {
        const value = labelValue(labels, expression.label);
        return (value !== undefined && expression.values.has(value)) === (expression.type === 'in');
      };
  }
}

const quoted = (value: string): string => (value.includes('"') ? `'${value}'` : `"${value}"`);

function canonicalText(expression: Expression): string {
  switch (expression.type) {
    case 'all':
    case 'global':
      return `${expression.type}()`;
    case 'has':
      return `has(${expression.label})`;
    case 'not':
      return `!${canonicalText(expression.inner)}`;
    case 'and':
    case 'or':
      return `(${expression.terms.map(canonicalText).join(expression.type === 'and' ? ' && ' : ' || ')})`;
    case 'compare':
      return `${expression.label} ${expression.operator} ${quoted(expression.value)}`;
    case 'in':
    case 'not in':
      return `${expression.label} ${expression.type} {${[...expression.values].sort().map(quoted).join(', ')}}`;
  }
}

/** The text by which Calico compares selectors: `(a == "b" && has(c))`; `all()` for an empty one. Errors: SelectorError. */
export function canonicalSelector(text: string): string {
  return canonicalText(expressionOf(text));
}

/** Why the text is not a selector, and at which character, counted from 1; undefined when it is one. */
export function selectorProblem(text: string): { readonly message: string; readonly position: number } | undefined {
  try {
    expressionOf(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { message: error.message, position: error.position };
  }
}

/** True when `global()` is in the selector. Errors: SelectorError. */
export function usesGlobal(text: string): boolean {
  const isIn = (expression: Expression): boolean => {
    if (expression.type === 'not') return isIn(expression.inner);
    if (expression.type === 'and' || expression.type === 'or') return expression.terms.some(isIn);
    return expression.type === 'global';
  };
  return isIn(expressionOf(text));
}

/** Parsed selectors by their text: each assignment uses those of all pools. */
const known = new Map<string, Selector>();

/** Reads a selector; the empty one selects everything. Errors: SelectorError. */
export function parseSelector(text: string): Selector {
  const selector = known.get(text) ?? selectorOf(expressionOf(text));
  known.set(text, selector);
  return selector;
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
