// Cuts a text into YAML documents and parses each, with the limits that hold for input: a document is at most 10 MiB.
import { type Document, type ParsedNode, parseAllDocuments } from 'yaml';
import { firstLine, sizeText } from '../../text/wording.ts';
import { deepest, hasTooManyBrackets, yamlOptions } from '../parse-yaml.ts';

/** One document; offsets of its nodes count from `offset` in the text. */
export interface YamlDocument {
  readonly document: Document.Parsed;
  /** Its content; null when there is none. */
  readonly contents: ParsedNode | null;
  readonly offset: number;
}

/** Text that is not YAML, or too much of it. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

/** calicoctl's limit too. */
const longestDocument = 10 * 1024 ** 2;

const options = { ...yamlOptions, merge: true, uniqueKeys: false } as const;

/** From one `---` to the next: YAML allows such a line at column 0 nowhere else, not even within quotes. */
function pieces(text: string): { readonly start: number; readonly end: number }[] {
  // A byte order mark may come before the first key.
  const first = text.startsWith('\uFEFF') ? 1 : 0;
  // A directive belongs to the document after the next `---`.
  if (/^%/m.test(text)) return [{ start: first, end: text.length }];
  const starts = [first];
  for (let at = text.indexOf('\n---', first); at >= 0; at = text.indexOf('\n---', at + 1)) {
    if (/^[ \t\r\n]?$/.test(text.charAt(at + 4))) starts.push(at + 1);
  }
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? text.length }));
}

const quoteHint = 'quote a value that begins with !, &, *, @, % or `';

/** What to do about a syntax error, where the line shows it: a value that begins with a character of YAML's own. */
function hintFor(text: string, offset: number): { readonly hint?: string } {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start, Math.min(start + 2000, (text.indexOf('\n', start) + 1 || text.length + 1) - 1));
  if (/(?:^|[:\-,[{])\s+[!&*@%`][^\s!]/.test(line)) return { hint: quoteHint };
  return /\t/.test(/^\s*/.exec(line)?.[0] ?? '') ? { hint: 'indent with spaces' } : {};
}

function parsed(text: string, offset: number): readonly (YamlDocument | SyntaxProblem)[] {
  if (hasTooManyBrackets(text)) return [{ offset, message: `nested deeper than ${deepest}` }];
  try {
    const documents = parseAllDocuments(text, options);
    if ('empty' in documents) return [];
    return documents.map((document) => {
      const [error] = document.errors;
      if (error === undefined) return { document, contents: document.contents as ParsedNode | null, offset };
      // The composer reports an overflow of its stack like any other error.
      if (error.message.includes('call stack')) throw new RangeError(error.message);
      return {
        offset: offset + error.pos[0],
        message: `invalid YAML: ${firstLine(error.message).replace(/:$/, '')}`,
        ...hintFor(text, error.pos[0]),
      };
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ offset, message: `nested deeper than ${deepest}` }];
  }
}

/** The documents of a text in their order, empty ones included; what cannot be parsed is a problem in its place. */
export function* yamlDocuments(text: string): Generator<YamlDocument | SyntaxProblem> {
  for (const { start, end } of pieces(text)) {
    if (end - start > longestDocument) {
      const size = `${sizeText(end - start)} in one document, more than ${sizeText(longestDocument)}`;
      yield { offset: start, message: size, hint: 'put objects into documents of their own, separated by ---' };
    } else yield* parsed(text.slice(start, end), start);
  }
}
