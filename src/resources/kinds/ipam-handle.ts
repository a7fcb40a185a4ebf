// IPAMHandle: which blocks hold the addresses of one handle id, and how many. Names are in names.ts.
import { column, joined, nameColumn } from '../cells.ts';
import { field, fields, flag, integer, map, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { ipamOnly } from '../refusals.ts';

const spec = fields(() => ({
  handleID: field(text, 'The handle ID in its original case; the name of the object is in lower case.', {
    required: true,
    omit: 'never',
  }),
  block: field(map(integer({ min: 0 })), 'How many addresses the handle has, by the CIDR of the block.', {
    required: true,
    omit: 'never',
  }),
  deleted: field(flag, 'Whether deletion was started but not completed.', { omit: 'never' }),
}));

export interface IPAMHandle extends KubeObject {
  spec: Values<typeof spec>;
}

const columns = [
  nameColumn,
  column<IPAMHandle>('ADDRESSES', ({ spec }) =>
    String(Object.values(spec.block).reduce((sum, count) => sum + count, 0)),
  ),
  column<IPAMHandle>('BLOCKS', ({ spec }) => joined(Object.keys(spec.block))),
];

export const ipamHandle: Kind<IPAMHandle> = {
  kind: 'IPAMHandle',
  about: 'The addresses that were assigned together, for example to one pod, counted by block.',
  aliases: ['ipamhandle', 'ipamhandles', 'handle', 'handles'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamhandles' },
  native: { isProof: true },
  fields: { spec },
  refusals: ipamOnly,
  // The handle id is the name but for its case.
  columns: {
    default: columns,
    wide: columns,
    extra: [column<IPAMHandle>('HANDLEID', ({ spec }) => spec.handleID)],
  },
};
