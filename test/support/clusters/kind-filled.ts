// An object of any kind with a value in every field, made from the kind's table of fields.
import type { FieldTable, FieldType } from '../../../src/resources/field.ts';
import { type Kind, storedApiVersion } from '../../../src/resources/kind.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { metadataFields } from '../../../src/resources/object-tables.ts';

/** The text for a field that takes one; `format` is what the text contains, such as `CIDR`. */
export type TextFor = (format: string | undefined) => string;

function anyValue(type: FieldType, text: TextFor, depth: number): unknown {
  switch (type.form) {
    case 'scalar':
      switch (type.json) {
        case 'boolean':
          return true;
        case 'integer':
          return type.range?.min ?? 1;
        case 'int64':
          return 1n;
        default:
          return text(type.format);
      }
    case 'list':
      return [anyValue(type.items, text, depth)];
    case 'map':
      return { [text(undefined)]: anyValue(type.values, text, depth) };
    case 'object':
      return depth > 8 ? {} : filled(type.fields(), text, depth + 1);
  }
}

function filled(table: FieldTable, text: TextFor, depth: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, anyValue(type, text, depth)]));
}

/** The stored form, in namespace `default` for kinds that have one; its metadata too has a text in every field. */
export function filledObject(kind: Kind, name: string, text: TextFor): KubeObject {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = filled(metadataFields, text, 0);
  const { spec, status } = kind.fields;
  return {
    apiVersion: storedApiVersion(kind),
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.namespaced ? { namespace: 'default' } : {}),
      ...({ labels, annotations, ownerReferences, finalizers, managedFields } as object),
    },
    ...(spec === undefined ? {} : { spec: filled(spec(), text, 0) }),
    ...(status === undefined ? {} : { status: filled(status(), text, 0) }),
  };
}
