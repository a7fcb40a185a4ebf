import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ran, run } from '../support/program/world.ts';

const pool = (name: string, spec = '', metadata = ''): string => `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: ${name}
${metadata}spec:
  cidr: 10.${name.replace(/\D/g, '')}.0.0/16
${spec}`;

/** A folder that is the datastore, and a way to run a command on it with a manifest on standard input. */
function folder(files: Readonly<Record<string, string>>): {
  readonly path: string;
  calictl(line: string, stdin?: string): Promise<Ran>;
} {
  const path = mkdtempSync(join(tmpdir(), 'calictl-apply-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return {
    path,
    calictl: (line, stdin = '') => run(line, { env: { DATASTORE_TYPE: path, HOME: path }, cwd: path, stdin }),
  };
}

describe('calictl apply', () => {
  it('apply writes the first manifest of an empty directory', async () => {
    const { path, calictl } = folder({});
    expect(await calictl('apply -f -', pool('pool-1'))).toMatchObject({ code: 0, stdout: 'ippool/pool-1 created\n' });
    expect(readdirSync(path).filter((name) => name.endsWith('.yaml'))).toEqual(['ippool-pool-1.yaml']);
  });

  it('apply reports what was created, configured and left unchanged', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const changed = `${pool('pool-1')}---\n${pool('pool-2', '  natOutgoing: true\n')}---\n${pool('pool-3')}`;
    expect(await calictl('apply -f -', changed)).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 unchanged\nippool/pool-2 configured\nippool/pool-3 created\n',
      stderr: '',
    });
    expect((await calictl('apply -f -', changed)).stdout).toBe(
      'ippool/pool-1 unchanged\nippool/pool-2 unchanged\nippool/pool-3 unchanged\n',
    );
    expect((await calictl('get ippools -o custom-columns=NAME,NAT')).stdout).toMatch(/pool-2 +true/);
  });

  it('one object that cannot be written leaves the others written, is named with its place, and ends with 5', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const manifest = `${pool('pool-2')}---\n${pool('pool-3').replace('10.3.', '10.1.')}---\n${pool('pool-4')}`;
    const { code, stdout, stderr } = await calictl('apply -f -', manifest);
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'ippool/pool-2 created\nippool/pool-4 created\n' });
    expect(stderr).toContain('-:8: IPPool pool-3: spec.cidr is inside IPPool pool-1 (10.1.0.0/16)');
  });

  it('with nothing written the exit code is that of the errors', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stdout } = await calictl('apply -f -', pool('pool-1').replace('10.1.', '10.9.'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('apply with a revision that is no longer stored changes nothing', async () => {
    const { calictl, path } = folder({ 'one.yaml': pool('pool-1', '', '  resourceVersion: "7"\n') });
    const before = readFileSync(join(path, 'one.yaml'), 'utf8');
    const stale = pool('pool-1', '  natOutgoing: true\n', '  resourceVersion: "6"\n');
    const { code, stderr } = await calictl('apply -f -', stale);
    expect(code).toBe(1);
    expect(stderr).toContain('IPPool pool-1 was changed in the meantime');
    expect(stderr).toContain(
      'hint: The manifest has resourceVersion 6, which is not the stored one: get the object again',
    );
    expect(readFileSync(join(path, 'one.yaml'), 'utf8')).toBe(before);
  });

  it.each(['client', 'server'])('--dry-run=%s says what would happen and writes nothing', async (mode) => {
    const { calictl, path } = folder({ 'one.yaml': pool('pool-1') });
    const before = readFileSync(join(path, 'one.yaml'), 'utf8');
    const manifest = `${pool('pool-1', '  natOutgoing: true\n')}---\n${pool('pool-2')}`;
    const suffix = mode === 'client' ? '(dry run)' : '(server dry run)';
    expect(await calictl(`apply -f - --dry-run=${mode}`, manifest)).toMatchObject({
      code: 0,
      stdout: `ippool/pool-1 configured ${suffix}\nippool/pool-2 created ${suffix}\n`,
    });
    expect(readFileSync(join(path, 'one.yaml'), 'utf8')).toBe(before);
    expect((await calictl('get ippools -o name')).stdout).toBe('ippool/pool-1\n');
  });

  it('a manifest with a problem writes nothing at all', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stdout } = await calictl('apply -f -', `${pool('pool-2')}---\n${pool('pool-3', '  nosuch: 1\n')}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect((await calictl('get ippools -o name')).stdout).toBe('ippool/pool-1\n');
  });

  it('-n together with another namespace in the manifest, or for a kind without namespaces, is wrong usage', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { code, stderr } = await calictl('apply -n shop -f -', pool('pool-2'));
    expect(code).toBe(2);
    expect(stderr).toContain('-:1: IPPool pool-2: IPPool has no namespaces');
  });

  it('-o yaml prints what is stored, which can be applied again', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { stdout } = await calictl('apply -f - -o yaml', `${pool('pool-1')}---\n${pool('pool-2')}`);
    expect(stdout.match(/^kind: IPPool$/gm)).toHaveLength(2);
    expect((await calictl('apply -f -', stdout)).stdout).toBe('ippool/pool-1 unchanged\nippool/pool-2 unchanged\n');
  });
});

describe('calictl create and replace', () => {
  it('create refuses an object that exists, and --skip-exists leaves it alone', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const again = pool('pool-1', '  natOutgoing: true\n');
    const refused = await calictl('create -f -', again);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('-:1: IPPool pool-1 already exists');
    expect(refused.stderr).toContain('hint: Use apply or replace to change it.');
    expect(await calictl('create -f - --skip-exists', again)).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 skipped\n',
    });
    expect((await calictl('get ippools -o custom-columns=NAT')).stdout).not.toContain('true');
  });

  it('replace needs an object that exists, and removes labels that the manifest does not list', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const missing = await calictl('replace -f -', pool('pool-2'));
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('hint: Use create or apply for a new object.');
    await calictl('apply -f -', pool('pool-1', '', '  labels: {a: b, c: d}\n'));
    expect(await calictl('replace -f -', pool('pool-1', '', '  labels: {c: e}\n'))).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 replaced\n',
    });
    expect((await calictl('get ippool pool-1 -o yaml')).stdout).toContain('  labels:\n    c: e\n  name');
  });
});

const used = `apiVersion: crd.projectcalico.org/v1
kind: IPAMBlock
metadata: {name: 10-1-0-0-30}
spec:
  cidr: 10.1.0.0/30
  affinity: host:node-a
  allocations: [0, null, null, null]
  unallocated: [1, 2, 3]
  attributes: [{handle_id: h, secondary: {}}]
  strictAffinity: false
  deleted: false
`;

describe('calictl delete', () => {
  it('a pool with an address in use is refused with 4, and is deleted with --force, which says what stays', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '  blockSize: 30\n'), 'block.yaml': used });
    const refused = await calictl('delete ippool pool-1');
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('IPPool pool-1 has 1 address in use, in 1 block');
    expect((await calictl('get ippools -o custom-columns=NAME,DISABLED')).stdout).toMatch(/pool-1 +false/);

    const forced = await calictl('delete ippool pool-1 --force');
    expect({ code: forced.code, stdout: forced.stdout }).toEqual({ code: 0, stdout: 'ippool/pool-1 deleted\n' });
    expect(forced.stderr).toContain('1 address in use, in 1 block of the deleted IPPool pool-1 stay allocated');
    expect((await calictl('get ipamblocks -o name')).stdout).toBe('ipamblock/10-1-0-0-30\n');
  });

  it('an object that does not exist is an error, or none with --skip-not-exists', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    expect(await calictl('delete ippool pool-1 nosuch')).toMatchObject({ code: 5, stdout: 'ippool/pool-1 deleted\n' });
    expect(await calictl('delete ippool nosuch --skip-not-exists')).toMatchObject({
      code: 0,
      stdout: 'ippool/nosuch skipped\n',
    });
    expect((await calictl('get ippools -o name')).stdout).toBe('ippool/pool-2\n');
  });

  it.each([
    ['kns.shop', 'Namespace shop', 'Namespace'],
    ['ksa.shop.till', 'ServiceAccount shop/till', 'ServiceAccount'],
  ])('delete of the profile %s names what it is derived from', async (name, source, kind) => {
    const manifests = [
      '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}',
      '{apiVersion: v1, kind: ServiceAccount, metadata: {name: till, namespace: shop}}',
    ].join('\n---\n');
    const { calictl } = folder({ 'all.yaml': manifests });
    expect(await calictl(`delete profile ${name}`)).toMatchObject({
      code: 1,
      stderr:
        `calictl: Profile ${name} is derived from ${source} (DATASTORE_UNSUPPORTED)\n` +
        `hint: Change the ${kind} instead; the Profile follows it.\n`,
    });
  });

  it('delete of an object that does not exist says which command lists them', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    expect((await calictl('delete networkpolicy nosuch')).stderr).toContain(
      'hint: calictl get networkpolicies -A lists those that exist.',
    );
  });

  it('a manifest with a stale revision deletes nothing', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '', '  resourceVersion: "7"\n') });
    expect(await calictl('delete -f -', pool('pool-1', '', '  resourceVersion: "6"\n'))).toMatchObject({ code: 1 });
    expect(await calictl('delete -f -', pool('pool-1', '', '  resourceVersion: "7"\n'))).toMatchObject({ code: 0 });
  });

  it('--dry-run says what would be deleted and deletes nothing', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    expect((await calictl('delete ippool pool-1 --dry-run=server')).stdout).toBe(
      'ippool/pool-1 deleted (server dry run)\n',
    );
    expect((await calictl('get ippools -o name')).stdout).toBe('ippool/pool-1\n');
  });
});

describe('delete as calicoctl', () => {
  it('delete takes a kind and names, and reports each name that does not exist', async () => {
    const { path } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const env = { DATASTORE_TYPE: path, HOME: path, CALICTL_COMPAT: '1' };
    const { code, stdout, stderr } = await run('delete pool pool-1 nosuch', { env, cwd: path });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Successfully deleted 1 'IPPool' resource(s)\n" });
    expect(stderr).toMatch(
      /^Failed to delete 'IPPool' resource: resource does not exist: IPPool\(nosuch\) with error: .*\n\n$/,
    );
  });
});
