// Lease (coordination.k8s.io): the lock that keeps two repairs of one cluster apart.
import { nameColumn } from '../cells.ts';
import { field, fields, integer, nullable, text, time, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

const spec = fields(() => ({
  holderIdentity: field(text, 'Who holds the lease.'),
  leaseDurationSeconds: field(integer(), 'How long the lease is valid after it was renewed.'),
  acquireTime: field(nullable(time), 'When the holder acquired the lease.'),
  renewTime: field(nullable(time), 'When the holder last renewed the lease.'),
  leaseTransitions: field(integer(), 'How often the holder of the lease changed.'),
}));

export interface Lease extends KubeObject {
  spec?: Values<typeof spec>;
}

export const lease: Kind<Lease> = {
  kind: 'Lease',
  about: 'A lock that programs hold for a limited time.',
  aliases: [],
  namespaced: true,
  api: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  fields: { spec },
  // Leases say who works at the moment.
  inSnapshots: false,
  columns: { default: [nameColumn], wide: [nameColumn] },
};
