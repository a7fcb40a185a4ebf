// BGPConfiguration: BGP settings of the cluster (`default`) or of a node (`node.<name>`).
import * as z from 'zod/mini';
import { normalGoDuration } from '../../text/go-duration.ts';
import { column, nameColumn, yesNo } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, integer, objectSchema, text, texts } from '../schema.ts';
import { bgpPassword } from './bgp-peer.ts';

const cidrs = z.optional(z.array(z.looseObject({ cidr: text })));

const spec = z.looseObject({
  logSeverityScreen: text,
  nodeToNodeMeshEnabled: flag,
  asNumber: integer,
  serviceLoadBalancerIPs: cidrs,
  serviceExternalIPs: cidrs,
  serviceClusterIPs: cidrs,
  serviceLoadBalancerAggregation: text,
  communities: z.optional(z.array(z.looseObject({ name: text, value: text }))),
  prefixAdvertisements: z.optional(z.array(z.looseObject({ cidr: text, communities: texts }))),
  listenPort: integer,
  nodeMeshPassword: bgpPassword,
  nodeMeshMaxRestartTime: text,
  bindMode: text,
  ignoredInterfaces: texts,
  localWorkloadPeeringIPV4: text,
  localWorkloadPeeringIPV6: text,
});

export interface BGPConfiguration extends KubeObject {
  spec: z.infer<typeof spec>;
}

/** A copy with its duration as Go prints it. */
function withDefaults(object: BGPConfiguration): BGPConfiguration {
  const { nodeMeshMaxRestartTime: time } = object.spec;
  return time === undefined
    ? object
    : { ...object, spec: { ...object.spec, nodeMeshMaxRestartTime: normalGoDuration(time) } };
}

const columns = [
  nameColumn,
  column<BGPConfiguration>('LOGSEVERITY', ({ spec }) => spec.logSeverityScreen ?? ''),
  column<BGPConfiguration>('MESHENABLED', ({ spec }) => yesNo(spec.nodeToNodeMeshEnabled, '-')),
  column<BGPConfiguration>('ASNUMBER', ({ spec }) => String(spec.asNumber ?? '-')),
];

export const bgpConfiguration: Kind<BGPConfiguration> = {
  kind: 'BGPConfiguration',
  aliases: ['bgpconfiguration', 'bgpconfigurations', 'bgpconfig', 'bgpconfigs'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'bgpconfigurations' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  withDefaults,
  columns: { default: columns, wide: columns },
  fieldOrder: {
    spec: [
      'logSeverityScreen',
      'nodeToNodeMeshEnabled?',
      'asNumber?',
      'serviceLoadBalancerIPs',
      'serviceExternalIPs',
      'serviceClusterIPs',
      'serviceLoadBalancerAggregation?',
      'communities',
      'prefixAdvertisements',
      'listenPort',
      'nodeMeshPassword',
      'nodeMeshMaxRestartTime?',
      'bindMode?',
      'ignoredInterfaces',
      'localWorkloadPeeringIPV4',
      'localWorkloadPeeringIPV6',
    ],
    'spec.serviceLoadBalancerIPs': ['cidr'],
    'spec.serviceExternalIPs': ['cidr'],
    'spec.serviceClusterIPs': ['cidr'],
    'spec.communities': ['name', 'value'],
    'spec.prefixAdvertisements': ['cidr', 'communities'],
    'spec.nodeMeshPassword': ['secretKeyRef'],
    'spec.nodeMeshPassword.secretKeyRef': ['name', 'key*', 'optional?'],
  },
};
