// Whether a cluster needs BGP, by its pools.
import { describe, expect, it } from 'vitest';
import { isBgpNeeded } from '../../src/bgp/bgp-need.ts';
import type { IPPool } from '../../src/resources/kinds/ip-pool.ts';

const pool = (spec: Partial<IPPool['spec']>, metadata: Partial<IPPool['metadata']> = {}): IPPool => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name: 'pool', ...metadata },
  spec: { cidr: '10.244.0.0/16', ...spec },
});
const vxlan = pool({ vxlanMode: 'Always' });

describe('isBgpNeeded', () => {
  it.each([true, false])('without pools BGP is needed if a BGPPeer makes a session: %s', (byPeer) => {
    expect(isBgpNeeded([], { any: true, byPeer })).toBe(byPeer);
  });

  it('BGP is not needed where no node has an address for it', () => {
    expect(isBgpNeeded([pool({})], { any: false, byPeer: false })).toBe(false);
  });

  it('BGP is not needed when all pools are VXLAN', () => {
    expect(isBgpNeeded([vxlan, pool({ vxlanMode: 'CrossSubnet' })], { any: true, byPeer: false })).toBe(false);
  });

  it.each([
    ['has no modes at all', pool({})],
    ['has empty modes', pool({ vxlanMode: '' as 'Never' })],
    ['never uses VXLAN', pool({ vxlanMode: 'Never' })],
    ['uses IPIP', pool({ ipipMode: 'Always' })],
  ])('BGP is needed when one pool %s', (_, one) => {
    expect(isBgpNeeded([vxlan, one], { any: true, byPeer: false })).toBe(true);
  });

  it.each([
    ['disabled', pool({ disabled: true })],
    ['for LoadBalancer services only', pool({ allowedUses: ['LoadBalancer'] })],
    ['being deleted', pool({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ])('a pool without VXLAN that is %s does not need BGP', (_, one) => {
    expect(isBgpNeeded([vxlan, one], { any: true, byPeer: false })).toBe(false);
  });
});
