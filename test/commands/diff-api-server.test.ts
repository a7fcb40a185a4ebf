// diff on a real API server: what it shows is what apply then stores, with what the server fills in.
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { CalicoApi } from '../../src/resources/kind.ts';
import { type Ran, run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';

const manifests = `apiVersion: projectcalico.org/v3
kind: Tier
metadata: {name: sec}
spec: {order: 5}
---
apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: {name: sec.allow}
spec: {tier: sec, selector: all(), ingress: [{action: Allow, protocol: TCP, destination: {ports: [80]}}]}
---
apiVersion: projectcalico.org/v3
kind: IPPool
metadata: {name: pool-1, labels: {team: shop}}
spec: {cidr: 10.1.0.0/16}
`;

const apis: readonly CalicoApi[] = ['crd.projectcalico.org/v1', 'projectcalico.org/v3'];

for (const api of apis) {
  describeWithApiServer(
    `diff on ${api}`,
    (server: () => ApiServer) => {
      const proxies: RecordingProxy[] = [];
      afterAll(() => {
        for (const proxy of proxies) proxy.stop();
      });
      beforeEach(() => server().admin.reset());
      const calictl = (line: string, stdin = ''): Promise<Ran> =>
        run(line, { env: { KUBECONFIG: server().kubeconfig }, stdin });

      it(`on ${api} diff shows what apply then stores, and writes nothing`, async () => {
        const shown = await calictl('diff -o json -f -', manifests);
        expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 1, stderr: '' });
        expect((await calictl('get tiers,globalnetworkpolicies,ippools -o name')).stdout).toBe('');

        expect((await calictl('apply -f -', manifests)).code).toBe(0);
        const names = ['tier sec', 'globalnetworkpolicy sec.allow', 'ippool pool-1'];
        for (const [at, { outcome, applied }] of JSON.parse(shown.stdout).objects.entries()) {
          const stored = JSON.parse((await calictl(`get ${names[at]} -o json`)).stdout);
          for (const field of ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'])
            delete stored.metadata[field];
          expect({ outcome, applied }).toEqual({ outcome: 'created', applied: stored });
        }
        expect(JSON.parse(shown.stdout).objects).toHaveLength(3);
        expect(await calictl('diff -f -', manifests)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      });

      it(`on ${api} diff of a change shows that change only`, async () => {
        await calictl('apply -f -', manifests);
        const { code, stdout } = await calictl('diff -f -', manifests.replace('order: 5', 'order: 6'));
        expect(code).toBe(1);
        expect(stdout.match(/^[-+].*$/gm)).toEqual([
          '--- live/tier/sec',
          '+++ applied/tier/sec',
          '-  order: 5',
          '+  order: 6',
        ]);
      });

      it(`on ${api} diff without the right to write says so, and --dry-run=client only reads`, async () => {
        await calictl('apply -f -', manifests);
        const name = `diff-${api.replaceAll(/\W/g, '-')}`;
        const groups = ['crd.projectcalico.org', 'projectcalico.org', 'migration.projectcalico.org'];
        await server().admin.load([
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name },
            rules: [{ apiGroups: groups, resources: ['*'], verbs: ['get', 'list'] }],
          },
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRoleBinding',
            metadata: { name },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
            subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
          },
        ]);
        const proxy = new RecordingProxy(server(), name);
        proxies.push(proxy);
        const endpoint = await proxy.start();
        const asReader = (line: string): Promise<Ran> =>
          run(line, { env: { K8S_API_ENDPOINT: endpoint }, stdin: manifests.replace('order: 5', 'order: 6') });
        await expect.poll(() => asReader('get tiers').then(({ code }) => code), { timeout: 10_000 }).toBe(0);

        const refused = await asReader('diff -f -');
        expect(refused.code).toBe(5);
        expect(refused.stderr).toContain('--dry-run=client needs only the right to read');
        const read = await asReader('diff --dry-run=client -f -');
        expect({ code: read.code, stderr: read.stderr }).toEqual({ code: 1, stderr: '' });
        expect(read.stdout).toContain('-  order: 5\n+  order: 6\n');
        expect(proxy.asked.filter(({ verb, status }) => !/get|list/.test(verb) && status !== 403)).toEqual([]);
      });
    },
    api,
  );
}
