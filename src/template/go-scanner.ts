// Splits a Go template (text/template) into text and the tokens of its actions. Language:
// https://pkg.go.dev/text/template. What tokens mean together is in go-parser.ts.
import { UsageError } from '../world/errors.ts';

export type TokenType =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'field'
  | 'variable'
  | 'word'
  | 'string'
  | 'character'
  | 'number'
  | 'dot'
  | '|'
  | '('
  | ')'
  | ','
  | ':='
  | '='
  | 'end-of-text'
  | 'error';

export interface Token {
  readonly type: TokenType;
  /** As it is written; of text, what is printed; of an error, the problem. */
  readonly text: string;
  /** Offset in the template, from 0. */
  readonly at: number;
}

/** `template: NAME:LINE: problem`, as Go has it. */
export function templateSyntaxError(name: string, template: string, at: number, problem: string): UsageError {
  const line = template.slice(0, at).split('\n').length;
  return new UsageError(`template: ${name}:${line}: ${problem}`, undefined, 'TEMPLATE');
}

const patterns: readonly (readonly [TokenType, RegExp])[] = [
  ['space', /[ \t\r\n]+/y],
  ['string', /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ['character', /'(?:[^'\\\n]|\\.)+'/y],
  ['number', /[-+]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][-+]?\d+)?)/y],
  ['field', /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['dot', /\./y],
  ['variable', /\$[\p{L}\p{Nd}_]*/uy],
  ['word', /[\p{L}_][\p{L}\p{Nd}_]*/uy],
  [':=', /:=/y],
  ['=', /=/y],
  ['|', /\|/y],
  ['(', /\(/y],
  [')', /\)/y],
  [',', /,/y],
];

/** What is left out before `{{- ` and after ` -}}`. */
const trimmed = ' \t\r\n';

function withoutStart(text: string): string {
  let start = 0;
  while (trimmed.includes(text[start] ?? 'x')) start++;
  return text.slice(start);
}

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && trimmed.includes(text[end - 1] ?? 'x')) end--;
  return text.slice(0, end);
}

const opening = /\{\{(?:-(?=[ \t\r\n]))?/y;
const closing = /(?:[ \t\r\n]+-)?\}\}/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/**
 * The tokens, comments left out. The last one is of type `end-of-text`, or `error` where the rest cannot be split: Go reports
 * what is wrong before it first.
 */
export function scanTemplate(template: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trimsNext = false;
  const failed = (text: string): readonly Token[] => [...tokens, { type: 'error', text, at }];
  for (;;) {
    const open = template.indexOf('{{', at);
    const mark = open < 0 ? undefined : matchAt(opening, template, open);
    let text = template.slice(at, open < 0 ? undefined : open);
    if (trimsNext) text = withoutStart(text);
    if (mark?.endsWith('-')) text = withoutEnd(text);
    if (text !== '') tokens.push({ type: 'text', text, at });
    if (mark === undefined) {
      tokens.push({ type: 'end-of-text', text: '', at: template.length });
      return tokens;
    }
    at = open + mark.length;
    const comment = /^[ \t\r\n]*\/\*/.exec(template.slice(at));
    if (comment !== null) {
      const end = template.indexOf('*/', at + comment[0].length);
      if (end < 0) return failed('unclosed comment');
      at = end + 2;
      const close = matchAt(closing, template, at);
      if (close === undefined) return failed('comment ends before closing delimiter');
      trimsNext = close.includes('-');
      at += close.length;
      continue;
    }
    tokens.push({ type: 'open', text: mark, at: open });
    let depth = 0;
    for (;;) {
      const close = matchAt(closing, template, at);
      if (close !== undefined) {
        if (depth > 0) return failed('unclosed left paren');
        tokens.push({ type: 'close', text: close, at });
        trimsNext = close.includes('-');
        at += close.length;
        break;
      }
      const token = nextToken(template, at);
      if (token === undefined) return failed(unknownCharacter(template, at));
      if (token.type === '(') depth++;
      if (token.type === ')' && --depth < 0) return failed('unexpected right paren');
      tokens.push(token);
      at += token.text.length;
    }
  }
}

function nextToken(template: string, at: number): Token | undefined {
  for (const [type, pattern] of patterns) {
    const text = matchAt(pattern, template, at);
    if (text !== undefined && text !== '') return { type, text, at };
  }
  return undefined;
}

function unknownCharacter(template: string, at: number): string {
  const character = template.codePointAt(at);
  if (character === undefined) return 'unclosed action';
  const shown = String.fromCodePoint(character);
  if (shown === '"') return 'unterminated quoted string';
  if (shown === '`') return 'unterminated raw quoted string';
  if (shown === "'") return 'unterminated character constant';
  const code = `U+${character.toString(16).toUpperCase().padStart(4, '0')} '${shown}'`;
  return /[\p{L}\p{Nd}_.]/u.test(template[at - 1] ?? '')
    ? `bad character ${code}`
    : `unrecognized character in action: ${code}`;
}
