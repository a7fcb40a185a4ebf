// Pieces that the schemas of the kinds are made of. Schemas say types and accept fields they do not know.
import * as z from 'zod/mini';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

function isInt64(value: unknown): boolean {
  return typeof value === 'bigint' ? value >= int64Min && value <= int64Max : Number.isSafeInteger(value);
}

/** A 64-bit integer; a bigint in everything that a datastore hands out, see validate.ts. */
export const int64 = z.custom<bigint>(isInt64, 'must be a 64-bit integer');

export const text = z.optional(z.string());
export const flag = z.optional(z.boolean());
export const integer = z.optional(z.int());
export const texts = z.optional(z.array(z.string()));
export const textMap = z.optional(z.record(z.string(), z.string()));

const metadata = z.looseObject({
  name: z.string().check(z.minLength(1)),
  namespace: text,
  uid: text,
  resourceVersion: text,
  creationTimestamp: z.optional(z.nullable(z.string())),
  deletionTimestamp: z.optional(z.nullable(z.string())),
  labels: z.optional(z.nullable(z.record(z.string(), z.string()))),
  annotations: z.optional(z.nullable(z.record(z.string(), z.string()))),
  ownerReferences: z.optional(
    z.nullable(z.array(z.looseObject({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() }))),
  ),
  finalizers: z.optional(z.nullable(z.array(z.string()))),
});

/** The whole of an object: metadata as every object has it, and the given fields beside it. */
export function objectSchema<Fields extends z.core.$ZodLooseShape>(fields: Fields) {
  return z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata, ...fields });
}
