// The address map as text: exact rows for blocks that are drawn by hand, wrapped, coloured, marked; and as data.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ipamMapCsv, ipamMapJson, ipamMapYaml } from '../../../../src/commands/ipam/show/map-data.ts';
import { ipamMapText } from '../../../../src/commands/ipam/show/map-text.ts';
import { addressMap } from '../../../../src/ipam/show/address-map.ts';
import { parseIp } from '../../../../src/net/ip.ts';
import { block, mapOf, podOn, pool, textOf } from '../../../support/clusters/map-blocks.ts';

const plain = { columns: Number.POSITIVE_INFINITY, colour: false };
const ip = (text: string) => {
  const parsed = parseIp(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const esc = '\u001b';

describe('the address map as text', () => {
  it('the text map draws one row per block, by pool, with a legend of what occurs', async () => {
    expect(await textOf(ipamMapText(mapOf(), plain))).toBe(
      [
        'main  10.60.0.0/24  11 of 256 addresses held, 2 blocks',
        '               0       8',
        '10.60.0.0/28   t#b?~.......rr..  5/16  node-a, 1 borrowed by node-b',
        '10.60.0.16/28  www........x!!.w  6/16  node-b, lost 1, free and allocated 1, no attributes 1',
        '',
        'old  10.70.0.0/24  disabled, no blocks',
        '',
        'services  192.0.2.0/28  1 of 16 addresses held, 1 block',
        '192.0.2.0/29  L.......  1/8  virtual:load-balancer',
        '',
        'no pool  blocks outside every pool',
        '10.99.0.0/30  b...  1/4  ownerless, 1 borrowed by node-b',
        '',
        '#   1  assigned to a pod or manually',
        'b   2  borrowed: held by a node other than the owner of the block',
        't   1  tunnel address of a node',
        'L   1  address of a LoadBalancer service',
        'w   4  reserved for Windows',
        '~   1  released, not assigned again for a while',
        '?   1  held without a handle or an owner',
        '.  28  free',
        'r   2  free, excluded from automatic assignment by an IPReservation',
        '!   2  broken: its record is missing, or it is both held and free',
        'x   1  lost: neither held nor free',
        '',
      ].join('\n'),
    );
  });

  it('the text map wraps long blocks at powers of two, with the first address of each row', async () => {
    const one = block('10.60.0.0/26', 'host:node-a', '#'.repeat(40) + '.'.repeat(24), { '#': podOn('node-b', 'p') });
    const map = addressMap([pool('main', '10.60.0.0/24')], [one], []);
    expect(await textOf(ipamMapText(map, { columns: 80, colour: false }))).toContain(
      [
        '              0       8       16      24',
        `10.60.0.0/26  ${'b'.repeat(32)}  40/64  node-a`,
        `10.60.0.32    ${'b'.repeat(8)}${'.'.repeat(24)}  40 borrowed by node-b`,
        '',
      ].join('\n'),
    );
    expect(await textOf(ipamMapText(map, { columns: 112, colour: false }))).toContain(
      `10.60.0.0/26  ${'b'.repeat(40)}${'.'.repeat(24)}  40/64  node-a, 40 borrowed by n…\n`,
    );
  });

  it.each([40, 60, 80, 100, 200])('the text map fits %i columns', async (columns) => {
    const free = '.'.repeat(4096);
    const long = `node-${'x'.repeat(200)}`;
    const wide = [
      block('10.60.0.0/20', `host:${long}`, free),
      block('10.60.16.0/26', `host:${long}`, free.slice(0, 64)),
    ];
    const text = await textOf(
      ipamMapText(addressMap([pool('m', '10.60.0.0/16')], wide, []), { columns, colour: false }),
    );
    const lines = text.slice(text.indexOf('\n'), text.indexOf('\n\n')).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(
      lines
        .join('')
        .match(/\.{8,}/g)
        ?.join('').length,
    ).toBe(4096 + 64);
  });

  it('the text map counts in hexadecimal where addresses do', async () => {
    const six = addressMap([], [block('fd00::/122', 'host:a', '.'.repeat(64))], []);
    expect(await textOf(ipamMapText(six, plain))).toContain(
      '            0       8       10      18      20      28      30      38\n',
    );
  });

  it('the text map marks the selected address', async () => {
    const map = mapOf({ addresses: [ip('10.60.0.17'), ip('10.60.0.27')] });
    expect(await textOf(ipamMapText(map, plain))).toContain(
      [
        'main  10.60.0.0/24  11 of 256 addresses held, 1 of 2 blocks',
        '               0       8',
        '10.60.0.16/28  www........x!!.w  6/16  node-b, lost 1, free and allocated 1, no attributes 1',
        '                ^         ^',
        '',
      ].join('\n'),
    );
  });

  it('the text map has no escape codes without colour, and the same characters with it', async () => {
    const [bare, painted] = await Promise.all(
      [false, true].map((colour) => textOf(ipamMapText(mapOf(), { ...plain, colour }))),
    );
    expect(bare).not.toContain(esc);
    // The line about colours of nodes is printed only if there are any.
    expect(painted?.replaceAll(/\u001b\[\d+m/g, '')).toBe(`${bare}node-a  node-b\n`);
  });

  it('the text map paints an address in the colour of the node that has it', async () => {
    const painted = await textOf(ipamMapText(mapOf(), { ...plain, colour: true }));
    const [cyan, green, off] = [`${esc}[36m`, `${esc}[32m`, `${esc}[39m`];
    expect(painted).toContain(`${cyan}t${off}${cyan}#${off}${green}b${off}${cyan}?${off}`);
    expect(painted).toContain(`${cyan}node-a${off}  ${green}node-b${off}\n`);
  });

  it('the text map writes no control character of a name', async () => {
    const hostile = block('10.0.0.0/30', `host:a${esc}[31m\u202eb`, '....');
    const text = await textOf(ipamMapText(addressMap([], [hostile], []), plain));
    expect(text).toContain('0/4  a\\e[31m\\u202eb\n');
  });

  it('the text map explains why a block cannot be drawn', async () => {
    const text = await textOf(ipamMapText(addressMap([], [block('nonsense', 'host:a', '....')], []), plain));
    expect(text).toMatch(/^nonsense +a, bad cidr$/m);
  });

  it('the text map of no blocks is empty', async () => {
    expect(await textOf(ipamMapText(addressMap([], [], []), plain))).toBe('');
  });
});

interface Data {
  readonly kind: string;
  readonly legend: readonly { state: string; count: number }[];
  readonly pools: readonly { name: string; blocks: number; total: number; inUse: number }[];
  readonly blocks: readonly {
    cidr: string;
    pool?: string;
    map: string;
    total: number;
    inUse: number;
    addresses: readonly object[];
  }[];
}

describe('the address map as data', () => {
  it('the JSON map has one character per address and an entry for each address in use', async () => {
    const data = JSON.parse(await textOf(ipamMapJson(mapOf()))) as Data;
    expect(data.kind).toBe('IPAMAddressMap');
    expect(data.pools.map(({ name, blocks, total, inUse }) => [name, blocks, total, inUse])).toEqual([
      ['main', 2, 256, 11],
      ['old', 0, 256, 0],
      ['services', 1, 16, 1],
    ]);
    expect(data.blocks.map(({ total, inUse }) => [total, inUse])).toEqual([
      [16, 5],
      [16, 6],
      [8, 1],
      [4, 1],
    ]);
    expect(data.blocks.map(({ cidr, pool: of, map, addresses }) => [cidr, of, map, addresses.length])).toEqual([
      ['10.60.0.0/28', 'main', 't#b?~.......rr..', 5],
      ['10.60.0.16/28', 'main', 'www........x!!.w', 6],
      ['192.0.2.0/29', 'services', 'L.......', 1],
      ['10.99.0.0/30', undefined, 'b...', 1],
    ]);
    expect(data.blocks[0]?.addresses[2]).toEqual({
      address: '10.60.0.2',
      state: 'borrowed',
      node: 'node-b',
      namespace: 'shop',
      pod: 'cart-1',
      handle: 'k8s-pod-network.cart-1',
    });
    expect(data.legend).toContainEqual({ state: 'lost', glyph: 'x', about: 'lost: neither held nor free', count: 1 });
  });

  it('the YAML map is the same as the JSON map', async () => {
    for (const map of [mapOf(), addressMap([], [], [])]) {
      expect(parse(await textOf(ipamMapYaml(map)))).toEqual(JSON.parse(await textOf(ipamMapJson(map))));
    }
  });

  it('the CSV map has one row per address', async () => {
    const rows = (await textOf(ipamMapCsv(mapOf({ pools: ['services'] })))).split('\n');
    expect(rows.slice(0, 3)).toEqual([
      'address,state,node,namespace,pod,service,type,handle,block,pool',
      '192.0.2.0,loadBalancer,,shop,,web,LoadBalancer,lb-x,192.0.2.0/29,services',
      '192.0.2.1,free,,,,,,,192.0.2.0/29,services',
    ]);
    expect(rows.length).toBe(1 + 8 + 1);
  });
});
