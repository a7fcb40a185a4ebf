// Key order and empty fields as Calico's own programs print them, from the tables of fields.
import { isObject } from '../text/plain-values.ts';
import type { FieldTable, FieldType } from './field.ts';
import { type CalicoApi, customResourceApi, type Kind, shownFields, v3ApiVersion } from './kind.ts';
import type { KubeObject } from './object.ts';
import { managedFieldFields, metadataFields, ownerFields } from './object-tables.ts';

type Members = Readonly<Record<string, unknown>>;

const parts = ['spec', 'status'] as const;

const objectOrder: readonly string[] = ['kind', 'apiVersion', 'metadata', ...parts];
const metadataOrder: readonly string[] = Object.keys(metadataFields);
const metadataLists: readonly (readonly [name: string, order: readonly string[]])[] = [
  ['ownerReferences', Object.keys(ownerFields)],
  ['managedFields', Object.keys(managedFieldFields)],
];

/** The same members: those named first and in that order, the others as they were. */
function inOrder(members: Members, names: readonly string[]): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(members, name)) ordered[name] = members[name];
  for (const name of Object.keys(members)) if (!Object.hasOwn(ordered, name)) ordered[name] = members[name];
  return ordered;
}

function sortedMap(map: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fieldType(table: FieldTable | undefined, name: string): FieldType | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name]?.type : undefined;
}

/** Objects with known fields in their order, all others by their keys. */
function orderValue(type: FieldType | undefined, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = type?.form === 'list' ? type.items : undefined;
    return value.map((entry) => orderValue(items, entry));
  }
  if (!isObject(value)) return value;
  const table = type?.form === 'object' ? type.fields() : undefined;
  const values = type?.form === 'map' ? type.values : undefined;
  const ordered = table === undefined ? sortedMap(value) : inOrder(value, Object.keys(table));
  for (const name of Object.keys(ordered)) {
    ordered[name] = orderValue(values ?? fieldType(table, name), ordered[name]);
  }
  return ordered;
}

/** Metadata in the order in which Kubernetes prints it, its lists too, labels and annotations by their keys. */
export function orderMetadata<T extends Members>(metadata: T): T {
  const ordered = inOrder(metadata, metadataOrder);
  for (const name of ['labels', 'annotations']) {
    const map = ordered[name];
    if (isObject(map)) ordered[name] = sortedMap(map);
  }
  for (const [name, order] of metadataLists) {
    const list = ordered[name];
    if (Array.isArray(list)) ordered[name] = list.map((entry) => (isObject(entry) ? inOrder(entry, order) : entry));
  }
  return ordered as T;
}

/** A copy with the keys in the order of Calico's JSON output; values are the same. */
export function orderKeys<T extends KubeObject>(kind: Kind, object: T): T {
  const ordered = inOrder(object, objectOrder);
  ordered['metadata'] = orderMetadata(object.metadata);
  const shown = shownFields(kind);
  for (const part of parts) {
    const fields = shown[part];
    if (ordered[part] === undefined) continue;
    ordered[part] = orderValue(fields && { form: 'object', fields }, ordered[part]);
  }
  return ordered as T;
}

/** Empty as Go's omitempty has it. An object with known fields never is. */
function isEmpty(type: FieldType, value: unknown): boolean {
  if (value === '' || value === false || value === 0 || value === 0n) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && type.form !== 'object' && Object.keys(value).length === 0;
}

function omitEmptyInValue(type: FieldType, value: unknown, calicoApi: CalicoApi): unknown {
  if (type.form === 'object') return isObject(value) ? omitEmptyInTable(type.fields(), value, calicoApi) : value;
  if (type.form !== 'list' || type.items.form === 'scalar' || !Array.isArray(value)) return value;
  return value.map((entry) => omitEmptyInValue(type.items, entry, calicoApi));
}

function omitEmptyInTable(table: FieldTable, members: Members, calicoApi: CalicoApi): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...members };
  for (const [name, { type, omit, omitFrom }] of Object.entries(table)) {
    const given = kept[name] ?? undefined;
    if (omit === 'never') {
      const isLeftOut = omitFrom !== undefined && calicoApi === v3ApiVersion;
      if (given !== undefined) kept[name] = omitEmptyInValue(type, given, calicoApi);
      else if (type.form === 'object' && !isLeftOut) kept[name] = omitEmptyInTable(type.fields(), {}, calicoApi);
      if (isLeftOut && isObject(kept[name]) && Object.keys(kept[name]).length === 0) delete kept[name];
    } else if (given === undefined || (omit === 'empty' && isEmpty(type, given))) delete kept[name];
    else kept[name] = omitEmptyInValue(type, given, calicoApi);
  }
  return kept;
}

/**
 * A copy without the fields that Calico's programs leave out (empty, zero, false, unset), and with those that they always
 * print; `calicoApi` tells the version of Calico. Fields that the kind does not know stay.
 */
export function omitEmpty<T extends KubeObject>(kind: Kind, object: T, calicoApi: CalicoApi = customResourceApi): T {
  const copy: KubeObject = { ...object };
  const shown = shownFields(kind);
  for (const part of parts) {
    const table = shown[part]?.();
    if (table === undefined) continue;
    const isLeftOut = shown.omitsStatus === true || shown.omitsStatus === calicoApi;
    if (part === 'status' && isLeftOut && copy.status === undefined) continue;
    const value = copy[part] ?? {};
    copy[part] = isObject(value) ? omitEmptyInTable(table, value, calicoApi) : value;
  }
  return copy as T;
}
