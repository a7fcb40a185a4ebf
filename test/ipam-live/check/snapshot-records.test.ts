import { describe, expect, it } from 'vitest';
import { nodeRecord, podRecord } from '../../../src/ipam-live/check/snapshot-records.ts';

const node = (status: string | undefined) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-a', labels: { zone: 'x' } },
  status: {
    conditions: [
      { type: 'DiskPressure', status: 'True' },
      ...(status === undefined ? [] : [{ type: 'Ready', status, reason: 'because' }]),
    ],
  },
});

it.each([
  ['True', true],
  ['False', false],
  ['Unknown', false],
  [undefined, undefined],
])('a node with the Ready condition %s', (status, ready) => {
  expect(nodeRecord(node(status))).toEqual({
    name: 'node-a',
    tunnels: {},
    labels: { zone: 'x' },
    ready,
    addresses: [],
    podCIDRs: [],
  });
});

it('a node without labels, annotations and status', () => {
  const bare = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
  expect(nodeRecord(bare)).toEqual({
    name: 'node-a',
    tunnels: {},
    labels: {},
    ready: undefined,
    addresses: [],
    podCIDRs: [],
  });
});

describe('pods that may have more addresses than they list', () => {
  const pod = (annotations: Record<string, string>, podIPs: readonly string[] = ['10.0.0.1', 'fd00::1']) =>
    podRecord({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'cart-0', namespace: 'shop', annotations },
      status: { podIPs: podIPs.map((ip) => ({ ip })) },
    });
  const noted = 'cni.projectcalico.org/podIPs';

  it.each([
    [false, {}],
    [false, { [noted]: '' }],
    [false, { [noted]: '10.0.0.1/32,fd00::1/128' }],
    [false, { 'cni.projectcalico.org/podIP': '10.0.0.1/32' }],
    [true, { [noted]: '10.0.0.1/32,10.0.0.2/32' }],
    [true, { [noted]: '10.0.0.11/32' }],
    [true, { 'cni.projectcalico.org/podIP': '10.0.0.9/32' }],
    [true, { [noted]: '10.0.0.1/32,fd00::1/128', 'k8s.v1.cni.cncf.io/networks': 'storage' }],
  ])('moreAddresses is %s with the annotations %j', (more, annotations) => {
    expect(pod(annotations as Record<string, string>).moreAddresses).toBe(more);
  });

  it('addresses that only the annotation lists are the addresses of the pod', () => {
    expect(pod({ [noted]: '10.0.0.2/32' }, [])).toMatchObject({ addresses: ['10.0.0.2'], moreAddresses: false });
  });
});
