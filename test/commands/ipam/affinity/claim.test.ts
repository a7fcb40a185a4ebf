// calictl ipam affinity claim over a folder: plan, dry run, what is left to others, exit codes, Ctrl-C.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/resources/object.ts';
import { printJson } from '../../../../src/text/json.ts';
import { affinityTo, blockWith, handleWith, node, pool } from '../../../support/clusters/ipam-state.ts';
import { type Ran, type RunOptions, run, TestClock } from '../../../support/program/world.ts';

let folder = '';
const file = () => join(folder, 'objects.json');
const claim = (flags: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam affinity claim ${flags}`, { folder, ...options });

const [first, second, third, fourth] = ['10.60.0.0/29', '10.60.0.8/29', '10.60.0.16/29', '10.60.0.24/29'] as const;

function store(...more: readonly KubeObject[]): void {
  const items = [node('node-a'), node('node-b'), pool('pool-1', '10.60.0.0/27', 29), ...more];
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-claim-'));
  // node-a has the first block, node-b the second; the third has no owner.
  store(
    blockWith(first, 'host:node-a'),
    affinityTo('node-a', first, 'confirmed'),
    blockWith(second, 'host:node-b'),
    affinityTo('node-b', second, 'confirmed'),
    blockWith(third, undefined, ['x', 1]),
    handleWith('x', { [third]: 1 }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the folder says of who owns which block. */
async function owners(): Promise<Record<string, string[]>> {
  const { stdout } = await run('ipam affinity list -o json', { folder });
  const { items } = JSON.parse(stdout) as { items: { cidr: string; node: string; problems: string[] }[] };
  const byNode: Record<string, string[]> = {};
  for (const { cidr, node: owner, problems } of items) {
    expect(problems).toEqual([]);
    byNode[owner] = [...(byNode[owner] ?? []), cidr];
  }
  return byNode;
}

async function unchanged(flags: string, options?: RunOptions): Promise<Ran> {
  const before = readFileSync(file(), 'utf8');
  const ran = await claim(flags, options);
  expect(readFileSync(file(), 'utf8')).toBe(before);
  return ran;
}

it('affinity claim claims what it can and lists the rest', async () => {
  expect(await claim('10.60.0.0/27 --node node-a')).toMatchObject({
    code: 5,
    stderr: '',
    stdout: [
      'Successfully claimed 10.60.0.0/29 for node-a',
      'Successfully claimed 10.60.0.24/29 for node-a',
      '10.60.0.8/29 cannot be claimed: it belongs to host:node-b',
      '10.60.0.16/29 cannot be claimed: it exists and has no owner',
      '',
    ].join('\n'),
  });
  expect(await owners()).toEqual({ 'node-a': [first, fourth], 'node-b': [second] });
});

it('affinity claim exits 0 when all blocks belong to the node, 1 when none does', async () => {
  expect(await claim(`${fourth} --node node-a`)).toMatchObject({ code: 0 });
  expect(await claim(`${fourth} --node node-a`)).toMatchObject({ code: 0 });
  expect(await unchanged(`${second} --node node-a`)).toMatchObject({
    code: 1,
    stdout: '10.60.0.8/29 cannot be claimed: it belongs to host:node-b\n',
  });
  expect(await unchanged(`${second} --node node-a --dry-run`)).toMatchObject({ code: 1 });
});

it('affinity claim --dry-run prints the plan, as JSON too', async () => {
  expect(await unchanged('10.60.0.0/27 --node node-a --dry-run')).toMatchObject({
    code: 0,
    stdout: [
      'node-a already owns 10.60.0.0/29',
      'would claim 10.60.0.24/29 for node-a',
      '10.60.0.8/29 cannot be claimed: it belongs to host:node-b',
      '10.60.0.16/29 cannot be claimed: it exists and has no owner',
      '',
    ].join('\n'),
  });
  const { stdout } = await unchanged('10.60.0.0/28 --node node-a --dry-run -o json');
  expect(JSON.parse(stdout)).toEqual({
    kind: 'IPAMAffinityClaim',
    dryRun: true,
    node: 'node-a',
    owned: 1,
    limit: 20,
    outcomes: [],
    planned: [
      { cidr: first, does: 'own' },
      { cidr: second, does: 'fail', why: 'it belongs to host:node-b' },
    ],
  });
  expect(JSON.parse((await claim(`${fourth} --node node-a -o json`)).stdout)).toMatchObject({
    dryRun: false,
    planned: [{ cidr: fourth, does: 'claim' }],
    outcomes: [{ subject: fourth, outcome: 'applied' }],
  });
});

it('blocks made by affinity claim are used by the allocator', async () => {
  await claim(`${fourth} --node node-b`);
  const { stdout } = await run('ipam assign --node node-b --count 9 -o json', { folder });
  const { addresses } = JSON.parse(stdout) as { addresses: { block: string }[] };
  expect(addresses.map(({ block }) => block)).toContain(fourth);
  expect(await run('ipam check --only INV-18,INV-28,INV-29,INV-30,INV-35', { folder })).toMatchObject({ code: 0 });
});

it('affinity claim warns of more blocks than the limit', async () => {
  const config = {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMConfig',
    metadata: { name: 'default' },
    spec: { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 3 },
  };
  store(config);
  expect(await claim('10.60.0.0/29 --node node-a')).toMatchObject({ code: 0, stderr: '' });
  const over = await claim('10.60.0.0/27 --node node-a');
  expect(over).toMatchObject({
    code: 0,
    stderr: 'warning: node-a would own 4 blocks and its limit is 3: it will not claim more by itself\n',
  });
});

it('affinity claim asks for confirmation of more than one block on a terminal, and accepts no', async () => {
  const { code, stderr } = await unchanged('10.60.0.0/27 --node node-a', { terminal: true, stdin: 'n\n' });
  expect(code).toBe(4);
  expect(stderr).toContain('  10.60.0.24/29\n');
  expect(stderr).toContain('Claim these 2 blocks for node-a? [y/N]');
  const agreed = await claim('10.60.0.0/27 --node node-a', { terminal: true, stdin: 'y\n' });
  expect(agreed.code).toBe(5);
  const told = await claim('10.60.0.0/27 --node node-a --yes', { terminal: true });
  expect(told.stderr).not.toContain('[y/N]');
});

it('Ctrl-C ends affinity claim between two blocks, and what was done is printed', async () => {
  const stop = new AbortController();
  // The first time that a new block is numbered by the clock, the person has enough of it.
  const clock = new (class extends TestClock {
    override nowNs(): bigint {
      stop.abort();
      return super.nowNs();
    }
  })('2025-06-15T16:00:00Z');
  store();
  const { code, stdout } = await claim('10.60.0.0/28 --node node-a', { clock, signal: stop.signal });
  expect({ code, stdout }).toEqual({
    code: 130,
    stdout:
      'Successfully claimed 10.60.0.0/29 for node-a\n' +
      'Did not claim 10.60.0.8/29 (skipped): interrupted before it was done\n',
  });
  expect(await owners()).toEqual({ 'node-a': [first] });
});

describe('wrong usage of affinity claim', () => {
  it.each([
    ['', 2],
    ['10.60.0.0/29', 2],
    ['10.60.0.0/29 --node', 2],
    ['10.60.0.0 --node node-a', 2],
    ['10.60.0.0/30 --node node-a', 2],
    ['10.61.0.0/29 --node node-a', 2],
    ['10.60.0.0/29 --node node-a -o yaml', 2],
    ['10.60.0.0/29 --node nobody', 1],
  ])('affinity claim %j exits %d and writes nothing', async (flags, code) => {
    expect(await unchanged(flags)).toMatchObject({ code, stdout: '' });
  });

  it('affinity claim names a missing node, and a range that is too small or too large', async () => {
    expect((await claim(`${fourth} --node nobody`)).stderr).toContain('node nobody does not exist (NODE_NOT_FOUND)');
    expect((await claim('10.60.0.0/30 --node node-a')).stderr).toContain(
      '10.60.0.0/30 is smaller than one block (BELOW_BLOCK_SIZE)',
    );
    store(pool('pool-6', 'fd00::/48', 122));
    expect((await unchanged('fd00::/64 --node node-a')).stderr).toContain(
      'the range fd00::/64 has 288230376151711744 blocks, more than 4096 (TOO_MANY_BLOCKS)',
    );
  });
});

it('calicoctl has no affinity claim', async () => {
  const { stdout } = await unchanged(`${fourth} --node=node-a`, { programName: 'calicoctl' });
  expect(stdout).toMatch(/^Usage:\n {2}calicoctl ipam <command>/);
  expect(stdout).not.toMatch(/^ {4}affinity /m);
});
