// Tunnel devices by pools and settings, and what each VXLAN device must know about other nodes.
import { expect, it } from 'vitest';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import { tunnelDevices } from '../../../src/datapath/expected/tunnels.ts';
import { formatIp } from '../../../src/net/ip.ts';
import { felixConfiguration, type Mode, recordedNetwork, recordedObjects } from '../../support/recorded/network.ts';

it.each<[Mode, boolean, readonly string[]]>([
  ['none', true, []],
  ['ipip', false, ['tunl0']],
  ['ipip', true, ['tunl0']],
  ['vxlan', false, ['vxlan.calico']],
  ['vxlan-crosssubnet', true, ['vxlan.calico', 'vxlan-v6.calico']],
])('with pools of mode %s and IPv6 %s a node has the tunnel devices for them', (mode, v6, names) => {
  expect(tunnelDevices('node-a', recordedNetwork({ mode, v6 })).map(({ name }) => name)).toEqual(names);
});

it('a VXLAN device has its identity and knows the other nodes', () => {
  const [device] = tunnelDevices('node-a', recordedNetwork({ mode: 'vxlan' }));
  const { vxlan, address, needsAddress } = device ?? {};
  expect(address && formatIp(address)).toBe('10.244.10.0');
  expect({ needsAddress, id: vxlan?.id, port: vxlan?.port, mac: vxlan?.mac }).toEqual({
    needsAddress: true,
    id: 4096,
    port: 4789,
    mac: '66:07:02:c1:cc:60',
  });
  expect(
    vxlan?.peers.map(({ node, tunnelAddress, mac, destination }) => [
      node,
      formatIp(tunnelAddress),
      mac,
      formatIp(destination),
    ]),
  ).toEqual([
    ['node-b', '10.244.20.64', '66:89:3a:22:7a:ac', '10.90.0.2'],
    ['node-c', '10.244.30.128', '66:1a:b9:f1:6e:af', '10.90.1.3'],
  ]);
});

it('settings of Felix decide VNI and port, and can force an encapsulation on or off', () => {
  const objects = recordedObjects({ mode: 'vxlan' });
  objects.felixConfigurations.push(felixConfiguration({ vxlanVNI: 77, vxlanPort: 8472, ipipEnabled: true }));
  const devices = tunnelDevices('node-a', readNetwork(objects));
  expect(devices.map(({ name, needsAddress }) => [name, needsAddress])).toEqual([
    ['tunl0', false],
    ['vxlan.calico', true],
  ]);
  expect(devices[1]?.vxlan).toMatchObject({ id: 77, port: 8472 });
  objects.felixConfigurations[0] = felixConfiguration({ vxlanEnabled: false });
  expect(tunnelDevices('node-a', readNetwork(objects))).toEqual([]);
});

it('a node that no pool selects needs no tunnel address', () => {
  const objects = recordedObjects({ mode: 'vxlan' });
  const [pool] = objects.pools;
  if (pool !== undefined) pool.spec.nodeSelector = 'has(gpu)';
  expect(tunnelDevices('node-a', readNetwork(objects))[0]?.needsAddress).toBe(false);
});
