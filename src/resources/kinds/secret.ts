// Secret: the passwords of BGP sessions, read only where a command needs them, and never saved.
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

export interface Secret extends KubeObject {
  /** Values in base64. */
  data?: Record<string, string> | null;
  /** Values as they are, in manifests that people write; they win over `data`. */
  stringData?: Record<string, string> | null;
}

export const secret: Kind<Secret> = {
  kind: 'Secret',
  about: 'A Kubernetes secret.',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'secrets' },
  fields: {},
  inSnapshots: false,
  columns: { default: [nameColumn], wide: [nameColumn] },
};
