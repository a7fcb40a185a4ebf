// Pools whose block size Calico does not support: every command that would create or count their blocks names the size,
// and nothing is written.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { affinityTo, node, pool } from '../../support/clusters/ipam-state.ts';
import { folderOf, run } from '../../support/program/world.ts';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const content = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));

describe.each([
  ['10.0.0.0/8', 8, '10.0.0.5'],
  ['10.0.0.0/8', 19, '10.0.0.5'],
  ['10.0.0.0/8', 33, '10.0.0.5'],
  ['10.0.0.0/8', -1, '10.0.0.5'],
  ['fd60:9::/48', 64, 'fd60:9::5'],
  ['fd60:9::/48', 115, 'fd60:9::5'],
])('a pool %s with blocks of /%i', (cidr, size, address) => {
  const family = cidr.includes(':') ? '--ipv6' : '--ipv4';
  it.each([
    `assign --node node-a ${family} --handle h`,
    `assign --node node-a ${family} --handle h --pool ${cidr}`,
    `assign --node node-a --ip ${address} --handle h`,
    `affinity claim ${cidr} --node node-a --yes`,
  ])('ipam %s is refused, and says that the block size is not supported', async (command) => {
    folder = folderOf([node('node-a'), pool('pool-1', cidr, size)]);
    const before = content();
    const { code, stderr } = await run(`ipam ${command}`, { folder });
    expect(code).toBe(1);
    expect(stderr).toContain(`pool pool-1: block size ${size} is not supported`);
    expect(content()).toEqual(before);
  });

  it('ipam check reports INV-26, and ipam capacity and its simulation promise nothing', async () => {
    folder = folderOf([node('node-a'), pool('pool-1', cidr, size)]);
    const checked = await run('ipam check -o json', { folder });
    expect(JSON.parse(checked.stdout).findings.map(({ id }: { id: string }) => id)).toContain('INV-26');
    const counted = await run('ipam capacity -o json', { folder });
    expect(counted.code).toBe(3);
    const { families, problems } = JSON.parse(counted.stdout);
    expect(families).toMatchObject([{ moreNodes: 0, morePods: 0 }]);
    expect(problems.map(({ problem }: { problem: string }) => problem).join()).toContain(
      `block size ${size} is not supported`,
    );
    const simulated = await run('ipam capacity --simulate nodes=1,pods-per-node=5', { folder });
    expect(simulated.code).toBe(3);
    expect(simulated.stdout).toContain(`block size ${size} is not supported`);
  });
});

it('ipam check reports a block size of 26.5 as INV-26, and ipam capacity refuses to count', async () => {
  folder = folderOf([node('node-a'), pool('pool-1', '10.0.0.0/8', 26.5)]);
  const { code, stdout } = await run('ipam check', { folder });
  expect(code).toBe(3);
  expect(stdout).toMatch(/INV-26 invalid pool .*\n {2}IPPool pool-1\n/);
  const counted = await run('ipam capacity', { folder });
  expect(counted).toMatchObject({ code: 1, stdout: '' });
  expect(counted.stderr).toContain('spec.blockSize must be an integer');
});

describe('a supported pool', () => {
  it('assign takes the supported pool when another one that selects the node has blocks of /8', async () => {
    folder = folderOf([node('node-a'), pool('a-wide', '10.0.0.0/8', 8), pool('b-good', '172.16.0.0/24', 26)]);
    const { code, stdout } = await run('ipam assign --node node-a --ipv4 --handle h', { folder });
    expect(code).toBe(0);
    expect(stdout).toContain('172.16.0.');
  });

  it('assign never creates the block of an affinity for a whole /8', async () => {
    folder = folderOf([
      node('node-a'),
      pool('pool-1', '10.0.0.0/8', 26),
      affinityTo('node-a', '10.0.0.0/8', 'pending'),
    ]);
    const { code } = await run('ipam assign --node node-a --ipv4 --handle h', { folder });
    expect(code).toBe(0);
    const shown = await run('get ipamblocks -o name', { folder });
    expect(shown.stdout).toMatch(/10-\d+-\d+-\d+-26/);
    expect(shown.stdout).not.toContain('10-0-0-0-8');
  });
});
