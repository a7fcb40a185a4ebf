// calictl ipam capacity over folders: what it prints, its exit codes, and that no file is touched.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, blockWith, node, pool } from '../../support/clusters/ipam-state.ts';
import { folderOf, run } from '../../support/program/world.ts';

const config = (spec: object): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMConfig',
  metadata: { name: 'default' },
  spec: { strictAffinity: false, autoAllocateBlocks: true, ...spec },
});

/** A pool of four blocks: host-a owns one with 60 of 64 held; another has no owner, with 10 held; one is reserved. */
const objects: KubeObject[] = [
  ...[pool('pool-a', '10.60.0.0/24', 26), node('host-a', { zone: 'a' })],
  ...[blockWith('10.60.0.0/26', 'host:host-a', ['h', 60]), affinityTo('host-a', '10.60.0.0/26', 'confirmed')],
  blockWith('10.60.0.64/26', undefined, ['g', 10]),
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPReservation',
    metadata: { name: 'r' },
    spec: { reservedCIDRs: ['10.60.0.128/26'] },
  },
];
const folder = folderOf(objects);
const stored = (): [string, number] => {
  const file = join(folder, 'objects.json');
  return [readFileSync(file, 'utf8'), statSync(file).mtimeMs];
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('calictl ipam capacity', () => {
  it('ipam capacity prints pools, what fits, and no node when none is in trouble', async () => {
    const { code, stdout, stderr } = await run('ipam capacity', { folder });
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'POOL     MODE        NODES   FREE   FREE BLOCKS   FREE IN BLOCKS',
      'pool-a   automatic   1       122    1             58',
      '',
      'IPv4',
      '  free addresses  122',
      '                  64 in 1 block that does not exist yet',
      '                  4 in blocks that nodes own',
      '                  54 in other blocks',
      '  more nodes      1, with one block each',
      '  more pods       122 on 1 node (68 without borrowing)',
      '  out of reach    0, which these nodes cannot use',
      '  at block limit  0 of 1 node',
      '  borrowed        0',
      '',
    ]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('ipam capacity prints every node and number when asked', async () => {
    const { stdout } = await run('ipam capacity -o wide', { objects: [...objects, node('host-b', { zone: 'b' })] });
    const rows = stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/));
    expect(rows.slice(0, 9)).toEqual([
      ['POOL', 'CIDR', 'BLOCK SIZE', 'MODE', 'SELECTOR', 'NODES'],
      ['pool-a', '10.60.0.0/24', '26', 'automatic', 'all()', '2'],
      [''],
      [
        'POOL',
        'TOTAL',
        'RESERVED',
        'IN USE',
        'BORROWED',
        'FREE',
        'IN NEW BLOCKS',
        'IN OWNED BLOCKS',
        'IN OTHER BLOCKS',
      ],
      ['pool-a', '256', '64', '70', '0', '122', '64', '4', '54'],
      [''],
      ['POOL', 'BLOCKS', 'EXISTING', 'PARTLY USED', 'FREE BLOCKS'],
      ['pool-a', '4', '2', '2', '1'],
      [''],
    ]);
    const nodes = rows.slice(rows.findIndex(([first]) => first === 'NODE'));
    expect(nodes.slice(0, 4)).toEqual([
      ['NODE', 'FAMILY', 'BLOCKS', 'LIMIT', 'FREE', 'BORROWED', 'LENT', 'POOLS'],
      ['host-a', 'IPv4', '1', '20', '4', '0', '0', 'pool-a'],
      ['host-b', 'IPv4', '0', '20', '0', '0', '0', 'pool-a'],
      [''],
    ]);
  });

  it('ipam capacity prints numbers beyond 2^53 exactly in JSON, and the same in YAML', async () => {
    const six = { objects: [pool('six', 'fd00::/48', 122), node('host-a')] };
    const { stdout } = await run('ipam capacity -o json', six);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      kind: 'IPAMCapacity',
      settings: { strictAffinity: false, autoAllocateBlocks: true, maxBlocksPerHost: 0 },
      families: [{ ipVersion: 6, free: (2n ** 80n).toString(), moreNodes: (2n ** 74n).toString(), morePods: 1280 }],
      pools: [{ name: 'six', blocks: (2n ** 74n).toString(), blocksMade: 0, free: (2n ** 80n).toString() }],
      nodes: [{ name: 'host-a', ipVersion: 6, pools: ['six'], blocks: 0, blockLimit: 20 }],
      problems: [],
    });
    expect(parseYaml((await run('ipam capacity -o yaml', six)).stdout)).toEqual(document);
    expect((await run('ipam capacity', six)).stdout).toContain('1.2089e+24');
  });

  it('ipam capacity exits 3 when a node or a pool has nothing left, and names it', async () => {
    const limited = [...objects, config({ strictAffinity: true, maxBlocksPerHost: 1 })];
    const full = blockWith('10.60.0.0/26', 'host:host-a', ['h', 64]);
    const stuck = limited.map((object) => (object.metadata.name === full.metadata.name ? full : object));
    const { code, stdout } = await run('ipam capacity', { objects: stuck });
    expect(code).toBe(3);
    expect(stdout).toContain('\nnode host-a (IPv4): at its limit of 1 blocks, and they are full\n');
    expect(stdout).toContain('strict affinity: no borrowing');
    const none = await run('ipam capacity', { objects: [node('host-a')] });
    expect(none).toMatchObject({ code: 3, stdout: 'no enabled pool assigns pod addresses automatically\n' });
  });

  it('ipam capacity escapes control characters in names', async () => {
    const evil = { objects: [pool('evil\u001b[31m', '10.0.0.0/30', 26), node('host\u001b[2J')] };
    const { stdout } = await run('ipam capacity -o wide', evil);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^evil\\e\[31m +10\.0\.0\.0\/30 /m);
    expect(stdout).toMatch(/^host\\e\[2J +IPv4 /m);
  });
});

describe('ipam capacity --simulate', () => {
  it('--simulate places pods with the allocator and writes nothing', async () => {
    const before = stored();
    const { code, stdout } = await run('ipam capacity --simulate nodes=2,pods-per-node=70', { folder });
    // The first node creates the block that is left. The second borrows there, which is where its sequence begins: 32
    // each, and then both borrow the 4 of host-a and the 54 in the block without an owner.
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'IPv4: 2 more nodes with 70 pods each',
      '  placed      122 of 140 pods, 90 with borrowed addresses',
      '  blocks      1 new',
      '  breaks at   pod 62 of new-node-1, after 122 were placed',
      '  because     No IPs available in pools: [10.60.0.0/24]',
      '  incomplete  2 of 2 nodes could not place all pods',
      '',
      'The same simulation after recreating the pools at each block size and reassigning the current addresses:',
      'BLOCK SIZE   REASSIGNED   PLACED   BORROWED   BLOCKS   BREAKS AT',
      // Of 256 less 64 reserved, host-a has 60 again (not the 10 in the block without an owner); 132 are left. With /26
      // and /27 the new nodes make all blocks that are left and borrow the 4 of host-a. With /25 only one is left, half
      // of it reserved: the first node has its 64 there and borrows 2, the second borrows 66.
      '/26 (now)    60           132      4          2        new-node-1 pod 67',
      '/25          60           132      68         1        new-node-1 pod 67',
      '/27          60           132      4          4        new-node-1 pod 67',
      '',
    ]);
    expect(code).toBe(3);
    expect(stored()).toEqual(before);
  });

  it('--simulate counts the tunnel addresses of new nodes', async () => {
    const plain = pool('pool-a', '10.60.0.0/24', 26);
    const ipip = { ...plain, spec: { ...Object(plain.spec), ipipMode: 'Always' } };
    const { stdout } = await run('ipam capacity --simulate nodes=2,pods-per-node=1', { objects: [ipip] });
    expect(stdout).toContain(
      'IPv4: 2 more nodes with 1 pod each\n  placed      2 of 2 pods, 0 with borrowed addresses\n',
    );
    expect(stdout).toContain('\n  tunnels     2 addresses\n');
  });

  it('--simulate prints the whole result as JSON, with the labels of the new nodes', async () => {
    const line = 'ipam capacity --simulate nodes=1,pods-per-node=5,pool=10.60.0.0/24,block-size=28 -o json';
    const { code, stdout } = await run(line, { folder });
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ kind: 'IPAMCapacitySimulation', nodes: 1, podsPerNode: 5, labels: { zone: 'a' } });
    expect(document.families).toMatchObject([
      {
        ipVersion: 4,
        run: { requested: 5, placed: 5, borrowed: 0, tunnelAddresses: 0, blocksMade: 1, nodesShort: 0 },
        blockSizes: [
          { blockSizes: { 'pool-a': 26 }, current: true, placed: 5 },
          { blockSizes: { 'pool-a': 28 }, current: false, placed: 5, assignedAgain: 60 },
        ],
      },
    ]);
    expect((await run(line, { folder })).stdout).toBe(stdout);
    const labelled = await run(`${line} --node-label zone=b --node-label x=`, { folder });
    expect(JSON.parse(labelled.stdout).labels).toEqual({ zone: 'b', x: '' });
  });

  it('--simulate places both families where both have pools', async () => {
    const both = [...objects, pool('six', 'fd00::/64', 122)];
    const { stdout } = await run('ipam capacity --simulate nodes=1,pods-per-node=2 -o json', { objects: both });
    expect(JSON.parse(stdout).families.map(({ ipVersion }: { ipVersion: number }) => ipVersion)).toEqual([4, 6]);
    const one = await run('ipam capacity --simulate nodes=1,pods-per-node=2,block-size=123 -o json', { objects: both });
    expect(JSON.parse(one.stdout).families).toMatchObject([{ ipVersion: 6 }]);
  });

  it.each([
    ['nodes=2', '--simulate requires pods-per-node='],
    ['nodes=2,pods-per-node=0', 'invalid number for --simulate: pods-per-node=0'],
    ['nodes=2001,pods-per-node=1', 'invalid number for --simulate: nodes=2001'],
    ['nodes=1000,pods-per-node=221', 'too many pods for --simulate: 1000 nodes of 221 pods'],
    ['nodes=2,nodes=3,pods-per-node=1', 'invalid value for --simulate: nodes=3'],
    ['nodes=1,pods-per-node=1,racks=1', 'invalid value for --simulate: racks=1'],
    ['nodes=1,pods-per-node=1,block-size=40', 'invalid block size for --simulate: 40'],
    ['nodes=1,pods-per-node=1,block-size=122', 'no pool of these pods can have blocks of /122'],
    ['nodes=1e2,pods-per-node=1', 'invalid number for --simulate: nodes=1e2'],
  ])('ipam capacity refuses %s', async (value, message) => {
    const { code, stdout, stderr } = await run(['ipam', 'capacity', '--simulate', value], { folder });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('ipam capacity names an unknown pool and refuses a label without a value', async () => {
    const { code, stderr } = await run('ipam capacity --simulate nodes=1,pods-per-node=1,pool=no', { folder });
    expect(code).toBe(1);
    expect(stderr).toContain('pool no does not exist');
    expect((await run('ipam capacity --node-label zone', { folder })).code).toBe(2);
  });
});

describe('pools for namespaces', () => {
  const shop: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels: { team: 'shop' } },
  };
  const pools = pool('pool-shop', '10.60.0.0/28', 29);
  const selecting = { ...pools, spec: { ...(pools.spec as object), namespaceSelector: "team == 'shop'" } };
  const place = folderOf([selecting, node('host-a'), shop]);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('without a namespace, ipam capacity says which namespaces a pool is for', async () => {
    const { code, stdout } = await run('ipam capacity', { folder: place });
    expect(code).toBe(3);
    expect(stdout).toContain("pool pool-shop is for namespaces with team == 'shop'");
  });

  it('with a namespace, ipam capacity counts its pools and simulates its pods', async () => {
    const counted = await run('ipam capacity --namespace shop -o json', { folder: place });
    expect(counted.code).toBe(0);
    expect(JSON.parse(counted.stdout).families).toMatchObject([{ pools: ['pool-shop'], morePods: 16 }]);
    const placed = await run('ipam capacity -n shop --simulate nodes=1,pods-per-node=5 -o json', { folder: place });
    expect(JSON.parse(placed.stdout).families).toMatchObject([{ run: { placed: 5 } }]);
  });
});
