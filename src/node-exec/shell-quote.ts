// Words quoted for a POSIX shell and split again: the only place where data is put into text that a shell reads.
import { UsageError } from '../world/errors.ts';

/** Needs no quotes in any shell, anywhere after the first word. */
const harmless = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/**
 * One word, quoted for the shell. Words that need no quotes stay as they are, to be readable.
 * Errors: UsageError for a NUL byte, which no argument can contain.
 */
export function quoteWord(word: string): string {
  return harmless.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  if (word.includes('\0')) {
    throw new UsageError('an argument contains a NUL byte', 'remove it');
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line that makes a POSIX shell run exactly these words. The first one is always quoted, since it could be a
 * reserved word.
 * Errors: UsageError for a NUL byte.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word, i) => (i === 0 ? quoted(word) : quoteWord(word))).join(' ');
}

/**
 * Splits a text into words at spaces, honouring the quotes and backslashes of a shell, but nothing else: no variables,
 * patterns or commands.
 * Errors: UsageError for an unterminated quote.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  // A quoted stretch, an escaped character, spaces, or plain text.
  const pieces = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\]+)/y;
  while (pieces.lastIndex < text.length) {
    const at = pieces.lastIndex;
    const found = pieces.exec(text);
    if (found === null) {
      throw new UsageError(`unterminated quote in: ${text}`, `the quote starts at: ${text.slice(at)}`);
    }
    const [, single, double, escaped, space, plain] = found;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain}`;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
