// CalicoNodeStatus: a request that a node reports on its BGP, and the report.
import { column, joined, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  cidr,
  field,
  fields,
  integer,
  ipAddress,
  list,
  nullable,
  object,
  oneOf,
  text,
  time,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

const spec = fields(() => ({
  node: field(text, 'Node that reports.'),
  classes: field(list(oneOf('Agent', 'BGP', 'Routes')), 'What the node reports on.'),
  updatePeriodSeconds: field(
    integer({ min: 0, max: 86_400 }),
    'How often the node reports, in seconds; 0 for one report only.',
    { omit: 'unset', default: 10 },
  ),
}));

const daemon = object(
  fields(() => ({
    state: field(oneOf('Ready', 'NotReady'), 'State of the daemon.'),
    version: field(text, 'Version of BIRD.'),
    routerID: field(text, 'BGP router ID.'),
    lastBootTime: field(text, 'When the daemon was started.'),
    lastReconfigurationTime: field(text, 'When the daemon last read its configuration.'),
  })),
);

const count = integer({ min: 0 });

const peers = list(
  object(
    fields(() => ({
      peerIP: field(ipAddress, 'Address of the peer.'),
      type: field(oneOf('NodeMesh', 'NodePeer', 'GlobalPeer'), 'What configures the session.'),
      state: field(
        oneOf('Idle', 'Connect', 'Active', 'OpenSent', 'OpenConfirm', 'Established', 'Close'),
        'State of the session.',
      ),
      since: field(text, 'Since when the session is in this state.'),
    })),
  ),
);

const routes = list(
  object(
    fields(() => ({
      type: field(oneOf('FIB', 'RIB'), 'Whether the kernel uses the route, or BIRD only knows it.'),
      destination: field(cidr, 'Prefix of the route.'),
      gateway: field(ipAddress, 'Next hop.'),
      interface: field(text, 'Interface of the next hop.'),
      learnedFrom: field(
        object({
          sourceType: field(
            oneOf('Kernel', 'Static', 'Direct', 'NodeMesh', 'BGPPeer'),
            'What kind of source the route comes from.',
          ),
          peerIP: field(ipAddress, 'Peer that the route comes from.'),
        }),
        'Where the route comes from.',
      ),
    })),
  ),
);

const status = fields(() => ({
  lastUpdated: field(nullable(time), 'When the node last reported.'),
  agent: field(
    object({ birdV4: field(daemon, 'The IPv4 daemon.'), birdV6: field(daemon, 'The IPv6 daemon.') }),
    'The BGP daemons.',
  ),
  bgp: field(
    object({
      numberEstablishedV4: field(count, 'Number of IPv4 sessions that are up.', { omit: 'never' }),
      numberNotEstablishedV4: field(count, 'Number of IPv4 sessions that are down.', { omit: 'never' }),
      numberEstablishedV6: field(count, 'Number of IPv6 sessions that are up.', { omit: 'never' }),
      numberNotEstablishedV6: field(count, 'Number of IPv6 sessions that are down.', { omit: 'never' }),
      peersV4: field(peers, 'IPv4 sessions.'),
      peersV6: field(peers, 'IPv6 sessions.'),
    }),
    'The BGP sessions.',
  ),
  routes: field(
    object({ routesV4: field(routes, 'IPv4 routes.'), routesV6: field(routes, 'IPv6 routes.') }),
    'The routes that BIRD knows.',
  ),
}));

export interface CalicoNodeStatus extends KubeObject {
  spec: Values<typeof spec>;
  status?: Values<typeof status>;
}

const node = column<CalicoNodeStatus>('NODE', ({ spec }) => spec.node ?? '');

export const calicoNodeStatus: Kind<CalicoNodeStatus> = {
  kind: 'CalicoNodeStatus',
  about: 'A request for a node to report its BGP sessions and routes, and the report itself.',
  aliases: ['caliconodestatus', 'caliconodestatuses', 'nodestatus', 'nodestatuses'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'caliconodestatuses' },
  isRecent: true,
  fields: { spec, status, omitsStatus: true },
  codec: customResource,
  inCalicoctl: false,
  columns: {
    default: [nameColumn, node],
    wide: [nameColumn, node, column('CLASSES', ({ spec }) => joined(spec.classes))],
  },
};
