// BGPConfiguration: BGP settings of the cluster (`default`) or of a node (`node.<name>`).
import { column, nameColumn, yesNo } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  asNumber,
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
  text,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { bgpPassword } from './bgp-peer.ts';

const routePriority = integer({ min: 1, max: 2147483646 });
const cidrs = list(object({ cidr: field(cidr, 'Range of addresses.') }));

const spec = fields(() => ({
  logSeverityScreen: field(
    oneOf('Trace', 'Debug', 'Info', 'Warning', 'Error', 'Fatal'),
    'Least severe messages that the BGP daemon logs.',
    { default: 'Info' },
  ),
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
        name: field(text, 'Name of the community for prefixAdvertisements.'),
        value: field(text, 'The community: `aa:nn`, or `aa:nn:mm` for a large one.'),
      }),
    ),
    'BGP communities with names.',
  ),
  prefixAdvertisements: field(
    list(
      object({
        cidr: field(cidr, 'Prefix whose routes get the communities.'),
        communities: field(list(text), 'Communities of the routes: values, or names from communities.'),
      }),
    ),
    'Communities that the routes of certain prefixes are advertised with.',
  ),
  listenPort: field(port, 'Port on which the nodes listen for BGP.', { default: 179 }),
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
  ignoredInterfaces: field(list(text), 'Interfaces whose addresses are not advertised; `*` matches any characters.'),
  localWorkloadPeeringIPV4: field(ipAddress, 'IPv4 address at which workloads on a node peer with it.'),
  localWorkloadPeeringIPV6: field(ipAddress, 'IPv6 address at which workloads on a node peer with it.'),
  programClusterRoutes: field(
    oneOf('Enabled', 'Disabled'),
    'Whether BIRD programs the routes to pods of other nodes, except for VXLAN; only in `default`, from Calico 3.32.',
    { omit: 'unset', default: 'Enabled' },
  ),
  ipv4NormalRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv4 routes to pods; only in `default`, from Calico 3.32.',
    { omit: 'unset', default: 1024 },
  ),
  ipv6NormalRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv6 routes to pods; only in `default`, from Calico 3.32.',
    { omit: 'unset', default: 1024 },
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
  codec: customResource,
  columns: { default: columns, wide: columns },
};
