// MTUs by the rule: the smallest uplink, what each encapsulation takes, the smallest of those in use for pods.
import { describe, expect, it } from 'vitest';
import { expectedMtus, hostMtu } from '../../../src/datapath/expected/mtu.ts';
import { readNetwork } from '../../../src/datapath/expected/read-network.ts';
import type { Interface } from '../../../src/node-state/iproute/iproute.ts';
import { felixConfiguration, type Mode, recordedObjects } from '../../support/recorded/network.ts';

function link(name: string, mtu: number, ...flags: readonly string[]): Interface {
  return {
    index: 1,
    name,
    flags,
    mtu,
    operState: undefined,
    mac: undefined,
    kind: undefined,
    peerIndex: undefined,
    peerNetnsId: undefined,
    vxlan: undefined,
  };
}

const usual = '^((en|wl|ww|sl|ib)[Pcopsvx].*|(eth|wlan|wwan).*)';

describe('hostMtu', () => {
  it('the MTU of the host is the smallest of the interfaces that are up and match', () => {
    const interfaces = [
      link('eth0', 1500, 'UP'),
      link('ens3', 1450, 'UP'),
      link('eth1', 1400),
      link('cali1', 1300, 'UP'),
    ];
    expect(hostMtu(interfaces, usual)).toBe(1450);
    expect(hostMtu(interfaces, '^cali')).toBe(1300);
  });

  it('the MTU of the host is 1460 when no interface matches, and unknown for an invalid pattern', () => {
    expect(hostMtu([link('br0', 9000, 'UP')], usual)).toBe(1460);
    expect(hostMtu([], '(')).toBeUndefined();
  });
});

describe('expectedMtus', () => {
  const mtusOf = (mode: Mode, v6 = false, spec = {}) => {
    const objects = recordedObjects({ mode, v6 });
    return expectedMtus(readNetwork({ ...objects, felixConfigurations: [felixConfiguration(spec)] }), 'node-a', 1500);
  };

  it.each<[Mode, boolean, number]>([
    ['none', true, 1500],
    ['ipip', false, 1480],
    ['vxlan', false, 1450],
    ['vxlan', true, 1430],
    ['vxlan-crosssubnet', false, 1450],
  ])('with pools of mode %s and IPv6 %s pods get an MTU of %i', (mode, v6, pod) => {
    expect(mtusOf(mode, v6).pod).toBe(pod);
  });

  it('MTUs that are set take precedence over computed ones', () => {
    expect(mtusOf('vxlan', false, { vxlanMTU: 1380 })).toMatchObject({ vxlan: { 4: 1380, 6: 1430 }, pod: 1380 });
    expect(mtusOf('none', false, { wireguardEnabled: true })).toMatchObject({ pod: 1440 });
    expect(mtusOf('none', false, { wireguardEnabledV6: true, wireguardMTUV6: 1300 })).toMatchObject({ pod: 1300 });
    expect(mtusOf('none', false, { ipipEnabled: true, ipipMTU: 1370 })).toMatchObject({ ipip: 1370, pod: 1370 });
  });
});
