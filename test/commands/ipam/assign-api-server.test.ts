// calictl ipam assign on a real kube-apiserver: the objects that the IPAM plugin of a node would have written.
import { beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { node, pool } from '../../support/clusters/ipam-state.ts';
import { run } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const withSpec = (object: KubeObject, spec: object): KubeObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
});

describeWithApiServer('ipam assign on a kube-apiserver', (server) => {
  const assign = async (flags: string) => {
    const done = await run(`ipam assign ${flags} -o json`, { env: { KUBECONFIG: server().kubeconfig } });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(done.stdout) as { addresses: { address: string; block: string }[] };
  };
  const objects = async (plural: string) => {
    const { body } = await server().admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
    return JSON.parse(body).items as { metadata: Record<string, unknown>; spec: Record<string, unknown> }[];
  };

  beforeEach(async () => {
    await server().admin.reset();
    const services = withSpec(pool('lb', '172.16.0.0/24', 26), { allowedUses: ['LoadBalancer'] });
    const pools = [pool('p4', '10.244.0.0/16', 26), pool('p6', 'fd00::/112', 122), services];
    await server().admin.load([node('node-a'), ...pools]);
  });

  it('ipam assign for a pod makes a block, its claim with labels and annotation, and its handle', async () => {
    const handle = 'k8s-pod-network.0AbC';
    const { addresses } = await assign(`--node node-a --handle ${handle} --attr pod=web --attr namespace=shop`);
    expect(addresses).toMatchObject([{ address: '10.244.174.128', block: '10.244.174.128/26' }]);

    const [affinity, ...otherAffinities] = await objects('blockaffinities');
    const labels = {
      'projectcalico.org/affinity-type': 'host',
      'projectcalico.org/hostname-hash': 'PY3TQE2E3XMTETLM2MJO3UITKPFB27YUJ4T4E5XGPEJON3SM4QAA',
      'projectcalico.org/ip-version': '4',
    };
    expect(otherAffinities).toEqual([]);
    expect(affinity?.metadata).toMatchObject({ name: 'node-a-10-244-174-128-26', labels });
    expect(affinity?.metadata['annotations']).toEqual({
      'projectcalico.org/metadata': `{"creationTimestamp":null,"labels":${JSON.stringify(labels)}}`,
    });
    expect(affinity?.spec).toEqual({
      state: 'confirmed',
      node: 'node-a',
      type: 'host',
      cidr: '10.244.174.128/26',
      deleted: 'false',
    });

    const [block, ...otherBlocks] = await objects('ipamblocks');
    expect(otherBlocks).toEqual([]);
    expect(block?.metadata).toMatchObject({
      name: '10-244-174-128-26',
      annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' },
    });
    const { allocations, unallocated, sequenceNumber: _, sequenceNumberForAllocation: __, ...spec } = block?.spec ?? {};
    expect(spec).toEqual({
      affinity: 'host:node-a',
      attributes: [
        {
          handle_id: handle,
          secondary: { node: 'node-a', pod: 'web', namespace: 'shop', timestamp: '2025-06-15 16:00:00 +0000 UTC' },
        },
      ],
      cidr: '10.244.174.128/26',
      deleted: false,
      strictAffinity: false,
    });
    expect(allocations).toEqual([0, ...Array.from({ length: 63 }, () => null)]);
    expect(unallocated).toEqual(Array.from({ length: 63 }, (_, at) => at + 1));
    // The clock of the test in nanoseconds; a double cannot hold the one write since.
    const { body } = await server().admin.request('GET', '/apis/crd.projectcalico.org/v1/ipamblocks/10-244-174-128-26');
    expect(body).toContain('"sequenceNumber":1750003200000000001,');
    expect(body).toContain('"sequenceNumberForAllocation":{"0":1750003200000000000}');

    const [stored, ...otherHandles] = await objects('ipamhandles');
    expect(otherHandles).toEqual([]);
    expect(stored?.metadata).toMatchObject({
      name: 'k8s-pod-network.0abc',
      annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' },
    });
    expect(stored?.spec).toEqual({ handleID: handle, block: { '10.244.174.128/26': 1 }, deleted: false });
    expect(await objects('ipamconfigs')).toEqual([]);
  });

  it('ipam assign for a pod of both families, then one more address', async () => {
    const both = await assign('--node node-a --ipv4 --ipv6 --handle h');
    const later = await assign('--node node-a --handle h');
    const blocks = both.addresses.map(({ block }) => block);
    expect(later.addresses[0]?.block).toBe(blocks[0]);
    const handles = await objects('ipamhandles');
    expect(handles.map(({ spec }) => spec['block'])).toEqual([{ [blocks[0] ?? '']: 2, [blocks[1] ?? '']: 1 }]);
    expect((await objects('blockaffinities')).map(({ spec }) => spec['state'])).toEqual(['confirmed', 'confirmed']);
  });

  it('ipam assign ignores claims without labels, as Calico does: they do not count for the limit', async () => {
    const spec = { strictAffinity: true, autoAllocateBlocks: true, maxBlocksPerHost: 1 };
    const config = { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPAMConfig', metadata: { name: 'default' }, spec };
    await server().admin.load([config]);
    await assign('--node node-a --count 64');
    const env = { KUBECONFIG: server().kubeconfig };
    const limited = await run('ipam assign --node node-a', { env });
    expect(limited.stderr).toContain('limit of 1 blocks reached for this node');
    const path = '/apis/crd.projectcalico.org/v1/blockaffinities/node-a-10-244-174-128-26';
    const { metadata, ...rest } = JSON.parse((await server().admin.request('GET', path)).body);
    await server().admin.request('PUT', path, { ...rest, metadata: { ...metadata, labels: {} } });
    expect((await assign('--node node-a')).addresses).toMatchObject([{ address: '10.244.174.192' }]);
  });

  it('ipam assign works with the rights of the CNI plugin', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const [apiVersion, name] = ['rbac.authorization.k8s.io/v1', 'calico-cni-plugin'];
    const calico = ['blockaffinities', 'ipamblocks', 'ipamhandles', 'ippools', 'ipreservations', 'ipamconfigs'];
    const rules = [
      { apiGroups: [''], resources: ['pods', 'nodes', 'namespaces'], verbs: ['get'] },
      {
        apiGroups: ['crd.projectcalico.org'],
        resources: [...calico, 'clusterinformations'],
        verbs: ['get', 'list', 'create', 'update', 'delete'],
      },
    ];
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    await server().admin.load([
      { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
      { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects },
    ]);
    try {
      const flags = '--context nobody --node node-a --namespace default --ipv4 --ipv6 --handle h';
      const env = { KUBECONFIG: server().kubeconfig };
      // The server learns of new roles by watching them.
      await expect.poll(async () => (await run('get ippools --context nobody', { env })).code).toBe(0);
      expect((await assign(flags)).addresses).toHaveLength(2);
      const given = await run('ipam assign --context nobody --node node-a --ip 10.244.9.9', { env });
      expect(given).toMatchObject({ code: 0, stderr: expect.stringContaining('not allowed to list nodes') });
    } finally {
      await server().admin.request('DELETE', `${rbac}/clusterrolebindings/${name}`);
      await server().admin.request('DELETE', `${rbac}/clusterroles/${name}`);
    }
  });

  it('ipam assign for a service uses the block of the virtual owner', async () => {
    await assign(
      '--use LoadBalancer --handle lb-web --attr service=web --attr namespace=shop --attr type=LoadBalancer',
    );
    const [affinity] = await objects('blockaffinities');
    expect(affinity?.metadata['name']).toMatch(/^load-balancer-172-16-0-\d+-26$/);
    expect(affinity?.spec).toMatchObject({ node: 'load-balancer', type: 'virtual', state: 'confirmed' });
    expect((await objects('ipamblocks'))[0]?.spec).toMatchObject({ affinity: 'virtual:load-balancer' });
  });

  it('ipam assign for a namespace reads the labels of the namespace', async () => {
    const selector = { namespaceSelector: "kubernetes.io/metadata.name == 'default'" };
    await server().admin.load([withSpec(pool('a-first', '10.99.0.0/24', 26), selector)]);
    expect((await assign('--node node-a --namespace default')).addresses).toMatchObject([{ pool: 'a-first' }]);
    expect((await assign('--node node-a')).addresses).toMatchObject([{ pool: 'p4' }]);
  });
});
