// The MAC address of a node's VXLAN device, which all other nodes must know: docs/reference/datapath.md#vxlan-devices.
import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The MAC address that Felix derives from a node's name for the device of one family, in lower case with colons.
 * `stored` is the one in the Node object, which takes precedence.
 */
export function vtepMac(node: string, version: 4 | 6, stored?: string): string {
  if (stored !== undefined) return stored.toLowerCase().replaceAll('-', ':');
  const digest = sha1(utf8ToBytes(version === 4 ? node : `${node}-v6`));
  return `66${bytesToHex(digest.slice(0, 5)).replaceAll(/../g, ':$&')}`;
}
