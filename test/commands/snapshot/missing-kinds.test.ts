// snapshot save on a cluster that lacks kinds: those of newer versions of Calico are not missed, others are reported.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { everyKind } from '../../support/clusters/every-kind.ts';
import { until } from '../../support/program/until.ts';
import { run } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const scratch = mkdtempSync(join(tmpdir(), 'calictl-missing-kinds-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describeWithApiServer('snapshot save without some kinds', (server) => {
  const removed = new Set<string>();
  const collection = (plural: string): string => `/apis/crd.projectcalico.org/v1/${plural}`;
  const isServed = async (plural: string): Promise<boolean> =>
    (await server().admin.request('GET', collection(plural))).status === 200;

  async function remove(plural: string): Promise<void> {
    removed.add(plural);
    await server().admin.request('DELETE', `${definitions}/${plural}.crd.projectcalico.org`);
    await until(async () => !(await isServed(plural)), `${plural} is gone`);
  }

  const save = async (name: string) => {
    const folder = join(scratch, name);
    const env = { KUBECONFIG: server().kubeconfig, HOME: scratch };
    return { folder, ...(await run(['snapshot', 'save', folder], { env })) };
  };

  beforeAll(() => server().admin.load(everyKind));
  // The server is shared with other suites of this worker.
  afterAll(async () => {
    for (const plural of removed) {
      const file = fileURLToPath(new URL(`../../fixtures/crds/${plural}.yaml`, import.meta.url));
      await server().admin.request('POST', definitions, parse(readFileSync(file, 'utf8')));
      await until(() => isServed(plural), `${plural} is back`);
    }
  });

  it('snapshot save has a file for every kind that has objects, policies of Kubernetes apart from those of Calico', async () => {
    const { code, stderr, folder } = await save('whole');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const saved = readdirSync(folder).filter((name) => name !== 'snapshot.json');
    expect(saved).toEqual(
      expect.arrayContaining([
        'bgpfilters.json',
        'caliconodestatuses.json',
        'globalnetworkpolicies.json',
        'globalnetworksets.json',
        'hostendpoints.json',
        'namespaces.json',
        'networkpolicies.json',
        'networkpolicies.networking.k8s.io.json',
        'networksets.json',
        'serviceaccounts.json',
        'stagedglobalnetworkpolicies.json',
        'stagedkubernetesnetworkpolicies.json',
        'stagednetworkpolicies.json',
        'tiers.json',
      ]),
    );
    const policies = await run('get np -A -o name', { env: { KUBECONFIG: server().kubeconfig, HOME: scratch } });
    const replayed = await run(['--datastore', folder, 'get', 'np', '-A', '-o', 'name']);
    expect(replayed.stdout).toBe(policies.stdout);
    expect(policies.stdout.split('\n')).toContain('networkpolicy/platform.deny-all');
  });

  it('snapshot save does not miss kinds that Calico before 3.30 does not have', async () => {
    await remove('stagednetworkpolicies');
    await remove('tiers');
    const { code, stdout, stderr, folder } = await save('older');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('not saved');
    const { complete } = JSON.parse(readFileSync(join(folder, 'snapshot.json'), 'utf8')) as { complete: string[] };
    expect(complete).toEqual(
      expect.arrayContaining(['StagedNetworkPolicy', 'Tier', 'NetworkPolicy.networking.k8s.io']),
    );
  });

  it('snapshot save reports a kind that every version of Calico has', async () => {
    await remove('networksets');
    const { code, stdout } = await save('broken');
    expect(code).toBe(5);
    expect(stdout).toMatch(/^not saved: NetworkSet: /m);
  });
});
