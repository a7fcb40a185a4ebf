// Namespace: its labels, which pools select namespaces by.
import { nameColumn } from '../cells.ts';
import { fields } from '../field.ts';
import type { Kind } from '../kind.ts';

export const namespace: Kind = {
  kind: 'Namespace',
  about: 'A Kubernetes namespace.',
  aliases: [],
  namespaced: false,
  api: { group: '', version: 'v1', plural: 'namespaces' },
  fields: { spec: fields(() => ({})) },
  columns: { default: [nameColumn], wide: [nameColumn] },
};
