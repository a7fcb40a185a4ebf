// MACs of VXLAN devices: known values, and what the Node object says.
import { expect, it } from 'vitest';
import { vtepMac } from '../../../src/datapath/expected/vtep-mac.ts';

it.each([
  ['node-a', '66:07:02:c1:cc:60', '66:d4:d5:51:3d:42'],
  ['node-b', '66:89:3a:22:7a:ac', '66:35:be:36:cf:19'],
  ['node1', '66:f9:37:c3:7e:94', '66:0f:35:f2:60:df'],
])('vtepMac derives the MAC of the VXLAN device of %s', (node, v4, v6) => {
  expect(vtepMac(node, 4)).toBe(v4);
  expect(vtepMac(node, 6)).toBe(v6);
});

it('the MAC of a VXLAN device is that of the recording, also for a third node', () => {
  expect(vtepMac('node-c', 4)).toBe('66:1a:b9:f1:6e:af');
});

it('a stored MAC takes precedence, in the spelling of the kernel', () => {
  expect(vtepMac('node-a', 4, '02-AB-00-00-00-01')).toBe('02:ab:00:00:00:01');
});
