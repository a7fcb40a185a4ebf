// YAML output as Calico's and Kubernetes' own programs print it: sorted keys, dashes at the indent of their key, quotes
// only where plain text would be read as something else. Input is read with the package yaml, in manifest/ and connect/.
import { goFloat } from './go-number.ts';
import { isObject } from './plain-values.ts';
import { compareKeys } from './yaml-keys.ts';
import { keyText, type TextPosition, textValue } from './yaml-scalars.ts';

/** Longer keys, in bytes, are written as `? key`. */
const longestSimpleKey = 128;

function isSimpleKey(key: string): boolean {
  return key.length <= longestSimpleKey / 3 || new TextEncoder().encode(key).length <= longestSimpleKey;
}

function scalar(value: unknown, position: TextPosition): string {
  if (typeof value === 'string') return textValue(value, position);
  if (value === null || value === undefined) return 'null';
  // Whole numbers below 1e21 are integers in the JSON from which Calico's programs make YAML.
  if (typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) < 1e21)) return goFloat(value);
  return String(value);
}

/** Lines of a map whose keys are at the indent; the first line without it. */
function mapLines(
  map: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  indent: string,
  out: string[],
): void {
  keys.forEach((key, index) => {
    if (index > 0) out.push(indent);
    const name = keyText(key);
    const isSimple = isSimpleKey(key);
    out.push(isSimple ? `${name}:` : `? ${name}\n${indent}:`);
    const value = map[key];
    if (Array.isArray(value) && value.length > 0) {
      out.push('\n', indent);
      listLines(value, indent, out);
    } else if (isObject(value)) {
      const inner = keysOf(value);
      const deeper = `${indent}  `;
      if (inner.length === 0) out.push(' {}\n');
      else {
        out.push('\n', deeper);
        mapLines(value, inner, deeper, out);
      }
    } else {
      const column = indent.length + (isSimple ? [...name].length : 0) + 2;
      out.push(' ', Array.isArray(value) ? '[]' : scalar(value, { column, indent: `${indent}  ` }), '\n');
    }
  });
}

/** Lines of a list whose dashes are at the indent; the first line without it. */
function listLines(list: readonly unknown[], indent: string, out: string[]): void {
  list.forEach((value, index) => {
    out.push(index > 0 ? `${indent}- ` : '- ');
    writeNode(value, `${indent}  `, out);
  });
}

function keysOf(map: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(map)
    .filter((key) => map[key] !== undefined)
    .sort(compareKeys);
}

function writeNode(value: unknown, indent: string, out: string[]): void {
  if (Array.isArray(value)) {
    if (value.length === 0) out.push('[]\n');
    else listLines(value, indent, out);
  } else if (isObject(value)) {
    const keys = keysOf(value);
    if (keys.length === 0) out.push('{}\n');
    else mapLines(value, keys, indent, out);
  } else out.push(scalar(value, { column: indent.length, indent }), '\n');
}

/**
 * One YAML document with a final newline and without document marks. Fields that are undefined are left out; bigints are exact.
 */
export function printYaml(value: unknown): string {
  const out: string[] = [];
  if (typeof value === 'string') return `${textValue(value, { column: 0, indent: '  ' })}\n`;
  writeNode(value, '', out);
  return out.join('');
}
