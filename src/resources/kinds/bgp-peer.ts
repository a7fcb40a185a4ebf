// BGPPeer: a BGP neighbour of one, some or all nodes.
import * as z from 'zod/mini';
import { normalGoDuration } from '../../text/go-duration.ts';
import { column, nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, integer, objectSchema, text, texts } from '../schema.ts';

/** A password kept in a secret. */
export const bgpPassword = z.optional(
  z.looseObject({
    secretKeyRef: z.optional(z.looseObject({ name: text, key: z.string(), optional: flag })),
  }),
);

const spec = z.looseObject({
  node: text,
  nodeSelector: text,
  peerIP: text,
  asNumber: integer,
  localASNumber: integer,
  peerSelector: text,
  keepOriginalNextHop: flag,
  nextHopMode: text,
  password: bgpPassword,
  sourceAddress: text,
  maxRestartTime: text,
  numAllowedLocalASNumbers: integer,
  ttlSecurity: integer,
  reachableBy: text,
  filters: texts,
  localWorkloadSelector: text,
  reversePeering: text,
});

export interface BGPPeer extends KubeObject {
  spec: z.infer<typeof spec>;
}

/** A copy with its duration as Go prints it. */
function withDefaults(object: BGPPeer): BGPPeer {
  const { maxRestartTime: time } = object.spec;
  return time === undefined ? object : { ...object, spec: { ...object.spec, maxRestartTime: normalGoDuration(time) } };
}

const columns = [
  nameColumn,
  column<BGPPeer>('PEERIP', ({ spec }) => spec.peerIP ?? ''),
  column<BGPPeer>('NODE', ({ spec }) => spec.node || spec.nodeSelector || '(global)'),
  column<BGPPeer>('ASN', ({ spec }) => String(spec.asNumber ?? 0)),
];

export const bgpPeer: Kind<BGPPeer> = {
  kind: 'BGPPeer',
  aliases: ['bgppeer', 'bgppeers', 'bgpp', 'bgpps', 'bp', 'bps'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'bgppeers' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  withDefaults,
  columns: { default: columns, wide: columns },
  fieldOrder: {
    spec: [
      'node',
      'nodeSelector',
      'peerIP',
      'asNumber',
      'localASNumber?',
      'peerSelector',
      'keepOriginalNextHop',
      'nextHopMode?',
      'password',
      'sourceAddress',
      'maxRestartTime?',
      'numAllowedLocalASNumbers?',
      'ttlSecurity?',
      'reachableBy',
      'filters',
      'localWorkloadSelector',
      'reversePeering?',
    ],
    'spec.password': ['secretKeyRef'],
    'spec.password.secretKeyRef': ['name', 'key*', 'optional?'],
  },
};
