// Folders that lack something: a kind, a namespace, a file that cannot be read. Nothing is judged, and nothing repaired, by
// what was not read; and a folder that lacks nothing is judged in full.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { damageOnce } from '../../support/clusters/damage.ts';
import { cluster, seeded } from '../../support/clusters/seeded-cluster.ts';
import { type Ran, run } from '../../support/program/world.ts';

const plan = { seed: 11, nodes: 2, podsPerNode: 20, pools: [{ name: 'pool-1', cidr: '10.60.0.0/22', blockSize: 26 }] };
const made = cluster({ ...plan, madeAt: new Date('2025-06-01T00:00:00Z'), namespaces: ['shop', 'web'] });
const leaky = cluster({ ...plan, madeAt: new Date('2025-06-01T00:00:00Z'), namespaces: ['shop', 'web'] });
damageOnce('leak', leaky, seeded(5));

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-gaps-'));
});
afterAll(() => rmSync(top, { recursive: true }));

let folders = 0;
/** One file per kind, as a dump of a cluster has it. */
function dump(objects: readonly KubeObject[]): string {
  const folder = join(top, String(++folders));
  mkdirSync(folder);
  for (const kind of new Set(objects.map((object) => object.kind))) {
    const items = objects.filter((object) => object.kind === kind);
    writeFileSync(join(folder, `${kind}.json`), printJson({ apiVersion: 'v1', kind: 'List', items }));
  }
  return folder;
}

const without = (kind: string): KubeObject[] => made.objects.filter((object) => object.kind !== kind);

/** The files and their texts; of anything else only the name. */
const stateOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(join(folder, entry.name), 'utf8') : '',
    ]),
  );

interface Report {
  readonly findings: readonly { readonly id: string }[];
  readonly unread?: readonly { readonly kind: string; readonly reason: string; readonly invariants: string[] }[];
}

const check = (folder: string, line = 'ipam check -o json'): Promise<Ran> =>
  run(line, { folder, env: { XDG_STATE_HOME: top } });

/** What a check with --fix reports, after it has changed nothing. */
async function fixesNothing(folder: string): Promise<Report & { readonly stderr: string }> {
  const before = stateOf(folder);
  const { stdout, stderr } = await check(folder, 'ipam check --fix -o json');
  expect(stdout, stderr).not.toBe('');
  expect(stateOf(folder)).toEqual(before);
  return { ...(JSON.parse(stdout) as Report), stderr };
}

describe('a complete directory', () => {
  it('is judged in full, with its leak', async () => {
    const healthy = JSON.parse((await check(dump(made.objects))).stdout) as Report;
    expect(healthy).toMatchObject({ findings: [] });
    expect(healthy.unread).toBeUndefined();
    const found = JSON.parse((await check(dump(leaky.objects))).stdout) as Report;
    expect(found.findings.map(({ id }) => id)).toEqual(['INV-53']);
  });

  it('that a snapshot was saved to is judged in full, even when the cluster has no pod', async () => {
    const folder = dump(without('Pod'));
    writeFileSync(join(folder, 'snapshot.json'), '{"capturedAt":"2025-06-15T15:00:00Z","complete":["Pod"]}');
    const { findings, unread } = JSON.parse((await check(folder)).stdout) as Report;
    expect(unread).toBeUndefined();
    expect(findings.filter(({ id }) => id === 'INV-53')).toHaveLength(40);
  });
});

describe('a directory without a kind', () => {
  it.each(['Pod', 'Node', 'IPAMHandle', 'IPAMBlock', 'BlockAffinity', 'IPPool'])(
    'without %s objects --fix changes nothing, and the report and stderr name the kind',
    async (kind) => {
      const { findings, unread, stderr } = await fixesNothing(dump(without(kind)));
      expect(unread?.map((one) => one.kind)).toEqual([kind]);
      expect(unread?.[0]?.reason).toMatch(/^the directory has .* but no .* objects; add them with: kubectl get /);
      expect(stderr).toContain(`not read: ${kind}: `);
      expect(findings.filter(({ id }) => unread?.[0]?.invariants.includes(id))).toEqual([]);
    },
  );

  it('without pods the text names them, no report for calicoctl is written, and a release is refused', async () => {
    const folder = dump(without('Pod'));
    const { stdout } = await check(folder, 'ipam check');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Pod could not be read: the directory has 40 allocations that name pods',
    );
    const reported = await check(folder, `ipam check --report ${join(top, 'report.json')}`);
    expect(reported).toMatchObject({ code: 1, stderr: expect.stringContaining('would call addresses in use leaked') });
    const named = made.objects.find(({ kind }) => kind === 'Pod')?.metadata;
    for (const line of [`ipam release --pod ${named?.namespace}/${named?.name}`, 'ipam release --ip 10.60.0.1']) {
      expect(await check(folder, line), line).toMatchObject({ code: 4, stderr: expect.stringContaining('looked up') });
    }
    expect(await check(folder, 'ipam release --ip 10.60.0.1 --force --dry-run')).toMatchObject({ code: 0 });
  });
});

describe('a dump of one namespace', () => {
  const ofShop = made.objects.filter(({ kind, metadata }) => kind !== 'Pod' || metadata.namespace === 'shop');
  const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  it('frees nothing of the others, and names them', async () => {
    const { findings, unread } = await fixesNothing(dump(ofShop));
    expect(findings).toEqual([]);
    expect(unread).toMatchObject([{ kind: 'Pod', reason: expect.stringMatching(/of namespace web, of which/) }]);
  });

  it('still finds the leak of its own namespace', async () => {
    const gone = ofShop.find(({ kind }) => kind === 'Pod');
    const { stdout } = await check(dump(ofShop.filter((object) => object !== gone)));
    const { findings } = JSON.parse(stdout) as Report;
    expect(findings.map(({ id }) => id)).toEqual(['INV-53']);
  });

  it('with the Namespace objects of the cluster a namespace that is gone is judged', async () => {
    const folder = dump([...ofShop, ...['default', 'kube-system', 'shop'].map(namespace)]);
    const { findings, unread } = JSON.parse((await check(folder)).stdout) as Report;
    expect(unread).toBeUndefined();
    expect(findings.length).toBeGreaterThan(5);
    expect(new Set(findings.map(({ id }) => id))).toEqual(new Set(['INV-53']));
  });

  it('with its own Namespace object a namespace without pods is judged', async () => {
    const { unread } = JSON.parse((await check(dump([...ofShop, namespace('web')]))).stdout) as Report;
    expect(unread).toBeUndefined();
  });
});

describe('a directory with a file that cannot be read', () => {
  /** The folder with its pods in something that is not a file. */
  const withPods = (place: (path: string) => void): string => {
    const folder = dump(without('Pod'));
    place(join(folder, 'pods.yaml'));
    return folder;
  };

  it('the text names all kinds that the file may hold in one sentence', async () => {
    const folder = withPods((path) => symlinkSync('nowhere', path));
    const { stdout } = await check(folder, 'ipam check');
    expect(stdout.match(/could not be read/g)).toHaveLength(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /BlockAffinity, .*, Pod, .*WorkloadEndpoint could not be read: .*pods\.yaml/,
    );
  });

  it.each<[string, (path: string) => void, RegExp]>([
    [
      'a link to nowhere',
      (path) => symlinkSync('nowhere', path),
      /pods\.yaml: a link to nowhere, which does not exist/,
    ],
    ['a link to itself', (path) => symlinkSync('pods.yaml', path), /pods\.yaml: too many levels of symbolic links/],
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /pods\.yaml: a named pipe, not a file/],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path), /pods\.yaml: a device, not a file/],
  ])('%s: named, nothing repaired, and other commands fail with its name', async (_, place, named) => {
    const folder = withPods(place);
    const { findings, unread, stderr } = await fixesNothing(folder);
    expect(findings).toEqual([]);
    expect(unread?.find(({ kind }) => kind === 'Pod')?.reason).toMatch(named);
    expect(stderr).toMatch(named);
    for (const line of ['get workloadendpoints -A', 'get ippools', 'ipam show', 'ipam capacity', 'snapshot save s']) {
      expect(await run(line, { folder, cwd: top }), line).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(named),
      });
    }
  });

  it('a link to a directory of manifests elsewhere is named, one to a directory of other files is not', async () => {
    const pods = dump(made.objects.filter(({ kind }) => kind === 'Pod'));
    const folder = dump(without('Pod'));
    symlinkSync(pods, join(folder, 'pods'));
    expect((await fixesNothing(folder)).unread?.[0]?.reason).toMatch(
      /pods: a link to a directory, which is not followed/,
    );
    const healthy = dump(made.objects);
    mkdirSync(join(top, 'notes'));
    symlinkSync(join(top, 'notes'), join(healthy, 'notes'));
    symlinkSync('.', join(healthy, 'here'));
    expect((await fixesNothing(healthy)).unread).toBeUndefined();
  });
});

describe('a directory that holds objects twice', () => {
  it('reads equal copies as one object, and refuses to change one of them', async () => {
    const folder = dump(leaky.objects);
    mkdirSync(join(folder, 'v1-preferredversion'));
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
      cpSync(join(folder, name), join(folder, 'v1-preferredversion', name));
    }
    const { findings } = JSON.parse((await check(folder)).stdout) as Report;
    expect(findings.map(({ id }) => id)).toEqual(['INV-53']);
    const before = stateOf(folder);
    const { code, stdout } = await check(folder, 'ipam check --fix');
    expect(code).toBe(5);
    expect(stdout).toMatch(/is in several files and\s+cannot be changed/);
    expect(stateOf(folder)).toEqual(before);
    expect({ ...stateOf(join(folder, 'v1-preferredversion')), 'v1-preferredversion': '' }).toEqual(before);
  });
});
