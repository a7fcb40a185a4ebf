// The zod schema of a kind, made from its table of fields. It checks types only and accepts unknown fields. Its parse
// output is never used: objects travel raw.
import * as z from 'zod/mini';
import type { FieldTable, FieldType, ScalarType } from './field.ts';
import { type Kind, perKind } from './kind.ts';
import { storedTable } from './object-tables.ts';

type Schema = z.ZodMiniType;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

function isInt64(value: unknown): boolean {
  return typeof value === 'bigint' ? value >= int64Min && value <= int64Max : Number.isSafeInteger(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isFinite(value);
}

function scalarSchema({ json, check }: ScalarType): Schema {
  const string = check === undefined ? z.string() : z.string().check(z.refine(check.accepts, check.message));
  switch (json) {
    case 'string':
      return string;
    case 'boolean':
      return z.boolean();
    case 'integer':
      return z.int();
    case 'int64':
      return z.custom<bigint>(isInt64, 'must be a 64-bit integer');
    case 'number':
      return z.custom<number | bigint>(isNumber, 'must be a number');
    case 'integer-or-string':
      return z.union([string, z.int()]);
    case 'boolean-or-string':
      return z.union([z.boolean(), string]);
    case 'anything':
      return z.unknown();
  }
}

function typeSchema(type: FieldType): Schema {
  switch (type.form) {
    case 'scalar':
      return scalarSchema(type);
    case 'list':
      return z.array(valueSchema(type.items));
    case 'map':
      return z.record(z.string(), valueSchema(type.values));
    case 'object':
      return tableSchema(type.fields());
  }
}

function valueSchema(type: FieldType): Schema {
  return type.nullable ? z.nullable(typeSchema(type)) : typeSchema(type);
}

function tableSchema(table: FieldTable): Schema {
  const shape = Object.entries(table).map(([name, { type, required }]) => {
    const schema = valueSchema(type);
    return [name, required ? schema : z.optional(schema)];
  });
  return z.looseObject(Object.fromEntries(shape));
}

/** The schema of the stored form. */
export const schemaOf: (kind: Kind) => Schema = perKind((kind) => tableSchema(storedTable(kind)));
