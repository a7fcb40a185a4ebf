// IPReservation: addresses that automatic assignment leaves alone.
import * as z from 'zod/mini';
import { column, joinedAndCut, nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { objectSchema, texts } from '../schema.ts';

const spec = z.looseObject({
  /** CIDRs or single addresses. */
  reservedCIDRs: texts,
});

export interface IPReservation extends KubeObject {
  spec: z.infer<typeof spec>;
}

export const ipReservation: Kind<IPReservation> = {
  kind: 'IPReservation',
  aliases: ['ipreservation', 'ipreservations', 'reservation', 'reservations'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipreservations' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: {
    default: [nameColumn],
    wide: [nameColumn, column('CIDRS', ({ spec }) => joinedAndCut(spec.reservedCIDRs))],
  },
  fieldOrder: { spec: ['reservedCIDRs'] },
};
