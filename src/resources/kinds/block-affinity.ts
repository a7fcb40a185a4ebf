// BlockAffinity: one side of the record that a block belongs to a node (the block's own `affinity` is the other).
import * as z from 'zod/mini';
import { column, nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { objectSchema, text } from '../schema.ts';

const trueTexts: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const falseTexts: readonly string[] = ['', '0', 'f', 'F', 'FALSE', 'false', 'False'];

const spec = z.looseObject({
  /** pending, confirmed or pendingDeletion; the empty text means confirmed. */
  state: text,
  /** Node name, or the name of a virtual owner. */
  node: z.string(),
  /** host or virtual; absent in old objects and then host. */
  type: text,
  cidr: z.string(),
  /** A text, `"true"` or `"false"`; other stores may write a boolean. */
  deleted: z.optional(
    z.union([
      z.boolean(),
      z
        .string()
        .check(z.refine((word) => trueTexts.includes(word) || falseTexts.includes(word), 'must be "true" or "false"')),
    ]),
  ),
});

export interface BlockAffinity extends KubeObject {
  spec: z.infer<typeof spec>;
}

/** True for a tombstone: a delete began and did not end. */
export function isDeletedAffinity(affinity: BlockAffinity): boolean {
  const { deleted } = affinity.spec;
  return deleted === true || (typeof deleted === 'string' && trueTexts.includes(deleted));
}

/** `host` or `virtual`, also of objects that do not say. */
export function affinityType(affinity: BlockAffinity): string {
  return affinity.spec.type || 'host';
}

/** The state, also of objects that leave it empty. */
export function affinityState(affinity: BlockAffinity): string {
  return affinity.spec.state || 'confirmed';
}

const columns = [
  nameColumn,
  column<BlockAffinity>('NODE', ({ spec }) => spec.node),
  column<BlockAffinity>('CIDR', ({ spec }) => spec.cidr),
  column<BlockAffinity>('STATE', affinityState),
];

export const blockAffinity: Kind<BlockAffinity> = {
  kind: 'BlockAffinity',
  aliases: ['blockaffinity', 'blockaffinities', 'affinity', 'affinities'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'blockaffinities' },
  v3: false,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: {
    default: columns,
    wide: [
      ...columns,
      column('TYPE', affinityType),
      column('DELETED', (affinity) => String(isDeletedAffinity(affinity))),
    ],
  },
  fieldOrder: { spec: ['state*', 'node*', 'type', 'cidr*', 'deleted*'] },
};
