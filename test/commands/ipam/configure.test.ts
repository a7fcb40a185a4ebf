// calictl ipam configure and ipam configure show over a folder, and over a store where others write at the same time.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inputOf } from '../../../src/cli/input.ts';
import type { Context } from '../../../src/commands/command.ts';
import { type ConfigureInput, ipamConfigure } from '../../../src/commands/ipam/configure/command.ts';
import { run as change } from '../../../src/commands/ipam/configure/run.ts';
import { MemoryDatastore, type MemoryFault } from '../../../src/datastore/memory.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { type Ran, run } from '../../support/program/world.ts';

const apiVersion = 'crd.projectcalico.org/v1';
const config = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion,
  kind: 'IPAMConfig',
  metadata: { name: 'default', ...metadata },
  spec: { strictAffinity: false, autoAllocateBlocks: true, ...spec },
});
/** Two addresses of node-a's block, the second one held by node-b. */
const borrowed: KubeObject = {
  apiVersion,
  kind: 'IPAMBlock',
  metadata: { name: '10-0-0-0-30' },
  spec: {
    cidr: '10.0.0.0/30',
    affinity: 'host:node-a',
    strictAffinity: false,
    deleted: false,
    allocations: [0, 1, null, null],
    unallocated: [2, 3],
    attributes: [
      { handle_id: 'h', secondary: { node: 'node-a' } },
      { handle_id: 'i', secondary: { node: 'node-b' } },
    ],
  },
};

let folder = '';
const file = () => join(folder, 'objects.json');
const put = (...items: KubeObject[]): void =>
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
const configure = (flags: string, programName = 'calictl'): Promise<Ran> =>
  run(`ipam configure ${flags}`, { folder, programName });
const stored = async (): Promise<KubeObject | undefined> => {
  const { code, stdout } = await run('get ipamconfig default -o json', { folder });
  return code === 0 ? (JSON.parse(stdout) as KubeObject) : undefined;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-configure-'));
  put(borrowed);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a change by ipam configure', () => {
  it('ipam configure changes one setting and leaves the others, and unknown fields, as they are', async () => {
    put(config({ maxBlocksPerHost: 3, strictAffinity: true, ipCooldownSeconds: 30 }, { labels: { a: 'b' } }));
    expect(await configure('--max-blocks-per-host 5')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'Set MaxBlocksPerHost: 3 -> 5\n',
    });
    expect(await stored()).toMatchObject({
      metadata: { labels: { a: 'b' } },
      spec: { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 5, ipCooldownSeconds: 30 },
    });
  });

  it('ipam configure --max-blocks-per-host 0 removes the limit', async () => {
    put(config({ maxBlocksPerHost: 3, strictAffinity: true }));
    expect((await configure('--max-blocks-per-host 0 --strictaffinity=f')).stdout).toBe(
      'Set StrictAffinity: true -> false\nSet MaxBlocksPerHost: 3 -> 0\n',
    );
    expect((await stored())?.spec).toEqual({ strictAffinity: false, autoAllocateBlocks: true });
  });

  it('ipam configure without a stored object creates one with defaults for the rest', async () => {
    const done = await configure('--strictaffinity true --force');
    expect(done.stdout).toBe('Set StrictAffinity: false -> true\nCreated the IPAMConfig object\n');
    expect(await stored()).toMatchObject({
      apiVersion,
      kind: 'IPAMConfig',
      metadata: { name: 'default', annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' } },
      spec: { strictAffinity: true, autoAllocateBlocks: true },
    });
  });

  it('ipam configure --kubevirt-ip-persistence sets whether VMs keep their addresses, and says what it was', async () => {
    expect((await configure('--kubevirt-ip-persistence Disabled')).stdout).toBe(
      'Set KubeVirtVMAddressPersistence: not set -> Disabled\nCreated the IPAMConfig object\n',
    );
    expect((await stored())?.spec).toEqual({
      strictAffinity: false,
      autoAllocateBlocks: true,
      kubeVirtVMAddressPersistence: 'Disabled',
    });
    expect((await configure('--max-blocks-per-host 3 --strictaffinity t --force')).code).toBe(0);
    expect((await stored())?.spec).toMatchObject({ kubeVirtVMAddressPersistence: 'Disabled', maxBlocksPerHost: 3 });
    const shown = await run('ipam show --show-configuration', { folder });
    expect(shown.stdout).toContain('| KubeVirtVMAddressPersistence | Disabled |');
  });

  it('ipam configure --kubevirt-ip-persistence takes the two words of Calico only', async () => {
    expect(await configure('--kubevirt-ip-persistence true')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use one of Enabled, Disabled.'),
    });
  });

  it('ipam configure writes nothing when nothing changes', async () => {
    put(config({}));
    const before = readFileSync(file(), 'utf8');
    expect(await configure('--strictaffinity false --auto-allocate-blocks T --max-blocks-per-host 0')).toMatchObject({
      code: 0,
      stdout: 'Nothing to change: the configuration already has these settings.\n',
    });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('ipam configure does not judge a change that changes nothing, and creates no object for it', async () => {
    const before = readFileSync(file(), 'utf8');
    expect(await configure('--auto-allocate-blocks true -o json')).toMatchObject({ code: 0 });
    expect(await stored()).toBeUndefined();
    expect(readFileSync(file(), 'utf8')).toBe(before);
    // Calico would not take it; it is there all the same.
    put(config({ autoAllocateBlocks: false }));
    expect(await configure('--strictaffinity false')).toMatchObject({ code: 0 });
    expect(await configure('--strictaffinity=false', 'calicoctl')).toMatchObject({ code: 0 });
    expect(await configure('--strictaffinity true')).toMatchObject({ code: 0 });
  });

  it('ipam configure --dry-run -o json shows the change and writes nothing', async () => {
    put(config({ strictAffinity: true }));
    const before = readFileSync(file(), 'utf8');
    expect((await configure('--auto-allocate-blocks false --dry-run')).stdout).toBe(
      'would set AutoAllocateBlocks: true -> false\n',
    );
    const document = JSON.parse((await configure('--auto-allocate-blocks false --dry-run -o json')).stdout);
    expect(document).toEqual({
      kind: 'IPAMConfigurationChange',
      dryRun: true,
      created: false,
      changed: ['autoAllocateBlocks'],
      before: { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 0 },
      after: { strictAffinity: true, autoAllocateBlocks: false, maxBlocksPerHost: 0 },
    });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });
});

it.each([
  ['', 'nothing to configure'],
  ['--strictaffinity maybe', 'invalid value for --strictaffinity: maybe'],
  ['--auto-allocate-blocks=', '--auto-allocate-blocks is empty'],
  ['--max-blocks-per-host x', 'invalid number for --max-blocks-per-host: x'],
  ['--max-blocks-per-host=-1', 'invalid number for --max-blocks-per-host: -1'],
  ['--max-blocks-per-host 2147483648', 'invalid number for --max-blocks-per-host: 2147483648'],
  ['--max-blocks-per-host 2', 'MaxBlocksPerHost requires StrictAffinity to be enabled (IPAM_CONFIG_INVALID)'],
  [
    '--auto-allocate-blocks false',
    "Cannot disable 'StrictAffinity' and 'AutoAllocateBlocks' at the same time (IPAM_CONFIG_INVALID)",
  ],
  ['--strictaffinity true extra', 'too many arguments'],
  ['--strictaffinity true show', "--strictaffinity comes before 'show' but is a flag of ipam configure"],
])('ipam configure %j is refused before anything is written', async (flags, says) => {
  put(config({}));
  const before = readFileSync(file(), 'utf8');
  const { code, stdout, stderr } = await configure(flags);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`calictl: ${says}`);
  expect(stderr).toContain('\nhint: ');
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

describe('strict affinity with an address borrowed', () => {
  it('strict affinity is refused while addresses are borrowed, with their number and where to see them', async () => {
    const before = readFileSync(file(), 'utf8');
    for (const dryRun of ['', ' --dry-run']) {
      expect(await configure(`--strictaffinity true${dryRun}`)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(
          /^calictl: 1 address is borrowed.*\(ADDRESSES_BORROWED\)\nhint: calictl ipam show --show-borrowed /,
        ),
      });
    }
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it.each([
    ['--strictaffinity true --force', 'calictl'],
    ['--strictaffinity=true', 'calicoctl'],
  ])('strict affinity is switched on with %s by %s', async (flags, programName) => {
    put(borrowed, config({}));
    expect(await configure(flags, programName)).toMatchObject({ code: 0 });
    expect((await stored())?.spec).toMatchObject({ strictAffinity: true });
  });

  it('other settings may be changed while strict affinity is already on', async () => {
    put(borrowed, config({ strictAffinity: true }));
    expect(await configure('--strictaffinity true --max-blocks-per-host 2')).toMatchObject({ code: 0 });
  });
});

describe('ipam configure next to another writer', () => {
  /** Runs the command on this store. */
  async function on(store: MemoryDatastore, flags: Readonly<Record<string, string>>): Promise<unknown> {
    const { world } = await run('version --client');
    const none = async (): Promise<void> => undefined;
    const ctx: Context = {
      world,
      version: { calictl: '0', calico: 'v3.31.4', commit: '0' },
      datastore: async () => store,
      nodeExec: () => Promise.reject(new Error('not expected')),
      settings: () => Promise.reject(new Error('not expected')),
      note: none,
      progress: none,
      confirm: async () => false,
    };
    const given = new Map(Object.entries(flags).map(([key, text]) => [key, [text]]));
    return change(ctx, (await inputOf(ipamConfigure, given)) as ConfigureInput);
  }
  const specs = (store: MemoryDatastore): unknown[] => store.dump().map(({ spec }) => spec);

  it('ipam configure decides again on what is stored after a conflict', async () => {
    let met = 0;
    const store = new MemoryDatastore([config({ strictAffinity: true, maxBlocksPerHost: 1 })], {
      faults: ({ nthWrite }): MemoryFault | undefined => {
        if (nthWrite < 1 || nthWrite > 3) return undefined;
        met += 1;
        return 'conflict';
      },
    });
    await on(store, { maxBlocksPerHost: '7' });
    expect(met).toBe(3);
    expect(specs(store)).toEqual([{ strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 7 }]);
    expect(store.calls.filter(({ op }) => op === 'get')).toHaveLength(4);
  });

  it('two runs of ipam configure that find no object both succeed', async () => {
    const store = new MemoryDatastore([]);
    await Promise.all([
      on(store, { strictaffinity: 'true' }),
      on(store, { strictaffinity: 'true', maxBlocksPerHost: '4' }),
    ]);
    expect(specs(store)).toEqual([{ strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 4 }]);
    expect(store.calls.filter(({ op }) => op === 'create').length).toBe(2);
  });

  it('ipam configure fails when the answer to a write is lost, instead of writing again', async () => {
    const store = new MemoryDatastore([config({})], {
      faults: ({ nthWrite }) => (nthWrite === 1 ? 'timeout-after' : undefined),
    });
    await expect(on(store, { strictaffinity: 'true' })).rejects.toMatchObject({ reason: 'unavailable' });
    expect(store.writes).toBe(1);
  });
});

describe('ipam configure show', () => {
  const grid = (strict: string, auto: string, max: string): string =>
    [
      '+--------------------+-------+',
      '|      PROPERTY      | VALUE |',
      '+--------------------+-------+',
      `| StrictAffinity     | ${strict} |`,
      `| AutoAllocateBlocks | ${auto} |`,
      `| MaxBlocksPerHost   | ${max} |`,
      '+--------------------+-------+',
      '',
    ].join('\n');

  it('ipam configure show prints the defaults, reports that nothing is stored, and writes nothing', async () => {
    const before = readFileSync(file(), 'utf8');
    expect(await configure('show')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${grid('false', 'true ', '    0')}No IPAMConfig object found: these are the defaults.\n`,
    });
    expect(JSON.parse((await configure('show -o json')).stdout)).toEqual({
      kind: 'IPAMConfiguration',
      stored: false,
      strictAffinity: false,
      autoAllocateBlocks: true,
      maxBlocksPerHost: 0,
    });
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('ipam configure show prints what is stored, as ipam show --show-configuration does', async () => {
    put(config({ strictAffinity: true, maxBlocksPerHost: 20 }));
    const { stdout } = await configure('show');
    expect(stdout).toBe(grid('true ', 'true ', '   20'));
    expect((await run('ipam show --show-configuration', { folder })).stdout).toBe(stdout);
    expect((await configure('show -o yaml')).stdout).toBe(
      'autoAllocateBlocks: true\nkind: IPAMConfiguration\nmaxBlocksPerHost: 20\nstored: true\nstrictAffinity: true\n',
    );
  });

  it('calicoctl has no ipam configure show', async () => {
    const { code, stdout, stderr } = await configure('show', 'calicoctl');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Usage:\n {2}calicoctl ipam configure --strictaffinity=<true\/false> /);
  });
});

describe('calicoctl ipam configure', () => {
  it('calicoctl ipam configure prints its lines, changed or not, and creates the defaults first', async () => {
    expect(await configure('--strictaffinity=false --max-blocks-per-host=4', 'calicoctl')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: MaxBlocksPerHost requires StrictAffinity to be enabled\n',
    });
    expect((await stored())?.spec).toEqual({ strictAffinity: false, autoAllocateBlocks: true });
    const set = 'Successfully set StrictAffinity to: true\nSuccessfully set MaxBlocksPerHost to: 4\n';
    for (let time = 1; time <= 2; time += 1) {
      expect(await configure('--strictaffinity=1 --max-blocks-per-host=+4', 'calicoctl')).toMatchObject({
        code: 0,
        stdout: set,
        stderr: '',
      });
    }
  });

  it('calicoctl ipam configure keeps unknown fields', async () => {
    put(config({ ipCooldownSeconds: 30 }, { labels: { a: 'b' } }));
    expect(await configure('--strictaffinity=true', 'calicoctl')).toMatchObject({ code: 0 });
    expect(await stored()).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { ipCooldownSeconds: 30 } });
  });

  it.each([
    ['--strictaffinity=yes', 'invalid value. Use true or false to set strictaffinity\n'],
    ['--strictaffinity=true --max-blocks-per-host=x', 'invalid value for maxblockhost. Use a valid number\n'],
    [
      '--strictaffinity=true --max-blocks-per-host=-3',
      'error: IPAMConfig.crd.projectcalico.org "default" is invalid: spec.maxBlocksPerHost: Invalid value: -3: spec.maxBlocksPerHost in body should be greater than or equal to 0\n',
    ],
  ])('calicoctl ipam configure %s', async (flags, stderr) => {
    expect(await configure(flags, 'calicoctl')).toMatchObject({ code: 1, stdout: '', stderr });
  });
});
