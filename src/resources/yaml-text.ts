// YAML output as Calico's and Kubernetes' own programs write it: sorted keys, dashes at the indent of their key, quotes
// only where a plain word would be read as something else. Input is read with the yaml package, in datastore/ and commands/.
import { compareKeys } from './yaml-keys.ts';

const words = new Set(
  `y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF ~ null Null NULL
  .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF`.split(/\s+/),
);

const floatPattern = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const basePattern = /^[-+]?0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/;
const base60Pattern = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestampPattern =
  /^\d{4}-(\d\d?)-(\d\d?)(?:(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))|(?: (\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?))?$/;

function isTimestamp(text: string): boolean {
  const match = timestampPattern.exec(text);
  if (match === null) return false;
  const [month = 0, day = 0, ...time] = match.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0] = match[3] === undefined ? time.slice(3) : time;
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour < 24 && minute < 60 && second < 60;
}

/** True when the plain word would be read back as null, a boolean, a number or a time. */
function readsAsOther(text: string): boolean {
  if (text === '' || words.has(text)) return true;
  const first = text.charCodeAt(0);
  const digit = first >= 48 && first <= 57;
  if (first === 46) return floatPattern.test(text);
  if (!digit && first !== 43 && first !== 45) return false;
  const bare = text.replaceAll('_', '');
  return floatPattern.test(bare) || basePattern.test(bare) || base60Pattern.test(text) || isTimestamp(text);
}

/** Characters that stand for themselves in any style; the others need escapes. */
const printable = /^[\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
/** What a plain word must not begin with, or contain. */
const notPlain = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \n]|$))|:(?:[ \n]|$)|[ \n]#|^ | $|\n/;

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
};

function escaped(char: string): string {
  const short = escapes[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/["\\\n]|[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu, escaped)}"`;
}

function singleLine(text: string): string {
  if (readsAsOther(text) || !printable.test(text)) return doubleQuoted(text);
  return notPlain.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** A text of several lines as a literal block, or undefined when only quotes can hold it. */
function literal(text: string, indent: string): string | undefined {
  if (!printable.test(text) || / \n/.test(text) || text.endsWith(' ')) return undefined;
  const indentHint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${indentHint}${chomp}\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`;
}

/** A text as the value of a key or an entry of a list whose content stands at the indent. */
function textValue(text: string, indent: string): string {
  if (!text.includes('\n')) return singleLine(text);
  return literal(text, indent) ?? doubleQuoted(text);
}

function keyText(text: string): string {
  return text.includes('\n') ? doubleQuoted(text) : singleLine(text);
}

/** Keys longer than this are written as `? key`. */
const longestSimpleKey = 128;

function scalar(value: unknown, indent: string): string {
  if (typeof value === 'string') return textValue(value, indent);
  if (value === null || value === undefined) return 'null';
  return String(value);
}

/** Lines of a map whose keys stand at the indent; the first line without it. */
function mapLines(
  map: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  indent: string,
  out: string[],
): void {
  keys.forEach((key, index) => {
    if (index > 0) out.push(indent);
    const name = keyText(key);
    out.push(name.length > longestSimpleKey ? `? ${name}\n${indent}:` : `${name}:`);
    const value = map[key];
    if (Array.isArray(value) && value.length > 0) {
      out.push('\n', indent);
      listLines(value, indent, out);
    } else if (isMap(value)) {
      const inner = keysOf(value);
      const deeper = `${indent}  `;
      if (inner.length === 0) out.push(' {}\n');
      else {
        out.push('\n', deeper);
        mapLines(value, inner, deeper, out);
      }
    } else out.push(' ', Array.isArray(value) ? '[]' : scalar(value, `${indent}  `), '\n');
  });
}

/** Lines of a list whose dashes stand at the indent; the first line without it. */
function listLines(list: readonly unknown[], indent: string, out: string[]): void {
  list.forEach((value, index) => {
    out.push(index > 0 ? `${indent}- ` : '- ');
    writeNode(value, `${indent}  `, out);
  });
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  } else if (isMap(value)) {
    const keys = keysOf(value);
    if (keys.length === 0) out.push('{}\n');
    else mapLines(value, keys, indent, out);
  } else out.push(scalar(value, indent), '\n');
}

/**
 * One YAML document, with a final newline and no markers. Fields that are undefined are left out; bigints are exact.
 */
export function printYaml(value: unknown): string {
  const out: string[] = [];
  if (typeof value === 'string') return `${textValue(value, '  ')}\n`;
  writeNode(value, '', out);
  return out.join('');
}
