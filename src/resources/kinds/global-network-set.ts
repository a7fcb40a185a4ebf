// GlobalNetworkSet: addresses with labels, for policies of the whole cluster.
import { customResource } from '../convert/custom-resource.ts';
import type { Kind } from '../kind.ts';
import { networkSetRules } from '../rules/endpoint.ts';
import { type NetworkSet, networkSetColumns, networkSetSpec } from './network-set.ts';

export const globalNetworkSet: Kind<NetworkSet> = {
  kind: 'GlobalNetworkSet',
  about: 'Addresses with labels, which policies select.',
  aliases: ['globalnetworkset', 'globalnetworksets', 'gnetsets'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'globalnetworksets' },
  fields: { spec: networkSetSpec },
  rules: networkSetRules,
  codec: customResource,
  columns: networkSetColumns,
};
