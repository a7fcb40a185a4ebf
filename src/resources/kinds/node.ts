// Node as Kubernetes stores it (core/v1, Calico's fields in annotations). The v3 Node made from it is in node-v3.ts.
import * as z from 'zod/mini';
import { column, nameColumn } from '../cells.ts';
import { bgpOf } from '../convert/node-annotations.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { objectSchema, text, texts } from '../schema.ts';

const spec = z.looseObject({ podCIDR: text, podCIDRs: texts });

const status = z.looseObject({
  addresses: z.optional(z.array(z.looseObject({ type: z.string(), address: z.string() }))),
  conditions: z.optional(z.array(z.looseObject({ type: z.string(), status: z.string() }))),
});

export interface CoreNode extends KubeObject {
  spec?: z.infer<typeof spec>;
  status?: z.infer<typeof status>;
}

export const calicoNode: Kind<CoreNode> = {
  kind: 'Node',
  aliases: ['node', 'nodes', 'no', 'nos'],
  namespaced: false,
  api: { group: '', version: 'v1', plural: 'nodes' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec: z.optional(spec), status: z.optional(status) }),
  int64: [],
  columns: {
    default: [nameColumn],
    wide: [
      nameColumn,
      column('ASN', (node, { clusterAsNumber }) => {
        const bgp = bgpOf(node.metadata.annotations);
        return bgp === undefined ? '' : String(bgp.asNumber ?? `(${clusterAsNumber})`);
      }),
      column('IPV4', (node) => bgpOf(node.metadata.annotations)?.ipv4Address ?? ''),
      column('IPV6', (node) => bgpOf(node.metadata.annotations)?.ipv6Address ?? ''),
    ],
  },
  fieldOrder: {
    spec: [
      'bgp',
      'ipv4VXLANTunnelAddr',
      'vxlanTunnelMACAddr',
      'ipv6VXLANTunnelAddr',
      'vxlanTunnelMACAddrV6',
      'orchRefs',
      'wireguard',
      'addresses',
      'interfaces',
    ],
    'spec.bgp': ['asNumber?', 'ipv4Address', 'ipv6Address', 'ipv4IPIPTunnelAddr', 'routeReflectorClusterID'],
    'spec.orchRefs': ['nodeName', 'orchestrator*'],
    'spec.wireguard': ['interfaceIPv4Address', 'interfaceIPv6Address'],
    'spec.addresses': ['address*', 'type'],
    'spec.interfaces': ['name', 'addresses'],
    status: ['wireguardPublicKey', 'wireguardPublicKeyV6', 'podCIDRs'],
  },
};
