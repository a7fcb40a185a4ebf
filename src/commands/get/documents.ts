// Objects as YAML and JSON, one, several or a whole list, as calicoctl prints them.

import { nested } from '../../output/json-document.ts';
import { orderKeys } from '../../resources/field-order.ts';
import type { Kind } from '../../resources/kind.ts';
import { storedApiVersion, v3ApiVersion } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { printJson } from '../../text/json.ts';
import { printYaml } from '../../text/yaml.ts';
import type { Found, QueryResult } from './query-result.ts';

export type DocumentFormat = 'yaml' | 'json';

type FoundList = Extract<Found, { type: 'list' }>;

const jsonOptions = { indent: 2, goEscapes: true } as const;

/** One object bare, several as an array, none as null. */
function objectsText(shown: readonly { kind: Kind; object: KubeObject }[], format: DocumentFormat): string {
  if (shown.length === 0) return 'null\n';
  const ordered = shown.map(({ kind, object }) => (format === 'json' ? orderKeys(kind, object) : object));
  const value = ordered.length === 1 ? ordered[0] : ordered;
  return format === 'yaml' ? printYaml(value) : `${printJson(value, jsonOptions)}\n`;
}

/** A list, item by item: no more than a page is in memory. */
async function* listText({ kind, pages }: FoundList, format: DocumentFormat): AsyncIterable<string> {
  const apiVersion = kind.codec ? v3ApiVersion : storedApiVersion(kind);
  const listKind = `${kind.kind}List`;
  let revision = '';
  let begun = false;
  const jsonHead = (): string =>
    `{\n  "kind": ${printJson(listKind)},\n  "apiVersion": ${printJson(apiVersion)},\n  "metadata": ${nested(
      printJson(revision === '' ? {} : { resourceVersion: revision }, jsonOptions),
      2,
    )},\n  "items": [`;

  let items = 0;
  for await (const page of pages) {
    if (!begun) revision = page.resourceVersion;
    begun = true;
    const pieces: string[] = [];
    for (const object of page.items) {
      if (format === 'yaml') {
        pieces.push(`${items === 0 ? `apiVersion: ${apiVersion}\nitems:\n` : ''}${printYaml([object])}`);
      } else {
        const text = nested(printJson(orderKeys(kind, object), jsonOptions), 4);
        pieces.push(`${items === 0 ? jsonHead() : ','}\n    ${text}`);
      }
      items++;
    }
    if (pieces.length > 0) yield pieces.join('');
  }
  if (format === 'json') yield items === 0 ? `${jsonHead()}]\n}\n` : '\n  ]\n}\n';
  else yield (items === 0 ? `apiVersion: ${apiVersion}\nitems: []\n` : '') + printYaml(listTail(listKind, revision));
}

function listTail(kind: string, revision: string): unknown {
  return {
    kind,
    metadata: revision === '' ? {} : { resourceVersion: revision },
  };
}

/** What was found as one document: a query without names is a list, everything else a bare object or an array. */
export function documentsOf({ found }: QueryResult, format: DocumentFormat): string | AsyncIterable<string> {
  const [first] = found;
  if (first?.type === 'list') return listText(first, format);
  const objects = found.filter((entry) => entry.type === 'object');
  return objectsText(objects, format);
}
