// The tunnel devices that a node must have, and what its VXLAN devices must know of the other nodes:
// docs/reference/datapath.md#tunnel-devices.
import type { IpAddress } from '../../net/ip.ts';
import { enabledEncapsulations, isPolicyOnly, type Network } from './network.ts';
import { ipipDevice, vxlanDevices } from './route-forms.ts';

/** Another node as a VXLAN device must know it: by a permanent neighbour and a forwarding entry. */
export interface ExpectedVtep {
  readonly node: string;
  readonly tunnelAddress: IpAddress;
  readonly mac: string;
  /** Where packets for it are sent. */
  readonly destination: IpAddress;
}

export interface TunnelDevice {
  readonly name: string;
  readonly kind: 'ipip' | 'vxlan';
  readonly version: 4 | 6;
  /** Its one address, as /32 or /128; undefined when the Node object has none yet. */
  readonly address: IpAddress | undefined;
  /** True when a pool would give the node one. */
  readonly needsAddress: boolean;
  /** VXLAN devices only. */
  readonly vxlan:
    | {
        readonly id: number;
        readonly port: number;
        readonly mac: string;
        /** The node's own address; the interface that has it is the device's parent. */
        readonly local: IpAddress | undefined;
        readonly peers: readonly ExpectedVtep[];
      }
    | undefined;
}

function peersOf(network: Network, node: string, version: 4 | 6): ExpectedVtep[] {
  return [...network.nodes.values()].flatMap((remote): ExpectedVtep[] => {
    const tunnelAddress = remote.vxlanAddresses[version];
    const destination = remote.addresses[version]?.address;
    if (remote.name === node || tunnelAddress === undefined || destination === undefined) return [];
    return [{ node: remote.name, tunnelAddress, mac: remote.vtepMacs[version], destination }];
  });
}

/** The tunnel devices of a node, by the pools of the cluster and the settings of Felix. */
export function tunnelDevices(nodeName: string, network: Network): readonly TunnelDevice[] {
  const node = network.nodes.get(nodeName);
  // Where another plugin connects all pods, or carries all packets, pools need no tunnels of Calico's.
  if (node === undefined || isPolicyOnly(network) || network.carrier === 'flannel') return [];
  const felix = network.felix(nodeName);
  const needsAddress = (kind: 'ipip' | 'vxlan', version: 4 | 6): boolean =>
    network.pools.some(
      ({ cidr, encapsulation, givesTunnelAddresses }) =>
        cidr.version === version && encapsulation.kind === kind && givesTunnelAddresses(node.labels),
    );
  const vxlan = (version: 4 | 6): TunnelDevice => ({
    name: vxlanDevices[version],
    kind: 'vxlan',
    version,
    address: node.vxlanAddresses[version],
    needsAddress: needsAddress('vxlan', version),
    vxlan: {
      id: felix.vxlanVni,
      port: felix.vxlanPort,
      mac: node.vtepMacs[version],
      local: node.addresses[version]?.address,
      peers: peersOf(network, nodeName, version),
    },
  });
  const enabled4 = enabledEncapsulations(network, nodeName, 4);
  const devices: TunnelDevice[] = [];
  if (enabled4.has('ipip')) {
    devices.push({
      name: ipipDevice,
      kind: 'ipip',
      version: 4,
      address: node.ipipAddress,
      needsAddress: needsAddress('ipip', 4),
      vxlan: undefined,
    });
  }
  if (enabled4.has('vxlan')) devices.push(vxlan(4));
  if (enabledEncapsulations(network, nodeName, 6).has('vxlan')) devices.push(vxlan(6));
  return devices;
}
