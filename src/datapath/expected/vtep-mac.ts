// The MAC of a node's VXLAN device, which every other node has to know: docs/reference/datapath.md#vxlan-devices.
import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The MAC that Felix makes of a node's name for the device of one family, lower case with colons. `stored` is what the
 * Node object says of it, which wins.
 */
export function vtepMac(node: string, version: 4 | 6, stored?: string): string {
  if (stored !== undefined) return stored.toLowerCase().replaceAll('-', ':');
  const digest = sha1(utf8ToBytes(version === 4 ? node : `${node}-v6`));
  return `66${bytesToHex(digest.slice(0, 5)).replaceAll(/../g, ':$&')}`;
}
