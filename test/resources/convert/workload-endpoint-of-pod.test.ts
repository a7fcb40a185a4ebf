// Pods as endpoints: which have one, what it says, where the addresses come from. Expectations were printed by
// calicoctl 3.31.4 for the same pods.
import { describe, expect, it } from 'vitest';
import { isFinished, podAddresses } from '../../../src/resources/convert/pod-addresses.ts';
import { parseQuantity, qosControlsOf } from '../../../src/resources/convert/qos-controls.ts';
import { hostInterfaceName, workloadEndpointOf } from '../../../src/resources/convert/workload-endpoint-of-pod.ts';
import type { Pod } from '../../../src/resources/kinds/pod.ts';
import type { ObjectMeta } from '../../../src/resources/object.ts';

const pod = (
  status: Pod['status'],
  metadata: Partial<ObjectMeta> = {},
  spec: Pod['spec'] = { nodeName: 'node-a' },
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', ...metadata },
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
});

it('workloadEndpointOf fills every field that a pod can set', () => {
  const given = pod(
    { phase: 'Running', podIP: '10.244.0.5', podIPs: [{ ip: '10.244.0.5' }, { ip: 'FD00::5' }] },
    {
      uid: '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5',
      resourceVersion: '12',
      creationTimestamp: '2025-06-15T15:00:00Z',
      labels: { app: 'web' },
      annotations: {
        'cni.projectcalico.org/containerID': 'abc',
        'cni.projectcalico.org/floatingIPs': '["1.1.1.1","fd00::f"]',
        'cni.projectcalico.org/allowedSourcePrefixes': '["10.9.0.1/24"]',
        'qos.projectcalico.org/ingressBandwidth': '10M',
        'qos.projectcalico.org/ingressPeakrate': '20M',
      },
    },
    {
      nodeName: 'node-a',
      serviceAccountName: 'sa',
      containers: [
        {
          ports: [
            { containerPort: 80, name: 'http', protocol: 'TCP' },
            { containerPort: 81 },
            { containerPort: 53, hostPort: 53, protocol: 'UDP', hostIP: '1.2.3.4' },
          ],
        },
      ],
    },
  );
  expect(workloadEndpointOf(given)).toEqual({
    apiVersion: 'projectcalico.org/v3',
    kind: 'WorkloadEndpoint',
    metadata: {
      name: 'node--a-k8s-web--0-eth0',
      namespace: 'shop',
      uid: '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5',
      resourceVersion: '12',
      creationTimestamp: '2025-06-15T15:00:00Z',
      labels: {
        app: 'web',
        'projectcalico.org/namespace': 'shop',
        'projectcalico.org/orchestrator': 'k8s',
        'projectcalico.org/serviceaccount': 'sa',
      },
    },
    spec: {
      orchestrator: 'k8s',
      node: 'node-a',
      containerID: 'abc',
      pod: 'web-0',
      endpoint: 'eth0',
      serviceAccountName: 'sa',
      ipNetworks: ['10.244.0.5/32', 'fd00::5/128'],
      ipNATs: [
        { internalIP: '10.244.0.5', externalIP: '1.1.1.1' },
        { internalIP: 'fd00::5', externalIP: 'fd00::f' },
      ],
      profiles: ['kns.shop', 'ksa.shop.sa'],
      interfaceName: 'calia4fc3c48bd8',
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, hostPort: 0, hostIP: '' },
        { name: '', protocol: 'UDP', port: 53, hostPort: 53, hostIP: '1.2.3.4' },
      ],
      allowSpoofedSourcePrefixes: ['10.9.0.0/24'],
      qosControls: { ingressBandwidth: 10_000_000, ingressBurst: 4_294_967_296, ingressPeakrate: 20_000_000 },
    },
  });
});

it('workloadEndpointOf returns nothing for pods on the host network and for unscheduled pods', () => {
  expect(workloadEndpointOf(pod({ podIP: '10.0.0.1' }, {}, { nodeName: 'n', hostNetwork: true }))).toBeUndefined();
  expect(workloadEndpointOf(pod({ phase: 'Pending' }, {}, {}))).toBeUndefined();
});

it('workloadEndpointOf leaves out the addresses of a finished pod', () => {
  const endpoint = workloadEndpointOf(pod({ phase: 'Succeeded', podIP: '10.244.0.6' }, { name: 'done' }));
  expect(endpoint?.spec.ipNetworks).toBeUndefined();
  expect(endpoint?.spec.interfaceName).toBe('cali6e0f3164fed');
});

it('hostInterfaceName begins with the configured prefix', () => {
  expect(hostInterfaceName('shop', 'anno')).toBe('calid938f9760be');
  expect(hostInterfaceName('shop', 'anno', 'azv')).toBe('azvd938f9760be');
});

describe('podAddresses', () => {
  const annotations = {
    'cni.projectcalico.org/podIP': '10.0.0.3/32',
    'cni.projectcalico.org/podIPs': '10.0.0.4/32, fd00::4/128',
    'vpc.amazonaws.com/pod-ips': '10.0.0.5',
  };

  it('takes the addresses of a pod from the first source that has any', () => {
    expect(podAddresses(pod({ podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.1' }] }, { annotations }))).toEqual([
      '10.0.0.1',
    ]);
    expect(podAddresses(pod({ podIP: '10.0.0.2', podIPs: [] }, { annotations }))).toEqual(['10.0.0.2']);
    expect(podAddresses(pod({ podIP: '' }, { annotations }))).toEqual(['10.0.0.4', 'fd00::4']);
    const { 'cni.projectcalico.org/podIPs': _, ...fewer } = annotations;
    expect(podAddresses(pod(undefined, { annotations: fewer }))).toEqual(['10.0.0.3']);
    expect(podAddresses(pod({}, { annotations: { 'vpc.amazonaws.com/pod-ips': '10.0.0.5' } }))).toEqual(['10.0.0.5']);
    expect(podAddresses(pod({}))).toEqual([]);
  });

  it('makes addresses of a pod canonical, and skips invalid ones and emptied annotations', () => {
    expect(podAddresses(pod({ podIPs: [{ ip: 'FD00:0::0005' }, {}, { ip: 'nonsense' }] }))).toEqual(['fd00::5']);
    expect(
      podAddresses(
        pod({}, { annotations: { 'cni.projectcalico.org/podIPs': '', 'cni.projectcalico.org/podIP': '10.0.0.3/32' } }),
      ),
    ).toEqual(['10.0.0.3']);
  });

  it('isFinished is true for a pod that ended, or is being deleted and has released its addresses', () => {
    const deleting = { deletionTimestamp: '2025-06-15T16:00:00Z' };
    const emptied = { 'cni.projectcalico.org/podIP': '' };
    for (const phase of ['Failed', 'Succeeded', 'Completed']) expect(isFinished(pod({ phase }))).toBe(true);
    for (const phase of ['Running', 'Pending', 'Unknown']) expect(isFinished(pod({ phase }))).toBe(false);
    expect(isFinished(pod({ phase: 'Running' }, { ...deleting, annotations: emptied }))).toBe(true);
    expect(isFinished(pod({}, { ...deleting, annotations: { 'vpc.amazonaws.com/pod-ips': '' } }))).toBe(true);
    expect(isFinished(pod({ phase: 'Running' }, { annotations: emptied }))).toBe(false);
    expect(isFinished(pod({ phase: 'Running' }, deleting))).toBe(false);
    expect(isFinished(pod({}, { ...deleting, annotations: { 'cni.projectcalico.org/podIPs': '' } }))).toBe(false);
  });
});

describe('traffic limits', () => {
  it.each([
    ['10M', 10_000_000n],
    ['1.5k', 1500n],
    ['1500m', 2n],
    ['1Ki', 1024n],
    ['1e3', 1000n],
    ['12E-1', 2n],
    ['-1', -1n],
    ['.5', 1n],
  ])('parseQuantity reads %s', (text, value) => expect(parseQuantity(text)).toBe(value));

  it.each(['', 'x', '1x', '1 k', '1KiB', '--1', '.'])('parseQuantity refuses %j', (text) =>
    expect(parseQuantity(text)).toBeUndefined(),
  );

  it('keeps traffic limits within bounds, adds defaults and drops limits that lack another one', () => {
    const controls = (entries: Record<string, string>) =>
      qosControlsOf(
        Object.fromEntries(Object.entries(entries).map(([key, text]) => [`qos.projectcalico.org/${key}`, text])),
      );
    expect(controls({})).toBeUndefined();
    expect(controls({ ingressBandwidth: '1' })).toEqual({ ingressBandwidth: 1000, ingressBurst: 4_294_967_296 });
    expect(controls({ egressBurst: '10M', egressMinburst: '2k' })).toBeUndefined();
    expect(controls({ egressBandwidth: '10M', egressPeakrate: '5M', egressBurst: '2M' })).toEqual({
      egressBandwidth: 10_000_000,
      egressBurst: 2_000_000,
    });
    expect(controls({ ingressPacketRate: '99999', egressMaxConnections: '7' })).toEqual({
      ingressPacketRate: 10_000,
      ingressPacketBurst: 5,
      egressMaxConnections: 7,
    });
    expect(qosControlsOf({ 'kubernetes.io/egress-bandwidth': '2k' })).toEqual({
      egressBandwidth: 2000,
      egressBurst: 4_294_967_296,
    });
  });
});
