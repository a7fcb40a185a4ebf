// Node: a machine of the cluster. Kubernetes stores it with Calico's fields in annotations; its fields are in node-fields.ts.

import { CalictlError } from '../../world/errors.ts';
import { column, nameColumn } from '../cells.ts';
import { nodeFromV3, nodeToV3 } from '../convert/node-v3.ts';
import type { Kind, RelatedObjects } from '../kind.ts';
import { endpointNamesOf } from '../names.ts';
import { notSupported } from '../refusals.ts';
import { nodeRules } from '../rules/configuration.ts';
import { bgpConfiguration } from './bgp-configuration.ts';
import { type CoreNode, coreNodeFields, type NodeV3, nodeV3Fields } from './node-fields.ts';

/** The error for a node that a person named and that the datastore does not have. */
export function nodeNotFound(name: string, hint = 'calictl get nodes lists the nodes'): CalictlError {
  return new CalictlError(`node ${name} does not exist`, { code: 'NODE_NOT_FOUND', hint });
}

/** The object with the settings of BGP for all nodes. */
export const clusterBgp = { kind: bgpConfiguration, name: 'default' };

/** The AS number of the node, or in parentheses the one that it has from the cluster; empty when it does not speak BGP. */
function asNumberOf({ spec: { bgp } }: NodeV3, related: RelatedObjects): string {
  if (bgp === undefined) return '';
  if (bgp.asNumber !== undefined) return String(bgp.asNumber);
  return `(${clusterAsNumber(related)})`;
}

/** The AS number of nodes that have none; `unknown` when the object that clusterBgp names could not be read. */
export function clusterAsNumber(related: RelatedObjects): string {
  const configuration = related.one(bgpConfiguration, clusterBgp.name);
  return configuration === 'unreadable' ? 'unknown' : String(configuration?.spec.asNumber ?? 64512);
}

const ofKubernetes = 'nodes join and leave a cluster through Kubernetes, e.g. with kubectl';

export const calicoNode: Kind<CoreNode, NodeV3> = {
  kind: 'Node',
  about: 'A machine of the cluster, with its addresses, its tunnels, and how it speaks BGP.',
  aliases: ['node', 'nodes', 'no', 'nos'],
  namespaced: false,
  api: { group: '', version: 'v1', plural: 'nodes' },
  fields: coreNodeFields,
  shownFields: nodeV3Fields,
  rules: nodeRules,
  codec: { toV3: nodeToV3, fromV3: (v3) => nodeFromV3(v3), onto: nodeFromV3 },
  refusals: [
    notSupported(['create'], 'sent', ofKubernetes),
    {
      verbs: ['delete'],
      when: 'asked',
      // What calicoctl meets on Kubernetes before it would delete anything.
      message: (_, name) =>
        name === ''
          ? 'error with field node (field should be assigned)'
          : `resource does not exist: WorkloadEndpoint(${endpointNamesOf(name)}) with error: ` +
            'malformed WorkloadEndpoint name - unable to determine Pod name',
      hint: ofKubernetes,
    },
  ],
  columns: {
    default: [nameColumn],
    wide: [
      nameColumn,
      column('ASN', asNumberOf, [clusterBgp]),
      column('IPV4', ({ spec }) => spec.bgp?.ipv4Address ?? ''),
      column('IPV6', ({ spec }) => spec.bgp?.ipv6Address ?? ''),
    ],
  },
};
