// The lines of ssh_config, split into a keyword and its arguments exactly as OpenSSH splits them (readconf.c, strdelim and
// argv_split). What the keywords mean is in host-config.ts.

export interface ConfigLine {
  /** In lower case. */
  readonly keyword: string;
  /** At least one. */
  readonly args: readonly string[];
}

/**
 * Splits one line; returns undefined for a blank line or a comment.
 * Errors: Error for a keyword without an argument and for an unterminated quote, in OpenSSH's words.
 */
export function parseConfigLine(line: string): ConfigLine | undefined {
  const [, keyword, rest = ''] =
    /^[ \t\r]*([^ \t\r\n"=#][^ \t\r\n"=]*)[ \t]*=?[ \t]*(.*?)[ \t\r\f]*$/s.exec(line) ?? [];
  if (keyword === undefined) return undefined;
  const args = splitArguments(rest);
  if (args.length === 0) throw new Error(`no argument after keyword "${keyword}"`);
  return { keyword: keyword.toLowerCase(), args };
}

/** Arguments end at blanks outside quotes; a `#` that begins one begins a comment. */
function splitArguments(text: string): string[] {
  const args: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ' || text[at] === '\t') {
      at += 1;
      continue;
    }
    if (text[at] === '#') break;
    const [arg, end] = readArgument(text, at);
    args.push(arg);
    at = end;
  }
  return args;
}

/** The argument that begins at `start`, without its quotes and escapes, and the position after it. */
function readArgument(text: string, start: number): readonly [string, number] {
  let arg = '';
  let quote = '';
  let at = start;
  for (; at < text.length; at += 1) {
    const char = text[at] as string;
    const next = text[at + 1];
    if (char === '\\' && (next === "'" || next === '"' || next === '\\' || (quote === '' && next === ' '))) {
      arg += next;
      at += 1;
    } else if (quote === '' && (char === ' ' || char === '\t')) break;
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
    else arg += char;
  }
  if (quote !== '') throw new Error('invalid quotes');
  return [arg, at];
}
