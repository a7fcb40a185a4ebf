// BGPConfiguration: BGP settings of the cluster (`default`) or of a node (`node.<name>`).
import { column, nameColumn, yesNo } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  asNumber,
  choice,
  cidr,
  duration,
  field,
  fields,
  flag,
  integer,
  ipAddress,
  list,
  object,
  oneOf,
  port,
  tagged,
  text,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { bgpConfigurationRules } from '../rules/bgp.ts';
import { logLevels, tags } from '../rules/tags.ts';
import { bgpPassword } from './bgp-peer.ts';

const routePriority = integer({ min: 1, max: 2147483646 });
const cidrs = list(object({ cidr: field(tagged(cidr, tags.net), 'Range of addresses.') }));

const spec = fields(() => ({
  logSeverityScreen: field(choice('logLevel', ...logLevels), 'Lowest severity that the BGP daemon logs.', {
    default: 'Info',
  }),
  nodeToNodeMeshEnabled: field(flag, 'Whether every node peers with every other one; only in `default`.', {
    omit: 'unset',
    default: true,
  }),
  asNumber: field(asNumber, 'AS number of nodes that have none of their own; only in `default`.', {
    omit: 'unset',
    default: 64512,
  }),
  serviceLoadBalancerIPs: field(cidrs, 'Ranges of load balancer addresses of services that are advertised.'),
  serviceExternalIPs: field(cidrs, 'Ranges of external addresses of services that are advertised.'),
  serviceClusterIPs: field(cidrs, 'Ranges of cluster addresses of services that are advertised.'),
  serviceLoadBalancerAggregation: field(
    oneOf('Enabled', 'Disabled'),
    'Whether load balancer addresses are advertised as their whole range, or one by one.',
    { omit: 'unset', default: 'Enabled' },
  ),
  communities: field(
    list(
      object({
        name: field(tagged(text, tags.required), 'Name of the community for prefixAdvertisements.'),
        value: field(tagged(text, tags.required), 'The community: `aa:nn`, or `aa:nn:mm` for a large one.'),
      }),
    ),
    'BGP communities with names.',
  ),
  prefixAdvertisements: field(
    list(
      object({
        cidr: field(
          tagged(cidr, { ...tags.net, refusesEmpty: 'required' }),
          'Prefix whose routes get the communities.',
        ),
        communities: field(list(text), 'Communities of the routes: values, or names from communities.'),
      }),
    ),
    'Communities that the routes of certain prefixes are advertised with.',
  ),
  listenPort: field({ ...port, go: 'uint16' }, 'Port on which the nodes listen for BGP.', { default: 179 }),
  nodeMeshPassword: field(
    bgpPassword,
    'Password of the sessions of the node-to-node mesh (TCP MD5); only in `default`.',
  ),
  nodeMeshMaxRestartTime: field(
    duration,
    'How long nodes of the mesh keep the routes of a node that restarts gracefully; only in `default`.',
    { omit: 'unset', default: '2m0s' },
  ),
  bindMode: field(
    oneOf('None', 'NodeIP'),
    'Addresses on which the nodes listen for BGP: all, or only the address of the node.',
    { omit: 'unset', default: 'None' },
  ),
  ignoredInterfaces: field(
    list(tagged(text, tags.interfacePattern)),
    'Interfaces whose addresses are not advertised; `*` matches any characters.',
  ),
  localWorkloadPeeringIPV4: field(
    tagged(ipAddress, tags.ipv4),
    'IPv4 address at which workloads on a node peer with it.',
  ),
  localWorkloadPeeringIPV6: field(
    tagged(ipAddress, tags.ipv6),
    'IPv6 address at which workloads on a node peer with it.',
  ),
  programClusterRoutes: field(
    oneOf('Enabled', 'Disabled'),
    'Whether BIRD programs the routes to pods of other nodes, except for VXLAN; only in `default`, from Calico 3.32.',
    { omit: 'unset', since: '3.32', default: 'Enabled' },
  ),
  ipv4NormalRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv4 routes to pods; only in `default`, from Calico 3.32.',
    { omit: 'unset', since: '3.32', default: 1024 },
  ),
  ipv6NormalRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv6 routes to pods; only in `default`, from Calico 3.32.',
    { omit: 'unset', since: '3.32', default: 1024 },
  ),
}));

export interface BGPConfiguration extends KubeObject {
  spec: Values<typeof spec>;
}

const columns = [
  nameColumn,
  column<BGPConfiguration>('LOGSEVERITY', ({ spec }) => spec.logSeverityScreen ?? ''),
  column<BGPConfiguration>('MESHENABLED', ({ spec }) => yesNo(spec.nodeToNodeMeshEnabled, '-')),
  column<BGPConfiguration>('ASNUMBER', ({ spec }) => String(spec.asNumber ?? '-')),
];

export const bgpConfiguration: Kind<BGPConfiguration> = {
  kind: 'BGPConfiguration',
  about: 'BGP settings of the cluster (`default`) or of one node (`node.<name>`).',
  aliases: ['bgpconfiguration', 'bgpconfigurations', 'bgpconfig', 'bgpconfigs'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'bgpconfigurations' },
  fields: { spec },
  rules: bgpConfigurationRules,
  codec: customResource,
  columns: { default: columns, wide: columns },
};
