// The state of each address of a block, with blocks drawn as one character per address.
import { describe, expect, it } from 'vitest';
import {
  type AddressState,
  addressMap,
  addressStates,
  cellsOf,
  type MapBlock,
} from '../../../src/ipam/show/address-map.ts';
import { parseIp } from '../../../src/net/ip.ts';
import { block, mapOf, podOn, pool, pools, reservations } from '../../support/clusters/map-blocks.ts';

const ip = (text: string) => {
  const parsed = parseIp(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const glyphs = (drawn: MapBlock | undefined): string =>
  drawn === undefined
    ? ''
    : cellsOf(drawn)
        .map(({ state }) => addressStates[state].glyph)
        .join('');
const only = (one: ReturnType<typeof block>): MapBlock | undefined => addressMap([], [one], []).orphanBlocks[0];
const cidrsOf = (filter: Parameters<typeof mapOf>[0]) => {
  const map = mapOf(filter);
  return [...map.pools.flatMap((one) => one.blocks), ...map.orphanBlocks].map(({ cidr }) => cidr);
};

describe('the address map', () => {
  it('the address map has a state for each address', () => {
    const [main, , services] = mapOf().pools;
    expect(main?.blocks.map(glyphs)).toEqual(['t#b?~.......rr..', 'www........x!!.w']);
    expect(services?.blocks.map(glyphs)).toEqual(['L.......']);
  });

  it('each state of the address map has its own character', () => {
    const all = Object.values(addressStates).map(({ glyph }) => glyph);
    expect(all.every((glyph) => glyph.length === 1)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  it('the address map groups blocks by pool in the order of addresses, and blocks without a pool separately', () => {
    const { pools: shown, orphanBlocks } = mapOf();
    expect(shown.map(({ name, cidr, enabled, size, held }) => [name, cidr, enabled, size, held])).toEqual([
      ['main', '10.60.0.0/24', true, 256n, 11],
      ['old', '10.70.0.0/24', false, 256n, 0],
      ['services', '192.0.2.0/28', true, 16n, 1],
    ]);
    expect(shown[0]?.blocks.map(({ cidr }) => cidr)).toEqual(['10.60.0.0/28', '10.60.0.16/28']);
    expect(orphanBlocks.map(({ cidr, held, node }) => [cidr, held, node])).toEqual([['10.99.0.0/30', 1, undefined]]);
  });

  it('the legend of the address map has only the states that occur', () => {
    const counts = (map: ReturnType<typeof mapOf>): [AddressState, number][] =>
      map.legend.map(({ state, count }) => [state, count]);
    expect(counts(mapOf())).toEqual([
      ['held', 1],
      ['borrowed', 2],
      ['tunnel', 1],
      ['loadBalancer', 1],
      ['windows', 4],
      ['cooling', 1],
      ['unowned', 1],
      ['free', 28],
      ['reserved', 2],
      ['broken', 2],
      ['lost', 1],
    ]);
    expect(counts(mapOf({ pools: ['services'] }))).toEqual([
      ['loadBalancer', 1],
      ['free', 7],
    ]);
    expect(counts(addressMap(pools, [], reservations))).toEqual([]);
  });

  it('the address map lists the nodes that borrow', () => {
    const [first, second] = mapOf().pools[0]?.blocks ?? [];
    expect(first?.borrowers).toEqual([['node-b', 1]]);
    expect(second?.borrowers).toEqual([]);
    expect(mapOf().orphanBlocks[0]?.borrowers).toEqual([['node-b', 1]]);
  });

  it('a cell of the address map has the node of its address, or else the owner of the block', () => {
    const [first] = mapOf().pools[0]?.blocks ?? [];
    expect(first && cellsOf(first).map(({ node }) => node)).toEqual([
      'node-a',
      'node-a',
      'node-b',
      ...Array.from({ length: 13 }, () => 'node-a'),
    ]);
    const [service] = mapOf().pools[2]?.blocks ?? [];
    expect(service && cellsOf(service)[0]?.node).toBeUndefined();
  });

  it('an address in a block of a virtual owner is not borrowed in the address map', () => {
    const virtual = block('10.0.0.0/30', 'virtual:load-balancer', '#...', { '#': podOn('node-a', 'x') });
    expect(glyphs(only(virtual))).toBe('#...');
    expect(only(virtual)?.borrowers).toEqual([]);
  });

  it('the address map recognizes a tunnel by its handle, and the Windows reserve in any case', () => {
    const drawn = block('10.0.0.0/30', 'host:a', 'tw..', {
      t: { handle_id: 'wireguard-v6-tunnel-addr-a' },
      w: { handle_id: 'WINDOWS-reserved-ipam-handle' },
    });
    expect(glyphs(only(drawn))).toBe('tw..');
  });

  it('the address map shows a handle up to its carriage return', () => {
    const drawn = only(block('10.0.0.0/31', 'host:a', '#.', { '#': { handle_id: 'old\r\neth0' } }));
    expect(drawn && cellsOf(drawn)[0]?.handle).toBe('old');
  });

  it('the address map shows addresses missing in a short allocation array as lost, and reports the length', () => {
    const drawn = only(block('10.0.0.0/29', 'host:a', '#...', { '#': podOn('a', 'x') }));
    expect(glyphs(drawn)).toBe('#...xxxx');
    expect(drawn?.trouble).toBe('bad length');
  });

  it.each(['10.0.0.0/8', 'fd00::/64', 'nonsense'])('the address map does not draw a block of %s', (cidr) => {
    const drawn = only(block(cidr, 'host:a', '....'));
    expect(drawn?.size).toBe(0);
    expect(glyphs(drawn)).toBe('');
    expect(drawn?.trouble).not.toBe('');
  });

  it('the address map puts blocks that cannot be drawn last', () => {
    const cidrs = ['nonsense', '10.0.0.4/30', 'fd00::/126', '10.0.0.0/30'];
    const map = addressMap(
      [],
      cidrs.map((cidr) => block(cidr, undefined, '....')),
      [],
    );
    expect(map.orphanBlocks.map(({ cidr }) => cidr)).toEqual(['10.0.0.0/30', '10.0.0.4/30', 'fd00::/126', 'nonsense']);
  });

  it('the address map counts a block for the first pool that it overlaps', () => {
    const twins = [pool('a', '10.0.0.0/29'), pool('b', '10.0.0.0/16')];
    const map = addressMap(
      twins,
      [block('10.0.0.0/30', undefined, '....'), block('10.0.1.0/30', undefined, '....')],
      [],
    );
    expect(map.pools.map(({ name, blocks: own }) => [name, own.map(({ cidr }) => cidr)])).toEqual([
      ['a', ['10.0.0.0/30']],
      ['b', ['10.0.1.0/30']],
    ]);
  });

  it('the address map gives each node the same number with every filter', () => {
    expect([...mapOf().nodeNumbers]).toEqual([
      ['node-a', 0],
      ['node-b', 1],
    ]);
    const filtered = mapOf({ addresses: [ip('10.60.0.17')] });
    expect(filtered.nodes).toEqual(['node-b']);
    expect(filtered.nodeNumbers.get('node-b')).toBe(1);
  });
});

describe('the filter of the address map', () => {
  it('the filter by pools selects their blocks, and includes a pool without blocks', () => {
    expect(cidrsOf({ pools: ['main'] })).toEqual(['10.60.0.0/28', '10.60.0.16/28']);
    expect(mapOf({ pools: ['old'] }).pools.map(({ name }) => name)).toEqual(['old']);
  });

  it('the filter by node selects blocks that the node owns or has an address in', () => {
    expect(cidrsOf({ node: 'node-a' })).toEqual(['10.60.0.0/28']);
    expect(cidrsOf({ node: 'node-b' })).toEqual(['10.60.0.0/28', '10.60.0.16/28', '10.99.0.0/30']);
    expect(cidrsOf({ node: 'node-z' })).toEqual([]);
    expect(mapOf({ node: 'node-a' }).pools.map(({ name }) => name)).toEqual(['main']);
  });

  it('the filter of the address map does not change the figures of a pool', () => {
    const [main] = mapOf({ addresses: [ip('10.60.0.3')] }).pools;
    expect([main?.held, main?.blockCount, main?.blocks.length]).toEqual([11, 2, 1]);
  });

  it('the filter by address selects its block and marks the address', () => {
    const map = mapOf({ addresses: [ip('10.60.0.31'), ip('10.60.0.17'), ip('10.60.9.9')] });
    expect(map.pools[0]?.blocks.map(({ cidr, marked }) => [cidr, marked])).toEqual([['10.60.0.16/28', [1, 15]]]);
  });

  it('the filter by pod selects its blocks and marks its addresses', () => {
    const map = mapOf({ pod: { namespace: 'shop', name: 'cart-1' } });
    expect(map.pools[0]?.blocks.map(({ cidr, marked }) => [cidr, marked])).toEqual([['10.60.0.0/28', [2]]]);
    expect(cidrsOf({ pod: { namespace: 'web', name: 'cart-1' } })).toEqual([]);
  });

  it('several filters of the address map must all match', () => {
    expect(cidrsOf({ node: 'node-b', pools: ['main'], addresses: [ip('10.60.0.3')] })).toEqual(['10.60.0.0/28']);
    expect(cidrsOf({ node: 'node-a', addresses: [ip('10.60.0.17')] })).toEqual([]);
  });
});
