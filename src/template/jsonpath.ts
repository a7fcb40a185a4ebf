// What the JSONPath templates and paths of kubectl select and print. A missing field selects nothing, as in kubectl get.

import { goFloat } from '../text/go-number.ts';
import { printJson } from '../text/json.ts';
import { isObject } from '../text/plain-values.ts';
import { isNumber, sameScalar } from '../text/scalars.ts';
import { type Node, type Operator, type Path, parsePath, parseTemplate, type Step } from './jsonpath-parser.ts';
import type { Piece, Template } from './piece.ts';
import { EvaluationError } from './template-error.ts';

/** The members of a value, those of an object by their keys; nothing for a scalar. */
function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? sortedKeys(value).map((key) => value[key]) : [];
}

function sortedKeys(object: object): string[] {
  return Object.keys(object).sort((a, b) => (a < b ? -1 : 1));
}

/** The value and everything in it that has members. */
function* descendants(value: unknown): Generator<unknown> {
  const members = membersOf(value);
  if (members.length === 0) return;
  yield value;
  for (const member of members) yield* descendants(member);
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) return [];
  throw new EvaluationError(`JSONPath: ${kindOfValue(value)} where the path needs a list`);
}

function kindOfValue(value: unknown): string {
  if (isObject(value)) return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

function indexed(list: readonly unknown[], at: number): unknown {
  const index = at < 0 ? at + list.length : at;
  if (index >= 0 && index < list.length) return list[index];
  throw new EvaluationError(`JSONPath: no item ${at} in a list of ${list.length}`);
}

function sliced(list: readonly unknown[], step: Extract<Step, { type: 'slice' }>): unknown[] {
  return list.slice(step.from, step.to).filter((_, index) => index % step.step === 0);
}

/** Numbers by their value, other scalars only with their own type. */
function compare(left: unknown, operator: Operator, right: unknown): boolean {
  const areAlike = (isNumber(left) && isNumber(right)) || typeof left === typeof right;
  const areEqual = sameScalar(left, right);
  if (operator === '==') return areEqual;
  if (operator === '!=') return !areEqual;
  if (!areAlike || !(isNumber(left) || typeof left === 'string')) return false;
  const [a, b] = [left, right as typeof left];
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function passes({ left, operator, right }: Extract<Step, { type: 'filter' }>, item: unknown): boolean {
  const lefts = selectFrom([item], left);
  if (operator === undefined || right === undefined) return lefts.length > 0;
  const rights = selectFrom([item], right);
  if (lefts.length > 1 || rights.length > 1) {
    throw new EvaluationError('JSONPath: a filter compares one value with one value');
  }
  return lefts.length === 1 && rights.length === 1 && compare(lefts[0], operator, rights[0]);
}

function named(values: readonly unknown[], name: string): unknown[] {
  return values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

function selectStep(values: readonly unknown[], step: Step): unknown[] {
  switch (step.type) {
    case 'field':
      return named(values, step.name);
    case 'key':
      return values.flatMap((value) => {
        const found = named([value], step.key);
        return found.length > 0 ? found : step.names.reduce<unknown[]>(named, [value]);
      });
    case 'every':
      return values.flatMap(membersOf);
    case 'descend':
      return values.flatMap((value) => [...descendants(value)]);
    case 'index':
      return values.flatMap((value) =>
        value === null || value === undefined ? [] : [indexed(listOf(value), step.at)],
      );
    case 'slice':
      return values.flatMap((value) => sliced(listOf(value), step));
    case 'union':
      return step.paths.flatMap((path) => selectFrom(values, path));
    case 'filter':
      return values.flatMap((value) => listOf(value).filter((item) => passes(step, item)));
    case 'constant':
      return [step.value];
  }
}

function selectFrom(values: readonly unknown[], path: Path): readonly unknown[] {
  return path.reduce<readonly unknown[]>(selectStep, values);
}

/** The text of a value: strings as they are, objects and lists as JSON. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goFloat(value);
  if (typeof value === 'object' && value !== null) return printJson(withSortedKeys(value), { goEscapes: true });
  return String(value);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((key) => [key, withSortedKeys(value[key])]));
}

function pieceOf(path: Path, value: unknown): Piece {
  const text = selectFrom([value], path).map(textOfValue).join(' ');
  return { text, isValue: path.at(-1)?.type !== 'constant' };
}

function* evaluate(nodes: readonly Node[], value: unknown): Generator<Piece> {
  for (const node of nodes) {
    if (node.type === 'text') yield { text: node.text, isValue: false };
    else if (node.type === 'path') yield pieceOf(node.path, value);
    else for (const item of selectFrom([value], node.path)) yield* evaluate(node.body, item);
  }
}

/** A template, ready to be applied to values. Errors: UsageError; its application: EvaluationError. */
export function jsonPathTemplate(text: string): Template<unknown> {
  const nodes = parseTemplate(text);
  return (value) => [...evaluate(nodes, value)];
}

/** What a path of --sort-by or a custom column selects. Errors: UsageError; its application: EvaluationError. */
export function jsonPath(text: string): (value: unknown) => readonly unknown[] {
  const path = parsePath(text);
  return (value) => selectFrom([value], path);
}
