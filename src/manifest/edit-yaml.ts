// Prints one object as YAML: from scratch, or as a change of its old text that keeps comments, key order and styles.
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { deepCopy, isObject, sameValue } from '../text/plain-values.ts';
import { yamlOptions } from './parse-yaml.ts';

const printOptions = { lineWidth: 0, singleQuote: true, flowCollectionPadding: false } as const;

/** Plain text for the package, but not for every reader: tabs, `=`, line ends and control characters of YAML 1.1. */
const ODD = /^=$|[\t\u007f-\u009f\u2028\u2029\ufeff]/;

/** The text, such that readers of YAML 1.1 and 1.2 get the same value. */
function textOf(document: Document, indentSeq: boolean): string {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && ODD.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ ...printOptions, indentSeq });
  return text.replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** A block mapping from column 0, ending with a line end. */
export function printObject(value: unknown): string {
  return textOf(new Document(deepCopy(value), yamlOptions), false);
}

/** An item of a block sequence, with its dash, every line indented. */
export function printItem(value: unknown, indent: string): string {
  return indented(textOf(new Document([deepCopy(value)], yamlOptions), false), indent);
}

/** The text of a document, changed to hold `value`; undefined when its style does not allow that. */
export function changedObject(text: string, value: unknown): string | undefined {
  return changed(text, (document) => {
    document.contents = merged(document, document.contents, deepCopy(value));
  });
}

/** The text of a block sequence of one item, changed so that the item is `value`; undefined when its style does not allow that. */
export function changedItem(text: string, value: unknown): string | undefined {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines = changed(text, (document) => {
    const sequence = document.contents;
    if (isSeq(sequence)) sequence.items[0] = merged(document, sequence.items[0] as Node | null, deepCopy(value));
  });
  return lines === undefined ? undefined : indented(lines, indent);
}

/** A sequence that is indented further than its key. */
const INDENTED_SEQUENCE = /(?:^|\n)( *)[^\s#-][^\n]*:[ \t]*\r?\n\1 +- /;

type EditedDocument = Omit<ReturnType<typeof parseDocument>, 'contents'> & { contents: Node | null };

function changed(text: string, change: (document: EditedDocument) => void): string | undefined {
  const document = parseDocument(text.replaceAll('\r\n', '\n'), yamlOptions) as unknown as EditedDocument;
  if (document.errors.length > 0) return undefined;
  try {
    change(document);
    return textOf(document as unknown as Document, INDENTED_SEQUENCE.test(text));
  } catch {
    // An alias whose anchor is gone: the caller prints the object from scratch.
    return undefined;
  }
}

/** A node for `value`: the old one if it is equal, the old one changed if it has the same shape, else a new one. */
function merged(document: EditedDocument, node: Node | null | undefined, value: unknown): Node {
  if (node === null || node === undefined) return document.createNode(value);
  if (isAlias(node) && sameValue(node.toJS(document as unknown as Document), value)) return node;
  if (isMap(node) && isObject(value)) return mergedMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) {
    const old = node.toJSON() as unknown[];
    const same = Math.min(old.length, value.length);
    let head = 0;
    while (head < same && sameValue(old[head], value[head])) head++;
    let tail = 0;
    while (tail < same - head && sameValue(old[old.length - 1 - tail], value[value.length - 1 - tail])) tail++;
    const middle = value.slice(head, value.length - tail);
    const replaced = node.items.slice(head, node.items.length - tail) as Node[];
    const keepsPlaces = middle.length === replaced.length;
    const fresh = middle.map((item, i) => merged(document, keepsPlaces ? replaced[i] : undefined, item));
    node.items.splice(head, replaced.length, ...fresh);
    return node;
  }
  if (isScalar(node)) {
    if (sameValue(node.value, value)) return node;
    if (typeof value !== 'object' || value === null) {
      const scalar = document.createNode(value);
      Object.assign(scalar, {
        comment: node.comment,
        commentBefore: node.commentBefore,
        spaceBefore: node.spaceBefore,
      });
      return scalar;
    }
  }
  const fresh = document.createNode(value);
  if (isCollection(node) && isCollection(fresh) && node.flow === true) fresh.flow = true;
  return fresh;
}

function mergedMap(document: EditedDocument, map: YAMLMap, value: Record<string, unknown>): Node {
  const pairs = map.items as Pair<Node, Node | null>[];
  const kept = new Set<string>();
  map.items = pairs.filter((pair) => {
    const key = keyOf(pair);
    if (!Object.hasOwn(value, key)) return false;
    kept.add(key);
    pair.value = merged(document, pair.value, value[key]);
    return true;
  });
  for (const [key, member] of Object.entries(value)) {
    if (!kept.has(key)) map.items.push(document.createPair(key, member));
  }
  return map;
}

function keyOf(pair: Pair<Node, Node | null>): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Every line that is not empty, moved to the right. */
function indented(text: string, indent: string): string {
  if (indent === '') return text;
  const lines = text.split('\n');
  return lines.map((line) => (line === '' ? line : indent + line)).join('\n');
}
