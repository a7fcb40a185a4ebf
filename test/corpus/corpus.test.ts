// Each fault of the corpus in each store: the first check finds it and nothing else, --fix repairs what it can, and the
// next check finds only the rest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { invariantIds } from '../../src/ipam-check/invariants.ts';
import { check } from '../../src/ipam-live/check/check.ts';
import { repair } from '../../src/ipam-live/repair/repair.ts';
import { loadBalancerHandle } from '../../src/resources/names.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { corpus, type DamagedCluster, healthyImage } from '../support/clusters/corpus.ts';
import { faultLines } from '../support/clusters/example-cluster.ts';
import { folderOf, run, TestClock } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const faults = corpus();
const journals = mkdtempSync(join(tmpdir(), 'calictl-corpus-'));
afterAll(() => rmSync(journals, { recursive: true }));

const nothing = { findings: [], left: [] };

/** Long after everything in the images was created. */
const later = (): TestClock => new TestClock('2026-06-01T00:00:00Z');

interface Checked {
  readonly findings: string[];
  readonly left: string[];
}

async function inMemory(objects: readonly KubeObject[]): Promise<Checked> {
  const store = new MemoryDatastore(objects);
  const options = { clock: later(), signal: new AbortController().signal };
  const first = await check(store, options);
  await repair(store, first, {
    ...options,
    selection: {},
    journal: { path: 'none', append: async () => undefined, close: async () => undefined },
    lock: undefined,
    goOn: async () => true,
  });
  const second = await check(store, options);
  const lines = ({ judgements }: typeof first) => faultLines({ findings: judgements.map(({ finding }) => finding) });
  return { findings: lines(first), left: lines(second) };
}

/** By the command line, as a person does it; the exit codes match the findings. */
async function byCommand(env: Record<string, string>, clock: () => TestClock): Promise<Checked> {
  const command = async (line: string) => {
    const ran = await run(line, { env: { ...env, XDG_STATE_HOME: journals }, clock: clock() });
    expect(ran.stderr).toBe('');
    const found = faultLines(JSON.parse(ran.stdout));
    expect(ran.code, `${line}: ${found.join(', ')}`).toBe(found.some((fault) => !fault.includes(' info ')) ? 3 : 0);
    return found;
  };
  const findings = await command('ipam check -o json');
  await command('ipam check --fix -o json');
  return { findings, left: await command('ipam check -o json') };
}

/** Every cluster has it. A folder without any service is a dump that was made without them. */
const apiService: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default' },
};

async function inFolder(objects: readonly KubeObject[]): Promise<Checked> {
  const folder = folderOf([...objects, apiService]);
  try {
    return await byCommand({ DATASTORE_TYPE: folder }, later);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The objects with the UIDs that the server gives to services, from which the handles of their addresses are made. */
async function withHandlesOfServices(server: ApiServer, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const services = objects.filter(({ kind }) => kind === 'Service');
  await server.admin.load(services);
  let text = printJson(objects.filter(({ kind }) => kind !== 'Service') as never);
  for (const { metadata } of services) {
    const { name, namespace = '', uid = '' } = metadata;
    const { body } = await server.admin.request('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
    const [planned, actual] = [uid, JSON.parse(body).metadata.uid].map((id) => loadBalancerHandle(name, namespace, id));
    text = text.replaceAll(String(planned), String(actual));
    text = text.replaceAll(String(planned).toLowerCase(), String(actual).toLowerCase());
  }
  return parseJson(text) as unknown as KubeObject[];
}

async function onKubernetes(server: ApiServer, objects: readonly KubeObject[]): Promise<Checked> {
  await server.admin.reset();
  await server.admin.load(await withHandlesOfServices(server, objects));
  const ahead = (): TestClock => new TestClock(new Date(Date.now() + 3_600_000));
  return byCommand({ KUBECONFIG: server.kubeconfig }, ahead);
}

const expected = ({ findings, left }: DamagedCluster): Checked => ({
  findings: [...findings].sort(),
  left: [...left].sort(),
});

it('the corpus has a fault for every invariant', () => {
  const found = new Set(faults.flatMap(({ findings }) => findings.map((line) => line.slice(0, 'INV-00'.length))));
  expect(invariantIds.filter((id) => !found.has(id))).toEqual([]);
});

describe('the corpus in memory', () => {
  it('in memory, the healthy image has no finding', async () =>
    expect(await inMemory(healthyImage())).toEqual(nothing));
  it.each(faults)('in memory, $name has the expected findings before and after a repair', async (damaged) =>
    expect(await inMemory(damaged.objects)).toEqual(expected(damaged)),
  );
});

describe('the corpus in a directory', () => {
  it('in a directory, the healthy image has no finding', async () =>
    expect(await inFolder(healthyImage())).toEqual(nothing));
  it.each(faults)('in a directory, $name has the expected findings before and after a repair', async (damaged) =>
    expect(await inFolder(damaged.objects)).toEqual(expected(damaged)),
  );
});

/** In projectcalico.org/v3 the same findings, except where the schema of its CRDs refuses the fault. All with LONG=1. */
const onV3 = faults.filter((_, at) => process.env['LONG'] !== undefined || at % 4 === 1);

describeWithApiServer(
  'on Kubernetes in projectcalico.org/v3',
  (server) => {
    it('in projectcalico.org/v3, the healthy image has no finding', async () =>
      expect(await onKubernetes(server(), healthyImage())).toEqual(nothing));
    it.each(onV3.filter(({ notOnKubernetes, notOnV3 }) => !notOnKubernetes && !notOnV3))(
      'in projectcalico.org/v3, $name has the expected findings before and after a repair',
      async (damaged) => expect(await onKubernetes(server(), damaged.objects)).toEqual(expected(damaged)),
    );
    it.each(faults.filter(({ notOnV3 }) => notOnV3 !== undefined))(
      'in projectcalico.org/v3, $name cannot be stored: $notOnV3',
      async (damaged) => expect(onKubernetes(server(), damaged.objects)).rejects.toThrow(/POST .*: 422 /),
    );
  },
  'projectcalico.org/v3',
);

describeWithApiServer('on Kubernetes', (server) => {
  it('on Kubernetes, the healthy image has no finding', async () =>
    expect(await onKubernetes(server(), healthyImage())).toEqual(nothing));
  it.each(faults.filter(({ notOnKubernetes }) => notOnKubernetes === undefined))(
    'on Kubernetes, $name has the expected findings before and after a repair',
    async (damaged) => expect(await onKubernetes(server(), damaged.objects)).toEqual(expected(damaged)),
  );
  it.each(faults.filter(({ notOnKubernetes }) => notOnKubernetes !== undefined))(
    'on Kubernetes, $name cannot be stored: $notOnKubernetes',
    async (damaged) => {
      const found = await onKubernetes(server(), damaged.objects).then(
        ({ findings }) => findings,
        () => [],
      );
      expect(found).toEqual([]);
    },
  );
});
