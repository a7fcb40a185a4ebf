// What Go's JSON reader says about a text that is not valid, or not of the type that was wanted: Calico's plugins answer
// with these words.
import type { JsonValue } from '../../text/json.ts';

/** The name of a value's type in Go's errors. */
export function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

type Container = '{' | '[';

/** Go's words for the first thing in the text that is not JSON. The text is known to be invalid. */
export function goSyntaxProblem(text: string): string {
  const end = 'unexpected end of JSON input';
  const open: Container[] = [];
  let expects: 'value' | 'first key' | 'key' | 'colon' | 'after value' | 'value or end' = 'value';
  const tokens =
    /\s*(?:("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([{}[\],:])|(.))?/suy;
  while (tokens.lastIndex < text.length || expects !== 'after value' || open.length > 0) {
    const from = tokens.lastIndex;
    const [, string, number, word, mark, other] = tokens.exec(text) ?? [];
    if (tokens.lastIndex === from) return end;
    const scalar = string ?? number ?? word;
    const first = (string ?? number ?? word ?? mark ?? other ?? '')[0];
    if (first === undefined) {
      if (tokens.lastIndex >= text.length) return end;
      continue;
    }
    const invalid = (where: string): string => `invalid character ${quoted(first)} ${where}`;
    if (other === '"') return end;
    switch (expects) {
      case 'value':
      case 'value or end':
        if (mark === ']' && expects === 'value or end') open.pop();
        else if (mark === '{' || mark === '[') {
          open.push(mark);
          expects = mark === '{' ? 'first key' : 'value or end';
          continue;
        } else if (scalar === undefined) {
          const rest = text.slice(tokens.lastIndex - 1);
          const cut = ['true', 'false', 'null'].find((literal) => literal[0] === first);
          return cut === undefined ? invalid('looking for beginning of value') : literalProblem(cut, rest);
        }
        expects = 'after value';
        break;
      case 'first key':
      case 'key':
        if (mark === '}' && expects === 'first key') {
          open.pop();
          expects = 'after value';
        } else if (string === undefined) return invalid('looking for beginning of object key string');
        else expects = 'colon';
        break;
      case 'colon':
        if (mark !== ':') return invalid('after object key');
        expects = 'value';
        break;
      case 'after value': {
        const inside = open.at(-1);
        if (inside === undefined) return invalid('after top-level value');
        if (mark === ',') expects = inside === '{' ? 'key' : 'value';
        else if (mark === (inside === '{' ? '}' : ']')) open.pop();
        else return invalid(inside === '{' ? 'after object key:value pair' : 'after array element');
      }
    }
  }
  return end;
}

/** A word that begins as true, false or null, and goes on otherwise. */
function literalProblem(literal: string, rest: string): string {
  let at = 0;
  while (at < literal.length && rest[at] === literal[at]) at++;
  const found = rest[at];
  if (found === undefined) return 'unexpected end of JSON input';
  return `invalid character ${quoted(found)} in literal ${literal} (expecting ${quoted(literal[at] ?? '')})`;
}

function quoted(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}
