// Namespace: its labels, which pools select namespaces by.
import * as z from 'zod/mini';
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { objectSchema } from '../schema.ts';

export const namespace: Kind<KubeObject> = {
  kind: 'Namespace',
  aliases: [],
  namespaced: false,
  api: { group: '', version: 'v1', plural: 'namespaces' },
  v3: false,
  onCommandLine: false,
  schema: objectSchema({ spec: z.optional(z.looseObject({})) }),
  int64: [],
  columns: { default: [nameColumn], wide: [nameColumn] },
  fieldOrder: {},
};
