// Finds the objects in YAML of any style through the parsed tree: flow style, directives, anchors, several lists in one.
// Also reports what is wrong with invalid YAML, and on which line.
import { isAlias, isMap, isSeq, type ParsedNode, parseAllDocuments } from 'yaml';
import { isObject } from '../text/plain-values.ts';
import { firstLine, sizeText } from '../text/wording.ts';
import {
  isList,
  itemOfList,
  LineCounter,
  lineAt,
  ManifestError,
  type ObjectPosition,
  refuseOtherItems,
  removalsInFlow,
  type Splice,
} from './object-position.ts';
import { deepest, longestYaml, plainValue, TooDeepError, yamlOptions } from './parse-yaml.ts';

type YamlDocument = ReturnType<typeof documentsOf>[number];

/** The objects of all documents in the range, which begins on the given line. Errors: ManifestError with the line. */
export function locateInTree(
  text: string,
  range: { readonly start: number; readonly end: number },
  line: number,
): ObjectPosition[] {
  if (range.end - range.start > longestYaml) {
    throw new ManifestError(
      line,
      `${sizeText(range.end - range.start)} of YAML in one piece, more than ${sizeText(longestYaml)}`,
    );
  }
  try {
    return positionsIn(text, range, line);
  } catch (error) {
    // The parser is recursive: with a RangeError it ran out of stack.
    if (!(error instanceof TooDeepError || error instanceof RangeError)) throw error;
    throw new ManifestError(line, `it is nested deeper than ${deepest}`);
  }
}

function positionsIn(
  text: string,
  range: { readonly start: number; readonly end: number },
  line: number,
): ObjectPosition[] {
  const collector = new Collector(text, range.start, line);
  for (const document of documentsOf(text.slice(range.start, range.end))) {
    const error = document.errors[0];
    if (error !== undefined) {
      // The composer reports an overflow of its stack like any other error.
      if (error.message.includes('call stack')) throw new TooDeepError(error.message);
      throw new ManifestError(lineAt(text, range.start + error.pos[0]), firstLine(error.message).replace(/:$/, ''));
    }
    if (document.contents !== null) collector.add(document);
  }
  return collector.positions;
}

function documentsOf(text: string) {
  const documents = parseAllDocuments(text, yamlOptions);
  return 'empty' in documents ? [] : documents;
}

class Collector {
  readonly positions: ObjectPosition[] = [];
  readonly #text: string;
  readonly #offset: number;
  readonly #lines: LineCounter;

  constructor(text: string, offset: number, line: number) {
    this.#text = text;
    this.#offset = offset;
    this.#lines = new LineCounter(text, offset, line);
  }

  add(document: YamlDocument): void {
    const contents = document.contents as ParsedNode;
    const value = plainValue(document, contents);
    const { start, end } = this.#rangeOf(contents);
    if (value === undefined) {
      throw new ManifestError(lineAt(this.#text, start), 'its aliases cannot be resolved');
    }
    this.#collect(document, contents, value, { start, end, text: '' }, true);
  }

  #collect(document: YamlDocument, node: ParsedNode, value: unknown, removal: Splice, top: boolean): void {
    if (isSeq(node) && Array.isArray(value)) {
      this.#items(document, node.items as ParsedNode[], node, value, (item) => item, removal);
    } else if (isMap(node) && isObject(value) && isList(value)) {
      const items = node.get('items', true) as unknown as ParsedNode;
      refuseOtherItems(value, this.#lines.at(this.#rangeOf(node).start));
      const wrap = (item: unknown) => (isObject(item) ? itemOfList(value, item) : item);
      if (isSeq(items))
        this.#items(document, items.items as ParsedNode[], items, value.items as unknown[], wrap, removal);
    } else if ((isMap(node) || isAlias(node)) && isObject(value)) {
      const range = this.#rangeOf(node);
      const isBlock = isMap(node) && node.flow !== true && top && this.#column(range.start) === 0;
      const line = this.#lines.at(range.start);
      this.positions.push({ ...range, form: isBlock ? 'document' : 'flow', line, value, removal });
    }
  }

  /** Nothing else is in a list of one item: it goes with the item (`whole`). */
  #items(
    document: YamlDocument,
    nodes: readonly ParsedNode[],
    list: ParsedNode,
    values: readonly unknown[],
    wrap: (item: unknown) => unknown,
    whole: Splice,
  ): void {
    const ranges = nodes.map((node) => this.#rangeOf(node));
    const inFlow = isSeq(list) && list.flow === true;
    const removals = inFlow ? removalsInFlow(ranges) : ranges.map((range) => this.#withDash(range));
    nodes.forEach((node, i) => {
      const removal = nodes.length === 1 ? whole : removals[i];
      if (removal !== undefined) this.#collect(document, node, wrap(values[i]), removal, false);
    });
  }

  /** The range of an item of a block sequence with its dash. */
  #withDash(range: { start: number; end: number }): Splice {
    const dash = this.#text.lastIndexOf('-', range.start - 1);
    const start = this.#text.slice(dash + 1, range.start).trim() === '' ? dash - this.#column(dash) : range.start;
    return { start, end: range.end, text: '' };
  }

  #rangeOf(node: ParsedNode): { start: number; end: number } {
    return { start: this.#offset + node.range[0], end: this.#offset + node.range[1] };
  }

  #column(offset: number): number {
    return offset - (this.#text.lastIndexOf('\n', offset - 1) + 1);
  }
}
