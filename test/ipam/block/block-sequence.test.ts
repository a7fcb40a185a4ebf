// The order in which blocks are tried, compared with the random numbers of Go and with Calico on real clusters.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoRandom } from '../../../src/ipam/assign/go-random.ts';
import { blockSequence, blocksOf, nameSeed, positionIn } from '../../../src/ipam/block/block-sequence.ts';
import { type Cidr, cidrContains, formatCidr, networkOf, parseCidr, parseCidrOrIp } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';

const nothing = IntervalSet.of([]);
const cidr = (text: string) => parseCidr(text) as Cidr;
const sequenceOf = (pool: string, blockSize: number, node: string) => {
  const sequence = blockSequence(cidr(pool), blockSize, node, 7n);
  if (sequence === undefined) throw new Error('the pool is smaller than a block');
  return sequence;
};
const order = (pool: string, blockSize: number, node: string, left: IntervalSet = nothing): string[] =>
  [...blocksOf(sequenceOf(pool, blockSize, node), left)].map(formatCidr);
const first = (pool: string, blockSize: number, node: string): string | undefined => {
  for (const block of blocksOf(sequenceOf(pool, blockSize, node), nothing)) return formatCidr(block);
  return undefined;
};

describe('the random generator', () => {
  it('GoRandom gives the numbers of the generator in Go', () => {
    const node = new GoRandom(568266999n);
    expect(Array.from({ length: 6 }, () => node.uint32())).toEqual([
      1549122234, 1132198735, 1704301745, 1885019871, 2193285066, 4111168510,
    ]);
    const one = new GoRandom(1n);
    expect(Array.from({ length: 3 }, () => one.int63())).toEqual([
      5577006791947779410n,
      8674665223082153551n,
      6129484611666145821n,
    ]);
  });

  it('GoRandom takes a seed of any size and sign', () => {
    const same = (a: bigint, b: bigint) => expect(new GoRandom(a).int63()).toBe(new GoRandom(b).int63());
    same(2n ** 31n, 1n);
    same(-1n, 2n ** 31n - 2n);
    same(0n, 89482311n);
  });
});

it.each([
  ['test-host', 1779102516, 1012n, '192.168.253.0/26'],
  ['host-a', 1258779341, 216n, '192.168.54.0/26'],
  ['host-b', 1258779342, 782n, '192.168.195.128/26'],
  ['node-a', 568266999, 698n, '192.168.174.128/26'],
  ['node-b', 568266996, 873n, '192.168.218.64/26'],
  ['host1', 3838320184, 476n, '192.168.119.0/26'],
  ['host2', 3838320187, 733n, '192.168.183.64/26'],
  ['testHost', 2118914743, 18n, '192.168.4.128/26'],
  ['worker-1', 2999756865, 905n, '192.168.226.64/26'],
  ['ip-10-0-0-1.ec2.internal', 1440555195, 555n, '192.168.138.192/26'],
  ['', 2166136261, 271n, '192.168.67.192/26'],
])('node %j starts at its block of 192.168.0.0/16', (node, seed, index, block) => {
  expect(nameSeed(node)).toBe(seed);
  expect(sequenceOf('192.168.0.0/16', 26, node).start).toBe(index);
  expect(first('192.168.0.0/16', 26, node)).toBe(block);
});

it.each([
  ['test-host', [128, 192, 0, 64]],
  ['host-a', [0, 64, 128, 192]],
  ['host-b', [128, 192, 0, 64]],
  ['node-a', [128, 192, 0, 64]],
  ['node-b', [64, 128, 192, 0]],
  ['host1', [192, 0, 64, 128]],
  ['host2', [64, 128, 192, 0]],
  ['worker-1', [64, 128, 192, 0]],
])('node %s tries each block of 10.0.0.0/24 once', (node, octets) => {
  expect(order('10.0.0.0/24', 26, node)).toEqual(octets.map((octet) => `10.0.0.${octet}/26`));
});

it('the block sequence covers a pool of small blocks', () => {
  expect(order('10.0.0.0/28', 30, 'host1')).toEqual(['10.0.0.12/30', '10.0.0.0/30', '10.0.0.4/30', '10.0.0.8/30']);
});

it.each([
  ['10.65.0.0/16', 26, 'node4', 13n, '10.65.3.64/26'],
  ['10.66.0.0/16', 29, 'node4', 3424n, '10.66.107.0/29'],
  ['fd5f:abcd:64::/48', 122, 'node4', 251840101749115124777n, 'fd5f:abcd:64:369:bef1:8f06:8f3f:a40/122'],
  ['fd80:24e2:f998:72d6::/64', 122, 'node-a', 251070522519304890n, 'fd80:24e2:f998:72d6:defe:d3d7:156e:ae80/122'],
  ['::/120', 122, 'node-a', 2n, '::80/122'],
])('the block sequence of %s with /%i blocks has a first block for %s', (pool, blockSize, node, index, block) => {
  expect(sequenceOf(pool, blockSize, node).start).toBe(index);
  expect(first(pool, blockSize, node)).toBe(block);
});

it('the block sequence of a pool of one block, and of one smaller than a block', () => {
  expect(order('10.0.0.0/26', 26, 'host1')).toEqual(['10.0.0.0/26']);
  expect(blockSequence(cidr('10.0.0.0/28'), 26, 'host1', 0n)).toBeUndefined();
});

it('the block sequence of blocks of one address starts at a position given by the time', () => {
  const start = (nowNs: bigint) => blockSequence(cidr('10.0.0.0/24'), 32, 'host1', nowNs)?.start;
  expect(new Set([1n, 2n, 3n, 4n, 5n].map(start)).size).toBeGreaterThan(1);
});

it('the block sequence skips excluded ranges of any size', () => {
  const left = IntervalSet.of(
    ['fd00:1::/33', 'fd00:1:8000::/34', '10.0.0.64/26', '10.0.0.129'].map((text) => parseCidrOrIp(text) as Cidr),
  );
  expect(order('10.0.0.0/24', 26, 'host-a', left)).toEqual(['10.0.0.0/26', '10.0.0.128/26', '10.0.0.192/26']);
  for (const node of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const [block] = blocksOf(sequenceOf('fd00:1::/32', 122, node), left);
    expect(block && cidrContains(cidr('fd00:1:c000::/34'), block.base)).toBe(true);
  }
  expect(order('fd00:1::/33', 122, 'a', left)).toEqual([]);
});

it('the block sequence has every block once, at its position', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 20, max: 29 }), (node, prefix) => {
      const sequence = sequenceOf(`10.1.0.0/${prefix}`, 29, node);
      const blocks = [...blocksOf(sequence, nothing)];
      expect(new Set(blocks.map(formatCidr)).size).toBe(2 ** (29 - prefix));
      blocks.forEach((block, at) => {
        expect(positionIn(sequence, block)).toBe(BigInt(at));
      });
      expect(positionIn(sequence, networkOf(sequence.pool.base, 28))).toBeUndefined();
      expect(positionIn(sequence, cidr('10.2.0.0/29'))).toBeUndefined();
      expect(positionIn(sequence, cidr('10.0.255.248/29'))).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
