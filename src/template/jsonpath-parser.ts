// The JSONPath templates of kubectl: text with paths in braces. Syntax:
// https://kubernetes.io/docs/reference/kubectl/jsonpath/. What a path selects is in jsonpath.ts.
import type { UsageError } from '../world/errors.ts';
import { syntaxError } from './template-error.ts';

export type Step =
  | { readonly type: 'field'; readonly name: string }
  /** A quoted name: a key as it is, or else the path with these names. */
  | { readonly type: 'key'; readonly key: string; readonly names: readonly string[] }
  | { readonly type: 'every' }
  | { readonly type: 'descend' }
  | { readonly type: 'index'; readonly at: number }
  | { readonly type: 'slice'; readonly from?: number; readonly to?: number; readonly step: number }
  | { readonly type: 'union'; readonly paths: readonly Path[] }
  | { readonly type: 'filter'; readonly left: Path; readonly right?: Path; readonly operator?: Operator }
  | { readonly type: 'constant'; readonly value: string | number | boolean };

export type Path = readonly Step[];

const operators = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Operator = (typeof operators)[number];

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly path: Path }
  | { readonly type: 'range'; readonly path: Path; readonly body: readonly Node[] };

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" };
const word = /[\p{L}\p{Nd}_]/u;
/** Ends the name of a field. */
const terminators = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The nodes up to the end of the text, or to the `{end}` of a range. */
  nodes(inRange: boolean): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      const open = this.#text.indexOf('{', this.#at);
      const text = this.#text.slice(this.#at, open < 0 ? undefined : open);
      if (text !== '') nodes.push({ type: 'text', text });
      if (open < 0) {
        this.#at = this.#text.length;
        if (inRange) throw this.#error('{range} without {end}');
        return nodes;
      }
      this.#at = open + 1;
      const keyword = this.#keyword();
      if (keyword === 'end') {
        if (!inRange) throw this.#error('{end} without {range}');
        this.#close();
        return nodes;
      }
      const path = this.#steps('}');
      this.#close();
      if (keyword === 'range') nodes.push({ type: 'range', path, body: this.nodes(true) });
      else nodes.push({ type: 'path', path });
    }
  }

  /** A path without braces, up to the end of the text. */
  path(): Path {
    const steps = this.#steps('');
    if (this.#at < this.#text.length) throw this.#error('unexpected character');
    return steps;
  }

  #keyword(): 'range' | 'end' | undefined {
    const [, found] = /^\s*(range|end)(?![\p{L}\p{Nd}_])/u.exec(this.#text.slice(this.#at)) ?? [];
    if (found === undefined) return undefined;
    this.#at = this.#text.indexOf(found, this.#at) + found.length;
    return found === 'range' ? 'range' : 'end';
  }

  #close(): void {
    this.#skipSpace();
    if (this.#text[this.#at] !== '}') throw this.#error('a } is missing');
    this.#at++;
  }

  #skipSpace(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
  }

  /** Steps up to a character that cannot begin one; `}` and `)` and operators are left to the caller. */
  #steps(closing: string): Step[] {
    const steps: Step[] = [];
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) {
        if (closing === '') return steps;
        throw this.#error(`a ${closing} is missing`);
      }
      if (character === closing || (closing === ')' && /[=!<>&|]/.test(character))) return steps;
      if (character === ' ' || character === '@' || character === '$') this.#at++;
      else if (character === '.') steps.push(...this.#dotted());
      else if (character === '[') steps.push(this.#bracketed());
      else if (character === '"' || character === "'") steps.push({ type: 'constant', value: this.#quoted() });
      else if (/[-+\d]/.test(character)) steps.push({ type: 'constant', value: this.#number() });
      else if (word.test(character)) steps.push({ type: 'constant', value: this.#boolean() });
      else throw this.#error('unexpected character');
    }
  }

  #dotted(): Step[] {
    this.#at++;
    if (this.#text[this.#at] !== '.') return [this.#named(this.#fieldName())];
    this.#at++;
    const next = this.#text[this.#at];
    if (next === '.') throw this.#error('.. can be given only once');
    const descend: Step = { type: 'descend' };
    return next === undefined || terminators.has(next) || next === ')'
      ? [descend]
      : [descend, this.#named(this.#fieldName())];
  }

  #named(name: string): Step {
    return name === '*' ? { type: 'every' } : { type: 'field', name };
  }

  /** Up to a character that ends it; a backslash takes the next character as it is. */
  #fieldName(): string {
    let name = '';
    for (;;) {
      const character = this.#text[this.#at];
      if (character === '\\' && this.#at + 1 < this.#text.length) {
        name += this.#text[this.#at + 1];
        this.#at += 2;
      } else if (character === undefined || terminators.has(character) || /[()=!<>&|]/.test(character)) {
        return name;
      } else {
        name += character;
        this.#at++;
      }
    }
  }

  #quoted(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++];
    let value = '';
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === undefined) {
        this.#at = start;
        throw this.#error('a quote is not closed');
      }
      if (character === quote) return value;
      if (character !== '\\') {
        value += character;
        continue;
      }
      const escaped = this.#text[this.#at++] ?? '';
      const unescaped = escapes[escaped];
      if (unescaped === undefined) throw this.#error(`unknown escape \\${escaped}`);
      value += unescaped;
    }
  }

  #number(): number {
    const [digits = ''] = /^[-+]?[\d.]+/.exec(this.#text.slice(this.#at)) ?? [];
    const value = Number(digits === '' ? Number.NaN : digits);
    if (Number.isNaN(value)) throw this.#error('invalid number');
    this.#at += digits.length;
    return value;
  }

  #boolean(): boolean {
    const [found = ''] = /^[\p{L}\p{Nd}_]+/u.exec(this.#text.slice(this.#at)) ?? [];
    if (found !== 'true' && found !== 'false') throw this.#error('expected a path, which begins with a dot,');
    this.#at += found.length;
    return found === 'true';
  }

  #bracketed(): Step {
    if (this.#text.startsWith('[?(', this.#at)) return this.#filter();
    this.#at++;
    const choices: Step[] = [];
    for (;;) {
      this.#skipSpace();
      choices.push(this.#choice());
      this.#skipSpace();
      const character = this.#text[this.#at];
      if (character !== ',' && character !== ']') throw this.#error('a ] is missing');
      this.#at++;
      if (character === ']') break;
    }
    const [only] = choices;
    if (only !== undefined && choices.length === 1) return only;
    return { type: 'union', paths: choices.map((choice) => [choice]) };
  }

  /** One entry between brackets: a quoted name, `*`, a position or a slice. */
  #choice(): Step {
    const character = this.#text[this.#at];
    if (character === '"' || character === "'") return this.#quotedName(character);
    if (character === '*') {
      this.#at++;
      return { type: 'every' };
    }
    const found = /^(-?\d+)?(:(-?\d+)?)?(:(-?\d+)?)?/.exec(this.#text.slice(this.#at));
    const [all = '', from, colon, to, , step] = found ?? [];
    if (all === '') throw this.#error('expected a position, a slice or a quoted name');
    this.#at += all.length;
    if (colon === undefined) return { type: 'index', at: Number(from) };
    if (step !== undefined && Number(step) <= 0) throw this.#error('the step of a slice must be above 0');
    return {
      type: 'slice',
      step: Number(step ?? 1),
      ...(from === undefined ? {} : { from: Number(from) }),
      ...(to === undefined ? {} : { to: Number(to) }),
    };
  }

  /** `['a.b']` is the path `.a.b`, as in kubectl, unless the dot is escaped. */
  #quotedName(quote: string): Step {
    const [all, inside = ''] =
      new RegExp(`^${quote}((?:[^${quote}\\\\]|\\\\.)*)${quote}`, 's').exec(this.#text.slice(this.#at)) ?? [];
    if (all === undefined) throw this.#error('a quote is not closed');
    this.#at += all.length;
    const names = [...inside.matchAll(/(?:[^.\\]|\\.)+/gs)].map(([name]) => name.replace(/\\(.)/gs, '$1'));
    return { type: 'key', key: inside.replace(/\\(.)/gs, '$1'), names };
  }

  #filter(): Step {
    this.#at += '[?('.length;
    const left = this.#steps(')');
    const operator = operators.find((candidate) => this.#text.startsWith(candidate, this.#at));
    this.#at += operator?.length ?? 0;
    const right = operator === undefined ? undefined : this.#steps(')');
    if (!this.#text.startsWith(')', this.#at)) {
      throw this.#error(`a filter compares once, with one of ${operators.join(' ')}, unlike`);
    }
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] !== ']') throw this.#error('a ] is missing');
    this.#at++;
    return right === undefined || operator === undefined
      ? { type: 'filter', left }
      : { type: 'filter', left, right, operator };
  }

  #error(problem: string): UsageError {
    return syntaxError('JSONPath', this.#text, this.#at, problem);
  }
}

/** The nodes of a template. Errors: UsageError for what JSONPath does not allow. */
export function parseTemplate(text: string): readonly Node[] {
  return new Parser(text).nodes(false);
}

/**
 * One path, as --sort-by and custom columns take it: `{.spec.cidr}`, `.spec.cidr` or `spec.cidr`.
 * Errors: UsageError.
 */
export function parsePath(text: string): Path {
  const trimmed = text.trim();
  const [, inBraces] = /^\{(.*)\}$/s.exec(trimmed) ?? [];
  const path = inBraces ?? trimmed;
  return new Parser(/^[.[$@]/.test(path) || path === '' ? path : `.${path}`).path();
}
