// The policy commands on a real API server: policies as Calico stores them, those of administrators where their CRDs are
// installed, and a user who may not read everything.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromV3 } from '../../../src/resources/convert/v3.ts';
import { kindOf } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  anp,
  banp,
  baseObjects,
  cnp,
  globalSet,
  gnp,
  knp,
  np,
  stagedNp,
  tier,
} from '../../support/clusters/policy-objects.ts';
import { until } from '../../support/program/until.ts';
import { type Ran, run } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const group = 'policy.networking.k8s.io';

/** A CRD that takes everything: what its schema says is not what is tested. */
function crd(kind: string, plural: string, version: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/network-policy-api' },
    },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: 'Cluster',
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

const crds = [
  crd('AdminNetworkPolicy', 'adminnetworkpolicies', 'v1alpha1'),
  crd('BaselineAdminNetworkPolicy', 'baselineadminnetworkpolicies', 'v1alpha1'),
  crd('ClusterNetworkPolicy', 'clusternetworkpolicies', 'v1alpha2'),
];

const policies = [
  tier('security', 100),
  gnp('security.g', {
    tier: 'security',
    namespaceSelector: "env == 'prod'",
    types: ['Ingress'],
    ingress: [{ action: 'Deny', source: { namespaceSelector: "env == 'test'" } }, { action: 'Pass' }],
  }),
  np('shop', 'db', {
    order: 10,
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: [
      {
        action: 'Allow',
        protocol: 'TCP',
        source: { serviceAccounts: { selector: "role == 'frontend'" } },
        destination: { ports: ['pg'] },
      },
      { action: 'Allow', source: { namespaceSelector: 'global()', selector: "kind == 'lab'" } },
    ],
  }),
  globalSet('lab', { kind: 'lab' }, '192.0.2.0/24'),
  knp('shop', 'close', { podSelector: {}, policyTypes: ['Ingress'] }),
  stagedNp('shop', 'staged', { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
];

const stored = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.map((object) => {
    const kind = kindOf(object.apiVersion, object.kind);
    return kind === undefined ? object : fromV3(kind, object, 'crd.projectcalico.org/v1');
  });

const labels = Object.fromEntries(
  baseObjects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
);

describeWithApiServer('policy commands on an API server', (server) => {
  const line = (context: string, words: string): Promise<Ran> =>
    run(`${words} --context ${context}`, { env: { KUBECONFIG: server().kubeconfig } });
  const verdict = async (flow: string): Promise<readonly [code: number, by: string]> => {
    const { code, stdout } = await line('admin', `policy test ${flow} -o json`);
    const { ingress } = JSON.parse(stdout) as { ingress: { decidedBy: Record<string, unknown> } };
    const { kind, name, tier: tierName, rule } = ingress.decidedBy;
    return [code, `${kind} ${name ?? tierName} ${rule}`];
  };

  beforeAll(async () => {
    const { admin } = server();
    await admin.load(stored([...baseObjects.filter(({ metadata }) => metadata.name !== 'job'), ...policies]));
    for (const [name, own] of Object.entries(labels)) {
      const { body } = await admin.request('GET', `/api/v1/namespaces/${name}`);
      const object = JSON.parse(body) as KubeObject;
      const metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...own } };
      await admin.request('PUT', `/api/v1/namespaces/${name}`, { ...object, metadata });
    }
  });
  afterAll(async () => {
    for (const { metadata } of crds) {
      await server().admin.request(
        'DELETE',
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`,
      );
    }
  });

  it('policy test judges what the API server holds, without CRDs of administrators', async () => {
    expect(await verdict('shop/web shop/db --proto tcp --port 5432')).toEqual([0, 'NetworkPolicy db 0']);
    expect(await verdict('shop/cache shop/db --proto tcp --port 5432')).toEqual([3, 'TierDefault default null']);
    expect(await verdict('dev/tool shop/db --proto tcp --port 5432')).toEqual([3, 'GlobalNetworkPolicy security.g 0']);
    expect(await verdict('192.0.2.7 shop/db --proto udp --port 1')).toEqual([0, 'NetworkPolicy db 1']);
  });

  it('policy effective lists what the API server holds', async () => {
    const { code, stdout } = await line('admin', 'policy effective shop/db');
    expect(code).toBe(0);
    const titles = [...stdout.matchAll(/\w*NetworkPolicy \S+/g)].map(([title]) => title);
    expect(titles).toEqual([
      'GlobalNetworkPolicy security.g',
      'NetworkPolicy shop/db',
      'KubernetesNetworkPolicy shop/close',
      'StagedNetworkPolicy shop/staged',
    ]);
  });

  it('policy test counts policies of administrators as soon as their CRDs are installed', async () => {
    const { admin } = server();
    await admin.load(crds);
    const served = async (path: string): Promise<boolean> =>
      (await admin.request('GET', `/apis/${group}/${path}`)).status === 200;
    for (const path of [
      'v1alpha1/adminnetworkpolicies',
      'v1alpha1/baselineadminnetworkpolicies',
      'v1alpha2/clusternetworkpolicies',
    ]) {
      await until(() => served(path), `${path} is served`);
    }
    await admin.load([
      anp('a', {
        priority: 1,
        subject: { namespaces: { matchLabels: { env: 'test' } } },
        ingress: [
          { action: 'Deny', from: [{ namespaces: {} }], ports: [{ portNumber: { protocol: 'TCP', port: 80 } }] },
        ],
      }),
      banp({
        subject: { namespaces: {} },
        ingress: [{ action: 'Deny', from: [{ namespaces: { matchLabels: { team: 'b' } } }] }],
      }),
    ]);
    expect(await verdict('shop/web dev/tool --proto tcp --port 80')).toEqual([3, 'AdminNetworkPolicy a 0']);
    expect(await verdict('ops/prom dev/tool --proto tcp --port 81')).toEqual([
      3,
      'BaselineAdminNetworkPolicy default 0',
    ]);
    await admin.load(stored([tier('kube-admin', 1000, 'Pass')]));
    await admin.load([
      cnp('c', {
        tier: 'Admin',
        priority: 1,
        subject: { namespaces: {} },
        ingress: [
          { action: 'Accept', from: [{ namespaces: {} }], protocols: [{ tcp: { destinationPort: { number: 80 } } }] },
        ],
      }),
    ]);
    expect(await verdict('shop/web dev/tool --proto tcp --port 80')).toEqual([0, 'ClusterNetworkPolicy c 0']);
  });

  it('policy test of a user who may not read pods says which right is missing', async () => {
    const { code, stdout, stderr } = await line('nobody', 'policy test shop/web shop/db --proto tcp --port 5432');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/pod shop\/web is not known: .*not allowed to list pods/);
  });

  it('policy test of a user who may not read policies gives no certain verdict', async () => {
    const { admin } = server();
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'no-policies' } };
    const resources = ['pods', 'namespaces', 'nodes', 'serviceaccounts'];
    await admin.load([
      { ...role, rules: [{ apiGroups: [''], resources, verbs: ['get', 'list'] }] } as KubeObject,
      {
        ...role,
        kind: 'ClusterRoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'no-policies' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }],
      } as KubeObject,
    ]);
    try {
      let ran: Ran | undefined;
      await until(async () => {
        ran = await line('nobody', 'policy test shop/web shop/db --proto tcp --port 5432 -o json');
        return ran.code !== 1;
      }, 'the role is known');
      const {
        verdict: word,
        doubts,
        unread,
      } = JSON.parse(ran?.stdout ?? '') as {
        verdict: string;
        doubts: string[];
        unread: { kind: string }[];
      };
      expect([ran?.code, word]).toEqual([5, 'allow']);
      expect(
        doubts.filter((doubt) => /not allowed to list (globalnetworkpolicies|networkpolicies)/.test(doubt)).length,
      ).toBe(3);
      expect(unread.map(({ kind }) => kind)).toContain('StagedNetworkPolicy');
    } finally {
      for (const kind of ['clusterrolebindings', 'clusterroles']) {
        await admin.request('DELETE', `/apis/rbac.authorization.k8s.io/v1/${kind}/no-policies`);
      }
    }
  });
});
