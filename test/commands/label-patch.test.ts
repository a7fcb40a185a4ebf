// calictl label and calictl patch over folders: what they print, write and refuse.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderOf, run } from '../support/program/world.ts';

let folder = '';
const stored = (): string => readFileSync(join(folder, 'objects.json'), 'utf8');

beforeEach(() => {
  folder = folderOf([
    {
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: { name: 'pool-1', labels: { team: 'shop' } },
      spec: { cidr: '10.60.0.0/16', nodeSelector: 'all()', 'x-unknown': 9007199254740993n },
    },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a', labels: { zone: 'a' } }, spec: {} },
  ]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('label', () => {
  it('label sets and removes labels, and says so', async () => {
    const done = await run('label ippool pool-1 rack=r1 team-', { folder });
    expect(done).toMatchObject({ code: 0, stdout: 'ippool/pool-1 labeled\n', stderr: '' });
    const { stdout } = await run('get ippool pool-1 -o json', { folder });
    expect(JSON.parse(stdout).metadata.labels).toEqual({ rack: 'r1' });
  });

  it('label refuses to change a value without --overwrite', async () => {
    const before = stored();
    const refused = await run('label ippool pool-1 team=web', { folder });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('label team already has the value "shop"');
    expect(stored()).toBe(before);
    expect(await run('label ippool pool-1 team=web --overwrite', { folder })).toMatchObject({ code: 0 });
  });

  it.each([
    ['label ippool pool-1', 2, 'no labels given'],
    ['label ippool pool-1 team', 2, 'label team has no value'],
    ['label ippool pool-1 a=b=c', 2, 'invalid label'],
    ['label ippool pool-1 a=b a=c', 2, 'given twice'],
    ['label ippool pool-1 a=b --remove', 2, '--remove takes keys only'],
    ['label ippool pool-1 nosuch-', 1, 'label nosuch does not exist'],
    ['label ippool nosuch a=b', 1, 'does not exist'],
    ['label nosuchkind x a=b', 2, 'nosuchkind'],
  ])('%s is refused', async (line, code, message) => {
    const before = stored();
    const refused = await run(line, { folder });
    expect(refused.stderr).toContain(message);
    expect(refused.code).toBe(code);
    expect(stored()).toBe(before);
  });
});

describe('patch', () => {
  it('patch changes what it names and keeps the rest, unknown fields and large integers too', async () => {
    const done = await run(['patch', 'ippool', 'pool-1', '-p', '{"spec":{"natOutgoing":true}}', '-o', 'json'], {
      folder,
    });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout).spec).toMatchObject({ cidr: '10.60.0.0/16', natOutgoing: true });
    expect(stored()).toContain('9007199254740993');
  });

  it('patch --dry-run=client writes nothing', async () => {
    const before = stored();
    const line = ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"natOutgoing":true}}', '--dry-run', 'client'];
    expect(await run(line, { folder })).toMatchObject({ code: 0, stdout: 'ippool/pool-1 patched (dry run)\n' });
    expect(stored()).toBe(before);
  });

  it.each([
    ['merge', '{"spec":{"nosuch":1}}', 'nosuch'],
    ['merge', '{"spec":{"natOutgoing":"perhaps"}}', 'spec.natOutgoing'],
    ['json', '[{"op":"remove","path":"/spec/nosuch"}]', 'operation 0'],
    ['merge', '[]', 'must be an object'],
  ])('a %s patch %s is refused, and nothing is written', async (type, patch, message) => {
    const before = stored();
    const refused = await run(['patch', 'ippool', 'pool-1', '--type', type, '-p', patch], { folder });
    expect(refused.stderr).toContain(message);
    expect(refused.code).toBe(2);
    expect(stored()).toBe(before);
  });

  it('a patch that is not JSON is wrong usage', async () => {
    expect(await run(['patch', 'ippool', 'pool-1', '-p', 'spec: {}'], { folder })).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});
