// Addresses: the accept and refuse tables follow Go's net.ParseIP and (net.IP).String, case by case.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToIp, canonicalIp, compareIp, formatIp, type IpAddress, parseIp } from '../../src/net/ip.ts';

fc.configureGlobal({ seed: 20260101 });

const v4 = (value: number): IpAddress => ({ version: 4, value });
const v6 = (value: bigint): IpAddress => ({ version: 6, value });
const anyV4 = fc.integer({ min: 0, max: 0xffffffff }).map(v4);
const anyV6 = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 });
const wide = (groups: readonly number[]) => groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);

describe('parseIp', () => {
  it.each([
    ['0.0.0.0', v4(0)],
    ['10.244.1.7', v4(0x0af40107)],
    ['255.255.255.255', v4(0xffffffff)],
    ['::ffff:1.2.3.4', v4(0x01020304)],
    ['::FFFF:a00:1', v4(0x0a000001)],
    ['0:0:0:0:0:ffff:10.0.0.1', v4(0x0a000001)],
    ['::', v6(0n)],
    ['::1', v6(1n)],
    ['1::', v6(1n << 112n)],
    ['fd00:10:244::1:0', v6(0xfd000010024400000000000000010000n)],
    ['::1.2.3.4', v6(0x01020304n)],
    ['1:2:3:4:5:6:7:8', v6(0x00010002000300040005000600070008n)],
    ['1:2:3:4:5:6:7::', v6(0x00010002000300040005000600070000n)],
    ['::2:3:4:5:6:7:8', v6(0x00000002000300040005000600070008n)],
    ['1:2:3:4:5:6:1.2.3.4', v6(0x00010002000300040005000601020304n)],
    ['64:ff9b::1.2.3.4', v6(0x0064ff9b000000000000000001020304n)],
  ])('parseIp reads %s', (text, ip) => {
    expect(parseIp(text)).toEqual(ip);
  });

  it.each([
    ['', 'nothing'],
    ['1.2.3', 'three numbers'],
    ['1.2.3.4.5', 'five numbers'],
    ['1..2.3', 'an empty number'],
    ['.1.2.3', 'a dot first'],
    ['1.2.3.', 'a dot last'],
    ['1.2.3.04', 'a leading zero'],
    ['00.0.0.0', 'a leading zero'],
    ['1.2.3.256', 'a number beyond 255'],
    ['1.2.3.4 ', 'a space'],
    ['-1.2.3.4', 'a sign'],
    ['0x0a.0.0.1', 'hexadecimal'],
    ['10.0.0.1/32', 'a prefix'],
    [':', 'one colon'],
    [':1::', 'a lone colon first'],
    ['1:', 'too few groups'],
    ['::1:', 'a colon last'],
    ['1::2::3', 'two ellipses'],
    [':::', 'three colons'],
    ['1:2:3:4:5:6:7:8::', 'an ellipsis for no group'],
    ['1:2:3:4::5:6:7:8', 'an ellipsis for no group'],
    ['1:2:3:4:5:6:7:8:9', 'nine groups'],
    ['00001::', 'five digits'],
    ['g::', 'no hexadecimal digit'],
    ['fe80::1%eth0', 'a zone'],
    ['::1%', 'an empty zone'],
    ['1:2:3:4:5:1.2.3.4', 'too few groups before the dotted quad'],
    ['1:2:3:4:5:6:7:1.2.3.4', 'too many groups before the dotted quad'],
    ['::1:2:3:4:5:6:1.2.3.4', 'an ellipsis for no group before the dotted quad'],
    ['::1.2.3.4:5', 'a group after the dotted quad'],
    ['::ffff:1.2.3.256', 'a bad dotted quad'],
    ['::ffff:01.2.3.4', 'a leading zero in the dotted quad'],
  ])('parseIp refuses %j: %s', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it('parseIp reads back every address that formatIp printed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyV4,
          anyV6.map((groups) => v6(wide(groups))),
        ),
        (ip) => {
          const text = formatIp(ip);
          const again = parseIp(text);
          // A 128-bit IPv4-mapped value prints, and so reads, as IPv4.
          expect(again === undefined ? undefined : formatIp(again)).toBe(text);
          if (text.includes(':') || ip.version === 4) expect(again).toEqual(ip);
        },
      ),
    );
  });

  it('parseIp reads IPv6 in any case, with leading zeros and a dotted tail', () => {
    fc.assert(
      fc.property(anyV6, fc.boolean(), (groups, upper) => {
        const value = wide(groups);
        const full = groups.map((group) => group.toString(16).padStart(4, '0'));
        const tail = [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.');
        const dotted = [...full.slice(0, 6), tail].join(':');
        const canonical = formatIp(v6(value));
        expect(canonicalIp(upper ? full.join(':').toUpperCase() : full.join(':'))).toBe(canonical);
        expect(canonicalIp(dotted)).toBe(canonical);
      }),
    );
  });
});

describe('canonicalIp', () => {
  it.each([
    ['2001:DB8::A', '2001:db8::a'],
    ['::0:0', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['0:1:0:0:0:0:0:0', '0:1::'],
    ['0:0:1:2:3:4:5:6', '::1:2:3:4:5:6'],
    ['1:2:3:4:5:6:0:0', '1:2:3:4:5:6::'],
    ['::1.2.3.4', '::102:304'],
    ['::ffff:a00:1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
  ])('canonicalIp of %s is %s', (text, canonical) => {
    expect(canonicalIp(text)).toBe(canonical);
  });

  it('canonicalIp is undefined for an invalid address', () => {
    expect(canonicalIp('node-1')).toBeUndefined();
  });
});

describe('compareIp', () => {
  it('compareIp orders IPv4 before IPv6, then by value and not by text', () => {
    const texts = ['fd00::10', '10.0.0.10', '::1', '9.0.0.1', '10.0.0.9', '255.0.0.1', 'fd00::9'];
    const sorted = texts.toSorted((a, b) => compareIp(parseIp(a) as IpAddress, parseIp(b) as IpAddress));
    expect(sorted).toEqual(['9.0.0.1', '10.0.0.9', '10.0.0.10', '255.0.0.1', '::1', 'fd00::9', 'fd00::10']);
    expect(compareIp(v4(7), v4(7))).toBe(0);
  });
});

describe('addToIp', () => {
  it.each([
    ['10.0.0.255', 1, '10.0.1.0'],
    ['10.0.1.0', -1, '10.0.0.255'],
    ['10.0.0.0', 64n, '10.0.0.64'],
    ['127.255.255.255', 1, '128.0.0.0'],
    ['255.255.255.255', 1, '0.0.0.0'],
    ['0.0.0.0', -1, '255.255.255.255'],
    ['10.0.0.1', 2 ** 40, '10.0.0.1'],
    ['fd00::ffff', 1, 'fd00::1:0'],
    ['fd00::', -1, 'fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['::1', 1n << 100n, '0:10::1'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 1, '::'],
  ])('addToIp of %s and %s is %s', (text, n, sum) => {
    expect(formatIp(addToIp(parseIp(text) as IpAddress, n))).toBe(sum);
  });
});
