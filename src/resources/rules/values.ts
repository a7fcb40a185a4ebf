// Every value of an object against its field: the words, ranges and formats that the tables give, and the checks between
// the fields of an object. In the order in which calicoctl reports them: an object after its fields.
import { parseCidrOrIp } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import { parseGoDuration } from '../../text/go-duration.ts';
import { isObject } from '../../text/plain-values.ts';
import { isNumber } from '../../text/scalars.ts';
import {
  cidr,
  duration,
  type Field,
  type FieldTable,
  type FieldType,
  ipAddress,
  type ListTag,
  type ScalarType,
  selector,
} from '../field.ts';
import type { FieldPath } from '../field-path.ts';
import { type GoNamed, goName } from '../go-names.ts';
import { type CalicoApi, customResourceApi } from '../kind.ts';
import { selectorProblem } from '../selector.ts';
import { goText, problem, type RuleProblem, tagReason } from './rule-problem.ts';

type Scalar = string | number | bigint | boolean;

/** Why the text is not of the format, to be read after the path. */
function formatMessage(format: string | undefined, text: string): string | undefined {
  switch (format) {
    case selector.format: {
      const wrong = selectorProblem(text);
      return wrong && `is not a selector: ${wrong.message}, at character ${wrong.position}`;
    }
    case cidr.format:
      return parseCidrOrIp(text) === undefined ? 'must be a CIDR, like 10.0.0.0/16 or fd00::/64' : undefined;
    case ipAddress.format:
      return parseIp(text) === undefined ? 'must be an IP address' : undefined;
    case duration.format:
      return parseGoDuration(text) === undefined ? 'must be a duration, e.g. 90s or 1h30m' : undefined;
    default:
      return undefined;
  }
}

/** Why the value is not one of those that the field takes. Calico ignores the case of words that it does not check itself. */
function wordMessage({ values, tag }: ScalarType, value: Scalar): string | undefined {
  if (values === undefined || typeof value !== 'string') return undefined;
  const isKnown = values.some((one) => (tag === undefined ? one.toLowerCase() === value.toLowerCase() : one === value));
  if (isKnown) return undefined;
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
}

function rangeMessage({ range }: ScalarType, value: Scalar): string | undefined {
  if (range === undefined || !isNumber(value)) return undefined;
  const { min, max } = range;
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return undefined;
  if (min === undefined) return `must be at most ${max}`;
  return max === undefined ? `must be at least ${min}` : `must be from ${min} to ${max}`;
}

function scalarProblems(type: ScalarType, value: Scalar | undefined, at: FieldPath, shown: string): RuleProblem[] {
  const { tag } = type;
  // An empty text stands for a field that is not set, but in a list it is an item.
  const isUnset = value === '' && type.problems === undefined && typeof at.at(-1) !== 'number';
  if (value === undefined && type.absent !== undefined) return [...(type.problems?.(type.absent, at) ?? [])];
  if (value === undefined || isUnset) {
    if (tag?.refusesEmpty === undefined) return [];
    const words = type.values === undefined ? 'is missing' : `must be one of ${type.values.join(', ')}`;
    const message = tag.message ?? words;
    return [
      problem(at, message, {
        field: shown,
        value: type.json === 'integer' ? 0 : '',
        reason: tagReason(shown, tag.refusesEmpty),
      }),
    ];
  }
  const message =
    wordMessage(type, value) ??
    rangeMessage(type, value) ??
    (typeof value === 'string' ? formatMessage(type.format, value) : undefined);
  if (tag !== undefined && !tag.accepts(value)) {
    const words = tag.message ?? message ?? 'is not valid';
    return [problem(at, words, { field: shown, value: goText(value), reason: tagReason(shown, tag.name) })];
  }
  if (type.problems !== undefined) return [...type.problems(value, at)];
  return message === undefined ? [] : [{ path: at, message }];
}

function wholeProblem({ name, message }: ListTag, value: unknown, at: FieldPath, shown: string): RuleProblem {
  return problem(at, message, { field: shown, value, reason: tagReason(shown, name) });
}

function valueProblems(
  kind: GoNamed,
  type: FieldType,
  value: unknown,
  at: FieldPath,
  shown: string,
  calicoApi: CalicoApi,
): RuleProblem[] {
  switch (type.form) {
    case 'scalar':
      return typeof value === 'object' && value !== null
        ? []
        : scalarProblems(type, (value ?? undefined) as Scalar | undefined, at, shown);
    case 'list':
      if (!Array.isArray(value)) return [];
      if (type.tag?.accepts(value) === false) return [wholeProblem(type.tag, value, at, shown)];
      return value.flatMap((item, index) =>
        valueProblems(kind, type.items, item, [...at, index], `${shown}[${index}]`, calicoApi),
      );
    case 'map':
      if (!isObject(value)) return [];
      if (type.tag?.accepts(value) === false) return [wholeProblem(type.tag, value, at, shown)];
      return Object.entries(value).flatMap(([key, entry]) =>
        valueProblems(kind, type.values, entry, [...at, key], `${shown}[${key}]`, calicoApi),
      );
    case 'object':
      if (!isObject(value)) return [];
      return [
        ...tableProblems(kind, type.fields(), value, at, calicoApi),
        ...(type.check?.(value, at, calicoApi) ?? []),
      ];
  }
}

function isNeeded({ type }: Field): boolean {
  return type.form === 'scalar' && (type.tag?.refusesEmpty !== undefined || type.absent !== undefined);
}

/** What is wrong with the values of an object with these fields. Types are right already; unknown fields pass. */
export function tableProblems(
  kind: GoNamed,
  table: FieldTable,
  value: Readonly<Record<string, unknown>>,
  at: FieldPath,
  calicoApi: CalicoApi = customResourceApi,
): RuleProblem[] {
  return Object.entries(table).flatMap(([name, field]) => {
    const given = value[name] ?? undefined;
    if (given === undefined && !isNeeded(field)) return [];
    const path = [...at, name];
    return valueProblems(
      kind,
      field.type,
      given,
      path,
      goName(kind, path.filter((part) => typeof part === 'string').join('.')),
      calicoApi,
    );
  });
}
