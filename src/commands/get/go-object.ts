// Objects as Calico's Go types hold them, for the templates of calicoctl: fields by their Go names, unset ones with the
// zero value of their type, and nil for unset pointers.
import { duration, type Field, type FieldTable, type FieldType, type ScalarType } from '../../resources/field.ts';
import { goName } from '../../resources/go-names.ts';
import { type Kind, shownFields } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { metadataFields } from '../../resources/object-tables.ts';
import { GoFloat, GoPointer, GoStruct, type GoValue, goValue, type StructField } from '../../template/go-values.ts';
import { isObject } from '../../text/plain-values.ts';

type Members = Readonly<Record<string, unknown>>;

/** A port or a protocol: a number, a range or a name. */
function numberOrText(value: unknown): GoStruct {
  const text = String(value);
  const [, from, to] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const member = (name: string, of: GoValue): StructField => ({ name, value: () => of });
  return new GoStruct(
    'numorstring.Port',
    [
      member('MinPort', Number(from ?? 0)),
      member('MaxPort', Number(to ?? from ?? 0)),
      member('PortName', from === undefined ? text : ''),
    ],
    text,
  );
}

/** Kubernetes prints the type around the duration. */
function goDuration(value: unknown): GoStruct {
  const inside = new GoStruct('time.Duration', [], String(value));
  return new GoStruct('v1.Duration', [{ name: 'Duration', value: () => inside }], `&Duration{Duration:${value},}`);
}

function scalarValue({ json, format }: ScalarType, value: unknown): GoValue {
  switch (json) {
    case 'boolean':
      return value === true;
    case 'integer':
    case 'int64':
      return typeof value === 'bigint' || typeof value === 'number' ? value : 0;
    case 'string':
      return format === duration.format ? goDuration(value) : String(value ?? '');
    case 'integer-or-string':
      return numberOrText(value);
    default:
      return typeof value === 'number' ? new GoFloat(value) : goValue(value);
  }
}

/** A field of a kind, by its path: `spec.bgp.asNumber`. */
interface Place {
  readonly kind: Kind;
  readonly path: string;
}

/** The type of a struct in errors. Calico's own name is not known: that of the field is used. */
function typeAt({ kind, path }: Place): string {
  return path.includes('.') ? `v3.${goName(kind, path)}` : `v3.${kind.kind}${goName(kind, path)}`;
}

function structOf(place: Place, table: FieldTable, members: Members): GoStruct {
  const fields = Object.entries(table).map(([name, field]): StructField => {
    const inner = { kind: place.kind, path: `${place.path}.${name}` };
    return { name: goName(inner.kind, inner.path), value: () => fieldValue(inner, field, members[name]) };
  });
  return new GoStruct(typeAt(place), fields);
}

/** A list, a map, a struct or a scalar that is there, or the zero value of its type. */
function typedValue(place: Place, type: FieldType, value: unknown): GoValue {
  switch (type.form) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => typedValue(place, type.items, item)) : [];
    case 'map': {
      const entries = isObject(value) ? Object.entries(value) : [];
      return Object.fromEntries(entries.map(([key, entry]) => [key, typedValue(place, type.values, entry)]));
    }
    case 'object':
      return structOf(place, type.fields(), isObject(value) ? value : {});
    default:
      return scalarValue(type, value);
  }
}

/** What Go holds as a pointer: fields for which unset is not the same as zero, and parts that can be left out. */
function isPointer({ type, omit }: Field): boolean {
  if (omit === 'unset') return true;
  if (type.form === 'object') return omit === 'empty';
  return type.form === 'scalar' && (type.format === duration.format || type.json === 'integer-or-string');
}

function fieldValue(place: Place, field: Field, value: unknown): GoValue {
  const isUnset = value === undefined || value === null;
  if (!isPointer(field)) return typedValue(place, field.type, value);
  const { type } = field;
  const isDuration = type.form === 'scalar' && type.format === duration.format;
  const pointed = isDuration ? 'v1.Duration' : typeAt(place);
  return new GoPointer(isUnset ? undefined : typedValue(place, type, value), pointed, isDuration ? 'nil' : undefined);
}

function typeMeta({ kind, apiVersion }: Pick<KubeObject, 'kind' | 'apiVersion'>): StructField {
  const struct = new GoStruct('v1.TypeMeta', [
    { name: 'Kind', value: () => kind },
    { name: 'APIVersion', value: () => apiVersion },
  ]);
  return { name: 'TypeMeta', embedded: true, value: () => struct };
}

const metadataNames = ['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'] as const;

/** What is unset, where it is not a pointer. */
const zeroOfMetadata: Readonly<Record<string, GoValue>> = {
  generation: 0,
  ownerReferences: [],
  finalizers: [],
  managedFields: [],
};

function objectMeta(kind: Kind, metadata: Members): StructField {
  const texts = metadataNames.map((name): StructField => {
    return { name: goName(kind, `metadata.${name}`), value: () => String(metadata[name] ?? '') };
  });
  const maps = ['labels', 'annotations'].map((name): StructField => {
    const map = metadata[name];
    return { name: goName(kind, `metadata.${name}`), value: () => (isObject(map) ? (map as GoValue) : {}) };
  });
  const known = new Set<string>([...metadataNames, 'labels', 'annotations']);
  const others = Object.keys(metadataFields).filter((name) => !known.has(name));
  const rest = others.map((name): StructField => {
    const unset = zeroOfMetadata[name] ?? null;
    return { name: goName(kind, `metadata.${name}`), value: () => goValue(metadata[name] ?? unset) };
  });
  const struct = new GoStruct('v1.ObjectMeta', [...texts, ...maps, ...rest]);
  return { name: 'ObjectMeta', embedded: true, value: () => struct };
}

/** `type` is the name of the Go type in errors. */
export function goObject(kind: Kind, object: KubeObject, type: string): GoStruct {
  const shown = shownFields(kind);
  const parts = (['spec', 'status'] as const).flatMap((part): StructField[] => {
    const table = shown[part];
    const members = object[part];
    if (table === undefined) return [];
    const place = { kind, path: part };
    return [{ name: goName(kind, part), value: () => structOf(place, table(), isObject(members) ? members : {}) }];
  });
  return new GoStruct(type, [typeMeta(object), objectMeta(kind, object.metadata), ...parts]);
}

/** A list of objects, as calicoctl has the result of a query. */
export function goList(
  kind: Kind,
  list: Pick<KubeObject, 'kind' | 'apiVersion'> & { readonly resourceVersion: string },
  items: readonly KubeObject[],
  type: string,
): GoStruct {
  const meta = new GoStruct('v1.ListMeta', [{ name: 'ResourceVersion', value: () => list.resourceVersion }]);
  return new GoStruct(type, [
    typeMeta(list),
    { name: 'ListMeta', embedded: true, value: () => meta },
    { name: 'Items', value: () => items.map((item) => goObject(kind, item, `v3.${kind.kind}`)) },
  ]);
}
