// IPReservation: addresses that automatic assignment leaves alone.

import { column, joinedAndCut, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { cidr, field, fields, list, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { cidrs } from '../rules/tags.ts';

const spec = fields(() => ({
  reservedCIDRs: field(list(cidr, cidrs), 'CIDRs or single addresses that are never assigned automatically.'),
}));

export interface IPReservation extends KubeObject {
  spec: Values<typeof spec>;
}

export const ipReservation: Kind<IPReservation> = {
  kind: 'IPReservation',
  about: 'Addresses that automatic assignment leaves alone; they can still be requested explicitly.',
  aliases: ['ipreservation', 'ipreservations', 'reservation', 'reservations'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipreservations' },
  fields: { spec },
  codec: customResource,
  columns: {
    default: [nameColumn],
    wide: [nameColumn, column('CIDRS', ({ spec }) => joinedAndCut(spec.reservedCIDRs))],
  },
};
