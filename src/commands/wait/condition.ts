// What --for waits for: the words of kubectl, as a test of one object.
import type { KubeObject } from '../../resources/object.ts';
import { jsonPath, textOfValue } from '../../template/jsonpath.ts';
import { isObject } from '../../text/plain-values.ts';
import { isNumber } from '../../text/scalars.ts';

/** `create` and `delete` are about whether there is an object, `state` about what it says. */
export type WaitCondition = { readonly text: string } & (
  | { readonly type: 'create' | 'delete' }
  | { readonly type: 'state'; holds(object: KubeObject): boolean }
);

const equalFold = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** True when the controller that writes the condition has seen the object as it is now. */
function isCurrent(observed: unknown, { generation }: KubeObject['metadata']): boolean {
  return !isNumber(observed) || !isNumber(generation) || observed >= generation;
}

function hasCondition({ status, metadata }: KubeObject, name: string, value: string): boolean {
  const conditions = isObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : [];
  const found: unknown = conditions.find((one) => isObject(one) && equalFold(String(one['type']), name));
  if (!isObject(found) || !isCurrent(found['observedGeneration'], metadata)) return false;
  return equalFold(String(found['status'] ?? ''), value);
}

/** `condition=Ready` or `condition=Ready=False`: the status of a condition, True when none is named. */
function ofCondition(text: string): WaitCondition | undefined {
  const [, name, value = 'true'] = /^([^=]+)(?:==?(.+))?$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { type: 'state', text: `condition=${text}`, holds: (object) => hasCondition(object, name, value) };
}

/** A path in braces, in which strings in quotes may hold braces, then a value. */
const bracedPath = /^(\{(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^'"{}])*\})(?:==?(.*))?$/s;

/** `{.spec.x}=value`, also without braces; without a value, that there is any. Errors: UsageError for a wrong path. */
function ofPath(text: string): WaitCondition | undefined {
  const [, path, value] = bracedPath.exec(text) ?? /^([^{=][^=]*)(?:==?(.*))?$/s.exec(text) ?? [];
  if (path === undefined || value === '') return undefined;
  const select = jsonPath(path);
  const holds = (object: KubeObject): boolean => {
    const values = select(object);
    if (value === undefined) return values.length > 0;
    return values.length === 1 && textOfValue(values[0]) === value;
  };
  return { type: 'state', text: `jsonpath=${text}`, holds };
}

/** The condition that a text of --for names; undefined for another text. Errors: UsageError for a wrong path. */
export function parseCondition(text: string): WaitCondition | undefined {
  if (text === 'create' || text === 'delete') return { type: text, text };
  const [, word, rest = ''] = /^(condition|jsonpath)=(.*)$/s.exec(text) ?? [];
  if (word === undefined) return undefined;
  return word === 'condition' ? ofCondition(rest) : ofPath(rest);
}
