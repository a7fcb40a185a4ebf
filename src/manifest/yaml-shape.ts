// The structure of a YAML text: which keys and items it has, and what is in what.
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';

function shapeOf(node: unknown): unknown {
  if (isMap(node))
    return node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : shapeOf(key), shapeOf(value)]);
  if (isSeq(node)) return { items: node.items.map(shapeOf) };
  return isAlias(node) ? `*${node.source}` : null;
}

/** A text that is equal for YAML texts that differ in their scalars only; undefined for what cannot be read as YAML. */
export function yamlShape(text: string): string | undefined {
  const documents = parseAllDocuments(text, { version: '1.1', uniqueKeys: true });
  if (!Array.isArray(documents)) return '';
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  return JSON.stringify(documents.map(({ contents }) => shapeOf(contents)));
}
