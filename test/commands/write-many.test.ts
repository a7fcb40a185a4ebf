// apply, create, replace and delete of many objects: on a real API server, and on one that is busy or loses a race.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import type { Kind } from '../../src/resources/kind.ts';
import { networkSet } from '../../src/resources/kinds/network-set.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { manifestOf, manyNamespaces, manyObjects } from '../support/clusters/many-objects.ts';
import { type Ran, run, TestClock, testWorld, type WorldOptions } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';
import { type StandInCluster, serveCluster, type Trouble } from '../support/servers/stand-in-cluster.ts';
import type { SeenRequest } from '../support/servers/tls-stand-in.ts';

const count = process.env['LONG'] === undefined ? 240 : 5_000;
vi.setConfig({ testTimeout: 600_000 });

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-write-many-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function outcomesOf({ stdout }: Ran): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of stdout.trimEnd().split('\n')) {
    const outcome = line.split(' ')[1] ?? '';
    found[outcome] = (found[outcome] ?? 0) + 1;
  }
  return found;
}

const networkSets = (length: number, cidr: string): KubeObject[] =>
  Array.from({ length }, (_, at) => ({
    apiVersion: 'projectcalico.org/v3',
    kind: 'NetworkSet',
    metadata: { name: `set-${at}`, namespace: 'shop' },
    spec: { nets: [cidr] },
  }));

describeWithApiServer('many objects on an API server', (server) => {
  const objects = manyObjects(count);

  beforeEach(async () => {
    const { admin } = server();
    await admin.reset();
    for (const name of manyNamespaces) {
      await admin.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  });

  /** Runs a command as `user` on a manifest of the objects, and answers also with what it asked the server. */
  async function asked(
    line: string,
    manifest: readonly KubeObject[],
    { user = 'kubernetes-admin', programName = 'calictl' } = {},
  ) {
    const groups = user === 'kubernetes-admin' ? { 'impersonate-group': 'system:masters' } : {};
    const proxy = new RecordingProxy(server(), user, groups);
    const url = await proxy.start();
    const kubeconfig = join(top, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'one',
        clusters: [{ name: 'c', cluster: { server: url } }],
        contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: {} }],
      }),
    );
    try {
      const ran = await run(`${line} -f -`, {
        env: { KUBECONFIG: kubeconfig },
        stdin: manifestOf(manifest),
        clock: new PatientClock(),
        programName,
      });
      const requests = (verb: string, resource: string): number =>
        proxy.asked.filter((each) => each.verb === verb && each.resource === resource).length;
      return { ran, requests };
    } finally {
      proxy.stop();
    }
  }

  it('apply creates them, leaves them as they are, and updates them, with one list for each kind', async () => {
    const created = await asked('apply', objects);
    expect({ code: created.ran.code, stderr: created.ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(outcomesOf(created.ran)).toEqual({ created: count });
    const kinds = ['globalnetworksets', 'networksets', 'networkpolicies', 'globalnetworkpolicies', 'hostendpoints'];
    for (const kind of kinds) {
      expect([kind, created.requests('get', kind), created.requests('list', kind)]).toEqual([kind, 0, 1]);
    }

    const again = await asked('apply', objects);
    expect(outcomesOf(again.ran)).toEqual({ unchanged: count });
    expect(again.requests('get', 'hostendpoints')).toBe(0);
    expect(again.requests('update', 'hostendpoints')).toBe(0);

    const changed = objects.map((object) =>
      object.kind === 'HostEndpoint'
        ? { ...object, metadata: { ...object.metadata, labels: { role: 'new' } } }
        : object,
    );
    const endpoints = changed.filter(({ kind }) => kind === 'HostEndpoint').length;
    const updated = await asked('apply', changed);
    expect(outcomesOf(updated.ran)).toEqual({ configured: endpoints, unchanged: count - endpoints });
    expect(updated.requests('get', 'hostendpoints')).toBe(0);
    expect(updated.requests('update', 'hostendpoints')).toBe(endpoints);
  });

  it('create, replace and delete do them all, and what exists already or no longer is named', async () => {
    const created = await asked('create', objects);
    expect(outcomesOf(created.ran)).toEqual({ created: count });
    const replaced = await asked('replace', objects);
    expect(outcomesOf(replaced.ran)).toEqual({ replaced: count });
    expect(replaced.requests('get', 'bgppeers')).toBe(0);
    const taken = await asked('create', objects.slice(2, 40));
    expect(taken.ran).toMatchObject({ code: 1, stdout: '' });
    expect(taken.ran.stderr).toContain('GlobalNetworkSet set-0 already exists');
    const deleted = await asked('delete', objects);
    expect(deleted.ran.stderr).toBe('');
    expect(outcomesOf(deleted.ran)).toEqual({ deleted: count });
    const gone = await asked('replace', objects.slice(2));
    expect(gone.ran).toMatchObject({ code: 1, stdout: '' });
    expect(gone.ran.stderr).toContain('-:1: GlobalNetworkSet set-0 does not exist');
  });

  it('as calicoctl, objects without a namespace are read by the list of the one they get', async () => {
    const sets = Array.from(
      { length: 40 },
      (_, n): KubeObject => ({
        apiVersion: 'projectcalico.org/v3',
        kind: 'NetworkSet',
        metadata: { name: `plain-${n}` },
        spec: { nets: ['10.0.0.0/8'] },
      }),
    );
    const summary = "Successfully applied 40 'NetworkSet' resource(s)\n";
    const apply = () => asked('apply', sets, { programName: 'calicoctl' });
    expect((await apply()).ran).toMatchObject({ code: 0, stdout: summary });
    const again = await apply();
    expect(again.ran).toMatchObject({ code: 0, stdout: summary });
    expect([again.requests('get', 'networksets'), again.requests('list', 'networksets')]).toEqual([0, 1]);
  });

  it('without the right to list, the objects are read one by one', async () => {
    const { admin } = server();
    const rules = [
      { apiGroups: ['crd.projectcalico.org'], resources: ['networksets'], verbs: ['get', 'create', 'update'] },
    ];
    await admin.load([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'no-lists' }, rules },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'no-lists' },
        subjects: [{ kind: 'User', name: 'writer', apiGroup: 'rbac.authorization.k8s.io' }],
        roleRef: { kind: 'ClusterRole', name: 'no-lists', apiGroup: 'rbac.authorization.k8s.io' },
      },
    ] as unknown as KubeObject[]);
    const sets = networkSets(30, '10.0.0.0/8');
    const { ran, requests } = await asked('apply', sets, { user: 'writer' });
    expect(outcomesOf(ran)).toEqual({ created: 30 });
    expect(requests('get', 'networksets')).toBe(30);
    const again = await asked('apply', sets, { user: 'writer' });
    expect(outcomesOf(again.ran)).toEqual({ unchanged: 30 });
  });

  it('of a kind with thousands of objects no more pages are listed than the named ones are worth', async () => {
    const all = networkSets(1_100, '10.0.0.0/8');
    await server().admin.load(all);
    const { ran, requests } = await asked(
      'apply',
      all.filter(({ metadata: { name } }) => /^set-9[89]\d$/.test(name)),
    );
    expect(outcomesOf(ran)).toEqual({ unchanged: 20 });
    expect(requests('list', 'networksets')).toBeLessThanOrEqual(2);
    expect(requests('get', 'networksets')).toBeGreaterThan(0);
    const few = await asked('apply', all.slice(981, 1_000));
    expect([few.requests('list', 'networksets'), few.requests('get', 'networksets')]).toEqual([0, 19]);
  });
});

/** Waits are over at once, and noted. */
class PatientClock extends TestClock {
  readonly waits: number[] = [];

  constructor() {
    super('2026-06-01T00:00:00Z');
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms);
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** A wait lasts until it is interrupted. */
class EndlessClock extends TestClock {
  override async sleep(_: number, signal?: AbortSignal): Promise<void> {
    if (signal !== undefined && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    signal?.throwIfAborted();
  }
}

describe('many objects on a server in trouble', () => {
  const objects = manyObjects(count);
  let served: StandInCluster | undefined;
  afterEach(async () => {
    await served?.standIn.stop();
    served = undefined;
  });

  async function serve(
    trouble?: (request: SeenRequest) => Trouble | Promise<Trouble>,
    stored: readonly KubeObject[] = [],
  ): Promise<MemoryDatastore> {
    const store = new MemoryDatastore(stored);
    served = await serveCluster(store, trouble);
    return store;
  }

  const apply = (manifest: readonly KubeObject[], options: WorldOptions = {}): Promise<Ran> =>
    run('apply -f -', {
      env: { KUBECONFIG: served?.kubeconfig ?? '' },
      stdin: manifestOf(manifest),
      clock: new PatientClock(),
      ...options,
    });

  const isWrite = ({ method }: SeenRequest): boolean => method !== 'GET';

  it('writes are in flight together, no more than 24, and none before what it needs was written', async () => {
    let inFlight = 0;
    let most = 0;
    let isTierStored = false;
    const early: string[] = [];
    await serve(async (request) => {
      if (!isWrite(request)) return undefined;
      most = Math.max(most, ++inFlight);
      if (/networkpolicies/.test(request.path) && !isTierStored) early.push(request.path);
      // Others may arrive before this one is answered.
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      inFlight--;
      isTierStored ||= request.path.endsWith('/tiers');
      return undefined;
    });
    const ran = await apply(objects);
    expect({ code: ran.code, outcomes: outcomesOf(ran) }).toEqual({ code: 0, outcomes: { created: count } });
    expect(early).toEqual([]);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(24);
    // The output is in the order of the manifest.
    const names = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toEqual(objects.map(({ kind, metadata: { name } }) => `${kind.toLowerCase()}/${name}`));
  });

  it('a write to which the server answers 429 is sent again after the time that it asks for', async () => {
    const met = new Set<string>();
    let busy = 0;
    await serve((request) => {
      const write = `${request.method} ${request.path} ${request.body}`;
      if (!isWrite(request) || met.has(write)) return undefined;
      met.add(write);
      if (met.size % 3 !== 0) return undefined;
      busy += 1;
      return 'busy';
    });
    const clock = new PatientClock();
    const ran = await apply(objects, { clock });
    expect({ code: ran.code, outcomes: outcomesOf(ran) }).toEqual({ code: 0, outcomes: { created: count } });
    expect(busy).toBeGreaterThan(count / 4);
    expect(clock.waits).toHaveLength(busy);
    expect(Math.min(...clock.waits)).toBeGreaterThanOrEqual(1_000);
  });

  it('an object that another client changes after it was listed is read again, and written at its new revision', async () => {
    const own = networkSets(40, '10.0.0.0/8').map((object) => ({ ...object, apiVersion: 'crd.projectcalico.org/v1' }));
    const raced = new Set<string>();
    const store: MemoryDatastore = await serve(async ({ method, path }) => {
      if (method !== 'PUT' || raced.size >= 3 || raced.has(path)) return undefined;
      raced.add(path);
      const name = path.split('/').at(-1) ?? '';
      const kind = networkSet as unknown as Kind;
      const stored = await store.get(kind, { name, namespace: 'shop' });
      const metadata = { ...stored.metadata, finalizers: ['example.com/theirs'] };
      await store.update(kind, { ...stored, metadata });
      return undefined;
    }, own);
    const ran = await apply(networkSets(40, '10.0.0.0/9'));
    expect({ code: ran.code, outcomes: outcomesOf(ran) }).toEqual({ code: 0, outcomes: { configured: 40 } });
    const requests = served?.standIn.requests ?? [];
    const sent = (method: string, path: string) =>
      requests.filter((each) => each.method === method && each.path === path);
    expect(raced.size).toBe(3);
    for (const path of raced) {
      expect([sent('GET', path).length, sent('PUT', path).length]).toEqual([1, 2]);
      const [refused, written] = sent('PUT', path).map(({ body }) => (JSON.parse(body) as KubeObject).metadata);
      expect(written?.resourceVersion).not.toBe(refused?.resourceVersion);
      expect(written?.finalizers).toEqual(['example.com/theirs']);
    }
    expect(requests.filter(({ method, path }) => method === 'GET' && path.includes('networksets'))).toHaveLength(4);
  });

  it('Ctrl-C stops between writes: the output lists exactly what is stored, stderr says how many are not, exit 130', async () => {
    const stop = new AbortController();
    let writes = 0;
    const store = await serve((request) => {
      if (isWrite(request) && ++writes === count / 2) stop.abort();
      return undefined;
    });
    const ran = await apply(objects, { signal: stop.signal });
    expect(ran.code).toBe(130);
    const created = outcomesOf(ran)['created'] ?? 0;
    expect(outcomesOf(ran)).toEqual({ created });
    expect(store.writes).toBe(created);
    expect(created).toBeGreaterThanOrEqual(count / 2);
    expect(created).toBeLessThan(count / 2 + 24);
    expect(ran.stderr).toBe(
      `calictl: ${count - created} objects not written (NOT_WRITTEN)\n` +
        'hint: Run the command again: what is written already stays as it is.\n',
    );
  });

  it('Ctrl-C while the server is busy does not wait until it is not', async () => {
    const stop = new AbortController();
    let refused = 0;
    const store = await serve((request) => {
      if (!isWrite(request) || request.path.includes('pools') || request.path.includes('tiers')) return undefined;
      if (++refused === 24) stop.abort();
      return 'busy';
    });
    const ran = await apply(objects, { signal: stop.signal, clock: new EndlessClock('2026-06-01T00:00:00Z') });
    expect(ran).toMatchObject({
      code: 130,
      stdout: 'ippool/pool-1 created\nippool/pool-2 created\ntier/security created\n',
    });
    expect(ran.stderr).toContain(`${count - 3} objects not written`);
    expect(store.writes).toBe(3);
  });

  it('a terminal shows how many objects are written', async () => {
    let shown = '';
    let writes = 0;
    let world: ReturnType<typeof testWorld> | undefined;
    await serve(async (request) => {
      // A late write is held back until the line is drawn.
      if (isWrite(request) && ++writes === count - 30) {
        const line = new RegExp(`applying {2}\\[[=> ]*\\] {2}\\d+ of ${count} objects`);
        while (shown === '') {
          shown = line.exec(world?.io.stderr.text ?? '')?.[0] ?? '';
          await setImmediate();
        }
      }
      return undefined;
    });
    const path = join(top, 'all.yaml');
    writeFileSync(path, manifestOf(objects));
    world = testWorld({ env: { KUBECONFIG: served?.kubeconfig ?? '' }, terminal: true, clock: new PatientClock() });
    expect(await runCli(['apply', '-f', path], world)).toBe(0);
    expect(shown).not.toBe('');
  });

  it('as calicoctl the same objects are written in the given order of what needs each other, with its summary', async () => {
    const tierFirst = [...objects.slice(-1), ...objects.slice(0, -1)];
    let inFlight = 0;
    let most = 0;
    await serve(async (request) => {
      if (!isWrite(request)) return undefined;
      most = Math.max(most, ++inFlight);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      inFlight--;
      return undefined;
    });
    const options = { programName: 'calicoctl' } as const;
    const ran = await apply(tierFirst, options);
    expect(ran).toMatchObject({ code: 0, stdout: `Successfully applied ${count} resource(s)\n`, stderr: '' });
    expect(most).toBeGreaterThan(4);
    // Here the tier comes after the policies that are in it.
    await served?.standIn.stop();
    await serve();
    const late = await apply(objects, options);
    const policies = objects.filter(({ kind }) => kind.endsWith('NetworkPolicy')).length;
    expect(late.code).toBe(1);
    expect(late.stdout).toBe(
      count - 2 * policies > 0
        ? `Partial success: applied the first ${count - policies} out of ${count} resources:\n`
        : '',
    );
    expect(late.stderr.match(/resource does not exist: Tier\(security\)/g)).toHaveLength(policies);
  });
});
