// BlockAffinity: one side of the record that a block belongs to a node (the block's own `affinity` is the other).
import { column, nameColumn } from '../cells.ts';
import { booleanOrText, cidr, field, fields, oneOf, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { ipamOnly } from '../refusals.ts';

const trueTexts: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const falseTexts: readonly string[] = ['', '0', 'f', 'F', 'FALSE', 'false', 'False'];

const deletedMark = booleanOrText(
  (word) => trueTexts.includes(word) || falseTexts.includes(word),
  'must be "true" or "false"',
);

const spec = fields(() => ({
  state: field(oneOf('pending', 'confirmed', 'pendingDeletion'), 'State of the claim; empty means confirmed.', {
    omit: 'never',
    default: 'confirmed',
  }),
  node: field(text, 'Node that owns the block, or the name of a virtual owner.', { required: true, omit: 'never' }),
  type: field(oneOf('host', 'virtual'), 'Whether the owner is a node or virtual.', { default: 'host' }),
  cidr: field(cidr, 'CIDR of the block.', { required: true, omit: 'never' }),
  deleted: field(deletedMark, 'Whether deletion was started but not completed; the string `"true"` or `"false"`.', {
    omit: 'never',
  }),
}));

export interface BlockAffinity extends KubeObject {
  spec: Values<typeof spec>;
}

/** True for a tombstone: deletion was started but not completed. */
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

/** The spec with the deletion mark in another form. Without a mark nothing changes: the API server reports it. */
function marked(
  spec: Readonly<Record<string, unknown>>,
  form: (isDeleted: boolean) => string | boolean,
): Record<string, unknown> {
  const { deleted } = spec;
  const isDeleted = deleted === true || trueTexts.includes(String(deleted));
  return deleted === undefined ? { ...spec } : { ...spec, deleted: form(isDeleted) };
}

const columns = [
  nameColumn,
  column<BlockAffinity>('NODE', ({ spec }) => spec.node),
  column<BlockAffinity>('CIDR', ({ spec }) => spec.cidr),
  column<BlockAffinity>('STATE', affinityState),
];

export const blockAffinity: Kind<BlockAffinity> = {
  kind: 'BlockAffinity',
  about: 'The claim of a node, or of a virtual owner, to an IPAM block.',
  aliases: ['blockaffinity', 'blockaffinities', 'affinity', 'affinities'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'blockaffinities' },
  native: { toNative: (stored) => marked(stored, Boolean), fromNative: (native) => marked(native, String) },
  fields: { spec },
  refusals: ipamOnly,
  columns: {
    default: columns,
    wide: [
      ...columns,
      column('TYPE', affinityType),
      column('DELETED', (affinity) => String(isDeletedAffinity(affinity))),
    ],
  },
};
