// The numbers of the fields that are read from protobuf are those of Kubernetes: each message is written by the table
// below, taken from generated.proto of core/v1 and meta/v1 (Kubernetes 1.34), with a decoy in every other field.
import { PbfReader, PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { protobufReader } from '../../../src/datastore/kube/protobuf-objects.ts';

type FieldType = 'string' | 'bool' | 'int32' | 'map' | 'Time' | { readonly message: string };

interface Field {
  readonly number: number;
  readonly type: FieldType;
}

const text = (number: number): Field => ({ number, type: 'string' });
const message = (number: number, name: string): Field => ({ number, type: { message: name } });

const messages: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  Pod: { metadata: message(1, 'ObjectMeta'), spec: message(2, 'PodSpec'), status: message(3, 'PodStatus') },
  PodSpec: {
    containers: message(2, 'Container'),
    serviceAccountName: text(8),
    nodeName: text(10),
    hostNetwork: { number: 11, type: 'bool' },
    initContainers: message(20, 'Container'),
  },
  Container: { name: text(1), ports: message(6, 'ContainerPort'), env: message(7, 'EnvVar') },
  EnvVar: { name: text(1), value: text(2) },
  ContainerPort: {
    name: text(1),
    hostPort: { number: 2, type: 'int32' },
    containerPort: { number: 3, type: 'int32' },
    protocol: text(4),
    hostIP: text(5),
  },
  PodStatus: { phase: text(1), reason: text(4), podIP: text(6), podIPs: message(12, 'PodIP') },
  PodIP: { ip: text(1) },
  Node: { metadata: message(1, 'ObjectMeta'), spec: message(2, 'NodeSpec'), status: message(3, 'NodeStatus') },
  NodeSpec: { podCIDR: text(1), podCIDRs: text(7) },
  NodeStatus: { conditions: message(4, 'NodeCondition'), addresses: message(5, 'NodeAddress') },
  NodeCondition: { type: text(1), status: text(2) },
  NodeAddress: { type: text(1), address: text(2) },
  ObjectMeta: {
    name: text(1),
    generateName: text(2),
    namespace: text(3),
    uid: text(5),
    resourceVersion: text(6),
    creationTimestamp: { number: 8, type: 'Time' },
    deletionTimestamp: { number: 9, type: 'Time' },
    labels: { number: 11, type: 'map' },
    annotations: { number: 12, type: 'map' },
  },
};

/** Beyond the highest number in any of these messages (PodSpec.hostnameOverride). */
const HIGHEST = 41;

function encoded(name: string, value: Readonly<Record<string, unknown>>): Uint8Array {
  const writer = new PbfWriter();
  const fields = messages[name] ?? {};
  const known = new Map(Object.entries(fields).map(([field, { number }]) => [number, field]));
  for (let number = 1; number <= HIGHEST; number++) {
    const field = known.get(number);
    if (field === undefined) writer.writeStringField(number, 'decoy');
    else for (const one of [value[field]].flat()) if (one !== undefined) write(writer, fields[field] as Field, one);
  }
  return writer.finish();
}

function write(writer: PbfWriter, { number, type }: Field, value: unknown): void {
  if (type === 'string') writer.writeStringField(number, String(value));
  else if (type === 'bool') writer.writeBooleanField(number, value === true);
  else if (type === 'int32') writer.writeVarintField(number, Number(value));
  else if (type === 'Time') {
    const seconds = new PbfWriter();
    seconds.writeVarintField(1, Date.parse(String(value)) / 1000);
    seconds.writeVarintField(2, 5);
    writer.writeBytesField(number, seconds.finish());
  } else if (type === 'map') {
    for (const [key, member] of Object.entries(value as Record<string, string>)) {
      const entry = new PbfWriter();
      entry.writeStringField(1, key);
      entry.writeStringField(2, member);
      writer.writeBytesField(number, entry.finish());
    }
  } else writer.writeBytesField(number, encoded(type.message, value as Record<string, unknown>));
}

function read(plural: string, bytes: Uint8Array): unknown {
  return protobufReader(plural)?.(new PbfReader(Buffer.from(bytes)), bytes.length);
}

const metadata = {
  uid: '5f4b4a5e-0000-4000-8000-000000000001',
  resourceVersion: '77',
  creationTimestamp: '2026-03-02T09:15:00Z',
  deletionTimestamp: '2026-03-02T10:15:00Z',
  labels: { app: 'shop', tier: 'front' },
};

describe('protobuf fields', () => {
  it('fields of a Pod are read by their numbers in core/v1, every other field is skipped', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'cart-0',
        generateName: 'cart-',
        namespace: 'shop',
        ...metadata,
        annotations: { 'cni.projectcalico.org/podIP': '10.0.0.1/32' },
      },
      spec: {
        containers: [
          { ports: [{ name: 'http', hostPort: 8080, containerPort: 80, protocol: 'TCP', hostIP: '192.0.2.1' }] },
          { ports: [{ name: 'dns', containerPort: 53, protocol: 'UDP' }] },
        ],
        serviceAccountName: 'cart',
        nodeName: 'worker-1',
        hostNetwork: true,
        initContainers: [{ ports: [{ name: 'setup', containerPort: 81, protocol: 'SCTP' }] }],
      },
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        podIP: '10.0.0.1',
        podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
      },
    };
    expect(read('pods', encoded('Pod', pod))).toEqual(pod);
  });

  it('of containers the name and the settings of calico-node are read, and those of no other', () => {
    const env = [
      { name: 'FELIX_VXLANPORT', value: '8472' },
      { name: 'DATASTORE_PASSWORD', value: 'hunter2' },
    ];
    const podOf = (...containers: unknown[]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'cart-0', ...metadata },
      spec: { containers },
      status: {},
    });
    const written = podOf({ name: 'calico-node', env }, { name: 'cart', env });
    expect(read('pods', encoded('Pod', written))).toMatchObject({
      spec: { containers: [{ name: 'calico-node', env: [{ name: 'FELIX_VXLANPORT', value: '8472' }] }, {}] },
    });
  });

  it('fields of a Node are read by their numbers in core/v1, every other field is skipped', () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'worker-1', ...metadata, annotations: { any: 'annotation' } },
      spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'NetworkUnavailable', status: 'False' },
        ],
        addresses: [
          { type: 'InternalIP', address: '192.0.2.1' },
          { type: 'Hostname', address: 'worker-1' },
        ],
      },
    };
    expect(read('nodes', encoded('Node', node))).toEqual(node);
  });

  it('kinds other than Pod and Node are not read from protobuf', () => {
    expect(protobufReader('services')).toBeUndefined();
  });
});
