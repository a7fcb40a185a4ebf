// Go templates as trees: actions, pipelines, commands and their arguments. They are evaluated in go-template.ts.
import type { UsageError } from '../world/errors.ts';
import { scanTemplate, type Token, type TokenType, templateSyntaxError } from './go-scanner.ts';
import { GoFloat } from './go-values.ts';

/** Where an expression is, and how it is written: for errors. */
export interface Placed {
  readonly at: number;
  readonly text: string;
}

export type Argument = Placed &
  (
    | { readonly type: 'constant'; readonly value: string | boolean | number | bigint | GoFloat | null }
    | { readonly type: 'dot' }
    | { readonly type: 'field'; readonly names: readonly string[] }
    | { readonly type: 'variable'; readonly name: string; readonly names: readonly string[] }
    | { readonly type: 'function'; readonly name: string }
    | { readonly type: 'pipeline'; readonly pipeline: Pipeline; readonly names: readonly string[] }
  );

export type Command = Placed & { readonly words: readonly Argument[] };

export interface Pipeline {
  readonly variables: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

interface Branches {
  readonly pipeline: Pipeline;
  readonly body: GoNodes;
  readonly otherwise: GoNodes;
}

export type GoNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | (Branches & { readonly type: 'if' | 'with' })
  | (Branches & { readonly type: 'range' })
  | (Placed & { readonly type: 'template'; readonly name: string; readonly pipeline: Pipeline | undefined })
  | { readonly type: 'break' | 'continue' };

export type GoNodes = readonly GoNode[];

export interface ParsedTemplate {
  readonly name: string;
  readonly text: string;
  readonly nodes: GoNodes;
  /** The templates that {{define}} and {{block}} made, by name. */
  readonly defined: ReadonlyMap<string, GoNodes>;
}

const keywords = new Set([
  'if',
  'else',
  'end',
  'range',
  'with',
  'define',
  'block',
  'template',
  'break',
  'continue',
  'nil',
]);
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** What ended a list of nodes. */
interface Ended {
  readonly nodes: GoNodes;
  readonly by: 'end' | 'else' | 'end-of-text';
}

class Parser {
  readonly #name: string;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #isFunction: (name: string) => boolean;
  readonly #defined = new Map<string, GoNodes>();
  #next = 0;
  #variables: string[] = ['$'];
  #loops = 0;

  constructor(name: string, text: string, isFunction: (name: string) => boolean) {
    this.#name = name;
    this.#text = text;
    this.#tokens = scanTemplate(text);
    this.#isFunction = isFunction;
  }

  parse(): ParsedTemplate {
    const { nodes, by } = this.#nodes();
    if (by !== 'end-of-text') throw this.#error(`unexpected {{${by}}}`);
    return { name: this.#name, text: this.#text, nodes, defined: this.#defined };
  }

  #peek(): Token {
    const token = this.#tokens[Math.min(this.#next, this.#tokens.length - 1)] as Token;
    if (token.type === 'error') throw templateSyntaxError(this.#name, this.#text, token.at, token.text);
    return token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #skipSpace(): Token {
    while (this.#peek().type === 'space') this.#next++;
    return this.#peek();
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#skipSpace();
    if (token.type !== type) throw this.#unexpected(token, context);
    return this.#take();
  }

  #unexpected(token: Token, context: string): UsageError {
    if (token.type === 'end-of-text') return this.#error('unexpected EOF');
    return this.#error(`unexpected ${shown(token)} in ${context}`);
  }

  #error(problem: string): UsageError {
    return templateSyntaxError(this.#name, this.#text, this.#tokens[this.#next]?.at ?? this.#text.length, problem);
  }

  #nodes(): Ended {
    const nodes: GoNode[] = [];
    for (;;) {
      const token = this.#take();
      if (token.type === 'end-of-text') return { nodes, by: 'end-of-text' };
      if (token.type === 'text') {
        nodes.push({ type: 'text', text: token.text });
        continue;
      }
      const word = this.#skipSpace();
      if (word.type === 'word' && (word.text === 'end' || word.text === 'else')) {
        this.#take();
        if (word.text === 'end') this.#expect('close', 'end');
        return { nodes, by: word.text };
      }
      const node = this.#action(word);
      if (node !== undefined) nodes.push(node);
    }
  }

  /** One action after its `{{`. Undefined for a definition, which prints nothing. */
  #action(word: Token): GoNode | undefined {
    if (word.type === 'word') {
      switch (word.text) {
        case 'if':
        case 'with':
        case 'range':
          this.#take();
          return this.#control(word.text);
        case 'break':
        case 'continue':
          this.#take();
          if (this.#loops === 0) throw this.#error(`{{${word.text}}} outside {{range}}`);
          this.#expect('close', word.text);
          return { type: word.text };
        case 'define':
        case 'block':
          this.#take();
          return this.#definition(word.text, word.at);
        case 'template': {
          this.#take();
          const { at } = this.#skipSpace();
          const name = this.#templateName('template clause');
          const pipeline = this.#skipSpace().type === 'close' ? undefined : this.#pipeline('template clause');
          this.#expect('close', 'template clause');
          return { type: 'template', name, pipeline, at, text: `{{template "${name}"}}` };
        }
      }
    }
    const pipeline = this.#pipeline('command');
    this.#expect('close', 'command');
    return { type: 'action', pipeline };
  }

  #control(type: 'if' | 'with' | 'range'): GoNode {
    const known = this.#variables.length;
    const pipeline = this.#pipeline(type);
    this.#expect('close', type);
    if (type === 'range') this.#loops++;
    const { nodes: body, by } = this.#nodes();
    if (type === 'range') this.#loops--;
    const otherwise = by === 'else' ? this.#otherwise(type) : [];
    if (by === 'end-of-text') throw this.#error('unexpected EOF');
    this.#variables.length = known;
    return { type, pipeline, body, otherwise };
  }

  #otherwise(type: 'if' | 'with' | 'range'): GoNodes {
    const word = this.#skipSpace();
    if (word.type === 'word' && type !== 'range' && word.text === type) {
      this.#take();
      return [this.#control(type)];
    }
    this.#expect('close', 'else');
    const { nodes, by } = this.#nodes();
    if (by === 'end') return nodes;
    throw this.#error(by === 'else' ? 'expected end; found {{else}}' : 'unexpected EOF');
  }

  #definition(type: 'define' | 'block', at: number): GoNode | undefined {
    const name = this.#templateName(`${type} clause`);
    const pipeline = type === 'block' ? this.#pipeline('block clause') : undefined;
    this.#expect('close', `${type} clause`);
    const outer = this.#variables;
    this.#variables = ['$'];
    const { nodes, by } = this.#nodes();
    this.#variables = outer;
    if (by !== 'end') throw this.#error(by === 'else' ? 'unexpected {{else}} in define clause' : 'unexpected EOF');
    this.#defined.set(name, nodes);
    return type === 'block' ? { type: 'template', name, pipeline, at, text: `{{template "${name}"}}` } : undefined;
  }

  #templateName(context: string): string {
    return this.#string(this.#expect('string', context));
  }

  #pipeline(context: string): Pipeline {
    const { variables, assigns } = this.#declaration(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#skipSpace();
      if (token.type === 'close' || token.type === ')') break;
      if (commands.length > 0) {
        this.#expect('|', context);
        this.#skipSpace();
      }
      commands.push(this.#command(context));
    }
    if (commands.length === 0) throw this.#error(`missing value for ${context}`);
    // A constant takes nothing from the command before it.
    const stray = commands.slice(1).find(({ words: [first] }) => first?.type === 'constant' || first?.type === 'dot');
    if (stray !== undefined)
      throw this.#error(`non executable command in pipeline stage ${commands.indexOf(stray) + 1}`);
    this.#variables.push(...(assigns ? [] : variables));
    return { variables, assigns, commands };
  }

  /** `$x := `, `$x = `, and `$i, $x := ` of a range. */
  #declaration(context: string): Pick<Pipeline, 'variables' | 'assigns'> {
    const start = this.#next;
    const variables: string[] = [];
    while (this.#skipSpace().type === 'variable') {
      variables.push(this.#take().text);
      const { type } = this.#skipSpace();
      if (type === ':=' || type === '=') {
        this.#take();
        const undeclared = type === '=' && variables.find((name) => !this.#variables.includes(name));
        if (undeclared) throw this.#error(`undefined variable "${undeclared}"`);
        return { variables, assigns: type === '=' };
      }
      if (type !== ',' || context !== 'range' || variables.length === 2) break;
      this.#take();
    }
    this.#next = start;
    return { variables: [], assigns: false };
  }

  #command(context: string): Command {
    const words: Argument[] = [];
    const { at } = this.#peek();
    for (;;) {
      const token = this.#skipSpace();
      if (token.type === 'close' || token.type === ')' || token.type === '|') break;
      words.push(this.#argument(context));
    }
    if (words.length === 0) throw this.#error('empty command');
    const text = words.map((word) => word.text).join(' ');
    return { at, text, words };
  }

  #argument(context: string): Argument {
    const token = this.#take();
    const { at, text } = token;
    const fields = (): Token[] => {
      const found: Token[] = [];
      while (this.#peek().type === 'field') found.push(this.#take());
      return found;
    };
    const namesOf = (found: readonly Token[]): string[] => found.map((field) => field.text.slice(1));
    const written = (found: readonly Token[]): string => found.map((field) => field.text).join('');
    switch (token.type) {
      case 'field': {
        const more = fields();
        return { type: 'field', at: more[0]?.at ?? at, text: text + written(more), names: namesOf([token, ...more]) };
      }
      case 'variable': {
        if (!this.#variables.includes(text)) throw this.#error(`undefined variable "${text}"`);
        const more = fields();
        return {
          type: 'variable',
          at: more[0]?.at ?? at,
          text: text + written(more),
          name: text,
          names: namesOf(more),
        };
      }
      case 'dot':
        return { type: 'dot', at, text };
      case '(': {
        const pipeline = this.#pipeline('parenthesized pipeline');
        this.#expect(')', 'parenthesized pipeline');
        const more = fields();
        const inside = pipeline.commands.map((command) => command.text).join(' | ');
        return { type: 'pipeline', at, text: `(${inside})${written(more)}`, pipeline, names: namesOf(more) };
      }
      case 'word':
        return this.#word(token);
      case 'string':
        return { type: 'constant', at, text, value: this.#string(token) };
      case 'number':
        return { type: 'constant', at, text, value: this.#number(text) };
      case 'character':
        return { type: 'constant', at, text, value: this.#character(token) };
      default:
        this.#next--;
        throw this.#unexpected(token, context);
    }
  }

  #word({ at, text }: Token): Argument {
    if (text === 'true' || text === 'false') return { type: 'constant', at, text, value: text === 'true' };
    if (text === 'nil') return { type: 'constant', at, text, value: null };
    if (keywords.has(text)) throw this.#error(`unexpected <${text}> in command`);
    if (!this.#isFunction(text)) throw this.#error(`function "${text}" not defined`);
    return { type: 'function', at, text, name: text };
  }

  #number(text: string): number | bigint | GoFloat {
    const digits = text.replaceAll('_', '');
    if (/^[-+]?(0[xXbBoO])?[\da-fA-F]+$/.test(digits) && !/^[-+]?\d+[eE]/.test(digits)) {
      const size = BigInt(digits.replace(/^[-+]/, ''));
      const whole = digits.startsWith('-') ? -size : size;
      return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
    }
    const value = Number(digits);
    if (Number.isNaN(value)) throw this.#error(`bad number syntax: "${text}"`);
    return new GoFloat(value);
  }

  #string({ text }: Token): string {
    return text.startsWith('`') ? text.slice(1, -1) : this.#unescaped(text.slice(1, -1));
  }

  #character({ text }: Token): number {
    const character = this.#unescaped(text.slice(1, -1));
    if ([...character].length !== 1) throw this.#error(`malformed character constant: ${text}`);
    return character.codePointAt(0) ?? 0;
  }

  #unescaped(text: string): string {
    return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/gs, (_, escaped: string) => {
      const plain = escapes[escaped];
      if (plain !== undefined) return plain;
      const code = /^[0-7]{3}$/.test(escaped)
        ? Number.parseInt(escaped, 8)
        : /^[xuU]./.test(escaped)
          ? Number.parseInt(escaped.slice(1), 16)
          : Number.NaN;
      if (!(code <= 0x10ffff)) throw this.#error('invalid syntax');
      return String.fromCodePoint(code);
    });
  }
}

function shown({ type, text }: Token): string {
  if (type === 'close') return '"}}"';
  if (type === 'word' && keywords.has(text)) return `<${text}>`;
  return `"${text}"`;
}

/**
 * A template as a tree. `name` is its name in errors, `isFunction` says which functions it may call.
 * Errors: UsageError in Go's words, for what the language does not allow.
 */
export function parseGoTemplate(name: string, text: string, isFunction: (name: string) => boolean): ParsedTemplate {
  return new Parser(name, text, isFunction).parse();
}
