// Nodes, BGPPeers and BGPConfigurations in their stored form, for tests of peerings.
import type { BGPConfiguration } from '../../../src/resources/kinds/bgp-configuration.ts';
import type { BGPPeer } from '../../../src/resources/kinds/bgp-peer.ts';
import type { CoreNode } from '../../../src/resources/kinds/node-fields.ts';

const apiVersion = 'crd.projectcalico.org/v1';

export interface BgpNodeSpec {
  /** With prefix length, as calico-node writes it. */
  readonly ip?: string;
  readonly ip6?: string;
  readonly as?: number;
  readonly cluster?: string;
  readonly labels?: Record<string, string>;
  readonly internal?: string;
}

export function bgpNode(name: string, { ip, ip6, as, cluster, labels = {}, internal }: BgpNodeSpec = {}): CoreNode {
  const annotations = {
    ...(ip === undefined ? {} : { 'projectcalico.org/IPv4Address': ip }),
    ...(ip6 === undefined ? {} : { 'projectcalico.org/IPv6Address': ip6 }),
    ...(as === undefined ? {} : { 'projectcalico.org/ASNumber': String(as) }),
    ...(cluster === undefined ? {} : { 'projectcalico.org/RouteReflectorClusterID': cluster }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations },
    spec: {},
    status: internal === undefined ? {} : { addresses: [{ type: 'InternalIP', address: internal }] },
  };
}

export function bgpPeerOf(name: string, spec: BGPPeer['spec']): BGPPeer {
  return { apiVersion, kind: 'BGPPeer', metadata: { name }, spec };
}

export function bgpConfig(spec: BGPConfiguration['spec'], name = 'default'): BGPConfiguration {
  return { apiVersion, kind: 'BGPConfiguration', metadata: { name }, spec };
}
