// calictl ipam assign over a folder: what it prints, its exit codes, what it refuses before it writes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { printJson } from '../../../src/resources/json.ts';
import { node, pool } from '../../support/ipam-state.ts';
import { type Ran, run } from '../../support/world.ts';

let folder = '';
const file = () => join(folder, 'objects.json');
const assign = (flags: string): Promise<Ran> => run(`ipam assign ${flags}`, { folder });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-assign-'));
  const items = [node('node-a'), node('node-b'), pool('pool-1', '10.60.0.0/28', 29), pool('pool-6', 'fd00::/120', 122)];
  writeFileSync(file(), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('assigns what show then shows, and release by handle takes back', async () => {
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
  // Dated as a plugin dates it: what was assigned this moment is no leak yet.
  expect(JSON.parse(shown.stdout).items[0].attributes.timestamp).toBe('2025-06-15 16:00:00 +0000 UTC');
  expect(await run('ipam check', { folder })).toMatchObject({ code: 0 });
  expect(await run('ipam release --handle db --yes', { folder })).toMatchObject({ code: 0 });
});

test('fewer than asked for is 5, none is 1, and says why', async () => {
  const some = await assign('--node node-a --count 20');
  expect(some.code).toBe(5);
  expect(some.stdout.split('\n')).toHaveLength(17);
  expect(some.stderr).toContain('Assigned 16 out of 20 requested IPv4 addresses; No IPs available in pools');
  const none = await assign('--node node-b -o json');
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({ requested: 1, addresses: [] });
});

test('IPv6, a pool by name, a given address', async () => {
  expect((await assign('--node node-a --ipv6')).stdout).toMatch(
    /^Assigned fd00::\w+ \(block fd00::\w*\/122, pool pool-6\)\n$/,
  );
  expect((await assign('--node node-a --pool pool-1')).stdout).toMatch(/^Assigned 10\.60\.0\./);
  expect(await assign('--ip 10.60.0.15 --node node-b')).toMatchObject({ code: 0 });
  expect(await assign('--ip 10.60.0.15 --node node-b')).toMatchObject({ code: 1, stdout: '' });
});

test.each([
  '',
  '--node node-a --count 0',
  '--node node-a --count x',
  '--node node-a --attr x',
  '--node node-a --attr node=b',
  '--node node-a --handle windows-reserved-ipam-handle',
  '--node node-a --handle a/b',
  '--ip 10.60.0.1 --count 2',
  '--ip 10.60.0.1 --ipv6',
  '--ip 10.60.0.300',
  '--ip 10.60.0.1',
])('%j is a wrong use, and nothing is written', async (flags) => {
  const before = readFileSync(file(), 'utf8');
  expect(await assign(flags)).toMatchObject({ code: 2, stdout: '' });
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

test.each(['--node none', '--node node-a --pool none'])('%j fails, and nothing is written', async (flags) => {
  const before = readFileSync(file(), 'utf8');
  expect(await assign(flags)).toMatchObject({ code: 1, stdout: '' });
  expect(readFileSync(file(), 'utf8')).toBe(before);
});
