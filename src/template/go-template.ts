// Applies Go templates (text/template) to values: what actions print, and Go's errors where they cannot.
import { goText } from './go-format.ts';
import { builtinFunctions, FunctionError, type GoFunction } from './go-functions.ts';
import {
  type Argument,
  type Command,
  type GoNode,
  type GoNodes,
  type ParsedTemplate,
  type Pipeline,
  type Placed,
  parseGoTemplate,
} from './go-parser.ts';
import {
  GoPointer,
  GoStruct,
  type GoValue,
  goValue,
  isInteger,
  isList,
  isMap,
  isTrue,
  noValue,
  pointedTo,
  sortedKeys,
  typeName,
} from './go-values.ts';
import type { Piece } from './piece.ts';
import { EvaluationError } from './template-error.ts';

interface Scope {
  readonly dot: GoValue;
  readonly variables: [name: string, value: GoValue][];
  /** How deep templates call each other. */
  readonly depth: number;
}

type Ending = 'break' | 'continue' | undefined;

/** Go gives up at 100,000; a stack of JavaScript is smaller. */
const deepestCall = 1000;
const mostPieces = 50_000_000;

/** These evaluate their arguments one by one, as far as they need. */
const shortCircuits: Readonly<Record<string, (value: GoValue) => boolean>> = {
  and: (value) => !isTrue(value),
  or: isTrue,
};

/** Replaces values of the data before they are printed or formatted; what a template decides on stays as it is. */
export type Disguise = (value: GoValue) => GoValue;

/** Their results are decided on, or are parts of their arguments. */
const deciding = new Set(['not', 'len', 'index', 'slice', 'eq', 'ne', 'lt', 'le', 'gt', 'ge']);

/** The data, and the name of its type in errors. */
interface Root {
  readonly data: GoValue;
  readonly type: string;
}

class Evaluation {
  readonly pieces: Piece[] = [];
  readonly #template: ParsedTemplate;
  readonly #functions: Readonly<Record<string, GoFunction>>;
  readonly #disguise: Disguise;
  readonly #root: Root;

  constructor(
    template: ParsedTemplate,
    functions: Readonly<Record<string, GoFunction>>,
    disguise: Disguise,
    root: Root,
  ) {
    this.#template = template;
    this.#functions = functions;
    this.#disguise = disguise;
    this.#root = root;
  }

  run(nodes: GoNodes, scope: Scope): Ending {
    for (const node of nodes) {
      const ending = this.#node(node, scope);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  #node(node: GoNode, scope: Scope): Ending {
    switch (node.type) {
      case 'text':
        this.#print(node.text, false);
        return undefined;
      case 'action': {
        const value = this.#pipeline(node.pipeline, scope);
        // A declaration prints nothing.
        if (node.pipeline.variables.length > 0) return undefined;
        const [only, ...others] = node.pipeline.commands;
        const [word, ...more] = only?.words ?? [];
        const isData = others.length + more.length === 0 && isOfData(word);
        this.#print(printed(isData ? this.#disguise(value) : value), word?.type !== 'constant');
        return undefined;
      }
      case 'if':
      case 'with': {
        const inner = { ...scope, variables: [...scope.variables] };
        const value = this.#pipeline(node.pipeline, inner);
        const isChosen = isTrue(value);
        return this.run(
          isChosen ? node.body : node.otherwise,
          isChosen && node.type === 'with' ? { ...inner, dot: value } : inner,
        );
      }
      case 'range':
        return this.#range(node, scope);
      case 'template': {
        const nodes = this.#template.defined.get(node.name);
        if (nodes === undefined) throw this.#error(node, `template "${node.name}" not defined`);
        if (scope.depth === deepestCall) throw this.#error(node, `exceeded maximum template depth (${deepestCall})`);
        const dot = node.pipeline === undefined ? null : this.#pipeline(node.pipeline, scope);
        this.run(nodes, { dot, variables: [['$', dot]], depth: scope.depth + 1 });
        return undefined;
      }
      default:
        return node.type;
    }
  }

  #print(text: string, isValue: boolean): void {
    if (this.pieces.length === mostPieces)
      throw new EvaluationError(`${this.#template.name}: the template prints too much`);
    if (text !== '') this.pieces.push({ text, isValue });
  }

  #range(node: Extract<GoNode, { type: 'range' }>, scope: Scope): Ending {
    const { pipeline, body, otherwise } = node;
    const inner = { ...scope, variables: [...scope.variables] };
    const value = pointedTo(this.#commands(pipeline, inner));
    const entries = this.#entries(value, pipeline);
    if (entries.length === 0) return this.run(otherwise, inner);
    for (const [key, dot] of entries) {
      const each: Scope = { ...inner, dot, variables: pipeline.assigns ? inner.variables : [...inner.variables] };
      const [first, second] = pipeline.variables;
      if (second !== undefined) {
        this.#set(each, String(first), key, pipeline.assigns);
        this.#set(each, second, dot, pipeline.assigns);
      } else if (first !== undefined) {
        this.#set(each, first, dot, pipeline.assigns);
      }
      if (this.run(body, each) === 'break') break;
    }
    return undefined;
  }

  #entries(value: GoValue, pipeline: Pipeline): readonly (readonly [key: GoValue, value: GoValue])[] {
    if (isList(value)) return value.map((item, index) => [index, goValue(item)]);
    if (isMap(value)) return sortedKeys(value).map((key) => [key, goValue(value[key])]);
    if (value === null || value === noValue) return [];
    if (isInteger(value)) return Array.from({ length: Math.max(Number(value), 0) }, (_, index) => [index, index]);
    const [first] = pipeline.commands;
    throw this.#error(first, `range can't iterate over ${goText(value)}`);
  }

  #set(scope: Scope, name: string, value: GoValue, assigns: boolean): void {
    const known = assigns ? scope.variables.findLast(([candidate]) => candidate === name) : undefined;
    if (known === undefined) scope.variables.push([name, value]);
    else known[1] = value;
  }

  #pipeline(pipeline: Pipeline, scope: Scope): GoValue {
    const value = this.#commands(pipeline, scope);
    for (const name of pipeline.variables) this.#set(scope, name, value, pipeline.assigns);
    return value;
  }

  #commands({ commands }: Pipeline, scope: Scope): GoValue {
    let value: GoValue | undefined;
    for (const command of commands) value = this.#command(command, scope, value);
    return value ?? noValue;
  }

  /** `last` is the value of the command before it in the pipeline, which becomes its last argument. */
  #command(command: Command, scope: Scope, last: GoValue | undefined): GoValue {
    const [first, ...rest] = command.words;
    if (first === undefined) throw this.#error(command, 'empty command');
    if (first.type === 'function') return this.#call(first, command, rest, scope, last);
    if (rest.length > 0 || last !== undefined) {
      const [what] = [
        first.type === 'pipeline' || first.type === 'constant' ? first.text : `.${first.text.split('.').at(-1)}`,
      ];
      if (first.type === 'field' || first.type === 'variable') {
        throw this.#error(first, `${first.text.replace(/^.*\./, '')} is not a method but has arguments`);
      }
      throw this.#error(first, `can't give argument to non-function ${what}`);
    }
    if (first.type === 'constant' && first.value === null) throw this.#error(first, 'nil is not a command');
    return this.#argument(first, scope);
  }

  #call(
    word: Extract<Argument, { type: 'function' }>,
    whole: Placed,
    words: readonly Argument[],
    scope: Scope,
    last: GoValue | undefined,
  ): GoValue {
    const { name } = word;
    const stops = shortCircuits[name];
    const count = words.length + (last === undefined ? 0 : 1);
    if (stops !== undefined) {
      if (count === 0) throw this.#error(word, `wrong number of args for ${name}: want at least 1 got 0`);
      let value: GoValue = noValue;
      for (const argument of words) {
        value = this.#argument(argument, scope);
        if (stops(value)) return value;
      }
      return last ?? value;
    }
    const known = this.#functions[name];
    if (known === undefined) throw this.#error(word, `"${name}" is not a defined function`);
    if (count < known.least || count > known.most) {
      const wanted = known.least === known.most ? String(known.least) : `at least ${known.least}`;
      throw this.#error(word, `wrong number of args for ${name}: want ${wanted} got ${count}`);
    }
    const args = words.map((argument) => {
      const value = this.#argument(argument, scope);
      return isOfData(argument) && !deciding.has(name) ? this.#disguise(value) : value;
    });
    try {
      if (last !== undefined) args.push(deciding.has(name) ? last : this.#disguise(last));
      return known.call(args);
    } catch (error) {
      if (error instanceof FunctionError) throw this.#error({ at: word.at, text: whole.text }, error.message);
      throw error;
    }
  }

  #argument(argument: Argument, scope: Scope): GoValue {
    switch (argument.type) {
      case 'constant':
        return argument.value;
      case 'dot':
        return scope.dot;
      case 'field':
        return this.#fields(scope.dot, argument.names, argument);
      case 'variable': {
        const [, value = noValue] = scope.variables.findLast(([name]) => name === argument.name) ?? [];
        return this.#fields(value, argument.names, argument);
      }
      case 'pipeline':
        return this.#fields(this.#pipeline(argument.pipeline, scope), argument.names, argument);
      case 'function':
        return this.#call(argument, argument, [], scope, undefined);
    }
  }

  #fields(from: GoValue, names: readonly string[], argument: Argument): GoValue {
    let before: GoValue = noValue;
    let value = from;
    for (const name of names) {
      const found = this.#field(value, name, argument, before instanceof GoStruct ? typeName(value) : undefined);
      before = pointedTo(value);
      value = found;
    }
    return value;
  }

  /** `type` of `from`, where it is not that of its value. */
  #field(from: GoValue, name: string, argument: Argument, type: string | undefined): GoValue {
    if (from === noValue) return noValue;
    if (from === null || (from instanceof GoPointer && from.to === undefined)) {
      throw this.#error(argument, `nil pointer evaluating ${typeName(from)}.${name}`);
    }
    const value = pointedTo(from);
    if (isMap(value)) return Object.hasOwn(value, name) ? goValue(value[name]) : noValue;
    const found = value instanceof GoStruct ? value.get(name) : undefined;
    if (found !== undefined) return found;
    throw this.#error(argument, `can't evaluate field ${name} in type ${type ?? this.#typeOf(value)}`);
  }

  #typeOf(value: GoValue): string {
    if (value instanceof GoStruct) return value.type;
    return value === this.#root.data ? this.#root.type : 'interface {}';
  }

  #error(place: Placed | undefined, problem: string): EvaluationError {
    const { name, text } = this.#template;
    const before = text.slice(0, place?.at ?? 0);
    const line = before.split('\n').length;
    const column = new TextEncoder().encode(before.slice(before.lastIndexOf('\n') + 1)).length;
    const context = place?.text ?? '';
    return new EvaluationError(`template: ${name}:${line}:${column}: executing "${name}" at <${context}>: ${problem}`);
  }
}

function isOfData(argument: Argument | undefined): boolean {
  return argument?.type === 'field' || argument?.type === 'variable' || argument?.type === 'dot';
}

function printed(value: GoValue): string {
  return value === noValue ? '<no value>' : goText(value);
}

/**
 * A template, ready to be applied: it returns what it prints, in pieces. With a disguise, as if it printed other data. `name` is its name in errors; `functions` are
 * those that it can call besides Go's own, `rootType` is the type of the data in errors.
 * Errors: UsageError in Go's words; its application: EvaluationError.
 */
export function goTemplate(
  name: string,
  text: string,
  functions: Readonly<Record<string, GoFunction>> = {},
  rootType = 'interface {}',
): (data: GoValue, disguise?: Disguise) => readonly Piece[] {
  const all = { ...builtinFunctions, ...functions };
  const parsed = parseGoTemplate(name, text, (word) => Object.hasOwn(all, word) || Object.hasOwn(shortCircuits, word));
  return (data, disguise = (value) => value) => {
    const evaluation = new Evaluation(parsed, all, disguise, { data, type: rootType });
    evaluation.run(parsed.nodes, { dot: data, variables: [['$', data]], depth: 0 });
    return evaluation.pieces;
  };
}
