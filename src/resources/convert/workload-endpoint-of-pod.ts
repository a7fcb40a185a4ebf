// The WorkloadEndpoint that Calico shows for a pod in a Kubernetes datastore.
import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import { parseJson } from '../../text/json.ts';
import { orderMetadata } from '../field-order.ts';
import type { MalformedName } from '../kind.ts';
import type { Pod } from '../kinds/pod.ts';
import type { WorkloadEndpoint } from '../kinds/workload-endpoint-fields.ts';
import { workloadEndpointName } from '../names.ts';
import { defaultNamespace, type ObjectMeta } from '../object.ts';
import { hasEndpoint, isFinished, podAddresses, podAnnotations } from './pod-addresses.ts';
import { qosControlsOf } from './qos-controls.ts';

type Spec = WorkloadEndpoint['spec'];

/** Name of the host's end of the pod's veth pair. */
export function hostInterfaceName(namespace: string, pod: string, prefix = 'cali'): string {
  return prefix + bytesToHex(sha1(utf8ToBytes(`${namespace}.${pod}`))).slice(0, 11);
}

/** The strings of a JSON list; none for any other text. */
function textList(text: string | undefined): string[] {
  if (!text) return [];
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

function profilesOf(pod: Pod, namespace: string): string[] {
  const account = pod.spec?.serviceAccountName;
  return [`kns.${namespace}`, ...(account ? [`ksa.${namespace}.${account}`] : [])];
}

function labelsOf(pod: Pod, namespace: string): Record<string, string> {
  const account = pod.spec?.serviceAccountName;
  return {
    ...pod.metadata.labels,
    'projectcalico.org/namespace': namespace,
    'projectcalico.org/orchestrator': 'k8s',
    ...(account && account.length < 63 ? { 'projectcalico.org/serviceaccount': account } : {}),
  };
}

function natsOf(pod: Pod, addresses: readonly string[]): NonNullable<Spec['ipNATs']> {
  const internal = (version6: boolean) => addresses.findLast((address) => address.includes(':') === version6);
  return textList(pod.metadata.annotations?.[podAnnotations.floatingIPs]).flatMap((externalIP) => {
    const internalIP = internal(externalIP.includes(':'));
    return internalIP === undefined ? [] : [{ internalIP, externalIP }];
  });
}

const protocols: readonly string[] = ['TCP', 'UDP', 'SCTP'];

function portsOf(pod: Pod): NonNullable<Spec['ports']> {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return containers
    .flatMap((container) => container.ports ?? [])
    .filter((port) => port.containerPort && (port.hostPort || port.name) && protocols.includes(port.protocol || 'TCP'))
    .map((port) => ({
      name: port.name ?? '',
      protocol: port.protocol || 'TCP',
      port: port.containerPort ?? 0,
      hostPort: port.hostPort ?? 0,
      hostIP: port.hostIP ?? '',
    }));
}

function specOf(pod: Pod, namespace: string, interfacePrefix: string): Spec {
  const { metadata } = pod;
  const addresses = isFinished(pod) ? [] : podAddresses(pod);
  const nats = natsOf(pod, addresses);
  const ports = portsOf(pod);
  const prefixes = textList(metadata.annotations?.[podAnnotations.allowedSourcePrefixes])
    .map(parseCidr)
    .filter((cidr) => cidr !== undefined);
  const containerID = metadata.annotations?.[podAnnotations.containerId];
  const qosControls = qosControlsOf(metadata.annotations);
  return {
    orchestrator: 'k8s',
    node: pod.spec?.nodeName ?? '',
    ...(containerID ? { containerID } : {}),
    pod: metadata.name,
    endpoint: 'eth0',
    ...(pod.spec?.serviceAccountName ? { serviceAccountName: pod.spec.serviceAccountName } : {}),
    ...(addresses.length === 0
      ? {}
      : { ipNetworks: addresses.map((address) => `${address}/${address.includes(':') ? 128 : 32}`) }),
    ...(nats.length === 0 ? {} : { ipNATs: nats }),
    profiles: profilesOf(pod, namespace),
    interfaceName: hostInterfaceName(namespace, metadata.name, interfacePrefix),
    ...(ports.length === 0 ? {} : { ports }),
    ...(prefixes.length === 0 ? {} : { allowSpoofedSourcePrefixes: prefixes.map(formatCidr) }),
    ...(qosControls === undefined ? {} : { qosControls }),
  };
}

/** The parts of the name of an endpoint: dashes within a part are doubled. */
function partsOfName(name: string): string[] {
  return (name.match(/(?:[^-]|--)+/g) ?? []).map((part) => part.replaceAll('--', '-'));
}

/** Name of the pod that an endpoint of this name belongs to; undefined for a name that no endpoint of a pod has. */
export function podOfEndpoint(name: string): string | undefined {
  const [, orchestrator, pod, , ...more] = partsOfName(name);
  return orchestrator === 'k8s' && more.length === 0 ? pod : undefined;
}

/** What calicoctl says of a name that no endpoint of a pod has, when the endpoint is read or deleted. */
export function malformedEndpointName(name: string, isDeleted: boolean): MalformedName {
  if (name === '') return { text: 'Cannot parse empty string', isWhole: true };
  if (partsOfName(name).length > 4) {
    return { text: `Error parsing ${name}, verify that WorkloadEndpoint name is correct`, isWhole: true };
  }
  if (isDeleted) return { text: `insufficient identifiers, missing '${name}'`, isWhole: true };
  return { text: 'malformed WorkloadEndpoint name - unable to determine Pod name' };
}

/**
 * The endpoint of a pod in v3 form, or undefined when it has none: it is not scheduled yet, or uses the host's network.
 * `interfacePrefix` is the first entry of Felix's interface prefixes.
 */
export function workloadEndpointOf(pod: Pod, interfacePrefix = 'cali'): WorkloadEndpoint | undefined {
  if (!hasEndpoint(pod)) return undefined;
  const { metadata } = pod;
  const namespace = metadata.namespace ?? defaultNamespace;
  const networkStatus = metadata.annotations?.['k8s.v1.cni.cncf.io/network-status'];
  const meta: ObjectMeta = {
    name: workloadEndpointName(pod.spec?.nodeName ?? '', metadata.name),
    namespace,
    ...(metadata['generateName'] ? { generateName: metadata['generateName'] } : {}),
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    creationTimestamp: metadata.creationTimestamp ?? null,
    labels: labelsOf(pod, namespace),
    ...(networkStatus === undefined ? {} : { annotations: { 'k8s.v1.cni.cncf.io/network-status': networkStatus } }),
  };
  return {
    apiVersion: 'projectcalico.org/v3',
    kind: 'WorkloadEndpoint',
    metadata: orderMetadata(meta),
    spec: specOf(pod, namespace, interfacePrefix),
  };
}
