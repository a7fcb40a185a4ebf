// Both APIs of Calico in one real API server: before, during and after a migration, and with left-over CRDs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CalicoApi } from '../../../src/resources/kind.ts';
import { describeWithParts } from '../../support/program/parts.ts';
import { type Ran, run } from '../../support/program/world.ts';
import { type ApiServer, installCrds, startApiServer } from '../../support/servers/api-server.ts';

const crd: CalicoApi = 'crd.projectcalico.org/v1';
const v3: CalicoApi = 'projectcalico.org/v3';
const migrations = '/apis/migration.projectcalico.org/v1beta1/datastoremigrations';

describeWithParts('a cluster with both APIs of Calico', ['etcd', 'kube-apiserver'], () => {
  let server: ApiServer;
  let folder: string;
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, body: answer } = await server.admin.request(method, path, body);
    if (status > 299 && status !== 404) throw new Error(`${method} ${path}: ${status} ${answer}`);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-two-apis-'));
    server = await startApiServer(join(folder, 'server'), v3);
    await installCrds(server.admin, 'crds');
    await installCrds(server.admin, 'crds-migration');
  }, 180_000);
  beforeAll(async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
    await call('POST', '/api/v1/nodes', node);
  });
  afterAll(() => {
    server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The pool of one API has the name of its group. */
  async function holding(api: CalicoApi, isReady: boolean): Promise<void> {
    const make = (kind: string, plural: string, name: string, spec: object) =>
      call('POST', `/apis/${api}/${plural}`, { apiVersion: api, kind, metadata: { name }, spec });
    const cidr = api === crd ? '10.60.0.0/20' : '10.70.0.0/20';
    await make('IPPool', 'ippools', api === crd ? 'old-pool' : 'new-pool', { cidr });
    const information = { clusterGUID: 'c0ffee', calicoVersion: 'v3.32.1', datastoreReady: isReady };
    await make('ClusterInformation', 'clusterinformations', 'default', information);
  }

  async function migrating(phase: string): Promise<void> {
    const metadata = { name: 'v1-to-v3' };
    const object = { apiVersion: 'migration.projectcalico.org/v1beta1', kind: 'DatastoreMigration', metadata };
    await call('POST', migrations, { ...object, spec: { type: 'APIServerToCRDs' } });
    if (phase === '') return;
    const { body } = await server.admin.request('GET', `${migrations}/v1-to-v3`);
    await call('PUT', `${migrations}/v1-to-v3/status`, { ...JSON.parse(body), status: { phase } });
  }

  beforeEach(async () => {
    await call('DELETE', `${migrations}/v1-to-v3`);
    for (const api of [crd, v3]) {
      const config = api === crd ? 'ipamconfigs' : 'ipamconfigurations';
      for (const plural of ['ippools', 'clusterinformations', config, 'ipamblocks', 'ipamhandles', 'blockaffinities']) {
        await call('DELETE', `/apis/${api}/${plural}`);
      }
    }
  });

  const calictl = (line: string, env: Record<string, string> = {}): Promise<Ran> =>
    run(line, { env: { KUBECONFIG: server.kubeconfig, ...env } });

  /** The API whose pool `get` prints, and what it says on stderr. */
  async function read(env: Record<string, string> = {}): Promise<{ api: string; note: string }> {
    const { code, stdout, stderr } = await calictl('get ippools -o name', env);
    expect(code, stderr).toBe(0);
    const pools: Record<string, string> = { 'ippool/old-pool\n': crd, 'ippool/new-pool\n': v3 };
    return { api: pools[stdout.toLowerCase()] ?? stdout, note: stderr };
  }

  /** The exit code of a write to the configuration of IPAM, and the API that it appeared in. */
  async function write(env: Record<string, string> = {}): Promise<{ code: number; stderr: string; written: string[] }> {
    const { code, stderr } = await calictl('ipam configure --strictaffinity true', env);
    const written: string[] = [];
    for (const [api, plural] of [
      [crd, 'ipamconfigs'],
      [v3, 'ipamconfigurations'],
    ] as const) {
      const { body } = await server.admin.request('GET', `/apis/${api}/${plural}`);
      if ((JSON.parse(body) as { items: unknown[] }).items.length > 0) written.push(api);
    }
    return { code, stderr, written };
  }

  describe('a DatastoreMigration', () => {
    it.each([
      ['', true, crd, [crd]],
      ['Pending', true, crd, [crd]],
      ['WaitingForConflictResolution', true, crd, [crd]],
      ['WaitingForConflictResolution', false, crd, []],
      ['Migrating', false, crd, []],
      ['Failed', true, crd, [crd]],
      ['Converged', false, v3, [v3]],
      ['Complete', false, v3, [v3]],
    ] as const)('in phase "%s" (ready: %s) %s is read and writes go to %j', async (phase, isReady, api, writes) => {
      await holding(crd, isReady);
      await holding(v3, phase !== 'Migrating');
      await migrating(phase);
      const found = await read();
      expect(found.api).toBe(api);
      expect(found.note).toContain(`the migration to projectcalico.org/v3 is in phase ${phase || 'Pending'}: `);
      expect(found.note).toContain(`Calico's objects are read from ${api}`);
      expect(found.note).toContain(api === crd ? v3 : crd);
      const { code, stderr, written } = await write();
      expect({ code, written }, stderr).toEqual({ code: writes.length === 0 ? 4 : 0, written: writes });
      if (writes.length === 0) expect(stderr).toContain(`Calico's objects are in ${crd}`);
    });

    it('whatever CALICO_API_GROUP says, nothing is written to what a migration left behind', async () => {
      await holding(crd, false);
      await holding(v3, true);
      await migrating('Complete');
      const env = { CALICO_API_GROUP: crd };
      expect((await read(env)).api).toBe(crd);
      expect(await write(env)).toMatchObject({ code: 4, written: [] });
      expect(await write({ CALICO_API_GROUP: v3 })).toMatchObject({ code: 0, written: [v3] });
    });

    it('every command that writes is refused with exit 4 while objects are copied', async () => {
      await holding(crd, false);
      const spec = { handleID: 'stray', block: {}, deleted: false };
      const stray = { apiVersion: crd, kind: 'IPAMHandle', metadata: { name: 'stray' }, spec };
      await call('POST', `/apis/${crd}/ipamhandles`, stray);
      await migrating('Migrating');
      for (const line of [
        'ipam configure --strictaffinity true',
        'ipam assign --node node-a',
        'ipam affinity claim 10.60.0.0/26 --node node-a',
        'ipam affinity release 10.60.0.0/26 --node node-a',
        'ipam release --handle stray',
        'ipam split 2 --name old-pool --yes',
        'ipam check --fix',
        'ipam check --fix --no-lease',
      ]) {
        const { code, stderr } = await calictl(line, { XDG_STATE_HOME: folder });
        expect({ line, code }, stderr).toEqual({ line, code: 4 });
        expect(stderr).toContain('which is being copied, and a write to either API can be lost');
      }
      expect((await calictl('get ipamhandles -o name')).stdout.toLowerCase()).toBe('ipamhandle/stray\n');
      expect((await calictl('ipam check --fix --dry-run', { XDG_STATE_HOME: folder })).code).toBe(3);
    });

    it('calicoctl reads and writes the same API, without a note, and fails with exit 1', async () => {
      await holding(crd, false);
      await holding(v3, true);
      await migrating('Converged');
      const compat = { programName: 'calicoctl', env: { KUBECONFIG: server.kubeconfig } };
      const { code, stdout, stderr } = await run('get ippool --allow-version-mismatch', compat);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('new-pool');
    });
  });

  it('ipam check warns of handles that a migration cannot copy, only where one is prepared or under way', async () => {
    const id = 'lb-AbC';
    const spec = { handleID: id, block: {}, deleted: false };
    const made = { apiVersion: crd, kind: 'IPAMHandle', metadata: { name: id.toLowerCase() }, spec };
    await holding(crd, true);
    await call('POST', `/apis/${crd}/ipamhandles`, made);
    await migrating('Pending');
    expect((await calictl('ipam check')).stderr).toContain('warning: 1 handle with capital letters, such as lb-AbC: ');
    await call('DELETE', `${migrations}/v1-to-v3`);
    expect((await calictl('ipam check')).stderr).toContain('1 handle with capital letters');
    await call('DELETE', `/apis/${crd}/ipamhandles/lb-abc`);
    expect((await calictl('ipam check')).stderr).not.toContain('capital letters');
  });

  describe('without a migration', () => {
    it('left-over CRDs of crd.projectcalico.org do not make a native cluster look empty', async () => {
      await holding(v3, true);
      const found = await read();
      expect(found.api).toBe(v3);
      expect(found.note).toContain(`also serves ${crd}, which is not in use: Calico's objects are read from ${v3}`);
      expect(await write()).toMatchObject({ code: 0, written: [v3] });
    });

    it('CRDs that were installed before a migration change nothing', async () => {
      await holding(crd, true);
      expect((await read()).api).toBe(crd);
      expect(await write()).toMatchObject({ code: 0, written: [crd] });
    });

    it('two APIs in use are refused for writing until the user chooses', async () => {
      await holding(crd, true);
      await holding(v3, true);
      expect((await read()).note).toContain('set CALICO_API_GROUP to choose');
      expect(await write()).toMatchObject({ code: 4, written: [] });
      expect(await write({ CALICO_API_GROUP: v3 })).toMatchObject({ code: 0, written: [v3] });
    });
  });
});
