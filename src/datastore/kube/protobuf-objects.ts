// Reads Pods and Nodes from protobuf: the fields that their types have; everything else is skipped.
// The Kubernetes API fixes the field numbers (generated.proto of core/v1 and meta/v1). docs/decisions/0012-protobuf-lists.md.
import type { PbfReader } from 'pbf';
import { calicoNodeContainer, isKeptVariable } from '../../resources/convert/calico-node-environment.ts';
import { concernsAddresses } from '../../resources/convert/pod-addresses.ts';
import { concernsQos } from '../../resources/convert/qos-controls.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import type { Pod } from '../../resources/kinds/pod.ts';
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';

/** Reads one object that ends at `end`. */
export type ObjectReader<T extends KubeObject = KubeObject> = (reader: PbfReader, end: number) => T;

/** The reader for items of a list of the core group, by its plural; undefined when there is none. */
export function protobufReader(plural: string): ObjectReader | undefined {
  if (plural === 'pods') return readPod;
  if (plural === 'nodes') return readNode;
  return undefined;
}

const concernsEndpoint = (key: string): boolean => concernsAddresses(key) || concernsQos(key);

/** Skips annotations that concern neither addresses nor endpoints: they are the larger part of a pod. */
export function readPod(reader: PbfReader, end: number): Pod {
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: {}, status: {} };
  reader.readFields(podField, pod, end);
  return named(pod);
}

/** Keeps all labels and annotations. */
function readNode(reader: PbfReader, end: number): CoreNode {
  const node: CoreNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: '' }, spec: {}, status: {} };
  reader.readFields(nodeField, node, end);
  return named(node);
}

function named<T extends KubeObject>(object: T): T {
  if (object.metadata.name === '') throw new SyntaxError(`a ${object.kind} without a name`);
  return object;
}

function podField(field: number, pod: Pod, reader: PbfReader): void {
  if (field === 1) reader.readMessage(podMetadataField, pod.metadata);
  else if (field === 2) reader.readMessage(podSpecField, pod.spec as PodSpec);
  else if (field === 3) reader.readMessage(podStatusField, pod.status as PodStatus);
}

function nodeField(field: number, node: CoreNode, reader: PbfReader): void {
  if (field === 1) reader.readMessage(nodeMetadataField, node.metadata);
  else if (field === 2) reader.readMessage(nodeSpecField, node.spec as NodeSpec);
  else if (field === 3) reader.readMessage(nodeStatusField, node.status as NodeStatus);
}

type PodSpec = NonNullable<Pod['spec']>;
type PodStatus = NonNullable<Pod['status']>;
type NodeSpec = NonNullable<CoreNode['spec']>;
type NodeStatus = NonNullable<CoreNode['status']>;
type Container = NonNullable<PodSpec['containers']>[number];
type Port = NonNullable<Container['ports']>[number];
type Variable = NonNullable<Container['env']>[number];

function metadataField(field: number, metadata: ObjectMeta, reader: PbfReader): void {
  if (field === 1) metadata.name = readText(reader);
  else if (field === 3) textUnlessEmpty(metadata, 'namespace', reader);
  else if (field === 5) textUnlessEmpty(metadata, 'uid', reader);
  else if (field === 6) textUnlessEmpty(metadata, 'resourceVersion', reader);
  else if (field === 8) metadata.creationTimestamp = readTime(reader);
  else if (field === 9) metadata.deletionTimestamp = readTime(reader);
  else if (field === 11) {
    metadata.labels ??= {};
    readEntry(reader, metadata.labels, () => true);
  }
}

function podMetadataField(field: number, metadata: ObjectMeta, reader: PbfReader): void {
  if (field === 2) textUnlessEmpty(metadata, 'generateName', reader);
  else if (field === 12) {
    metadata.annotations ??= {};
    readEntry(reader, metadata.annotations, concernsEndpoint);
  } else {
    metadataField(field, metadata, reader);
  }
}

function nodeMetadataField(field: number, metadata: ObjectMeta, reader: PbfReader): void {
  if (field === 12) {
    metadata.annotations ??= {};
    readEntry(reader, metadata.annotations, () => true);
  } else {
    metadataField(field, metadata, reader);
  }
}

/** Twice as fast as the reader's own `readString`. */
function readText(reader: PbfReader): string {
  const end = reader.readVarint() + reader.pos;
  const text = (reader.buf as Buffer).toString('utf8', reader.pos, end);
  reader.pos = end;
  return text;
}

/** Protobuf does not distinguish an empty string from an absent one; the API's JSON leaves it out. */
function textUnlessEmpty(into: Record<string, unknown>, field: string, reader: PbfReader): void {
  const text = readText(reader);
  if (text !== '') into[field] = text;
}

/** meta/v1 Time: seconds 1, nanos 2 (always zero). */
function readTime(reader: PbfReader): string {
  const time = reader.readMessage(
    (field, read, pbf) => {
      if (field === 1) read.seconds = pbf.readVarint(true);
    },
    { seconds: 0 },
  );
  return `${new Date(time.seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** One entry of a map: key 1, value 2. The value is read only if the key is wanted. */
function readEntry(reader: PbfReader, map: Record<string, string>, wanted: (key: string) => boolean): void {
  const entry = reader.readMessage(
    (field, read, pbf) => {
      if (field === 1) read.key = readText(pbf);
      else if (field === 2 && wanted(read.key)) read.value = readText(pbf);
    },
    { key: '', value: undefined } as { key: string; value: string | undefined },
  );
  if (entry.value !== undefined) map[entry.key] = entry.value;
  else if (wanted(entry.key)) map[entry.key] = '';
}

/** core/v1 PodSpec. */
function podSpecField(field: number, spec: PodSpec, reader: PbfReader): void {
  if (field === 2) {
    spec.containers ??= [];
    spec.containers.push(reader.readMessage(containerField, {} as Container));
  } else if (field === 8) textUnlessEmpty(spec, 'serviceAccountName', reader);
  else if (field === 10) textUnlessEmpty(spec, 'nodeName', reader);
  else if (field === 11 && reader.readBoolean()) spec.hostNetwork = true;
  else if (field === 20) {
    spec.initContainers ??= [];
    spec.initContainers.push(reader.readMessage(containerField, {} as Container));
  }
}

/** core/v1 Container. */
function containerField(field: number, container: Container, reader: PbfReader): void {
  if (field === 1) {
    const name = readText(reader);
    // The name comes first. Of other containers neither it nor their environment is read: there are many, with secrets.
    if (name === calicoNodeContainer) container.name = name;
  } else if (field === 6) {
    container.ports ??= [];
    container.ports.push(reader.readMessage(portField, {} as Port));
  } else if (field === 7 && container.name !== undefined) {
    const variable = reader.readMessage(variableField, {} as Variable);
    if (isKeptVariable(variable.name ?? '')) {
      container.env ??= [];
      container.env.push(variable);
    }
  }
}

/** core/v1 EnvVar; one that takes its value from elsewhere has none. */
function variableField(field: number, variable: Variable, reader: PbfReader): void {
  if (field === 1) variable.name = readText(reader);
  else if (field === 2) textUnlessEmpty(variable, 'value', reader);
}

/** core/v1 ContainerPort. */
function portField(field: number, port: Port, reader: PbfReader): void {
  if (field === 1) textUnlessEmpty(port, 'name', reader);
  else if (field === 2) port.hostPort = reader.readVarint();
  else if (field === 3) port.containerPort = reader.readVarint();
  else if (field === 4) textUnlessEmpty(port, 'protocol', reader);
  else if (field === 5) textUnlessEmpty(port, 'hostIP', reader);
}

/** core/v1 PodStatus. */
function podStatusField(field: number, status: PodStatus, reader: PbfReader): void {
  if (field === 1) textUnlessEmpty(status, 'phase', reader);
  else if (field === 4) textUnlessEmpty(status, 'reason', reader);
  else if (field === 6) textUnlessEmpty(status, 'podIP', reader);
  else if (field === 12) {
    status.podIPs ??= [];
    status.podIPs.push(reader.readMessage(podIpField, {} as { ip?: string }));
  }
}

function podIpField(field: number, address: { ip?: string }, reader: PbfReader): void {
  if (field === 1) textUnlessEmpty(address, 'ip', reader);
}

/** core/v1 NodeSpec. */
function nodeSpecField(field: number, spec: NodeSpec, reader: PbfReader): void {
  if (field === 1) textUnlessEmpty(spec, 'podCIDR', reader);
  else if (field === 7) {
    spec.podCIDRs ??= [];
    spec.podCIDRs.push(readText(reader));
  }
}

/** core/v1 NodeStatus. */
function nodeStatusField(field: number, status: NodeStatus, reader: PbfReader): void {
  if (field === 4) {
    status.conditions ??= [];
    status.conditions.push(reader.readMessage(conditionField, { type: '', status: '' }));
  } else if (field === 5) {
    status.addresses ??= [];
    status.addresses.push(reader.readMessage(addressField, { type: '', address: '' }));
  }
}

/** core/v1 NodeCondition. */
function conditionField(field: number, condition: { type: string; status: string }, reader: PbfReader): void {
  if (field === 1) condition.type = readText(reader);
  else if (field === 2) condition.status = readText(reader);
}

/** core/v1 NodeAddress. */
function addressField(field: number, address: { type: string; address: string }, reader: PbfReader): void {
  if (field === 1) address.type = readText(reader);
  else if (field === 2) address.address = readText(reader);
}
