// calictl ipam affinity release over a folder: what goes, what stays with its addresses, questions, exit codes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../../src/text/json.ts';
import { affinityTo, blockWith, handleWith, node, pool } from '../../../support/clusters/ipam-state.ts';
import { type Ran, type RunOptions, run } from '../../../support/program/world.ts';

let folder = '';
const file = () => join(folder, 'objects.json');
const text = (): string => readFileSync(file(), 'utf8');
const release = (flags: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam affinity release ${flags}`, { folder, ...options });

const [first, second, third] = ['10.60.0.0/29', '10.60.0.8/29', '10.60.0.16/29'] as const;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-affinity-'));
  // node-a has an empty block and one with two addresses; node-b has an empty one.
  const items = [
    ...[node('node-a'), node('node-b'), pool('pool-1', '10.60.0.0/27', 29)],
    ...[blockWith(first, 'host:node-a'), affinityTo('node-a', first, 'confirmed')],
    ...[blockWith(second, 'host:node-a', ['x', 2]), affinityTo('node-a', second, 'confirmed')],
    ...[handleWith('x', { [second]: 2 })],
    ...[blockWith(third, 'host:node-b'), affinityTo('node-b', third, 'confirmed')],
  ];
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const named = (kind: string): string[] =>
  (parseJson(text()) as unknown as { items: KubeObject[] }).items
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => metadata.name)
    .sort();

async function unchanged(flags: string, options?: RunOptions): Promise<Ran> {
  const before = text();
  const ran = await release(flags, options);
  expect(text()).toBe(before);
  return ran;
}

describe('affinity release of an empty block', () => {
  it('affinity release deletes an empty block with its claim', async () => {
    expect(await release(first)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'Successfully released 10.60.0.0/29\n',
    });
    expect(named('IPAMBlock')).toEqual(['10-60-0-16-29', '10-60-0-8-29']);
    expect(named('BlockAffinity')).toEqual(['node-a-10-60-0-8-29', 'node-b-10-60-0-16-29']);
    expect(await unchanged(first)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no block affinities found in 10.60.0.0/29 (NO_AFFINITY)'),
    });
  });
});

describe('affinity release of a block with addresses', () => {
  it('affinity release refuses a block with addresses when it is the only one', async () => {
    const { code, stdout, stderr } = await unchanged(second);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain("block '10.60.0.8/29' is not empty; nothing was released (BLOCK_NOT_EMPTY)");
    expect(stderr).toContain('--keep-addresses');
    expect(await unchanged(`${second} --dry-run`)).toMatchObject({ code: 4 });
  });

  it('affinity release keeps a block with addresses and releases the others', async () => {
    expect(await release('--node node-a')).toMatchObject({
      code: 5,
      stdout: 'Successfully released 10.60.0.0/29\n10.60.0.8/29 stays with node-a: it holds 2 addresses\n',
    });
    expect(named('IPAMBlock')).toEqual(['10-60-0-16-29', '10-60-0-8-29']);
  });

  it('affinity release --keep-addresses removes the owner and keeps the addresses', async () => {
    expect(await release(`${second} --keep-addresses`)).toMatchObject({
      code: 0,
      stderr: 'warning: node node-a exists; the addresses it holds in these blocks will count as borrowed\n',
    });
    expect(named('BlockAffinity')).toEqual(['node-a-10-60-0-0-29', 'node-b-10-60-0-16-29']);
    const shown = await run('ipam show --show-blocks -o json', { folder });
    const [{ blocks }] = (JSON.parse(shown.stdout) as { pools: [{ blocks: { cidr: string; inUse: number }[] }] }).pools;
    const block = blocks.find(({ cidr }) => cidr === second);
    expect(block).toMatchObject({ inUse: 2 });
    expect(block).not.toHaveProperty('affinity');
    // Its last address takes the block with it.
    expect(await run('ipam release --handle x', { folder })).toMatchObject({ code: 0 });
    expect(named('IPAMBlock')).toEqual(['10-60-0-0-29', '10-60-0-16-29']);
  });
});

it('affinity release by range takes the blocks of all nodes, with --node those of one', async () => {
  expect(await release('10.60.0.0/27 --node node-b')).toMatchObject({ code: 0 });
  expect(named('BlockAffinity')).toEqual(['node-a-10-60-0-0-29', 'node-a-10-60-0-8-29']);
  expect(await release('10.60.0.0/27 --keep-addresses')).toMatchObject({ code: 0 });
  expect(named('BlockAffinity')).toEqual([]);
  expect(await release('--node node-a')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no block affinities found for node node-a (NO_AFFINITY)'),
  });
});

it('affinity release deletes a claim that its block contradicts, and leaves the block', async () => {
  const stale = affinityTo('gone', third, 'confirmed');
  const items = [...(parseJson(text()) as unknown as { items: KubeObject[] }).items, stale];
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
  expect((await unchanged('--node gone --dry-run')).stdout).toBe(
    'would release 10.60.0.16/29 from gone: only the affinity, the block is not owned by gone\n',
  );
  expect(await release('--node gone')).toMatchObject({ code: 0 });
  expect(named('BlockAffinity')).toContain('node-b-10-60-0-16-29');
  expect(named('BlockAffinity')).not.toContain('gone-10-60-0-16-29');
  expect(named('IPAMBlock')).toContain('10-60-0-16-29');
});

it('affinity release --dry-run prints the plan, as JSON too', async () => {
  expect(await unchanged('--node node-a --dry-run')).toMatchObject({
    code: 0,
    stdout:
      'would release 10.60.0.0/29 from node-a and delete the block\n' +
      '10.60.0.8/29 stays with node-a: it holds 2 addresses\n',
  });
  expect((await unchanged('--node node-a --keep-addresses --dry-run')).stdout).toContain(
    'would release 10.60.0.8/29 from node-a; the block keeps 2 addresses and has no owner\n',
  );
  const { stdout } = await unchanged('--node node-a --dry-run -o json');
  expect(JSON.parse(stdout)).toEqual({
    kind: 'IPAMAffinityRelease',
    dryRun: true,
    outcomes: [],
    planned: [
      { cidr: first, node: 'node-a', type: 'host', affinity: 'node-a-10-60-0-0-29', inUse: 0, does: 'delete' },
      { cidr: second, node: 'node-a', type: 'host', affinity: 'node-a-10-60-0-8-29', inUse: 2, does: 'keep' },
    ],
  });
  expect(JSON.parse((await release(`${first} -o json`)).stdout)).toMatchObject({
    dryRun: false,
    outcomes: [{ subject: first, outcome: 'applied' }],
  });
});

it('affinity release asks for confirmation of more than one block on a terminal, and accepts no', async () => {
  const flags = '--node node-a --keep-addresses';
  const { code, stderr } = await unchanged(flags, { terminal: true, stdin: 'n\n' });
  expect(code).toBe(4);
  expect(stderr).toContain('  10.60.0.8/29  node-a  keeps 2 addresses\n');
  expect(stderr).toContain('Release these 2 block affinities? [y/N]');
  expect(await release(flags, { terminal: true, stdin: 'y\n' })).toMatchObject({ code: 0 });
  expect(named('BlockAffinity')).toEqual(['node-b-10-60-0-16-29']);
});

it.each([
  ['', 'no block selected'],
  ['10.60.0.0', 'invalid CIDR "10.60.0.0"'],
  ['10.60.0.0/30', '10.60.0.0/30 is smaller than one block (BELOW_BLOCK_SIZE)'],
  ['10.61.0.0/29', '10.61.0.0/29 is not within any pool (NO_POOL)'],
  [`${first} ${second}`, 'too many arguments'],
])('affinity release %j is wrong usage and writes nothing', async (flags, message) => {
  const { code, stdout, stderr } = await unchanged(flags);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});
