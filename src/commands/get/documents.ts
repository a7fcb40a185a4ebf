// Objects as YAML and JSON: one, several or a whole list, as calicoctl prints them; several kinds as kubectl does.
import { nested } from '../../output/json-document.ts';
import { orderKeys } from '../../resources/field-order.ts';
import { type Kind, storedApiVersion, v3ApiVersion } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { printJson } from '../../text/json.ts';
import { printYaml } from '../../text/yaml.ts';
import type { Found, FoundList, FoundObject, QueryResult } from './query-result.ts';

export type DocumentFormat = 'yaml' | 'json';

const jsonOptions = { indent: 2, goEscapes: true } as const;

/** The type of a list: that of its kind, or the List of Kubernetes for several kinds. */
interface ListType {
  readonly apiVersion: string;
  readonly kind: string;
}

const mixedList: ListType = { apiVersion: 'v1', kind: 'List' };

export function listTypeOf(kind: Kind): ListType {
  return { apiVersion: kind.codec ? v3ApiVersion : storedApiVersion(kind), kind: `${kind.kind}List` };
}

/** One object as a document of its own. */
export function documentOf({ kind, object }: Omit<FoundObject, 'type'>, format: DocumentFormat): string {
  return format === 'yaml' ? printYaml(object) : `${printJson(orderKeys(kind, object), jsonOptions)}\n`;
}

/** One object bare, several as an array, none as null. */
function objectsText(shown: readonly FoundObject[], format: DocumentFormat): string {
  const [first] = shown;
  if (first === undefined) return 'null\n';
  if (shown.length === 1) return documentOf(first, format);
  if (format === 'yaml') return printYaml(shown.map(({ object }) => object));
  return `${printJson(
    shown.map(({ kind, object }) => orderKeys(kind, object)),
    jsonOptions,
  )}\n`;
}

/** Some objects of a list, with its revision where it has one. */
interface ListPart {
  readonly kind: Kind;
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

async function* partsOf(found: readonly Found[]): AsyncIterable<ListPart> {
  for (const entry of found) {
    const { kind } = entry;
    if (entry.type === 'object') yield { kind, items: [entry.object], resourceVersion: '' };
    else for await (const { items, resourceVersion } of entry.pages) yield { kind, items, resourceVersion };
  }
}

/** A list, item by item: no more than a page is in memory. `revises`: it has a revision, that of its first page. */
async function* listText(
  type: ListType,
  parts: AsyncIterable<ListPart>,
  format: DocumentFormat,
  revises: boolean,
): AsyncIterable<string> {
  let { apiVersion, kind: listKind } = type;
  let revision = '';
  let begun = false;
  const metadata = (): unknown => (revision === '' ? {} : { resourceVersion: revision });
  const jsonHead = (): string =>
    `{\n  "kind": ${printJson(listKind)},\n  "apiVersion": ${printJson(apiVersion)},\n  "metadata": ${nested(
      printJson(metadata(), jsonOptions),
      2,
    )},\n  "items": [`;

  let items = 0;
  for await (const page of parts) {
    if (!begun && revises) revision = page.resourceVersion;
    begun = true;
    const [first] = page.items;
    // Raw objects have the API and the name that their store has for the kind.
    if (items === 0 && first !== undefined && type !== mixedList) {
      apiVersion = first.apiVersion;
      listKind = `${first.kind}List`;
    }
    const pieces: string[] = [];
    for (const object of page.items) {
      if (format === 'yaml') {
        pieces.push(`${items === 0 ? `apiVersion: ${apiVersion}\nitems:\n` : ''}${printYaml([object])}`);
      } else {
        const text = nested(printJson(orderKeys(page.kind, object), jsonOptions), 4);
        pieces.push(`${items === 0 ? jsonHead() : ','}\n    ${text}`);
      }
      items++;
    }
    if (pieces.length > 0) yield pieces.join('');
  }
  if (format === 'json') yield items === 0 ? `${jsonHead()}]\n}\n` : '\n  ]\n}\n';
  else {
    const tail = printYaml({ kind: listKind, metadata: metadata() });
    yield (items === 0 ? `apiVersion: ${apiVersion}\nitems: []\n` : '') + tail;
  }
}

/**
 * What was found as one document: a query without names is a list, everything else a bare object or an array; several
 * queries are one List.
 */
export function documentsOf({ found }: QueryResult, format: DocumentFormat): string | AsyncIterable<string> {
  const lists = found.filter((entry): entry is FoundList => entry.type === 'list');
  const [first] = lists;
  if (first === undefined) return objectsText(found as readonly FoundObject[], format);
  const isOne = found.length === 1;
  return listText(isOne ? listTypeOf(first.kind) : mixedList, partsOf(found), format, isOne);
}

/** What was found as one value, for templates: as `documentsOf`, but several objects are a List, as in kubectl. */
export async function documentValue({ found }: QueryResult): Promise<unknown> {
  const [first] = found;
  if (first?.type === 'object' && found.length === 1) return orderKeys(first.kind, first.object);
  const items: KubeObject[] = [];
  let revision = '';
  for await (const part of partsOf(found)) {
    if (items.length === 0 && revision === '') revision = part.resourceVersion;
    items.push(...part.items.map((item) => orderKeys(part.kind, item)));
  }
  const isOne = first?.type === 'list' && found.length === 1;
  const { apiVersion, kind } = isOne ? listTypeOf(first.kind) : mixedList;
  return { kind, apiVersion, metadata: { resourceVersion: isOne ? revision : '' }, items };
}
