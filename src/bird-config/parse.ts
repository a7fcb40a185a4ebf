// Configurations of BIRD 1.6 as statements: enough of the language to compare two of them, whoever wrote them.

/** A statement: words up to its semicolon, or a block with the statements in it. */
export interface Statement {
  /** The words before the semicolon or the block, with one space between them. */
  readonly head: string;
  /** Undefined for a statement without a block. */
  readonly body: readonly Statement[] | undefined;
}

/** Comments, texts, names in quotes, ranges of prefix lengths, operators, punctuation, and words. */
const token =
  /#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"[^"\n]*"|'[^'\n]*'|\{\d+,\d+\}|!=|!~|&&|\|\||[{};()[\],=~<>!]|[^\s{};"'#()[\],=~<>!&|]+|[&|"']/g;

/** The words of a text without its comments. */
const tokensOf = (text: string): string[] =>
  [...text.matchAll(token)].map(([found]) => found).filter((found) => !/^(?:#|\/\*)/.test(found));

/** The statements of a text. Whatever is not closed ends with the text: a file that is cut off has its statements too. */
export function parseStatements(text: string): readonly Statement[] {
  const tokens = tokensOf(text);
  let at = 0;
  const statements = (): Statement[] => {
    const found: Statement[] = [];
    let words: string[] = [];
    const end = (body: readonly Statement[] | undefined): void => {
      if (words.length > 0 || body !== undefined) found.push({ head: joined(words), body });
      words = [];
    };
    while (at < tokens.length) {
      const word = tokens[at++] ?? '';
      if (word === '}') break;
      if (word === ';') end(undefined);
      else if (word === '{') end(statements());
      else words.push(word);
    }
    end(undefined);
    return found;
  };
  const all: Statement[] = [];
  // A `}` too many ends nothing.
  while (at < tokens.length) all.push(...statements());
  return all;
}

/** The words with spaces where people put them, whatever spaces there were. */
function joined(words: readonly string[]): string {
  let text = '';
  let before = '';
  for (const word of words) {
    const isCall = word === '(' && /^[\w.':-]+$/.test(before) && !['if', 'then', 'else'].includes(before);
    const isTight =
      /^[)\],]$|^\{/.test(word) ||
      ['', '(', '[', '-', '!'].includes(before) ||
      isCall ||
      (word === '(' && before === ')');
    text += isTight ? word : ` ${word}`;
    before = word;
  }
  return text;
}

/** A statement in one line. */
export const textOf = ({ head, body }: Statement): string =>
  body === undefined ? `${head};` : `${head} { ${body.map(textOf).join(' ')} }`.replace('{  }', '{ }');

/** A text without comments and blank lines, its lines indented by the blocks that they are in. */
export function withoutComments(text: string): string {
  const lines: string[] = [];
  const add = (statements: readonly Statement[], depth: number): void => {
    for (const { head, body } of statements) {
      const indent = '  '.repeat(depth);
      if (body === undefined) lines.push(`${indent}${head};`);
      else if (body.length === 0) lines.push(`${indent}${head} { }`);
      else {
        lines.push(`${indent}${head} {`);
        add(body, depth + 1);
        lines.push(`${indent}}`);
      }
    }
  };
  add(parseStatements(text), 0);
  return lines.map((line) => `${line}\n`).join('');
}
