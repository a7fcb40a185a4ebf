// Parses XML strictly and returns its structure: enough to see whether data was interpreted as markup.

export interface Markup {
  /** Each start tag in order: name and the names of its attributes, `rect class x y`. */
  readonly tags: readonly string[];
  /** Attribute values and texts, unescaped. */
  readonly texts: readonly string[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

function unescaped(text: string): string {
  if (/[<>]/.test(text)) throw new Error(`bare angle bracket in ${JSON.stringify(text)}`);
  return text.replace(/&(\w*);?/g, (found, name: string) => {
    const character = found.endsWith(';') ? entities[name] : undefined;
    if (character === undefined) throw new Error(`${found} is no entity`);
    return character;
  });
}

/** Errors: Error for anything that is not well-formed. A declaration or doctype may come first. */
export function readMarkup(source: string): Markup {
  const bad = forbidden.exec(source);
  if (bad !== null) throw new Error(`U+${bad[0].codePointAt(0)?.toString(16)} cannot stand in XML`);
  const text = source.replace(/^<\?xml [^?]*\?>\n|^<!doctype html>\n/, '');
  const tags: string[] = [];
  const texts: string[] = [];
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)(\/?)>/gy;
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const before = text.slice(at, next < 0 ? text.length : next);
    if (open.length === 0 && before.trim() !== '') throw new Error(`text outside the root: ${before}`);
    if (before !== '') texts.push(unescaped(before));
    if (next < 0) break;
    tag.lastIndex = next;
    const found = tag.exec(text);
    if (found === null) throw new Error(`no tag: ${text.slice(next, next + 80)}`);
    const [whole, closes, name = '', attributes = '', empty] = found;
    if (open.length === 0 && tags.length > 0) throw new Error(`a second root: ${whole}`);
    if (closes === '/') {
      if (open.pop() !== name) throw new Error(`${whole} closes nothing`);
    } else {
      const pairs = [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)];
      tags.push([name, ...pairs.map(([, key]) => key)].join(' '));
      for (const [, , value = ''] of pairs) texts.push(unescaped(value));
      if (empty !== '/') open.push(name);
    }
    at = next + whole.length;
  }
  if (open.length > 0) throw new Error(`${open.join(', ')} not closed`);
  return { tags, texts };
}
