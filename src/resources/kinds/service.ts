// Service: the few fields of a core/v1 Service that say which addresses a load balancer uses.
import * as z from 'zod/mini';
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { objectSchema, text } from '../schema.ts';

const spec = z.looseObject({ type: text, loadBalancerClass: text });

const status = z.looseObject({
  loadBalancer: z.optional(
    z.looseObject({ ingress: z.optional(z.nullable(z.array(z.looseObject({ ip: text, hostname: text })))) }),
  ),
});

export interface Service extends KubeObject {
  spec?: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const service: Kind<Service> = {
  kind: 'Service',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'services' },
  v3: false,
  onCommandLine: false,
  schema: objectSchema({ spec: z.optional(spec), status: z.optional(status) }),
  int64: [],
  columns: { default: [nameColumn], wide: [nameColumn] },
  fieldOrder: {},
};
