// How a string is written in YAML: plain where it reads back as the same string, else quoted; long ones are folded at spaces.

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

/** True when the text, written plain, would be read back as null, a boolean, a number or a time. */
function readsAsOther(text: string): boolean {
  if (text === '' || words.has(text)) return true;
  const first = text.charCodeAt(0);
  const digit = first >= 48 && first <= 57;
  if (first === 46) return floatPattern.test(text);
  if (!digit && first !== 43 && first !== 45) return false;
  const bare = text.replaceAll('_', '');
  return floatPattern.test(bare) || basePattern.test(bare) || base60Pattern.test(text) || isTimestamp(text);
}

/** Characters that need no escape in any style: those that are YAML's, and steer no terminal. */
const printable =
  /^[\n\x20-\x7e\u00a0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
/** What plain text must not begin with, end with or contain. */
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

/** Lines are folded at the first space after this column. */
const bestWidth = 80;

/** Where a text is written: the column of its first character, and the indent of its further lines. */
export interface TextPosition {
  readonly column: number;
  readonly indent: string;
}

type Style = 'plain' | 'single' | 'double';

const quotes: Readonly<Record<Style, string>> = { plain: '', single: "'", double: '"' };

function written(char: string, style: Style): string {
  if (style === 'plain') return char;
  if (style === 'single') return char === "'" ? "''" : char;
  return /^["\\]$/.test(char) || char === '\n' || !printable.test(char) ? escaped(char) : char;
}

/** True when a space at the position may become a line break. */
function mayFold(chars: readonly string[], at: number, style: Style): boolean {
  if (style !== 'double' && chars[at + 1] === ' ') return false;
  return style === 'plain' || (at > 0 && at < chars.length - 1);
}

/** The text in a style; folded unless `position` is undefined. */
function styled(text: string, style: Style, position: TextPosition | undefined): string {
  if (style === 'plain' && (position === undefined || position.column + text.length <= bestWidth)) return text;
  const quote = quotes[style];
  const chars = [...text];
  let out = quote;
  let column = (position?.column ?? 0) + quote.length;
  let afterSpace = false;
  chars.forEach((char, at) => {
    const isSpace = char === ' ';
    if (isSpace && !afterSpace && position !== undefined && column > bestWidth && mayFold(chars, at, style)) {
      const escapedSpace = style === 'double' && chars[at + 1] === ' ' ? '\\' : '';
      out += `\n${position.indent}${escapedSpace}`;
      column = position.indent.length + escapedSpace.length;
    } else {
      const piece = written(char, style);
      out += piece;
      column += [...piece].length;
    }
    afterSpace = isSpace;
  });
  return out + quote;
}

function styleOf(text: string): Style {
  if (text.includes('\n') || readsAsOther(text) || !printable.test(text)) return 'double';
  return notPlain.test(text) ? 'single' : 'plain';
}

/** A text of several lines as a literal block, or undefined when it needs quotes. */
function literal(text: string, indent: string): string | undefined {
  if (!printable.test(text) || / \n/.test(text) || text.endsWith(' ')) return undefined;
  const indentHint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${indentHint}${chomp}\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`;
}

/** A text as the value of a key or an item of a list. */
export function textValue(text: string, position: TextPosition): string {
  const block = text.includes('\n') ? literal(text, position.indent) : undefined;
  return block ?? styled(text, styleOf(text), position);
}

/** A text as a key, on one line. */
export function keyText(text: string): string {
  return styled(text, styleOf(text), undefined);
}
