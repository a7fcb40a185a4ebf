// FelixConfiguration: the settings of Felix on every node (`default`) or on one (`node.<name>`). Its fields are in
// felix-*-fields.ts; which of the two objects wins is in datapath/expected/felix-settings.ts.

import { nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { fields, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { felixConfigurationRules } from '../rules/configuration.ts';
import { felixBpfFields } from './felix-bpf-fields.ts';
import { felixHostFields } from './felix-host-fields.ts';
import { felixNetworkFields } from './felix-network-fields.ts';
import { felixRouteFields } from './felix-route-fields.ts';

const spec = fields(() => ({
  ...felixHostFields(),
  ...felixNetworkFields(),
  ...felixBpfFields(),
  ...felixRouteFields(),
}));

export type FelixConfigurationSpec = Values<typeof spec>;

export interface FelixConfiguration extends KubeObject {
  spec: FelixConfigurationSpec;
}

export const felixConfiguration: Kind<FelixConfiguration> = {
  kind: 'FelixConfiguration',
  about: 'Settings of Felix on every node (`default`) or on one (`node.<name>`).',
  aliases: ['felixconfiguration', 'felixconfigurations', 'felixconfig', 'felixconfigs'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'felixconfigurations' },
  fields: { spec },
  rules: felixConfigurationRules,
  codec: customResource,
  goNames: {
    'spec.bpfConntrackMode': 'BPFConntrackCleanupMode',
    'spec.bpfMapSizePerCpuConntrack': 'BPFMapSizePerCPUConntrack',
    'spec.externalNodesList': 'ExternalNodesCIDRList',
    'spec.nftablesMode': 'NFTablesMode',
    'spec.wireguardKeepAlive': 'WireguardPersistentKeepAlive',
  },
  columns: { default: [nameColumn], wide: [nameColumn] },
};
