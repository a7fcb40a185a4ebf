// Which routes can be Calico's own, by the program that wrote them and where they lead:
// docs/reference/datapath.md#routes-of-other-programs.

import type { KernelRoute } from '../../node-state/iproute/iproute.ts';
import { type FelixSettings, protocolName } from '../expected/felix-settings.ts';
import { ipipDevice, vxlanDevices } from '../expected/route-forms.ts';

const tunnels: readonly string[] = [ipipDevice, ...Object.values(vxlanDevices), 'wireguard.cali', 'wg-v6.cali'];

/** True for a device that only Calico sends workload traffic through. */
function isCalicoDevice(device: string | undefined, { interfacePrefixes }: FelixSettings): boolean {
  if (device === undefined) return false;
  return tunnels.includes(device) || isWorkloadDevice(device, interfacePrefixes);
}

/** True for a name that the host end of a workload interface can have. */
export function isWorkloadDevice(device: string | undefined, prefixes: readonly string[]): boolean {
  return device !== undefined && !tunnels.includes(device) && prefixes.some((prefix) => device.startsWith(prefix));
}

/** True when neither the kernel, BIRD nor Felix wrote the route. `ip route add` writes `boot`, as Felix does. */
export function isForeign(route: KernelRoute, felix: FelixSettings): boolean {
  const protocol = protocolName(route.protocol);
  if (['kernel', 'bird', '80', felix.routeProtocol].includes(protocol)) return false;
  if (protocol !== 'boot') return true;
  return route.nextHops.length === 0 || !route.nextHops.every(({ device }) => isCalicoDevice(device, felix));
}
