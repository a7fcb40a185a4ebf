// Calico's fields of a Node, read from the annotations of the Kubernetes node. Invalid values are ignored.
import { parseCidrOrIp, parseInterface } from '../../net/cidr.ts';
import type { NodeBgp } from '../kinds/node-fields.ts';

const prefix = 'projectcalico.org/';

/** The annotation of each field. Those of tunnel addresses: docs/reference/ipam.md. */
export const nodeAnnotations = {
  ipv4Address: `${prefix}IPv4Address`,
  ipv6Address: `${prefix}IPv6Address`,
  ipv4IPIPTunnelAddr: `${prefix}IPv4IPIPTunnelAddr`,
  asNumber: `${prefix}ASNumber`,
  routeReflectorClusterID: `${prefix}RouteReflectorClusterID`,
  ipv4VXLANTunnelAddr: `${prefix}IPv4VXLANTunnelAddr`,
  vxlanTunnelMACAddr: `${prefix}VXLANTunnelMACAddr`,
  ipv6VXLANTunnelAddr: `${prefix}IPv6VXLANTunnelAddr`,
  vxlanTunnelMACAddrV6: `${prefix}VXLANTunnelMACAddrV6`,
  interfaceIPv4Address: `${prefix}IPv4WireguardInterfaceAddr`,
  interfaceIPv6Address: `${prefix}IPv6WireguardInterfaceAddr`,
  wireguardPublicKey: `${prefix}WireguardPublicKey`,
  wireguardPublicKeyV6: `${prefix}WireguardPublicKeyV6`,
  interfaces: `${prefix}Interfaces`,
  labels: `${prefix}labels`,
  annotations: `${prefix}annotations`,
  kubeLabels: `${prefix}kube-labels`,
} as const;

export type NodeAnnotation = keyof typeof nodeAnnotations;

export type Annotations = Readonly<Record<string, string>> | null | undefined;

/** The text of an annotation; undefined when it is empty. */
export function nodeAnnotation(annotations: Annotations, field: NodeAnnotation): string | undefined {
  return annotations?.[nodeAnnotations[field]] || undefined;
}

/** The text when it is an address of the given family, with or without a mask. */
export function addressText(text: string | undefined, version: 4 | 6): string | undefined {
  if (text === undefined) return undefined;
  const cidr = parseInterface(text)?.cidr ?? parseCidrOrIp(text);
  return cidr?.version === version ? text : undefined;
}

/** An AS number in plain or dotted form, or undefined. */
export function parseAsNumber(text: string): number | undefined {
  const dotted = /^(\d{1,5})\.(\d{1,5})$/.exec(text);
  if (dotted !== null) {
    const [high, low] = [Number(dotted[1]), Number(dotted[2])];
    return high <= 0xffff && low <= 0xffff ? high * 0x10000 + low : undefined;
  }
  const value = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value <= 0xffffffff ? value : undefined;
}

/** The BGP part of a node, or undefined when no annotation has any of its fields. */
export function bgpOf(annotations: Annotations): NodeBgp | undefined {
  const bgp: NodeBgp = {};
  const asNumber = parseAsNumber(nodeAnnotation(annotations, 'asNumber') ?? '');
  const ipv4Address = addressText(nodeAnnotation(annotations, 'ipv4Address'), 4);
  const ipv6Address = addressText(nodeAnnotation(annotations, 'ipv6Address'), 6);
  const ipv4IPIPTunnelAddr = addressText(nodeAnnotation(annotations, 'ipv4IPIPTunnelAddr'), 4);
  const routeReflectorClusterID = addressText(nodeAnnotation(annotations, 'routeReflectorClusterID'), 4);
  if (asNumber !== undefined) bgp.asNumber = asNumber;
  if (ipv4Address !== undefined) bgp.ipv4Address = ipv4Address;
  if (ipv6Address !== undefined) bgp.ipv6Address = ipv6Address;
  if (ipv4IPIPTunnelAddr !== undefined) bgp.ipv4IPIPTunnelAddr = ipv4IPIPTunnelAddr;
  if (routeReflectorClusterID !== undefined) bgp.routeReflectorClusterID = routeReflectorClusterID;
  return Object.keys(bgp).length === 0 ? undefined : bgp;
}
