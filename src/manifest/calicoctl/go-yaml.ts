// YAML as calicoctl reads it: YAML 1.1 with Go's resolution of scalars, turned into JSON. The last of equal keys wins.
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { goFloat } from '../../text/go-number.ts';
import { firstLine } from '../../text/wording.ts';
import { AliasError, AliasFollower } from '../input/nodes.ts';
import { deepest, hasTooManyBrackets, yamlOptions } from '../parse-yaml.ts';

/** A number with its text in JSON, and as Go coerces it to a string. */
export interface GoNumber {
  readonly json: string;
  readonly text: string;
}

/** A value of a document. Members of an object are in the order of their keys. */
export type GoValue = null | boolean | string | GoNumber | readonly GoValue[] | ReadonlyMap<string, GoValue>;

export function isGoNumber(value: GoValue): value is GoNumber {
  return typeof value === 'object' && value !== null && 'json' in value;
}

/** Text that calicoctl cannot parse; the message is what it prints after `error parsing document: `. */
export class GoYamlError extends Error {}

const truths = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const falsehoods = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const integer = /^[-+]?(?:0b[01]+|0o?[0-7]+|0x[\da-fA-F]+|0|[1-9]\d*)$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** A float as Go's encoding/json writes it. */
function jsonFloat(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e21)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    return `${digits}e${exponent.startsWith('-') ? exponent : `+${exponent.replace('+', '').padStart(2, '0')}`}`;
  }
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

function numberOf(value: number | bigint): GoNumber {
  if (typeof value === 'bigint') return { json: value.toString(), text: value.toString() };
  return { json: jsonFloat(value), text: goFloat(value) };
}

function integerOf(text: string): bigint {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  const octal = /^0o?([0-7]+)$/.exec(digits)?.[1];
  const value = BigInt(octal === undefined ? digits : `0o${octal}`);
  return sign === '-' ? -value : value;
}

/** A plain scalar by the rules of Go's yaml.v2. */
function plainScalar(source: string): GoValue {
  if (/^(?:~|null|Null|NULL|)$/.test(source)) return null;
  if (truths.test(source)) return true;
  if (falsehoods.test(source)) return false;
  const digits = source.replaceAll('_', '');
  if (integer.test(digits)) {
    const value = integerOf(digits);
    return numberOf(value >= -(2n ** 63n) && value < 2n ** 64n ? value : Number(value));
  }
  if (float.test(digits)) {
    const value = Number(digits);
    return Number.isFinite(value) ? numberOf(value) : source;
  }
  return source;
}

class Converter {
  readonly #aliases: AliasFollower;
  #left: number;

  constructor(document: Document.Parsed, length: number) {
    this.#aliases = new AliasFollower(document);
    this.#left = length + 100_000;
  }

  value(node: ParsedNode | null, depth = 0): GoValue {
    this.#left--;
    if (this.#left < 0 || depth > deepest) throw new GoYamlError('yaml: document contains excessive aliasing');
    const target = this.#aliases.target(node) as ParsedNode | null;
    if (target === null) return null;
    if (isScalar(target)) return scalarOf(target as Scalar);
    if (isSeq(target)) return (target.items as ParsedNode[]).map((item) => this.value(item, depth + 1));
    const members = new Map<string, GoValue>();
    const all = isMap(target) ? this.#aliases.members(target as YAMLMap) : [];
    for (const isMerged of [true, false]) {
      for (const { keyNode, value, isMerged: merged } of all) {
        if (merged === isMerged) members.set(keyOf(keyNode), this.value(value, depth + 1));
      }
    }
    return new Map([...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
}

function scalarOf({ type, tag, source, value }: Scalar): GoValue {
  const text = source ?? String(value ?? '');
  const isString = tag === 'tag:yaml.org,2002:str' || (tag !== undefined && !tag.startsWith('tag:yaml.org,2002:'));
  return type === 'PLAIN' && !isString ? plainScalar(text) : typeof value === 'string' ? value : text;
}

function keyOf(node: ParsedNode): string {
  const value = isScalar(node) ? scalarOf(node as Scalar) : String(node);
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  return isGoNumber(value) ? value.text : String(node);
}

/** The message of libyaml for what the parser reports, where both say the same. */
const messages: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MISSING_CHAR: 'found unexpected end of stream',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BAD_INDENT: 'did not find expected key',
  BAD_COLLECTION_TYPE: 'did not find expected key',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':'",
  UNEXPECTED_TOKEN: 'did not find expected node content',
};

/** Errors: GoYamlError with all keys that are repeated. */
function refuseRepeated(document: Document.Parsed, text: string): void {
  const lines: string[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items as readonly { readonly key: ParsedNode }[]) {
        if (!isScalar(key) || key.source === '<<') continue;
        const name = keyOf(key);
        const line = text.slice(0, key.range[0]).split('\n').length;
        if (seen.has(name)) lines.push(`  line ${line}: key ${JSON.stringify(name)} already set in map`);
        seen.add(name);
      }
    },
  });
  if (lines.length > 0) throw new GoYamlError(`yaml: unmarshal errors:\n${lines.join('\n')}`);
}

/** Where libyaml's count of lines begins, a mark on the first line has none. */
function syntaxError(text: string, offset: number, code: string, message: string): GoYamlError {
  const line = text.slice(0, offset).split('\n').length - 1;
  const where = line > 0 ? `line ${line + 1}: ` : '';
  return new GoYamlError(`yaml: ${where}${messages[code] ?? firstLine(message)}`);
}

/** The value of one document; null for an empty one. `uniqueKeys` refuses equal keys in a map. Errors: GoYamlError. */
export function goValueOf(text: string, { uniqueKeys = false } = {}): GoValue {
  if (hasTooManyBrackets(text)) throw new GoYamlError('yaml: exceeded max depth of 10000');
  try {
    const documents = parseAllDocuments(text, { ...yamlOptions, merge: true, uniqueKeys: false });
    if ('empty' in documents || documents[0] === undefined) return null;
    const [document] = documents;
    const [error] = document.errors;
    if (error !== undefined) throw syntaxError(text, error.pos[0], error.code, error.message);
    if (uniqueKeys) refuseRepeated(document, text);
    return new Converter(document, text.length).value(document.contents as ParsedNode | null);
  } catch (error) {
    if (error instanceof AliasError) {
      const { source } = error.node as { source?: string };
      throw new GoYamlError(`yaml: unknown anchor '${source}' referenced`);
    }
    if (error instanceof RangeError) throw new GoYamlError('yaml: document contains excessive aliasing');
    throw error;
  }
}

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

/** The value as compact JSON in Go's form. */
export function goJson(value: GoValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value).replace(/[<>&]/g, (found) => escapes[found] ?? found);
  if (isGoNumber(value)) return value.json;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${goJson(key)}:${goJson(member as GoValue)}`).join(',')}}`;
  }
  return `[${(value as readonly GoValue[]).map(goJson).join(',')}]`;
}

/** What Go's decoder calls the type of the value. */
export function jsonType(value: GoValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (isGoNumber(value)) return 'number';
  return value instanceof Map ? 'object' : 'array';
}
