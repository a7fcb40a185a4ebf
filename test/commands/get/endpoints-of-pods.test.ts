// The workload endpoints of a cluster: a list reads pods from protobuf in pages, a single endpoint is read from JSON.
import { expect, it, vi } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { run } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

vi.setConfig({ testTimeout: 120_000 });

interface PodParts {
  readonly metadata?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

const pod = (name: string, { metadata, spec, status }: PodParts = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', ...metadata },
  spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'none' }], ...spec },
  status: { phase: 'Running', podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }], ...status },
});

const port = (name: string, more: Record<string, unknown>) => ({
  name,
  image: 'none',
  ports: [{ name, ...more }],
});

/** Pods that differ in everything from which an endpoint is made. */
const pods: readonly KubeObject[] = [
  pod('plain'),
  pod('named-by-a-template', { metadata: { generateName: 'named-by-' } }),
  pod('with-labels', {
    metadata: {
      labels: { app: 'shop', zone: 'a' },
      annotations: {
        'cni.projectcalico.org/containerID': 'c0ffee',
        'cni.projectcalico.org/podIP': '10.0.0.9/32',
        'cni.projectcalico.org/floatingIPs': '["192.0.2.7"]',
        'cni.projectcalico.org/allowedSourcePrefixes': '["198.51.100.0/24"]',
        'qos.projectcalico.org/ingressBandwidth': '1M',
        'kubernetes.io/egress-bandwidth': '2M',
        'k8s.v1.cni.cncf.io/network-status': '[{"name":"k8s-pod-network","ips":["10.0.0.9"],"default":true}]',
        'example.com/other': 'not of an endpoint',
      },
    },
    spec: { serviceAccountName: 'cart' },
    status: { podIPs: [{ ip: '10.0.0.9' }, { ip: 'fd00::9' }] },
  }),
  pod('with-ports', {
    spec: {
      containers: [
        port('web', { containerPort: 80, hostPort: 8080, hostIP: '192.0.2.1' }),
        port('dns', { containerPort: 53, protocol: 'UDP' }),
      ],
      initContainers: [port('setup', { containerPort: 81, protocol: 'SCTP' })],
    },
  }),
  pod('ended', { status: { phase: 'Succeeded' } }),
  pod('of-the-host', { spec: { hostNetwork: true } }),
  pod('not-scheduled', {
    spec: { nodeName: undefined },
    status: { phase: 'Pending', podIP: undefined, podIPs: undefined },
  }),
];

describeWithApiServer('workload endpoints of pods', (server) => {
  const get = async (line: string) => {
    const { code, stdout, stderr } = await run(`get ${line}`, { env: { KUBECONFIG: server().kubeconfig } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as { items: KubeObject[] };
  };

  it('a list has the same endpoints as one get for each, with every field of theirs', async () => {
    await server().admin.load(pods);
    const { items } = await get('workloadendpoints -A -o json');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(
      ['ended', 'named--by--a--template', 'plain', 'with--labels', 'with--ports'].map(
        (name) => `worker--1-k8s-${name}-eth0`,
      ),
    );
    for (const listed of items) {
      expect(await get(`workloadendpoint ${listed.metadata.name} -n shop -o json`)).toEqual(listed);
    }
    const [, templated, , labelled, withPorts] = items as [KubeObject, KubeObject, KubeObject, KubeObject, KubeObject];
    expect(templated.metadata['generateName']).toBe('named-by-');
    expect(labelled.spec).toMatchObject({
      containerID: 'c0ffee',
      ipNATs: [{ internalIP: '10.0.0.9', externalIP: '192.0.2.7' }],
      qosControls: { ingressBandwidth: 1_000_000, egressBandwidth: 2_000_000 },
    });
    expect((withPorts.spec as { ports: { name: string }[] }).ports.map(({ name }) => name)).toEqual([
      'web',
      'dns',
      'setup',
    ]);
  });

  it('all pages of a long list are read, in order', async () => {
    const { admin } = server();
    await admin.reset();
    const names = Array.from({ length: 1_100 }, (_, at) => `pod-${String(at).padStart(4, '0')}`);
    await admin.load(names.map((name) => pod(name)));
    const { stdout } = await run('get workloadendpoints -A -o name', { env: { KUBECONFIG: server().kubeconfig } });
    expect(stdout.trimEnd().split('\n')).toEqual(
      names.map((name) => `workloadendpoint/worker--1-k8s-${name.replace('-', '--')}-eth0`),
    );
  });
});
