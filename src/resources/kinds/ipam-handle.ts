// IPAMHandle: which blocks hold the addresses of one handle id, and how many. Names are in names.ts.
import * as z from 'zod/mini';
import { column, joined, nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, objectSchema } from '../schema.ts';

const spec = z.looseObject({
  /** Case kept; the object's name is its lower case. */
  handleID: z.string(),
  /** Number of addresses per block CIDR text. */
  block: z.record(z.string(), z.int()),
  /** A delete began and did not end. */
  deleted: flag,
});

export interface IPAMHandle extends KubeObject {
  spec: z.infer<typeof spec>;
}

const columns = [
  nameColumn,
  column<IPAMHandle>('HANDLEID', ({ spec }) => spec.handleID),
  column<IPAMHandle>('ADDRESSES', ({ spec }) =>
    String(Object.values(spec.block).reduce((sum, count) => sum + count, 0)),
  ),
  column<IPAMHandle>('BLOCKS', ({ spec }) => joined(Object.keys(spec.block))),
];

export const ipamHandle: Kind<IPAMHandle> = {
  kind: 'IPAMHandle',
  aliases: ['ipamhandle', 'ipamhandles', 'handle', 'handles'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamhandles' },
  v3: false,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: { default: columns, wide: columns },
  fieldOrder: { spec: ['handleID*', 'block*', 'deleted*'] },
};
