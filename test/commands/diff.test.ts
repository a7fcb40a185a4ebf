import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

const tier = 'apiVersion: projectcalico.org/v3\nkind: Tier\nmetadata: {name: sec}\nspec: {order: 5}\n';
const policyInTier = `apiVersion: projectcalico.org/v3
kind: NetworkPolicy
metadata: {name: sec.allow, namespace: shop}
spec: {tier: sec, selector: all(), ingress: [{action: Allow}]}
`;

interface DatastoreFolder {
  readonly path: string;
  calictl(line: string | readonly string[], stdin?: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** All files with their texts. */
  contents(): Record<string, string>;
}

function folder(files: Readonly<Record<string, string>> = {}): DatastoreFolder {
  const path = mkdtempSync(join(tmpdir(), 'calictl-diff-test-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return {
    path,
    calictl: (line, stdin = '', env = {}) =>
      run(line, { env: { DATASTORE_TYPE: path, HOME: path, ...env }, cwd: path, stdin }),
    contents: () => Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')])),
  };
}

describe('calictl diff', () => {
  it('diff shows what apply would change, ends with 1, and writes nothing', async () => {
    const { calictl, contents } = folder({ 'one.yaml': pool('pool-1', '  natOutgoing: true\n') });
    const before = contents();
    const { code, stdout, stderr } = await calictl('diff -f -', pool('pool-1', '  disabled: true\n'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^--- live\/ippool\/pool-1\n\+\+\+ applied\/ippool\/pool-1\n@@ /);
    expect(stdout.match(/^[-+] .*$/gm)?.sort()).toEqual(['+  disabled: true', '-  natOutgoing: true'].sort());
    expect(contents()).toEqual(before);
  });

  it('diff of what is stored prints nothing and ends with 0', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    expect(await calictl('diff -f -', pool('pool-1'))).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('once applied, there are no differences left', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '  natOutgoing: true\n') });
    const manifests = `${pool('pool-1')}---\n${pool('pool-2')}---\n${tier}---\n${policyInTier}`;
    expect((await calictl('diff -f -', manifests)).code).toBe(1);
    expect((await calictl('apply -f -', manifests)).code).toBe(0);
    expect(await calictl('diff -f -', manifests)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('a new object is compared with /dev/null, without the uid and times that the datastore would give it', async () => {
    const { calictl } = folder();
    const { code, stdout } = await calictl('diff -f -', pool('pool-1'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ applied\/ippool\/pool-1\n@@ -0,0 \+1,\d+ @@\n/);
    expect(stdout).not.toMatch(/uid|resourceVersion|creationTimestamp|managedFields/);
  });

  it.each(['server', 'client'])(
    'with --dry-run=%s a policy is compared although its tier is only in the same manifests',
    async (mode) => {
      const { calictl, contents } = folder({ 'one.yaml': pool('pool-1') });
      const before = contents();
      const { code, stdout, stderr } = await calictl(`diff --dry-run ${mode} -f -`, `${policyInTier}---\n${tier}`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout.match(/^\+\+\+ .*$/gm)).toEqual([
        '+++ applied/networkpolicy/shop/sec.allow',
        '+++ applied/tier/sec',
      ]);
      expect(contents()).toEqual(before);
    },
  );

  it('a pool that overlaps another pool of the same manifests is an error of diff, as it would be of apply', async () => {
    const { calictl } = folder();
    const manifests = `${pool('pool-1')}---\n${pool('pool-2').replace('10.2.0.0/16', '10.1.0.0/24')}`;
    const { code, stdout, stderr } = await calictl('diff -f -', manifests);
    expect(code).toBe(5);
    expect(stdout.match(/^\+\+\+ .*$/gm)).toEqual(['+++ applied/ippool/pool-1']);
    expect(stderr).toContain('-:8: IPPool pool-2: spec.cidr is inside IPPool pool-1 (10.1.0.0/16)');
  });

  it('an older revision in the manifest is reported, and the object is compared all the same', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '', '  resourceVersion: "7"\n') });
    const { code, stdout, stderr } = await calictl(
      'diff -f -',
      pool('pool-1', '  natOutgoing: true\n', '  resourceVersion: "6"\n'),
    );
    expect(code).toBe(1);
    expect(stdout).toContain('+  natOutgoing: true\n');
    expect(stdout).not.toContain('resourceVersion');
    expect(stderr).toContain('-:1: IPPool pool-1: the manifest has revision 6, the datastore 7; apply would refuse it');
  });

  it('labels and annotations that the manifest does not list are shown as removed, for apply removes them', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '', '  labels: {team: shop}\n') });
    expect((await calictl('diff -f -', pool('pool-1'))).stdout).toContain('-  labels:\n-    team: shop\n');
  });

  it('-R compares the manifests of a directory and of those in it', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const { path } = folder({ 'one.yaml': pool('pool-1', '  natOutgoing: true\n') });
    mkdirSync(join(path, 'deep'));
    writeFileSync(join(path, 'deep', 'two.yaml'), pool('pool-2'));
    const headings = async (line: string): Promise<unknown> => (await calictl(line)).stdout.match(/^\+\+\+ .*$/gm);
    expect(await headings(`diff -f ${path}`)).toEqual(['+++ applied/ippool/pool-1']);
    expect(await headings(`diff -R -f ${path}`)).toEqual(['+++ applied/ippool/pool-2', '+++ applied/ippool/pool-1']);
  });

  it('errors end with more than 1: 2 for a wrong manifest, 5 for a datastore that cannot be read', async () => {
    const { calictl } = folder({ 'broken.yaml': 'kind: [' });
    expect((await calictl('diff -f -', pool('pool-1', '  nosuch: 1\n'))).code).toBe(2);
    expect((await calictl('diff -f -', pool('pool-1'))).code).toBe(5);
  });

  it('integers beyond 2^53 in fields that calictl does not know are compared digit by digit', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1', '  future: 9007199254740993\n') });
    expect((await calictl('diff -f -', pool('pool-1'))).stdout).toContain('-  future: 9007199254740993\n');
  });

  it('-o json has each object as it is and as it would be', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const { code, stdout } = await calictl(
      'diff -o json -f -',
      `${pool('pool-1')}---\n${pool('pool-2', '  natOutgoing: true\n')}---\n${pool('pool-3')}`,
    );
    expect(code).toBe(1);
    const { kind, objects } = JSON.parse(stdout);
    expect(kind).toBe('Diff');
    expect(objects.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome])).toEqual([
      ['pool-1', 'unchanged'],
      ['pool-2', 'configured'],
      ['pool-3', 'created'],
    ]);
    expect(objects[0]).toEqual({ kind: 'IPPool', name: 'pool-1', outcome: 'unchanged' });
    expect([objects[1].live.spec.natOutgoing, objects[1].applied.spec.natOutgoing]).toEqual([undefined, true]);
    expect([objects[2].live, objects[2].applied.spec.cidr]).toEqual([undefined, '10.3.0.0/16']);
  });
});

describe('KUBECTL_EXTERNAL_DIFF', () => {
  /** A program that prints its arguments and what is in the two directories. */
  function program(path: string, exit: number): string {
    const file = join(path, 'show');
    writeFileSync(
      file,
      `#!/bin/sh\necho "$1 $#"\nfor d; do :; done\ncd "$d"; for f in *; do echo "$f"; cat "$f"; done\nexit ${exit}\n`,
    );
    chmodSync(file, 0o755);
    return file;
  }

  it('the program gets its arguments and two directories with the objects that differ, without a shell', async () => {
    const { calictl, path } = folder({ 'one.yaml': pool('pool-1'), 'two.yaml': pool('pool-2') });
    const env = { KUBECTL_EXTERNAL_DIFF: `${program(path, 1)} -u $(touch${'\t'}evil) ; --flag=1` };
    const manifests = `${pool('pool-1')}---\n${pool('pool-2', '  natOutgoing: true\n')}`;
    const { code, stdout } = await calictl('diff -f -', manifests, env);
    expect(code).toBe(1);
    // Two arguments that are plain, and two directories.
    expect(stdout).toMatch(/^-u 4\nIPPool\.\.pool-2\napiVersion: projectcalico\.org\/v3\n/);
    expect(stdout).not.toContain('pool-1');
    expect(readdirSync(path)).not.toContain('evil');
  });

  it('a program that fails is an error with more than 1, and nothing stays in the directory of temporary files', async () => {
    const { calictl, path } = folder({ 'one.yaml': pool('pool-1') });
    const left = (): string[] => readdirSync(tmpdir()).filter((name) => /^calictl-diff-\w{6}$/.test(name));
    const before = left();
    const failed = await calictl('diff -f -', pool('pool-2'), { KUBECTL_EXTERNAL_DIFF: program(path, 2) });
    expect(failed.code).toBe(5);
    expect(failed.stderr).toContain('ended with exit code 2');
    const missing = await calictl('diff -f -', pool('pool-2'), { KUBECTL_EXTERNAL_DIFF: '/nosuch/program' });
    expect(missing.code).toBe(5);
    expect(missing.stderr).toContain('/nosuch/program');
    expect(left()).toEqual(before);
  });

  it('without differences the program is not started', async () => {
    const { calictl } = folder({ 'one.yaml': pool('pool-1') });
    const env = { KUBECTL_EXTERNAL_DIFF: '/nosuch/program' };
    expect(await calictl('diff -f -', pool('pool-1'), env)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});
