// MAC addresses of pods: random ones, as the kernel makes them. A pod whose address is set from its first moment keeps it;
// udev may replace one that the kernel chose.
import type { Random } from '../../world/world.ts';

/** A random address for one interface: locally administered, not multicast. */
export function randomPodMac({ float }: Random): string {
  const bytes = Array.from({ length: 6 }, () => Math.floor(float() * 256));
  bytes[0] = ((bytes[0] ?? 0) & 0xfc) | 0x02;
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
