// BGPPeer: a BGP neighbour of one, some or all nodes.
import { column, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  asNumber,
  choice,
  duration,
  field,
  fields,
  flag,
  integer,
  ipAddress,
  list,
  object,
  oneOf,
  selector,
  tagged,
  text,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { bgpPeerRules } from '../rules/bgp.ts';
import { tags } from '../rules/tags.ts';

/** A password kept in a secret. */
export const bgpPassword = object(
  fields(() => ({
    secretKeyRef: field(
      object({
        name: field(text, 'Name of the secret, in the namespace of calico-node.'),
        key: field(text, 'Key of the password in the secret.', { required: true, omit: 'never' }),
        optional: field(flag, 'Whether the secret or the key may be missing.', { omit: 'unset' }),
      }),
      'Secret that holds the password.',
    ),
  })),
);

const spec = fields(() => ({
  node: field(tagged(text, tags.name), 'Node that peers; all nodes when nodeSelector is empty too.'),
  nodeSelector: field(tagged(selector, tags.selector), 'Nodes that peer; cannot be combined with node.'),
  peerIP: field(
    tagged(text, tags.ipPort),
    'Address of the peer, with a port if it is not 179: `192.0.2.1`, `192.0.2.1:1790`, `[2001:db8::1]:1790`.',
  ),
  asNumber: field(asNumber, 'AS number of the peer.'),
  localASNumber: field(asNumber, 'AS number that the nodes use with this peer, in place of their own.', {
    omit: 'unset',
  }),
  peerSelector: field(tagged(selector, tags.selector), 'Nodes to peer with, in place of peerIP and asNumber.'),
  keepOriginalNextHop: field(
    flag,
    'Deprecated, use nextHopMode: whether the next hop of routes is passed on unchanged.',
    {
      default: false,
    },
  ),
  nextHopMode: field(
    oneOf('Auto', 'Self', 'Keep'),
    'Next hop of routes sent to the peer: by the usual rules of BGP, the node itself, or unchanged.',
    { omit: 'unset', default: 'Auto' },
  ),
  password: field(bgpPassword, 'Password of the session (TCP MD5).'),
  sourceAddress: field(
    choice('sourceAddress', 'UseNodeIP', 'None'),
    'Source address of the session: the BGP address of the node, or one that the kernel chooses.',
    { default: 'UseNodeIP' },
  ),
  maxRestartTime: field(duration, 'How long the peer may keep routes while this side restarts gracefully.', {
    omit: 'unset',
    default: '2m0s',
  }),
  keepaliveTime: field(duration, 'How often the session is kept alive, in whole seconds; from Calico 3.32.', {
    omit: 'unset',
    since: '3.32',
  }),
  numAllowedLocalASNumbers: field(
    integer({ min: 0 }),
    'How often the local AS number may appear in the AS path of an accepted route.',
    { omit: 'unset', default: 0 },
  ),
  ttlSecurity: field(
    { ...integer({ min: 0, max: 255 }), go: 'uint8' },
    'Largest number of hops to the peer; packets with a lower TTL are dropped (GTSM, RFC 5082).',
    { omit: 'unset' },
  ),
  reachableBy: field(
    tagged(ipAddress, { ...tags.ip, name: 'reachableBy' }),
    'Gateway through which the peer is reached, for a peer that is not on a local network.',
  ),
  filters: field(list(tagged(text, tags.name)), 'Names of the BGPFilters that apply to the session.'),
  localWorkloadSelector: field(
    tagged(selector, tags.selector),
    'Workloads on the node to peer with, in place of peerIP.',
  ),
  reversePeering: field(
    oneOf('Auto', 'Manual'),
    'Whether nodes that peerSelector selects peer back automatically, or need a BGPPeer for that.',
    { omit: 'unset', default: 'Auto' },
  ),
}));

export interface BGPPeer extends KubeObject {
  spec: Values<typeof spec>;
}

const columns = [
  nameColumn,
  column<BGPPeer>('PEERIP', ({ spec }) => spec.peerIP ?? ''),
  column<BGPPeer>('NODE', ({ spec }) => spec.node || spec.nodeSelector || '(global)'),
  column<BGPPeer>('ASN', ({ spec }) => String(spec.asNumber ?? 0)),
];

export const bgpPeer: Kind<BGPPeer> = {
  kind: 'BGPPeer',
  about: 'A BGP neighbour of one, some or all nodes.',
  aliases: ['bgppeer', 'bgppeers', 'bgpp', 'bgpps', 'bp', 'bps'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'bgppeers' },
  fields: { spec },
  rules: bgpPeerRules,
  codec: customResource,
  columns: { default: columns, wide: columns },
};
