// Key order and empty fields as Calico's own programs print them, from the `fieldOrder` of a kind.
import type { Kind } from './kind.ts';
import type { KubeObject } from './object.ts';

type Fields = Readonly<Record<string, unknown>>;

const objectOrder: readonly string[] = ['kind', 'apiVersion', 'metadata', 'spec', 'status'];

const metadataOrder: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Order within the lists of metadata. */
const metadataLists: Readonly<Record<string, readonly string[]>> = {
  ownerReferences: ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'],
  managedFields: ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'],
};

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Name and rule of an entry of `fieldOrder`. */
function parseEntry(entry: string): { readonly name: string; readonly rule: '*' | '?' | '' } {
  if (entry.endsWith('*')) return { name: entry.slice(0, -1), rule: '*' };
  if (entry.endsWith('?')) return { name: entry.slice(0, -1), rule: '?' };
  return { name: entry, rule: '' };
}

/** The same fields: those named first and in that order, the others as they were. */
function inOrder(fields: Fields, names: readonly string[]): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(fields, name)) ordered[name] = fields[name];
  for (const name of Object.keys(fields)) if (!Object.hasOwn(ordered, name)) ordered[name] = fields[name];
  return ordered;
}

function sortedMap(map: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function orderValue(kind: Kind, value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => orderValue(kind, entry, path));
  if (!isFields(value)) return value;
  const entries = kind.fieldOrder[path];
  const ordered =
    entries === undefined
      ? sortedMap(value)
      : inOrder(
          value,
          entries.map((e) => parseEntry(e).name),
        );
  for (const name of Object.keys(ordered)) ordered[name] = orderValue(kind, ordered[name], `${path}.${name}`);
  return ordered;
}

/** Metadata in the order in which Kubernetes prints it, its lists too, labels and annotations by their keys. */
export function orderMetadata<T extends Fields>(metadata: T): T {
  const ordered = inOrder(metadata, metadataOrder);
  for (const name of ['labels', 'annotations']) {
    const map = ordered[name];
    if (isFields(map)) ordered[name] = sortedMap(map);
  }
  for (const [name, order] of Object.entries(metadataLists)) {
    const list = ordered[name];
    if (Array.isArray(list)) ordered[name] = list.map((entry) => (isFields(entry) ? inOrder(entry, order) : entry));
  }
  return ordered as T;
}

/** A copy with the keys in the order of Calico's JSON output; values are the same. */
export function orderKeys<T extends KubeObject>(kind: Kind, object: T): T {
  const ordered = inOrder(object, objectOrder);
  ordered['metadata'] = orderMetadata(object.metadata);
  for (const name of ['spec', 'status']) {
    if (ordered[name] !== undefined) ordered[name] = orderValue(kind, ordered[name], name);
  }
  return ordered as T;
}

/** Empty as Go's omitempty has it. An empty object is empty when it is a map. */
function isEmpty(kind: Kind, value: unknown, path: string): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0 || value === 0n)
    return true;
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.keys(value).length === 0 && kind.fieldOrder[path] === undefined;
}

function omitEmptyIn(kind: Kind, value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => omitEmptyIn(kind, entry, path));
  const entries = kind.fieldOrder[path];
  if (!isFields(value) || entries === undefined) return value;
  const kept: Record<string, unknown> = { ...value };
  for (const { name, rule } of entries.map(parseEntry)) {
    const at = `${path}.${name}`;
    const given = kept[name];
    if (rule === '*') {
      const filled = (given === undefined || given === null) && kind.fieldOrder[at] !== undefined ? {} : given;
      if (filled !== undefined) kept[name] = omitEmptyIn(kind, filled, at);
    } else if (given === undefined || given === null || (rule === '' && isEmpty(kind, given, at))) delete kept[name];
    else kept[name] = omitEmptyIn(kind, given, at);
  }
  return kept;
}

/**
 * A copy without the fields that Calico's programs leave out (empty, zero, false, unset), and with those that they always
 * print. Fields that the kind does not know stay.
 */
export function omitEmpty<T extends KubeObject>(kind: Kind, object: T): T {
  const copy: KubeObject = { ...object };
  for (const name of ['spec', 'status'] as const) {
    if (kind.fieldOrder[name] === undefined) continue;
    copy[name] = omitEmptyIn(kind, copy[name] ?? {}, name);
  }
  return copy as T;
}
