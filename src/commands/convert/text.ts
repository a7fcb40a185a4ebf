// Converted objects as one document: one bare, several as a List of Kubernetes.
import { orderKeys } from '../../resources/field-order.ts';
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { printJson } from '../../text/json.ts';
import { printYaml } from '../../text/yaml.ts';

export interface Converted {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Nothing is `null`, as calicoctl prints it. */
export function convertedText(converted: readonly Converted[], format: 'yaml' | 'json'): string {
  const objects = converted.map(({ kind, object }) => orderKeys(kind, object));
  const list = { kind: 'List', apiVersion: 'v1', metadata: {}, items: objects };
  const document = objects.length === 0 ? null : objects.length === 1 ? objects[0] : list;
  return format === 'yaml' ? printYaml(document) : `${printJson(document, { indent: 2, goEscapes: true })}\n`;
}
