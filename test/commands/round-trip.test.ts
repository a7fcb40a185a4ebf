// Every kind that people write, through every command that writes one, on every store: created from a manifest with a value in
// every field, read, replaced, patched, labelled, edited, deleted. Nothing is lost or changed on the way, and a change on the ground
// of an old revision is refused and loses nothing. Objects are valid by their kind's rules and by the schemas of the servers.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CalicoApi, isOnCommandLine, type Kind } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { problemsFor } from '../../src/resources/rules/rules.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { completeObject } from '../support/clusters/complete-object.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { type Ran, run, TestClock } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

/** Kinds that people create; the others are made by Kubernetes and by Calico. */
const written = kinds.filter(
  ({ codec, derived, refusals, ...kind }) =>
    codec !== undefined &&
    codec.onto === undefined &&
    derived === undefined &&
    isOnCommandLine(kind as Kind) &&
    !refusals?.some(({ verbs, names, when }) => verbs.includes('create') && names === undefined && when === 'asked'),
);

/** Names that rules ask for; `round-trip` for all others. */
const names: Readonly<Record<string, string>> = {
  BGPConfiguration: 'default',
  KubeControllersConfiguration: 'default',
};
const nameOf = ({ kind }: Kind): string => names[kind] ?? 'round-trip';

/** Fields that the schemas of a server do not have: those of 3.31 the newer ones, those of 3.32 what was removed. */
const dropped: Readonly<Record<CalicoApi, Readonly<Record<string, readonly string[]>>>> = {
  'crd.projectcalico.org/v1': {
    BGPConfiguration: ['programClusterRoutes', 'ipv4NormalRoutePriority', 'ipv6NormalRoutePriority'],
    BGPPeer: ['keepaliveTime'],
    FelixConfiguration: [
      'nodeSelector',
      'prometheusMetricsCAFile',
      'prometheusMetricsCertFile',
      'prometheusMetricsKeyFile',
      'prometheusMetricsClientAuth',
      'istioAmbientMode',
      'istioDSCPMark',
      'ipv4NormalRoutePriority',
      'ipv4ElevatedRoutePriority',
      'ipv6NormalRoutePriority',
      'ipv6ElevatedRoutePriority',
      'liveMigrationRouteConvergenceTime',
      'bpfMaglevMaxEndpointsPerService',
      'bpfMaglevMaxServices',
    ],
    KubeControllersConfiguration: ['controllers.policyMigration'],
  },
  'projectcalico.org/v3': {
    FelixConfiguration: ['iptablesLockFilePath', 'iptablesLockTimeout', 'bpfKubeProxyEndpointSlicesEnabled'],
  },
};

/** An editor that moves what it is given to another rack. */
const editing = {
  EDITOR: 'sed -i "s/rack: r7/rack: r8/"',
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
};

interface Store {
  /** That of a server; a directory keeps everything. */
  readonly calicoApi?: CalicoApi;
  run(line: readonly string[], stdin?: string): Promise<Ran>;
}

type Members = Readonly<Record<string, unknown>>;

/** The values of `wanted` that `got` does not have, by path. What a server adds does not matter. */
function lost(wanted: unknown, got: unknown, path = ''): string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length)
      return [`${path}: ${printJson(wanted)} -> ${printJson(got ?? null)}`];
    return wanted.flatMap((one, at) => lost(one, got[at], `${path}[${at}]`));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    return Object.entries(wanted).flatMap(([key, one]) =>
      lost(one, (got as Members | undefined)?.[key], `${path}.${key}`),
    );
  }
  return Object.is(wanted, got) ? [] : [`${path}: ${String(wanted)} -> ${String(got)}`];
}

/** All that people can change of an object: no revision, no generation. */
const content = ({ metadata, spec }: KubeObject): unknown => ({
  labels: metadata.labels,
  annotations: metadata.annotations,
  spec,
});

function roundTrips(store: () => Store): void {
  it.each(written.map((kind) => [kind.kind, kind] as const))(
    '%s comes back whole from create, get, replace, patch, label and edit, and a conflict loses nothing',
    async (_, kind) => {
      const name = nameOf(kind);
      const words = [kind.aliases[0] ?? '', name, ...(kind.namespaced ? ['-n', 'default'] : [])];
      const ok = async (line: readonly string[], stdin?: string): Promise<string> => {
        const { code, stdout, stderr } = await store().run(line, stdin);
        expect({ line: line.join(' '), code, stderr }).toEqual({ line: line.join(' '), code: 0, stderr: '' });
        return stdout;
      };
      const text = (): Promise<string> => ok(['get', ...words, '-o', 'yaml']);
      const read = async (): Promise<KubeObject> => parseJson(await ok(['get', ...words, '-o', 'json'])) as KubeObject;

      const { calicoApi } = store();
      const manifest = completeObject(kind, name, true);
      const creation = await store().run(['create', '-f', '-'], printJson(manifest));
      expect(creation.code, creation.stderr).toBe(0);
      const created = await read();
      const gone = calicoApi === undefined ? [] : (dropped[calicoApi][kind.kind] ?? []);
      const paths = lost(content(manifest), content(created)).map((line) => line.replace(/:.*/, ''));
      expect(paths.map((path) => path.replace(/^\.spec\./, ''))).toEqual(
        gone.map((path) => (path === 'controllers.policyMigration' ? `${path}.enabled` : path)),
      );
      const [said = '', ...rest] = creation.stderr.split('\n');
      expect(rest.join('')).toBe('');
      if (gone.length === 0) expect(said).toBe('');
      else expect(said).toContain(`${kind.kind} ${name}: the datastore dropped spec.${gone[0]}`);

      const first = await text();
      expect(parse(first, { intAsBigInt: false }).metadata.name).toBe(created.metadata.name);
      await ok(['replace', '-f', '-'], first);
      expect(content(await read())).toEqual(content(created));

      await ok(['patch', ...words, '-p', '{"metadata":{"annotations":{"example.com/added":"by patch"}}}']);
      const patched = await read();
      const annotations = { ...created.metadata.annotations, 'example.com/added': 'by patch' };
      expect(content(patched)).toEqual(content({ ...created, metadata: { ...created.metadata, annotations } }));

      const stale = await store().run(['replace', '-f', '-'], first);
      expect(stale.code).toBe(1);
      expect(stale.stderr).toMatch(/changed in the meantime/);
      expect(await read()).toEqual(patched);

      await ok(['label', ...words, 'rack=r7']);
      const labels = { ...created.metadata.labels, rack: 'r7' };
      const labelled = await read();
      expect(content(labelled)).toEqual(
        content({ ...created, metadata: { ...created.metadata, annotations, labels } }),
      );

      await ok(['edit', ...words]);
      expect(content(await read())).toEqual(
        content({ ...labelled, metadata: { ...labelled.metadata, labels: { ...labels, rack: 'r8' } } }),
      );

      await ok(['delete', ...words]);
      expect((await store().run(['get', ...words])).code).toBe(1);
    },
    30_000,
  );
}

it('the objects of these tests have every field, and are valid', () => {
  expect(written.length).toBeGreaterThan(15);
  const problems = written.flatMap((kind) =>
    problemsFor(kind, completeObject(kind, nameOf(kind))).map(
      ({ path, message }) => `${kind.kind} ${path.join('.')} ${message}`,
    ),
  );
  expect(problems).toEqual([]);
});

const proof = {
  apiVersion: 'projectcalico.org/v3',
  kind: 'IPAMHandle',
  metadata: { name: 'h' },
  spec: { handleID: 'h', block: {}, deleted: false },
};

for (const [name, contents] of [
  ['an empty directory', undefined],
  ['a directory of projectcalico.org/v3', proof],
] as const) {
  describe(`in ${name}`, () => {
    let folder: TestFolder;
    beforeAll(() => {
      folder = testFolder();
      if (contents !== undefined) folder.write('proof.json', printJson(contents as never));
    });
    afterAll(() => folder.remove());

    roundTrips(() => ({
      run: (line, stdin = '') => run(line, { env: { ...editing, DATASTORE_TYPE: folder.path }, stdin }),
    }));

    it.each(written.map((kind) => [kind.kind, kind] as const))(
      '%s keeps fields that calictl does not know, and integers of 64 bits',
      async (_, kind) => {
        const env = { DATASTORE_TYPE: folder.path };
        const name = nameOf(kind);
        const words = [kind.aliases[0] ?? '', name, ...(kind.namespaced ? ['-n', 'default'] : [])];
        await run('create -f -', { env, stdin: printJson(completeObject(kind, name)) });
        const file =
          readdirSync(folder.path).find((one) => one.toLowerCase().startsWith(kind.kind.toLowerCase())) ?? '';
        const path = join(folder.path, file);
        const unknown = '  futureField:\n    id: 9007199254740993\n    deep: [18446744073709551615, {a: b}]\n';
        writeFileSync(path, readFileSync(path, 'utf8').replace(/^spec:.*\n/m, `spec:\n${unknown}`));
        expect(await run(['label', ...words, 'rack=r7'], { env })).toMatchObject({ code: 0 });
        expect(await run(['patch', ...words, '-p', '{"metadata":{"annotations":{"a":"b"}}}'], { env })).toMatchObject({
          code: 0,
        });
        expect(readFileSync(path, 'utf8')).toContain(unknown);
        const { stdout } = await run(['get', ...words, '-o', 'yaml'], { env });
        expect(stdout).toContain('id: 9007199254740993\n');
        // What a manifest cannot say is refused, not dropped.
        const replaced = await run('replace -f -', { env, stdin: stdout });
        expect(replaced.code).toBe(2);
        expect(replaced.stderr).toMatch(/futureField is not a field/);
        expect(readFileSync(path, 'utf8')).toContain(unknown);
        await run(['delete', ...words], { env });
      },
    );
  });
}

for (const calicoApi of ['crd.projectcalico.org/v1', 'projectcalico.org/v3'] as const satisfies readonly CalicoApi[]) {
  describeWithApiServer(
    `in a cluster with ${calicoApi}`,
    (server) => {
      const onCluster = (line: readonly string[], stdin = ''): Promise<Ran> =>
        run(line, {
          env: { ...editing, KUBECONFIG: server().kubeconfig },
          stdin,
          clock: new TestClock('2026-03-05T10:00:00Z'),
        });
      roundTrips(() => ({ calicoApi, run: onCluster }));

      it('delete of an object with finalizers says that it waits for them, and the object stays until they are done', async () => {
        const path = `/apis/${calicoApi}/globalnetworksets/kept`;
        const metadata = { name: 'kept', finalizers: ['example.com/first', 'example.com/second'] };
        await server().admin.load([{ apiVersion: calicoApi, kind: 'GlobalNetworkSet', metadata, spec: {} }]);
        const { code, stdout, stderr } = await onCluster(['delete', 'globalnetworkset', 'kept']);
        expect(stderr).toBe(
          'GlobalNetworkSet kept is being deleted: it waits for its finalizers (example.com/first, example.com/second)\n',
        );
        expect({ code, stdout }).toEqual({ code: 0, stdout: 'globalnetworkset/kept deleted\n' });
        const { body } = await server().admin.request('GET', path);
        const stored = JSON.parse(body) as KubeObject;
        expect(stored.metadata['deletionTimestamp']).toMatch(/^20/);
        await server().admin.request('PUT', path, { ...stored, metadata: { ...stored.metadata, finalizers: [] } });
        expect((await onCluster(['get', 'globalnetworkset', 'kept'])).code).toBe(1);
      });
    },
    calicoApi,
  );
}
