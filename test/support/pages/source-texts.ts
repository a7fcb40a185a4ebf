// The texts in a TypeScript file: its comments, its strings and templates, and the names of its tests.
import { parseSync } from 'vite';

export interface SourceText {
  readonly kind: 'comment' | 'string' | 'test name';
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Comment lines that follow each other are one text, and so are strings joined by `+`. A value in a template is `…`. */
  readonly text: string;
}

/** A node of the syntax tree, as far as it is used here. */
type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;

const children = (node: Node): Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

/** The text of a string, a template, or several joined by `+`; undefined for another expression. */
function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral') {
    return children(node)
      .filter(({ type }) => type === 'TemplateElement')
      .map(({ value }) => String((value as { cooked?: string }).cooked ?? ''))
      .join('…');
  }
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [textOf(node['left']), textOf(node['right'])];
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
}

/** The identifier that a chain like `it.each(rows)` begins with. */
function rootName(node: unknown): unknown {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return node['name'];
  return rootName(node.type === 'MemberExpression' ? node['object'] : node['callee']);
}

const testCalls: readonly unknown[] = ['it', 'test', 'describe', 'describeWithParts', 'describeWithPrograms'];

/**
 * Returns the texts of a file, in order.
 * @param path decides the syntax: `.ts`, `.js` or `.mjs`
 */
export function sourceTexts(path: string, source: string): SourceText[] {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
  const texts: SourceText[] = [];

  const visit = (node: Node, isName: boolean): void => {
    if (/^(Import|Export.*)Declaration$|^ImportExpression$/.test(node.type) && isNode(node['source'])) return;
    const text = textOf(node);
    if (text !== undefined) texts.push({ kind: isName ? 'test name' : 'string', line: lineOf(node.start), text });
    const isTest = node.type === 'CallExpression' && testCalls.includes(rootName(node['callee']));
    const name = isTest && Array.isArray(node['arguments']) ? node['arguments'][0] : undefined;
    // Strings that were joined are not visited again, but values inside them are.
    for (const child of children(node))
      if (text === undefined || textOf(child) === undefined) visit(child, child === name);
  };
  visit(program as unknown as Node, false);

  let previousEnd = -1;
  for (const { value, start, end } of comments) {
    const text = value.replace(/^\s*\*+ ?/gm, '').trim();
    const last = texts.at(-1);
    if (last?.kind === 'comment' && source.slice(previousEnd, start).trim() === '' && value !== '') {
      texts[texts.length - 1] = { ...last, text: `${last.text}\n${text}` };
    } else texts.push({ kind: 'comment', line: lineOf(start), text });
    previousEnd = end;
  }
  return texts.sort((a, b) => a.line - b.line);
}
