// calictl ipam split over a folder: what it prints, what it refuses before it writes, calicoctl's sentences.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { node, pool } from '../../support/clusters/ipam-state.ts';
import { type Ran, type RunOptions, run } from '../../support/program/world.ts';

const information = (datastoreReady: boolean): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'ClusterInformation',
  metadata: { name: 'default' },
  spec: { calicoVersion: 'v3.31.4', datastoreReady },
});
const common = [node('node-a'), pool('pool-1', '10.60.0.0/24', 26), pool('pool-2', '10.61.0.0/16', 26)];

let folder = '';
const file = () => join(folder, 'objects.json');
const put = (...items: KubeObject[]): void =>
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
const split = (line: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam split ${line}`, { folder, ...options });
const asCalicoctl = { programName: 'calicoctl' };
async function pools(): Promise<string[]> {
  const { stdout } = await run('get ippools -o json', { folder });
  const { items } = JSON.parse(stdout) as { items: (KubeObject & { spec: { cidr: string; disabled?: boolean } })[] };
  return items.map(({ metadata, spec }) => `${metadata.name} ${spec.cidr}${spec.disabled ? ' disabled' : ''}`);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-split-'));
  put(information(false), ...common);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('ipam split', () => {
  it('ipam split replaces the pool and keeps its addresses', async () => {
    const assigned = await run('ipam assign --node node-a --count 3 --handle h --pool pool-1 -o json', { folder });
    const { addresses } = JSON.parse(assigned.stdout) as { addresses: { address: string; block: string }[] };
    const [first] = addresses;
    const upper = Number(first?.block.split(/[./]/)[3]) >= 128;
    const done = await split('2 --name pool-1');
    expect(done).toMatchObject({
      code: 0,
      stdout: [
        'Disabled pool-1 (10.60.0.0/24)',
        `Created split-pool-1-0 (10.60.0.0/25, ${upper ? '0 blocks' : '1 block'})`,
        `Created split-pool-1-1 (10.60.0.128/25, ${upper ? '1 block' : '0 blocks'})`,
        'Deleted pool-1\n',
      ].join('\n'),
    });
    expect(done.stderr).toMatch(/^unlock the datastore .*\n$/);
    expect(await pools()).toEqual([
      'pool-2 10.61.0.0/16',
      'split-pool-1-0 10.60.0.0/25',
      'split-pool-1-1 10.60.0.128/25',
    ]);
    for (const { address } of addresses) {
      const shown = await run(`ipam show --ip ${address} -o json`, { folder });
      expect(JSON.parse(shown.stdout).items).toMatchObject([
        { allocated: true, handle: 'h', pool: upper ? 'split-pool-1-1' : 'split-pool-1-0' },
      ]);
    }
    const check = await run('ipam check -o json', { folder });
    // Held by hand, and nothing else is to be said of the blocks.
    const { findings } = JSON.parse(check.stdout) as { findings: { id: string }[] };
    expect(findings.map(({ id }) => id)).toEqual(['INV-53', 'INV-53', 'INV-53']);
    expect(await run('ipam release --handle h --yes', { folder })).toMatchObject({ code: 0 });
  });

  it('ipam split takes any spelling of the CIDR and prints JSON', async () => {
    const { code, stdout } = await split('4 --cidr 10.60.0.9/24 -o json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'IPPoolSplit',
      outcome: 'split',
      pool: 'pool-1',
      cidr: '10.60.0.0/24',
      parts: ['10.60.0.0/26', '10.60.0.64/26', '10.60.0.128/26', '10.60.0.192/26'].map((cidr, index) => ({
        name: `split-pool-1-${index}`,
        cidr,
        existed: false,
        blocks: 0,
      })),
    });
  });

  it('ipam split --dry-run works without a lock', async () => {
    put(information(true), ...common);
    const before = readFileSync(file(), 'utf8');
    expect(await split('2 --name pool-1 --dry-run')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'would disable pool-1 (10.60.0.0/24)',
        'would create split-pool-1-0 (10.60.0.0/25, 0 blocks)',
        'would create split-pool-1-1 (10.60.0.128/25, 0 blocks)',
        'would delete pool-1\n',
      ].join('\n'),
    });
    expect(JSON.parse((await split('2 --name pool-1 --dry-run -o json')).stdout)).toMatchObject({ outcome: 'planned' });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('ipam split run again after it finished succeeds', async () => {
    expect(await split('2 --name pool-1')).toMatchObject({ code: 0 });
    const before = readFileSync(file(), 'utf8');
    for (const which of ['--name pool-1', '--cidr 10.60.0.0/24']) {
      expect(await split(`2 ${which}`)).toMatchObject({
        code: 0,
        stderr: '',
        stdout:
          'Pool pool-1 is already split: nothing to do.\n  split-pool-1-0 10.60.0.0/25\n  split-pool-1-1 10.60.0.128/25\n',
      });
    }
    expect(JSON.parse((await split('2 --name pool-1 -o json')).stdout)).toMatchObject({ outcome: 'already-split' });
    expect(await split('4 --name pool-1')).toMatchObject({ code: 1 });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('ipam split asks for confirmation on a terminal, once the plan is known', async () => {
    const before = readFileSync(file(), 'utf8');
    const no = await split('2 --name pool-1', { terminal: true, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 4, stdout: '' });
    expect(no.stderr).toContain('  would create split-pool-1-1 (10.60.0.128/25, 0 blocks)\n');
    expect(no.stderr).toContain('Split pool-1 into 2 pools? [y/N] ');
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(await split('2 --name pool-1', { terminal: true, stdin: 'y\n' })).toMatchObject({ code: 0 });
    expect(await split('2 --name pool-2 --yes', { terminal: true })).toMatchObject({ code: 0 });
  });
});

const inTheWay = pool('split-pool-1-1', '10.99.0.0/24', 26);
const across = (name: string, cidr: string): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMBlock',
  metadata: { name },
  spec: { cidr, allocations: [], unallocated: [], attributes: [], strictAffinity: false, deleted: false },
});

it.each([
  ['0 --name pool-1', [], 2, 'invalid number of parts for NUMBER: 0'],
  ['1 --name pool-1', [], 2, 'invalid number of parts for NUMBER: 1'],
  ['3 --name pool-1', [], 2, 'invalid number of parts for NUMBER: 3'],
  ['+2 --name pool-1', [], 2, 'invalid number of parts for NUMBER: +2'],
  ['2x --name pool-1', [], 2, 'invalid number of parts for NUMBER: 2x'],
  ['2', [], 2, 'no pool given'],
  ['2 --name=', [], 2, '--name is empty'],
  ['2 --name pool-1 --cidr 10.60.0.0/24', [], 2, '--name and --cidr cannot be used together'],
  ['8 --name pool-1', [], 2, 'the parts would be smaller (10.60.0.0/27) than a block (/26) (POOL_TOO_SMALL)'],
  ['512 --name pool-1', [], 2, '10.60.0.0/24 is not large enough to be split into 512 (POOL_TOO_SMALL)'],
  ['2 --name pool-3', [], 1, 'pool pool-3 does not exist (NO_POOL)'],
  ['2 --cidr 10.60.0.0/25', [], 1, 'no pool has the CIDR 10.60.0.0/25 (NO_POOL)'],
  [
    '2 --name pool-1',
    [inTheWay],
    4,
    'the pool split-pool-1-1 exists and is not what the split would make (POOL_EXISTS)',
  ],
  [
    '2 --name pool-1',
    [pool('other', '10.60.0.192/26', 26)],
    4,
    '10.60.0.128/25 overlaps with the pool other (10.60.0.192/26) (POOL_OVERLAP)',
  ],
  [
    '2 --name pool-1',
    [across('10-60-0-0-24', '10.60.0.0/24')],
    4,
    'the block 10.60.0.0/24 would be in no part of pool-1 as a whole (BLOCK_ACROSS)',
  ],
])('ipam split %s is refused before anything is written', async (line, more, exit, says) => {
  put(information(false), ...common, ...more);
  const before = readFileSync(file(), 'utf8');
  const { code, stdout, stderr } = await split(line);
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr).toContain(`calictl: ${says}\nhint: `);
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

it.each([
  ['is not locked', [information(true)]],
  ['has no ClusterInformation', []],
])('ipam split is refused for a datastore that %s, with how to lock it', async (_, items) => {
  put(...items, ...common);
  const before = readFileSync(file(), 'utf8');
  const { code, stderr } = await split('2 --name pool-1');
  expect(code).toBe(4);
  expect(stderr).toContain(
    '(DATASTORE_UNLOCKED)\nhint: Lock it with calicoctl datastore migrate lock, or kubectl patch ',
  );
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

describe('calicoctl ipam split', () => {
  it("calicoctl ipam split prints calicoctl's sentences, with its line ends", async () => {
    expect(await split('4 --name=pool-1', asCalicoctl)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'IP Pool pool-1 was successfully split into 4 smaller pools.Created split-pool-1-0 with CIDR 10.60.0.0/26.',
        'Created split-pool-1-1 with CIDR 10.60.0.64/26.',
        'Created split-pool-1-2 with CIDR 10.60.0.128/26.',
        'Created split-pool-1-3 with CIDR 10.60.0.192/26.',
        'Please refer to the documentation for final steps.',
      ].join('\n'),
    });
  });

  it.each([
    ['2', [], 'no name or CIDR provided. Provide a name or CIDR to denote the IP pool to split'],
    ['2 --cidr=10.60.0.9/24', [], 'unable to find IP pool  covering the specified CIDR 10.60.0.9/24'],
    [
      '2 --name=pool-3',
      [],
      'unable to find IP pool with name pool-3: resource does not exist: IPPool(pool-3) with error: ippools.crd.projectcalico.org "pool-3" not found',
    ],
    [
      '2x --name=pool-1',
      [],
      'error reading number to split IP pools into. 2x is not a valid number: strconv.Atoi: parsing "2x": invalid syntax',
    ],
    [
      '0 --name=pool-1',
      [],
      'error splitting the CIDR 10.60.0.0/24 into 0 CIDRs: number to split CIDR into is not a valid power of 2: 0',
    ],
    [
      '512 --name=pool-1',
      [],
      'error splitting the CIDR 10.60.0.0/24 into 512 CIDRs: the CIDR 10.60.0.0/24 is not large enough to be split into 512 parts',
    ],
    [
      '2 --name=pool-1',
      [inTheWay],
      'error using unsafe create to make split pool with cidr 10.60.0.128/25: resource already exists: IPPool(split-pool-1-1)',
    ],
    [
      '2 --name=pool-1',
      [across('10-60-0-0-24', '10.60.0.0/24')],
      'the block 10.60.0.0/24 would be in no part of pool-1 as a whole',
    ],
  ])('calicoctl ipam split %s writes nothing', async (line, more, stderr) => {
    put(information(false), ...common, ...more);
    const before = readFileSync(file(), 'utf8');
    expect(await split(line, asCalicoctl)).toMatchObject({ code: 1, stdout: '', stderr: `${stderr}\n` });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('calicoctl ipam split requires the lock before it looks for the pool', async () => {
    put(information(true), ...common);
    expect(await split('x --name=pool-3', asCalicoctl)).toMatchObject({
      code: 1,
      stderr:
        'datastore is not locked. Run the `calicoctl datastore migrate lock` command in order split the IP pools\n',
    });
  });
});
