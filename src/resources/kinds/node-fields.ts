// The fields of a Node in both of its forms: as Kubernetes stores it (core/v1, Calico's fields in annotations), and the
// v3 Node that people see. Between them: convert/node-v3.ts.

import { asNumber, cidr, field, fields, ipAddress, list, object, oneOf, tagged, text, type Values } from '../field.ts';
import type { KubeObject } from '../object.ts';
import { tags } from '../rules/tags.ts';

const coreSpec = fields(() => ({
  podCIDR: field(cidr, 'First range that Kubernetes gave the node for its pods.'),
  podCIDRs: field(list(cidr), 'All ranges that Kubernetes gave the node for its pods.'),
}));

const coreStatus = fields(() => ({
  addresses: field(
    list(
      object({
        type: field(text, 'Kind of the address.', { required: true }),
        address: field(text, 'The address.', { required: true }),
      }),
    ),
    'Addresses of the node.',
  ),
  conditions: field(
    list(
      object({
        type: field(text, 'What the condition is about, e.g. `Ready`.', { required: true }),
        status: field(text, 'Whether the condition holds: `True`, `False` or `Unknown`.', { required: true }),
      }),
    ),
    'Conditions of the node.',
  ),
}));

export const coreNodeFields = { spec: coreSpec, status: coreStatus };

const macAddress = tagged({ ...text, format: 'MAC address' }, tags.mac);

const spec = fields(() => ({
  bgp: field(
    object({
      asNumber: field(asNumber, 'AS number of the node.', {
        omit: 'unset',
        default: { about: 'that of BGPConfiguration `default`' },
      }),
      ipv4Address: field(
        tagged(cidr, tags.cidrv4),
        'IPv4 address of the node for BGP, with the prefix length of its network.',
      ),
      ipv6Address: field(
        tagged(cidr, tags.cidrv6),
        'IPv6 address of the node for BGP, with the prefix length of its network.',
      ),
      ipv4IPIPTunnelAddr: field(tagged(ipAddress, tags.ipv4), 'Address of the IP-in-IP tunnel device of the node.'),
      routeReflectorClusterID: field(tagged(ipAddress, tags.ipv4), 'Cluster ID of a node that is a route reflector.'),
    }),
    'BGP settings of the node; absent when it does not speak BGP.',
  ),
  ipv4VXLANTunnelAddr: field(tagged(ipAddress, tags.ipv4), 'IPv4 address of the VXLAN tunnel device of the node.'),
  vxlanTunnelMACAddr: field(macAddress, 'MAC address of the IPv4 VXLAN tunnel device of the node.'),
  ipv6VXLANTunnelAddr: field(tagged(ipAddress, tags.ipv6), 'IPv6 address of the VXLAN tunnel device of the node.'),
  vxlanTunnelMACAddrV6: field(macAddress, 'MAC address of the IPv6 VXLAN tunnel device of the node.'),
  orchRefs: field(
    list(
      object({
        nodeName: field(text, 'Name of the node in the orchestrator.'),
        orchestrator: field(text, 'The orchestrator: `k8s`.', { required: true, omit: 'never' }),
      }),
    ),
    'Names of the node in the orchestrators that know it.',
  ),
  wireguard: field(
    object({
      interfaceIPv4Address: field(tagged(ipAddress, tags.ipv4), 'Address of the IPv4 WireGuard device.'),
      interfaceIPv6Address: field(tagged(ipAddress, tags.ipv6), 'Address of the IPv6 WireGuard device.'),
    }),
    'WireGuard devices of the node.',
  ),
  addresses: field(
    list(
      object({
        address: field(text, 'The address.', { required: true, omit: 'never' }),
        type: field(oneOf('CalicoNodeIP', 'InternalIP', 'ExternalIP'), 'Where the address comes from.'),
      }),
    ),
    'All addresses of the node: those of BGP, then those that Kubernetes knows.',
  ),
  interfaces: field(
    list(
      object({
        name: field(text, 'Name of the interface.'),
        addresses: field(list(ipAddress), 'Addresses of the interface.'),
      }),
    ),
    'Network interfaces of the node.',
  ),
}));

const status = fields(() => ({
  wireguardPublicKey: field(text, 'Public key of the IPv4 WireGuard device.'),
  wireguardPublicKeyV6: field(text, 'Public key of the IPv6 WireGuard device.'),
  podCIDRs: field(list(cidr), 'Ranges that Kubernetes gave the node for its pods.'),
}));

export const nodeV3Fields = { spec, status };

/** A Node as Kubernetes stores it. */
export interface CoreNode extends KubeObject {
  spec?: Values<typeof coreSpec>;
  status?: Values<typeof coreStatus>;
}

export type NodeV3Spec = Values<typeof spec>;
export type NodeV3Status = Values<typeof status>;
/** The BGP part of a v3 Node. */
export type NodeBgp = NonNullable<NodeV3Spec['bgp']>;

/** A Node as Calico shows it. */
export interface NodeV3 extends KubeObject {
  spec: NodeV3Spec;
  status: NodeV3Status;
}
