// Lease (coordination.k8s.io): the lock that keeps two repairs of one cluster apart.
import * as z from 'zod/mini';
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { integer, objectSchema, text } from '../schema.ts';

const spec = z.looseObject({
  holderIdentity: text,
  leaseDurationSeconds: integer,
  acquireTime: z.optional(z.nullable(z.string())),
  renewTime: z.optional(z.nullable(z.string())),
  leaseTransitions: integer,
});

export interface Lease extends KubeObject {
  spec?: z.infer<typeof spec>;
}

export const lease: Kind<Lease> = {
  kind: 'Lease',
  aliases: [],
  namespaced: true,
  api: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  v3: false,
  onCommandLine: false,
  schema: objectSchema({ spec: z.optional(spec) }),
  int64: [],
  columns: { default: [nameColumn], wide: [nameColumn] },
  fieldOrder: {},
};
