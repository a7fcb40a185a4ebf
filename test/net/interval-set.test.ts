// Interval sets and the CIDR index, by hand and against the obvious slow answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cidr,
  cidrContains,
  cidrCovers,
  cidrsOverlap,
  formatCidr,
  networkOf,
  parseCidr,
} from '../../src/net/cidr.ts';
import { CidrIndex, IntervalSet } from '../../src/net/interval-set.ts';
import { addToIp, type IpAddress, parseIp } from '../../src/net/ip.ts';

fc.configureGlobal({ seed: 20260101 });

const cidr = (text: string) => parseCidr(text) as Cidr;
const ip = (text: string) => parseIp(text) as IpAddress;
const index = (...texts: string[]) => new CidrIndex(texts.map((text) => ({ cidr: cidr(text), value: text })));

// A small world of 64 addresses per version, dense enough that networks nest, touch, repeat and miss. It is at the very
// end of the address space, where the arithmetic would overflow if it could.
const bases = { 4: ip('255.255.255.192'), 6: ip('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffc0') };
const version = fc.constantFrom<(4 | 6)[]>(4, 6);
const address = fc.tuple(version, fc.nat(63)).map(([which, n]) => addToIp(bases[which], n));
const network = fc
  .tuple(address, fc.integer({ min: 0, max: 6 }))
  .map(([at, host]) => networkOf(at, (at.version === 4 ? 32 : 128) - host));
const networks = fc.array(network, { maxLength: 12 });
const addressesOf = (which: 4 | 6) => Array.from({ length: 64 }, (_, n) => addToIp(bases[which], n));

describe('IntervalSet', () => {
  const set = IntervalSet.of(['10.0.0.0/25', '10.0.0.128/25', '10.0.2.0/24', '10.0.2.64/26', 'fd00::/64'].map(cidr));

  it('IntervalSet contains the addresses of its networks and no others', () => {
    expect(set.contains(ip('10.0.0.0'))).toBe(true);
    expect(set.contains(ip('10.0.0.255'))).toBe(true);
    expect(set.contains(ip('10.0.1.0'))).toBe(false);
    expect(set.contains(ip('10.0.2.255'))).toBe(true);
    expect(set.contains(ip('9.255.255.255'))).toBe(false);
    expect(set.contains(ip('fd00::1'))).toBe(true);
    expect(set.contains(ip('fd00:0:0:1::'))).toBe(false);
  });

  it('adjacent networks in an IntervalSet cover a network that spans them', () => {
    expect(set.covers(cidr('10.0.0.0/24'))).toBe(true);
    expect(set.covers(cidr('10.0.0.0/23'))).toBe(false);
    expect(set.overlaps(cidr('10.0.0.0/23'))).toBe(true);
    expect(set.overlaps(cidr('10.0.1.0/24'))).toBe(false);
    expect(set.overlaps(cidr('0.0.0.0/0'))).toBe(true);
  });

  it('IntervalSet counts each shared address once', () => {
    expect(set.overlapCount(cidr('10.0.0.0/16'))).toBe(512n);
    expect(set.overlapCount(cidr('10.0.2.0/25'))).toBe(128n);
    expect(set.overlapCount(cidr('10.0.1.0/24'))).toBe(0n);
    expect(set.overlapCount(cidr('fd00::/48'))).toBe(1n << 64n);
    expect(set.overlapCount(cidr('::/0'))).toBe(1n << 64n);
  });

  it('IntervalSet counts the networks that are covered as a whole', () => {
    expect(set.coveredNetworks(cidr('10.0.0.0/16'), 24)).toBe(2n);
    expect(set.coveredNetworks(cidr('10.0.0.0/16'), 23)).toBe(0n);
    expect(set.coveredNetworks(cidr('10.0.0.128/25'), 26)).toBe(2n);
    expect(set.coveredNetworks(cidr('10.0.1.0/24'), 26)).toBe(0n);
    // Two halves that touch cover a network together; half of one does not.
    expect(IntervalSet.of(['10.0.0.32/27', '10.0.0.64/26'].map(cidr)).coveredNetworks(cidr('10.0.0.0/24'), 26)).toBe(
      1n,
    );
    expect(set.coveredNetworks(cidr('fd00::/48'), 122)).toBe(1n << 58n);
  });

  it('an empty IntervalSet contains nothing', () => {
    const empty = IntervalSet.of([]);
    expect(empty.contains(ip('10.0.0.0'))).toBe(false);
    expect(empty.overlaps(cidr('0.0.0.0/0'))).toBe(false);
    expect(empty.covers(cidr('10.0.0.0/32'))).toBe(false);
    expect(empty.overlapCount(cidr('::/0'))).toBe(0n);
  });

  it('IntervalSet agrees with a search through every network', () => {
    fc.assert(
      fc.property(networks, network, address, (members, asked, at) => {
        const union = IntervalSet.of(members);
        expect(union.contains(at)).toBe(members.some((member) => cidrContains(member, at)));
        const inside = addressesOf(asked.version).filter((one) => cidrContains(asked, one));
        const shared = inside.filter((one) => members.some((member) => cidrContains(member, one)));
        expect(union.overlapCount(asked)).toBe(BigInt(shared.length));
        expect(union.overlaps(asked)).toBe(shared.length > 0);
        expect(union.covers(asked)).toBe(shared.length === inside.length);
        const prefix = Math.min(asked.prefix + 2, asked.version === 4 ? 32 : 128);
        const parts = new Set(inside.map((one) => formatCidr(networkOf(one, prefix))));
        const whole = [...parts].filter((part) => union.covers(cidr(part)));
        expect(union.coveredNetworks(asked, prefix)).toBe(BigInt(whole.length));
      }),
      { numRuns: 300 },
    );
  });
});

describe('CidrIndex', () => {
  it('CidrIndex finds the narrowest network', () => {
    const found = index('10.0.0.0/8', '10.0.0.0/16', '10.0.0.64/26', 'fd00::/48', 'fd00::/122');
    expect(found.find(ip('10.0.0.65'))).toBe('10.0.0.64/26');
    expect(found.find(ip('10.0.0.128'))).toBe('10.0.0.0/16');
    expect(found.find(ip('10.200.0.1'))).toBe('10.0.0.0/8');
    expect(found.find(ip('11.0.0.0'))).toBeUndefined();
    expect(found.find(ip('9.0.0.0'))).toBeUndefined();
    expect(found.find(ip('fd00::3f'))).toBe('fd00::/122');
    expect(found.find(ip('fd00::40'))).toBe('fd00::/48');
    expect(found.find(ip('::1'))).toBeUndefined();
    expect(found.findAll(ip('10.0.0.65'))).toEqual(['10.0.0.64/26', '10.0.0.0/16', '10.0.0.0/8']);
    expect(found.findCovering(cidr('10.0.0.64/26'))).toEqual(['10.0.0.64/26', '10.0.0.0/16', '10.0.0.0/8']);
    expect(found.findCovering(cidr('10.0.0.0/9'))).toEqual(['10.0.0.0/8']);
    expect(found.size).toBe(5);
  });

  it('CidrIndex returns the first given of equal networks first', () => {
    const twins = new CidrIndex(['a', 'b', 'c'].map((value) => ({ cidr: cidr('10.0.0.0/24'), value })));
    expect(twins.find(ip('10.0.0.1'))).toBe('a');
    expect(twins.findAll(ip('10.0.0.1'))).toEqual(['a', 'b', 'c']);
  });

  it('CidrIndex keeps IPv4 and IPv6 apart', () => {
    expect(index('fd00::/48').find(ip('10.0.0.1'))).toBeUndefined();
    expect(index('10.0.0.0/8').find(ip('fd00::1'))).toBeUndefined();
  });

  it('CidrIndex agrees with a search through every entry', () => {
    fc.assert(
      fc.property(networks, network, address, (members, asked, at) => {
        const entries = members.map((member, value) => ({ cidr: member, value }));
        const found = new CidrIndex(entries);
        const narrowestFirst = (wanted: (member: Cidr) => boolean) =>
          entries
            .filter((entry) => wanted(entry.cidr))
            .toSorted((a, b) => b.cidr.prefix - a.cidr.prefix)
            .map((entry) => entry.value);
        const containing = narrowestFirst((member) => cidrContains(member, at));
        expect(found.find(at)).toBe(containing[0]);
        expect(found.findAll(at)).toEqual(containing);
        expect(found.findCovering(asked)).toEqual(narrowestFirst((member) => cidrCovers(member, asked)));
      }),
      { numRuns: 300 },
    );
  });

  it('CidrIndex names every overlapping pair once, the wider first', () => {
    const pairs = index('10.0.1.0/24', '10.0.0.0/16', '10.0.1.0/26', '10.1.0.0/16', 'fd00::/64').overlapping();
    expect(pairs.map(([outer, inner]) => `${outer.value} ${inner.value}`).toSorted()).toEqual([
      '10.0.0.0/16 10.0.1.0/24',
      '10.0.0.0/16 10.0.1.0/26',
      '10.0.1.0/24 10.0.1.0/26',
    ]);
    fc.assert(
      fc.property(networks, (members) => {
        const key = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);
        const found = new CidrIndex(members.map((member, value) => ({ cidr: member, value }))).overlapping();
        const expected = members.flatMap((a, i) =>
          members.flatMap((b, j) => (i < j && cidrsOverlap(a, b) ? [key(i, j)] : [])),
        );
        expect(found.map(([a, b]) => key(a.value, b.value)).toSorted()).toEqual(expected.toSorted());
        expect(found.filter(([a, b]) => !cidrCovers(a.cidr, b.cidr)).map(([a]) => formatCidr(a.cidr))).toEqual([]);
      }),
    );
  });
});
