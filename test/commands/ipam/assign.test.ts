// calictl ipam assign over a folder: what it prints, its exit codes, what it refuses before it writes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { affinityTo, blockWith, node, pool } from '../../support/clusters/ipam-state.ts';
import { type Ran, run } from '../../support/program/world.ts';

const withSpec = (object: KubeObject, spec: object): KubeObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
});
const others = [
  withSpec(pool('services', '172.16.0.0/28', 29), { allowedUses: ['LoadBalancer'] }),
  withSpec(pool('shop-only', '10.70.0.0/28', 29), { namespaceSelector: "team == 'shop'" }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'shop' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } },
];

let folder = '';
const file = () => join(folder, 'objects.json');
const assign = (flags: string): Promise<Ran> => run(`ipam assign ${flags}`, { folder });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-assign-'));
  const items = [
    node('node-a'),
    node('node-b'),
    pool('pool-1', '10.60.0.0/28', 29),
    pool('pool-6', 'fd00::/120', 122),
    ...others,
  ];
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('ipam show sees what ipam assign assigned, and release by handle releases it', async () => {
  const done = await assign('--node node-a --count 2 --handle db --attr purpose=test -o json');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const document = JSON.parse(done.stdout) as { addresses: { address: string; block: string }[] };
  expect(document).toMatchObject({ kind: 'IPAMAssignment', node: 'node-a', handle: 'db', requested: 2 });
  const [first] = document.addresses;
  expect(document.addresses).toHaveLength(2);
  expect(first).toEqual({ address: first?.address, block: first?.block, pool: 'pool-1', borrowed: false });
  const shown = await run(`ipam show --ip ${first?.address} -o json`, { folder });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    items: [{ allocated: true, handle: 'db', node: 'node-a', attributes: { node: 'node-a', purpose: 'test' } }],
  });
  // Dated as the CNI plugin does it: an address that was just assigned is not a leak yet.
  expect(JSON.parse(shown.stdout).items[0].attributes.timestamp).toBe('2025-06-15 16:00:00 +0000 UTC');
  expect(await run('ipam check', { folder })).toMatchObject({ code: 0 });
  expect(await run('ipam release --handle db --yes', { folder })).toMatchObject({ code: 0 });
});

it('ipam assign exits 5 for fewer addresses than requested and 1 for none, with the reason', async () => {
  const some = await assign('--node node-a --count 20');
  expect(some.code).toBe(5);
  expect(some.stdout.split('\n')).toHaveLength(17);
  expect(some.stderr).toContain('Assigned 16 out of 20 requested IPv4 addresses; No IPs available in pools');
  const none = await assign('--node node-b -o json');
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({ requested: 1, addresses: [] });
});

it('ipam assign takes IPv6, a pool by name, and one given address', async () => {
  expect((await assign('--node node-a --ipv6')).stdout).toMatch(
    /^Assigned fd00::\w+ \(block fd00::\w*\/122, pool pool-6\)\n$/,
  );
  expect((await assign('--node node-a --use Tunnel')).stdout).toMatch(/^Assigned 10\.60\.0\./);
  expect((await assign('--node node-a --use Tunnel --pool services')).stderr).toContain(
    'no pools match the required use (Tunnel)',
  );
  expect((await assign('--node node-a --pool pool-1')).stdout).toMatch(/^Assigned 10\.60\.0\./);
  expect(await assign('--ip 10.60.0.15 --node node-b')).toMatchObject({ code: 0 });
  expect(await assign('--ip 10.60.0.15 --node node-b')).toMatchObject({ code: 1, stdout: '' });
});

it('ipam assign serves both families at once, with one handle that counts both', async () => {
  const done = await assign('--node node-a --ipv4 --ipv6 --count 2 --handle both -o json');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(done.stdout)).toMatchObject({
    requested: 4,
    addresses: [{ pool: 'pool-1' }, { pool: 'pool-1' }, { pool: 'pool-6' }, { pool: 'pool-6' }],
  });
  const of = await assign('--node node-a --ipv4 --ipv6 --pool pool-6 --pool 10.60.0.0/28');
  expect(of.stdout.split('\n').map((line) => / pool (.*)\)/.exec(line)?.[1])).toEqual(['pool-1', 'pool-6', undefined]);
  expect((await assign('--node node-a --ipv4')).stdout).toContain('pool pool-1)');
  expect(await run('ipam check', { folder })).toMatchObject({ code: 0 });
});

it('ipam assign serves IPv6 although IPv4 has too few addresses', async () => {
  const few = await assign('--node node-a --ipv4 --ipv6 --count 17 -o json');
  expect(few.code).toBe(5);
  expect(JSON.parse(few.stdout).addresses).toHaveLength(16 + 17);
  expect(few.stderr).toContain('Assigned 16 out of 17 requested IPv4 addresses');
});

it('ipam assign assigns no IPv6 when IPv4 fails, and reports that', async () => {
  const spec = { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 1 };
  const limit = { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
  writeFileSync(join(folder, 'config.json'), printJson(limit));
  const limited = await assign('--node node-a --ipv4 --ipv6 --count 9');
  expect(limited.code).toBe(5);
  expect(limited.stdout.match(/Assigned 10\.60\.0\./g)).toHaveLength(8);
  expect(limited.stdout).not.toContain('fd00::');
  expect(limited.stderr).toContain('limit of 1 blocks reached for this node');
  expect(limited.stderr).toContain('no IPv6 address was requested, because IPv4 failed');
  const failed = await assign('--node node-a --ipv4 --ipv6 --pool 10.9.0.0/16');
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('the given pool (10.9.0.0/16) does not exist');
});

it('ipam assign keeps the assigned IPv4 addresses when IPv6 fails', async () => {
  const done = await assign('--node node-a --ipv4 --ipv6 --pool fd01::/64 --handle half');
  expect(done.code).toBe(5);
  expect(done.stdout).toMatch(/^Assigned 10\.60\.0\.\d+ [^\n]*\n$/);
  expect(done.stderr).toContain('the given pool (fd01::/64) does not exist');
  expect(done.stderr).not.toContain('IPv4 failed');
});

it('ipam assign for a load balancer needs no node and writes its own attributes only', async () => {
  const done = await assign('--use LoadBalancer --handle lb-web --attr service=web --attr namespace=shop -o json');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const { node: owner, addresses } = JSON.parse(done.stdout);
  expect(owner).toBe('load-balancer');
  expect(addresses).toMatchObject([{ pool: 'services', borrowed: false }]);
  const shown = JSON.parse((await run(`ipam show --ip ${addresses[0].address} -o json`, { folder })).stdout);
  expect(Object.keys(shown.items[0].attributes).sort()).toEqual(['namespace', 'service', 'timestamp']);
  expect(await assign('--use LoadBalancer --ip 172.16.0.15')).toMatchObject({ code: 0 });
  expect(await assign('--use LoadBalancer --ip 10.60.0.1')).toMatchObject({ code: 1, stdout: '' });
});

it("ipam assign for a namespace chooses the pool by the namespace's labels", async () => {
  const from = async (flags: string) => / pool (.*)\)/.exec((await assign(`--node node-a ${flags}`)).stdout)?.[1];
  await assign('--node node-b --count 16');
  expect(await from('--namespace shop')).toBe('shop-only');
  expect(await from('--namespace plain')).toBeUndefined();
  const unknown = await assign('--node node-a --namespace none');
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('namespace none does not exist');
});

it.each([
  '',
  '--node node-a --use LoadBalancer',
  '--node node-a --use nonsense',
  '--ip 10.60.0.1 --node node-a --namespace shop',
  '--ip 10.60.0.1 --node node-a --ipv4',
  '--node node-a --pool pool-6',
  '--node node-a --count 0',
  '--node node-a --count x',
  '--node node-a --attr x',
  '--node node-a --attr node=b',
  '--node node-a --handle windows-reserved-ipam-handle',
  '--node node-a --handle a/b',
  '--node node-a --handle a..b',
  `--node node-a --handle ${'a'.repeat(254)}`,
  '--ip 10.60.0.1 --count 2',
  '--ip 10.60.0.1 --ipv6',
  '--ip 10.60.0.300',
  '--ip 10.60.0.1',
])('ipam assign %j is wrong usage and writes nothing', async (flags) => {
  const before = readFileSync(file(), 'utf8');
  expect(await assign(flags)).toMatchObject({ code: 2, stdout: '' });
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

it.each(['--node none', '--node node-a --pool none'])('ipam assign %j fails and writes nothing', async (flags) => {
  const before = readFileSync(file(), 'utf8');
  expect(await assign(flags)).toMatchObject({ code: 1, stdout: '' });
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

it('ipam assign makes no block for an address that a block of another size covers', async () => {
  const wide = mkdtempSync(join(tmpdir(), 'calictl-wide-'));
  const block = blockWith('10.60.0.0/28', 'host:node-b', ['h', 2]);
  const items = [node('node-a'), node('node-b'), pool('pool-1', '10.60.0.0/24', 29), block];
  writeFileSync(join(wide, 'objects.json'), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
  for (const line of ['ipam assign --ip 10.60.0.1 --node node-a', 'ipam assign --ip 10.60.0.9']) {
    const refused = await run(line, { folder: wide });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/block 10\.60\.0\.[08]\/29 would overlap block 10\.60\.0\.0\/28/);
  }
  rmSync(wide, { recursive: true });
});

it('ipam assign assigns nothing from a range that two blocks cover', async () => {
  // Both are node-a's; .0 to .2 are held in the small one, and the large one calls all of its eight free.
  const overlap = mkdtempSync(join(tmpdir(), 'calictl-overlap-'));
  const blocks = ['10.60.0.0/29', '10.60.0.0/30'].map((cidr, at) => blockWith(cidr, 'host:node-a', ['h', at * 3]));
  const claims = blocks.map(({ spec }) => affinityTo('node-a', spec.cidr, 'confirmed'));
  const items = [node('node-a'), pool('pool-1', '10.60.0.0/29', 29), ...blocks, ...claims];
  writeFileSync(join(overlap, 'objects.json'), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
  const refused = await run('ipam assign --ip 10.60.0.2 --node node-a', { folder: overlap });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('10.60.0.2 is covered by two overlapping blocks');
  const given = await run('ipam assign --node node-a --count 8 -o json', { folder: overlap });
  rmSync(overlap, { recursive: true });
  const { addresses } = JSON.parse(given.stdout) as { addresses: { address: string }[] };
  const assigned = addresses.map(({ address }) => address);
  expect(assigned).toEqual(['10.60.0.4', '10.60.0.5', '10.60.0.6', '10.60.0.7']);
});

it('ipam assign --ip refuses an address that a node has itself', async () => {
  const machine = { ...node('node-c'), status: { addresses: [{ type: 'InternalIP', address: '10.60.0.9' }] } };
  writeFileSync(join(folder, 'node-c.json'), printJson(machine));
  const refused = await assign('--ip 10.60.0.9 --node node-a');
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('10.60.0.9 is the address of node node-c itself');
  expect(await assign('--ip 10.60.0.10 --node node-a')).toMatchObject({ code: 0 });
});
