// calictl ipam show over a folder: every question in every format, with numbers worked out by hand.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { addressAt, parseCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import { blockName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { type Ran, run } from '../../support/program/world.ts';

const crd = 'crd.projectcalico.org/v1';
type Attribute = { handle_id?: string; secondary?: Record<string, string> };

const pool = (name: string, cidr: string, more: object = {}): KubeObject => ({
  apiVersion: crd,
  kind: 'IPPool',
  metadata: { name },
  spec: { cidr, ...more },
});

/** A block whose first addresses are allocated with these attributes, in order. */
function block(cidr: string, affinity: string | undefined, attributes: readonly Attribute[]): KubeObject {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) throw new Error(cidr);
  const size = 2 ** ((parsed.version === 4 ? 32 : 128) - parsed.prefix);
  const ordinals = Array.from({ length: size }, (_, ordinal) => ordinal);
  return {
    apiVersion: crd,
    kind: 'IPAMBlock',
    metadata: { name: blockName(cidr) },
    spec: {
      cidr,
      ...(affinity === undefined ? {} : { affinity }),
      allocations: ordinals.map((ordinal) => (ordinal < attributes.length ? ordinal : null)),
      unallocated: ordinals.slice(attributes.length),
      attributes,
      strictAffinity: false,
      deleted: false,
      sequenceNumber: 7,
    },
  };
}

const podIn = (name: string, node: string): Attribute => ({
  handle_id: `k8s-pod-network.${name}`,
  secondary: { namespace: 'shop', pod: name, node, timestamp: '2025-06-01 00:00:00 +0000 UTC' },
});
const tunnelOf = (node: string): Attribute => ({
  handle_id: `vxlan-tunnel-addr-${node}`,
  secondary: { node, type: 'vxlanTunnelAddress' },
});

/**
 * pool-a: a /29 with 3 in use, one of them borrowed by node-b. pool-b: a /16 with a full block. pool-c: a disabled /12.
 * pool-d: an IPv6 /64 with 5 of a block of 64. Outside every pool: an IPv4 block with one address of no node, and an
 * IPv6 one.
 */
const objects: KubeObject[] = [
  pool('pool-a', '10.60.0.0/29', { blockSize: 29 }),
  pool('pool-b', '10.61.0.0/16', { blockSize: 29 }),
  pool('pool-c', '10.64.0.0/12', { disabled: true }),
  pool('pool-d', 'fd00::/64', { blockSize: 122 }),
  block('10.60.0.0/29', 'host:node-a', [tunnelOf('node-a'), podIn('cart-0', 'node-a'), podIn('cart-1', 'node-b')]),
  block(
    '10.61.0.0/29',
    'host:node-b',
    Array.from({ length: 8 }, (_, n) => podIn(`mail-${n}`, 'node-b')),
  ),
  block('10.64.0.0/30', 'host:node-a', [podIn('old-0', 'node-a'), {}]),
  block(
    'fd00::/122',
    'host:node-a',
    Array.from({ length: 5 }, (_, n) => podIn(`six-${n}`, 'node-a')),
  ),
  block('10.99.0.0/29', undefined, [{ handle_id: 'lb-x', secondary: { service: 'web', namespace: 'shop' } }]),
  block('fd99::/122', 'host:node-b', []),
  {
    apiVersion: crd,
    kind: 'IPReservation',
    metadata: { name: 'kept' },
    spec: { reservedCIDRs: ['10.60.0.4/30', '10.61.255.0/24', '10.61.255.7'] },
  },
  {
    apiVersion: crd,
    kind: 'ClusterInformation',
    metadata: { name: 'default' },
    spec: { calicoVersion: 'v3.31.4', clusterGUID: 'c0ffee', datastoreReady: true },
  },
];

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-show-'));
  file = join(folder, 'objects.json');
  writeFileSync(file, printJson({ apiVersion: 'v1', kind: 'List', items: objects }, { indent: 1 }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs on the folder; nothing in it may change. */
async function show(flags: string, programName = 'calictl'): Promise<Ran> {
  const before = readFileSync(file, 'utf8');
  const ran = await run(`ipam show ${flags}`, { folder, programName });
  expect(readFileSync(file, 'utf8')).toBe(before);
  return ran;
}

async function answer(flags: string, programName?: string): Promise<string> {
  const { code, stdout, stderr } = await show(flags, programName);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const poolRows = [
  '+----------+--------------+------------+------------+-------------------+',
  '| GROUPING |     CIDR     | IPS TOTAL  | IPS IN USE |     IPS FREE      |',
  '+----------+--------------+------------+------------+-------------------+',
  '| IP Pool  | 10.60.0.0/29 |          8 | 3 (38%)    | 5 (62%)           |',
  '| IP Pool  | 10.61.0.0/16 |      65536 | 8 (0%)     | 65528 (100%)      |',
  '| IP Pool  | 10.64.0.0/12 | 1.0486e+06 | 2 (0%)     | 1.0486e+06 (100%) |',
  '| IP Pool  | fd00::/64    | 1.8447e+19 | 5 (0%)     | 1.8447e+19 (100%) |',
  '+----------+--------------+------------+------------+-------------------+',
  '',
];

describe('usage by ipam show', () => {
  it('ipam show prints one row per pool, disabled ones too', async () => {
    expect((await answer('')).split('\n')).toEqual(poolRows);
  });

  it('calicoctl ipam show prints the same table', async () => {
    expect((await answer('', 'calicoctl')).split('\n')).toEqual(poolRows);
  });

  const withBlocks = [
    ...poolRows.slice(0, 4),
    '| Block    | 10.60.0.0/29 |          8 | 3 (38%)    | 5 (62%)           |',
    poolRows[4],
    '| Block    | 10.61.0.0/29 |          8 | 8 (100%)   | 0 (0%)            |',
    poolRows[5],
    '| Block    | 10.64.0.0/30 |          4 | 2 (50%)    | 2 (50%)           |',
    poolRows[6],
    '| Block    | fd00::/122   |         64 | 5 (8%)     | 59 (92%)          |',
    '| Block    | 10.99.0.0/29 |          8 | 1 (12%)    | 7 (88%)           |',
  ];

  it('ipam show --show-blocks lists blocks below their pools, and those outside every pool last', async () => {
    expect((await answer('--show-blocks')).split('\n')).toEqual([
      ...withBlocks,
      '| Block    | fd99::/122   |         64 | 0 (0%)     | 64 (100%)         |',
      ...poolRows.slice(7),
    ]);
  });

  it('calicoctl ipam show leaves out IPv6 blocks outside every pool', async () => {
    expect((await answer('--show-blocks', 'calicoctl')).split('\n')).toEqual([...withBlocks, ...poolRows.slice(7)]);
  });

  const document = {
    kind: 'IPAMUsage',
    pools: [
      {
        name: 'pool-a',
        cidr: '10.60.0.0/29',
        total: 8,
        inUse: 3,
        free: 5,
        reserved: 4,
        blocks: [{ cidr: '10.60.0.0/29', affinity: 'host:node-a', total: 8, inUse: 3, free: 5, borrowed: 1 }],
      },
      {
        name: 'pool-b',
        cidr: '10.61.0.0/16',
        total: 65536,
        inUse: 8,
        free: 65528,
        reserved: 256,
        blocks: [{ cidr: '10.61.0.0/29', affinity: 'host:node-b', total: 8, inUse: 8, free: 0, borrowed: 0 }],
      },
      {
        name: 'pool-c',
        cidr: '10.64.0.0/12',
        total: 1048576,
        inUse: 2,
        free: 1048574,
        reserved: 0,
        blocks: [{ cidr: '10.64.0.0/30', affinity: 'host:node-a', total: 4, inUse: 2, free: 2, borrowed: 0 }],
      },
      {
        name: 'pool-d',
        cidr: 'fd00::/64',
        total: '18446744073709551616',
        inUse: 5,
        free: '18446744073709551611',
        reserved: 0,
        blocks: [{ cidr: 'fd00::/122', affinity: 'host:node-a', total: 64, inUse: 5, free: 59, borrowed: 0 }],
      },
    ],
    orphanBlocks: [
      { cidr: '10.99.0.0/29', total: 8, inUse: 1, free: 7, borrowed: 0 },
      { cidr: 'fd99::/122', affinity: 'host:node-b', total: 64, inUse: 0, free: 64, borrowed: 0 },
    ],
  };

  it('ipam show prints exact numbers in JSON and YAML', async () => {
    expect(JSON.parse(await answer('-o json'))).toEqual(document);
    expect(parseYaml(await answer('-o yaml'))).toEqual(document);
  });

  it('ipam show prints exact numbers in CSV', async () => {
    expect((await answer('-o csv')).split('\n')).toEqual([
      'grouping,pool,cidr,affinity,total,inUse,free,borrowed,reserved',
      'pool,pool-a,10.60.0.0/29,,8,3,5,,4',
      'block,pool-a,10.60.0.0/29,host:node-a,8,3,5,1,',
      'pool,pool-b,10.61.0.0/16,,65536,8,65528,,256',
      'block,pool-b,10.61.0.0/29,host:node-b,8,8,0,0,',
      'pool,pool-c,10.64.0.0/12,,1048576,2,1048574,,0',
      'block,pool-c,10.64.0.0/30,host:node-a,4,2,2,0,',
      'pool,pool-d,fd00::/64,,18446744073709551616,5,18446744073709551611,,0',
      'block,pool-d,fd00::/122,host:node-a,64,5,59,0,',
      'block,,10.99.0.0/29,,8,1,7,0,',
      'block,,fd99::/122,host:node-b,64,0,64,0,',
      '',
    ]);
  });

  it('ipam show without pools and blocks prints only the heading', async () => {
    const information = objects.filter(({ kind }) => kind === 'ClusterInformation');
    for (const programName of ['calictl', 'calicoctl']) {
      const { code, stdout } = await run('ipam show --show-blocks', { objects: information, programName });
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^\+-+.*\n\| GROUPING \| CIDR \| IPS TOTAL \| IPS IN USE \| IPS FREE \|\n\+-.*\n(\+-.*\n)?$/,
      );
    }
  });

  it('ipam show counts a block for the first pool that it overlaps', async () => {
    const overlapping = [pool('big', '10.60.0.0/16'), ...objects];
    const { stdout } = await run('ipam show -o json', { objects: overlapping });
    const { pools } = JSON.parse(stdout) as { pools: { name: string; inUse: number }[] };
    expect(pools.map(({ name, inUse }) => [name, inUse])).toEqual([
      ['big', 3],
      ['pool-a', 0],
      ['pool-b', 8],
      ['pool-c', 2],
      ['pool-d', 5],
    ]);
  });
});

describe('ipam show --ip', () => {
  it('show --ip reports who has each of several addresses', async () => {
    expect(
      (await answer('--ip 10.60.0.1 --ip 10.60.0.2 --ip 10.60.0.3 --ip 192.0.2.1 --ip 10.64.0.1')).split('\n'),
    ).toEqual([
      'IP 10.60.0.1 is in use',
      'Handle: k8s-pod-network.cart-0',
      'Block: 10.60.0.0/29',
      'Owner of the block: node node-a',
      'Pool: pool-a (10.60.0.0/29)',
      'Held by: pod shop/cart-0 on node node-a',
      'Held since: 2025-06-01T00:00:00Z',
      'Attributes:',
      '  namespace: shop',
      '  node: node-a',
      '  pod: cart-0',
      '  timestamp: 2025-06-01 00:00:00 +0000 UTC',
      'IP 10.60.0.2 is in use',
      'Handle: k8s-pod-network.cart-1',
      'Block: 10.60.0.0/29 (borrowed)',
      'Owner of the block: node node-a',
      'Pool: pool-a (10.60.0.0/29)',
      'Held by: pod shop/cart-1 on node node-b',
      'Held since: 2025-06-01T00:00:00Z',
      'Attributes:',
      '  namespace: shop',
      '  node: node-b',
      '  pod: cart-1',
      '  timestamp: 2025-06-01 00:00:00 +0000 UTC',
      '10.60.0.3 is not assigned',
      'Block: 10.60.0.0/29',
      'Owner of the block: node node-a',
      'Pool: pool-a (10.60.0.0/29)',
      'State: free',
      '192.0.2.1 is not assigned',
      'Block: none',
      'Pool: none, the address is outside of every pool',
      'IP 10.64.0.1 is in use',
      'Block: 10.64.0.0/30',
      'Owner of the block: node node-a',
      'Pool: pool-c (10.64.0.0/12, disabled)',
      'State: held without a handle or an owner',
      'No attributes defined',
      '',
    ]);
  });

  it('show --ip prints the block and the pool in JSON', async () => {
    const { kind, items } = JSON.parse(
      await answer('--ip 10.60.0.2 --ip fd00::3 --ip 10.60.0.7 --ip 192.0.2.1 -o json'),
    );
    expect(kind).toBe('IPAMAddressList');
    const inBlock = { owner: 'host:node-a', poolEnabled: true };
    expect(items).toEqual([
      {
        ...inBlock,
        address: '10.60.0.2',
        allocated: true,
        block: '10.60.0.0/29',
        pool: 'pool-a',
        poolCidr: '10.60.0.0/29',
        handle: 'k8s-pod-network.cart-1',
        node: 'node-b',
        borrowed: true,
        state: 'borrowed',
        heldBy: { kind: 'Pod', namespace: 'shop', name: 'cart-1', node: 'node-b' },
        since: '2025-06-01T00:00:00Z',
        attributes: podIn('cart-1', 'node-b').secondary,
      },
      {
        ...inBlock,
        address: 'fd00::3',
        allocated: true,
        block: 'fd00::/122',
        pool: 'pool-d',
        poolCidr: 'fd00::/64',
        handle: 'k8s-pod-network.six-3',
        node: 'node-a',
        borrowed: false,
        state: 'held',
        heldBy: { kind: 'Pod', namespace: 'shop', name: 'six-3', node: 'node-a' },
        since: '2025-06-01T00:00:00Z',
        attributes: podIn('six-3', 'node-a').secondary,
      },
      {
        ...inBlock,
        address: '10.60.0.7',
        allocated: false,
        block: '10.60.0.0/29',
        pool: 'pool-a',
        poolCidr: '10.60.0.0/29',
        state: 'reserved',
        reservedBy: ['kept'],
      },
      { address: '192.0.2.1', allocated: false, state: 'outside' },
    ]);
  });

  it.each([
    ['10.60.0.7', 'reserved in a block', ['State: free, excluded from automatic', 'Reserved by: IPReservation kept']],
    [
      '10.61.255.7',
      'reserved where no block is yet',
      ['Block: none', 'Pool: pool-b (10.61.0.0/16)', 'State: free, ex'],
    ],
    ['10.61.9.9', 'free where no block is yet', ['Block: none', 'Pool: pool-b (10.61.0.0/16)', 'State: free\n']],
    ['10.60.0.0', 'of a tunnel', ['Held by: node node-a', 'Handle: vxlan-tunnel-addr-node-a']],
    ['10.99.0.0', 'of a service outside of every pool', ['Owner of the block: none', 'Held by: service shop/web']],
    [
      'fd99::1',
      'free in a block outside of every pool',
      ['Owner of the block: node node-b', 'Pool: none', 'State: free'],
    ],
  ])('show --ip %s describes an address that is %s', async (address, _, lines) => {
    const text = await answer(`--ip ${address}`);
    for (const line of lines) expect(text).toContain(line);
  });

  it('show --ip finds the holder of an address that two overlapping blocks contain', async () => {
    const overlapping = [
      pool('p', '10.0.0.0/16'),
      block('10.0.0.0/24', 'host:node-a', []),
      block('10.0.0.64/26', 'host:node-b', [podIn('cart-0', 'node-b')]),
    ];
    const { stdout } = await run('ipam show --ip 10.0.0.64', { objects: overlapping });
    expect(stdout).toContain('IP 10.0.0.64 is in use\n');
    expect(stdout).toContain('Block: 10.0.0.64/26\nOwner of the block: node node-b\nAlso in: 10.0.0.0/24');
    expect(stdout).toContain('Held by: pod shop/cart-0 on node node-b\n');
  });

  it('show --ip takes any spelling of an IPv6 address', async () => {
    expect(await answer('--ip FD00:0:0:0::0003')).toMatch(/^IP fd00::3 is in use\n/);
  });

  it("calicoctl ipam show --ip prints calicoctl's text", async () => {
    expect((await answer('--ip=10.60.0.0', 'calicoctl')).split('\n')).toEqual([
      'IP 10.60.0.0 is in use',
      'Attributes:',
      '  node: node-a',
      '  type: vxlanTunnelAddress',
      '',
    ]);
    expect(await answer('--ip=10.60.0.5', 'calicoctl')).toBe('10.60.0.5 is not assigned\n');
    // It looks in enabled pools only.
    expect(await answer('--ip=10.64.0.0', 'calicoctl')).toBe('10.64.0.0 is not assigned\n');
    expect(await answer('--ip=10.99.0.0', 'calicoctl')).toBe('10.99.0.0 is not assigned\n');
  });

  it('calicoctl ipam show --ip refuses an invalid address', async () => {
    expect(await show('--ip=10.60.0', 'calicoctl')).toMatchObject({
      code: 1,
      stdout: 'Error executing command: invalid IP address specified: 10.60.0\n',
    });
    expect(await show('--ip 10.60.0')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('ipam show --node and --pod', () => {
  it('show --node lists the addresses of a node, borrowed ones too', async () => {
    const csv = await answer('--node node-b -o csv');
    const mail = Array.from({ length: 8 }, (_, n) => {
      const address = formatIp(addressAt(parseCidr('10.61.0.0/29') as NonNullable<ReturnType<typeof parseCidr>>, n));
      return `${address},true,10.61.0.0/29,pool-b,k8s-pod-network.mail-${n},node-b,false,shop,mail-${n},`;
    });
    expect(csv.split('\n')).toEqual([
      'address,allocated,block,pool,handle,node,borrowed,namespace,pod,type',
      '10.60.0.2,true,10.60.0.0/29,pool-a,k8s-pod-network.cart-1,node-b,true,shop,cart-1,',
      ...mail,
      '',
    ]);
  });

  it('show --pod lists the addresses of a pod', async () => {
    const { items } = JSON.parse(await answer('--pod shop/cart-0 -o json'));
    expect(items.map(({ address }: { address: string }) => address)).toEqual(['10.60.0.1']);
  });

  it.each(['--node nosuch', '--pod shop/nosuch', '--map --node nosuch', '--map --pod shop/nosuch'])(
    'ipam show %s fails when the node or pod does not exist',
    async (flags) => {
      const { code, stdout, stderr } = await show(flags);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^calictl: (node|pod) (shop\/)?nosuch does not exist in this datastore.*\nhint: /);
    },
  );

  it.each([
    ['--node idle', 'No addresses are allocated for node idle.\n'],
    ['--pod shop/waiting', 'No addresses are allocated for pod shop/waiting.\n'],
    ['--map --node idle', 'No blocks found for node idle.\n'],
    ['--map --pod shop/waiting', 'No blocks found for pod shop/waiting.\n'],
    ['--map --ip 192.0.2.1', 'No block contains 192.0.2.1: it is outside of every pool.\n'],
    ['--map --ip 10.61.9.9', 'No block contains 10.61.9.9: it is free in pool pool-b.\n'],
    ['--map --pool pool-e', 'No blocks found for pool pool-e.\n'],
  ])('ipam show %s explains on stderr that there is nothing', async (flags, line) => {
    const here: KubeObject[] = [
      ...objects,
      pool('pool-e', '10.9.0.0/16'),
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'idle' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'shop', name: 'waiting' } },
    ];
    for (const terminal of [true, false]) {
      expect(await run(`ipam show ${flags}`, { objects: here, terminal })).toMatchObject({ code: 0, stderr: line });
    }
    const json = await run(`ipam show ${flags} -o json`, { objects: here });
    expect(json).toMatchObject({ code: 0, stderr: line });
    expect(JSON.parse(json.stdout).kind).toMatch(/^IPAMAddress(List|Map)$/);
  });
});

describe('ipam show --show-borrowed', () => {
  const expected = [
    '+-----------+----------------+--------------+-------------+------+--------------+',
    '|    IP     | BORROWING-NODE |    BLOCK     | BLOCK OWNER | TYPE | ALLOCATED-TO |',
    '+-----------+----------------+--------------+-------------+------+--------------+',
    '| 10.60.0.2 | node-b         | 10.60.0.0/29 | node-a      | pod  | shop/cart-1  |',
    '+-----------+----------------+--------------+-------------+------+--------------+',
    '',
    'Note: found 2 IP allocations without an explicit node association. Unable to determine if they are borrowed.',
    '',
  ];

  it('show --show-borrowed lists addresses of nodes that do not own the block', async () => {
    expect((await answer('--show-borrowed')).split('\n')).toEqual(expected);
    expect((await answer('--show-borrowed', 'calicoctl')).split('\n')).toEqual(expected);
  });

  it('show --show-borrowed prints the other formats', async () => {
    const item = {
      address: '10.60.0.2',
      node: 'node-b',
      block: '10.60.0.0/29',
      owner: 'node-a',
      type: 'pod',
      allocatedTo: 'shop/cart-1',
    };
    const document = { kind: 'IPAMBorrowedList', items: [item], withoutNode: 2 };
    expect(JSON.parse(await answer('--show-borrowed -o json'))).toEqual(document);
    expect(parseYaml(await answer('--show-borrowed -o yaml'))).toEqual(document);
    expect(await answer('--show-borrowed -o csv')).toBe(
      'address,node,block,owner,type,allocatedTo\n10.60.0.2,node-b,10.60.0.0/29,node-a,pod,shop/cart-1\n',
    );
  });

  it('show --show-borrowed prints an empty owner for a block without one, and the type of other holders than pods', async () => {
    const loose = [pool('p', '10.0.0.0/24'), block('10.0.0.0/30', undefined, [tunnelOf('node-a')])];
    const { stdout } = await run('ipam show --show-borrowed', { objects: loose });
    expect(stdout.split('\n')[3]).toBe(
      '| 10.0.0.0 | node-a         | 10.0.0.0/30 |             | vxlanTunnelAddress |              |',
    );
    expect(stdout).not.toContain('Note:');
  });
});

describe('ipam show --show-configuration', () => {
  const grid = (strict: string, auto: string, max: string): string[] => [
    '+--------------------+-------+',
    '|      PROPERTY      | VALUE |',
    '+--------------------+-------+',
    `| StrictAffinity     | ${strict} |`,
    `| AutoAllocateBlocks | ${auto} |`,
    `| MaxBlocksPerHost   | ${max} |`,
    '+--------------------+-------+',
    '',
  ];

  it('show --show-configuration prints the defaults where no object exists, and does not create one', async () => {
    const expected = grid('false', 'true ', '    0');
    expect((await answer('--show-configuration')).split('\n')).toEqual(expected);
    expect((await answer('--show-configuration', 'calicoctl')).split('\n')).toEqual(expected);
    expect(readFileSync(file, 'utf8')).not.toContain('IPAMConfig');
  });

  it('show --show-configuration prints the stored settings', async () => {
    const spec = { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 20 };
    const config: KubeObject = { apiVersion: crd, kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
    const { stdout } = await run('ipam show --show-configuration', { objects: [config] });
    expect(stdout.split('\n')).toEqual(grid('true ', 'true ', '   20'));
    const json = await run('ipam show --show-configuration -o json', { objects: [config] });
    expect(JSON.parse(json.stdout)).toEqual({ kind: 'IPAMConfiguration', ...spec });
    const csv = await run('ipam show --show-configuration -o csv', { objects: [config] });
    expect(csv.stdout).toBe(
      'strictAffinity,autoAllocateBlocks,maxBlocksPerHost,kubeVirtVMAddressPersistence\ntrue,true,20,\n',
    );
  });
});

describe('hostile texts in ipam show', () => {
  it('ipam show keeps hostile texts in their cells', async () => {
    const evil = { handle_id: '=cmd()', secondary: { node: 'n,"x"', namespace: 'a', pod: '\u001b[31mred\n' } };
    const hostile = [pool('p', '10.0.0.0/24'), block('10.0.0.0/30', 'host:o', [evil])];
    const table = await run('ipam show --ip 10.0.0.0', { objects: hostile });
    expect(table.stdout).not.toContain('\u001b');
    expect(table.stdout.split('\n')).toHaveLength(11);
    const csv = await run('ipam show --ip 10.0.0.0 -o csv', { objects: hostile });
    expect(csv.stdout).toContain(`,'=cmd(),"n,""x""",true,`);
  });
});
