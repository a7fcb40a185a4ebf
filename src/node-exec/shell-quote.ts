// Words for a POSIX shell and back: the one place where data is put into a text that a shell reads. Runs nothing.
import { UsageError } from '../world/errors.ts';

/** Means itself in every shell, wherever it stands behind the first word. */
const harmless = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/**
 * One word as the shell has to be given it. Harmless words stay as they are, which is for people to read.
 * Errors: UsageError for a NUL byte, which no argument can hold.
 */
export function quoteWord(word: string): string {
  return harmless.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  if (word.includes('\0')) {
    throw new UsageError('an argument has a NUL byte in it', 'leave it out');
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command line that makes a POSIX shell run exactly these words. The first is always quoted: bare, it could be a
 * reserved word.
 * Errors: UsageError for a NUL byte.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map((word, i) => (i === 0 ? quoted(word) : quoteWord(word))).join(' ');
}

/**
 * Splits a text into words at spaces, with the quotes and backslashes of a shell; nothing else of a shell is done with
 * it: no variables, patterns or commands.
 * Errors: UsageError for a quote that does not end.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  // A stretch in quotes, an escaped character, spaces, or what is plain.
  const pieces = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\]+)/y;
  while (pieces.lastIndex < text.length) {
    const at = pieces.lastIndex;
    const found = pieces.exec(text);
    if (found === null) {
      throw new UsageError(`a quote does not end in: ${text}`, `it begins at: ${text.slice(at)}`);
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
