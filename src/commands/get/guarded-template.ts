// Go templates as calicoctl applies them: to its own types, with its functions, and behind its guard against values that
// change the structure of the output, read as YAML.
import { yamlShape } from '../../manifest/yaml-shape.ts';
import { goText } from '../../template/go-format.ts';
import { FunctionError, type GoFunction } from '../../template/go-functions.ts';
import { goTemplate } from '../../template/go-template.ts';
import { GoPointer, type GoValue, goValue, isList, isMap, pointedTo } from '../../template/go-values.ts';
import type { Piece } from '../../template/piece.ts';
import { CalictlError } from '../../world/errors.ts';

const placeholder = 'x';

/** The value with other texts in it. */
function disguised(value: GoValue): GoValue {
  if (typeof value === 'string') return value === '' ? value : placeholder;
  if (value instanceof GoPointer) {
    const { to, type, nilText } = value;
    return new GoPointer(to === undefined ? undefined : disguised(to), type, nilText);
  }
  if (isList(value)) return value.map((item) => disguised(goValue(item)));
  if (isMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, disguised(goValue(entry))]));
  }
  return value;
}

function joined(value: GoValue, separator: GoValue): string {
  const list = pointedTo(value);
  if (isList(list)) return list.map((item) => goText(goValue(item))).join(goText(separator));
  if (!isMap(list)) return goText(list);
  const pairs = Object.entries(list).map(([key, entry]) => `${key}=${goText(goValue(entry))}`);
  return pairs.sort().join(goText(separator));
}

/** Cut to `most` bytes, the last three of which are dots. */
function truncated(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= most ? text : `${new TextDecoder().decode(bytes.slice(0, Math.max(most - 3, 0)))}...`;
}

/** `clusterAs`: the AS number of nodes that have none. */
function functionsOf(clusterAs: string): Readonly<Record<string, GoFunction>> {
  return {
    join: { least: 2, most: 2, call: ([list = null, separator = '']) => joined(list, separator) },
    joinAndTruncate: {
      least: 3,
      most: 3,
      call: ([list = null, separator = '', most = 0]) => truncated(joined(list, separator), Number(most)),
    },
    config: {
      least: 1,
      most: 1,
      call: ([name = null]) => {
        if (typeof name === 'string' && name.toLowerCase() === 'asnumber') return clusterAs;
        throw new FunctionError('error calling config: unhandled config type');
      },
    },
  };
}

/**
 * What the template prints of the data. Errors: UsageError and EvaluationError in Go's words; CalictlError when the output
 * cannot be read as YAML, or when values change its structure.
 */
export function guardedTemplate(text: string, clusterAs: string): (data: GoValue) => readonly Piece[] {
  const template = goTemplate('get', text, functionsOf(clusterAs), '[]runtime.Object');
  const shapeOf = (pieces: readonly Piece[]): string | undefined =>
    yamlShape(pieces.map((piece) => piece.text).join(''));
  const refuse = (message: string): never => {
    throw new CalictlError(message, { code: 'TEMPLATE' });
  };
  return (data) => {
    const pieces = template(data);
    const expected = shapeOf(template(data, disguised)) ?? refuse('Invalid YAML Template');
    if (shapeOf(pieces) !== expected) refuse('YAML Injection Detected');
    return pieces;
  };
}
