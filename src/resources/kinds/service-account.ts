// ServiceAccount: its labels, which policies select pods by. What it holds besides its metadata is not read.
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';

export const serviceAccount: Kind = {
  kind: 'ServiceAccount',
  about: 'A Kubernetes account that pods run as.',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'serviceaccounts' },
  fields: {},
  columns: { default: [nameColumn], wide: [nameColumn] },
};
