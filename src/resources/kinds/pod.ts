// Pod: the few fields of a core/v1 Pod that say which addresses it uses. Its addresses are in pod-addresses.ts.
import * as z from 'zod/mini';
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, integer, objectSchema, text } from '../schema.ts';

const port = z.looseObject({ name: text, protocol: text, containerPort: integer, hostPort: integer, hostIP: text });

const containers = z.optional(z.nullable(z.array(z.looseObject({ ports: z.optional(z.nullable(z.array(port))) }))));

const spec = z.looseObject({
  nodeName: text,
  hostNetwork: flag,
  serviceAccountName: text,
  containers,
  initContainers: containers,
});

const status = z.looseObject({
  phase: text,
  reason: text,
  podIP: text,
  podIPs: z.optional(z.nullable(z.array(z.looseObject({ ip: text })))),
});

export interface Pod extends KubeObject {
  spec?: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const pod: Kind<Pod> = {
  kind: 'Pod',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'pods' },
  v3: false,
  onCommandLine: false,
  schema: objectSchema({ spec: z.optional(spec), status: z.optional(status) }),
  int64: [],
  columns: { default: [nameColumn], wide: [nameColumn] },
  fieldOrder: {},
};
