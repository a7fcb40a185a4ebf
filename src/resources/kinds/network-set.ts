// NetworkSet: addresses with labels, for the policies of a namespace.
import { column, joinedAndCut, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { cidr, field, fields, list, tagged, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { networkSetRules } from '../rules/endpoint.ts';
import { tags } from '../rules/tags.ts';

/** The fields of sets of both kinds. */
export const networkSetSpec = fields(() => ({
  nets: field(list(tagged(cidr, tags.cidr)), 'Addresses and CIDRs in the set.'),
}));

export interface NetworkSet extends KubeObject {
  spec: Values<typeof networkSetSpec>;
}

/** The columns of sets of both kinds. */
export const networkSetColumns = {
  default: [nameColumn],
  wide: [nameColumn, column<NetworkSet>('NETS', ({ spec }) => joinedAndCut(spec.nets))],
};

export const networkSet: Kind<NetworkSet> = {
  kind: 'NetworkSet',
  about: 'Addresses with labels, which policies of the namespace select.',
  aliases: ['networkset', 'networksets', 'netsets'],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'networksets' },
  fields: { spec: networkSetSpec },
  rules: networkSetRules,
  codec: customResource,
  columns: networkSetColumns,
};
