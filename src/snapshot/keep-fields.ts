// Objects as a snapshot keeps them: Calico's own whole, Kubernetes' with the fields that calictl reads. Nothing secret is
// among those: environment variables of containers and what kubectl last applied stay behind.

import { podAnnotations } from '../resources/convert/pod-addresses.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { Pod } from '../resources/kinds/pod.ts';
import type { KubeObject, ObjectMeta } from '../resources/object.ts';

type Texts = Readonly<Record<string, string>> | undefined;
type Container = { readonly ports?: unknown };

const isCalico = (key: string): boolean => key.includes('projectcalico.org/') || key.startsWith('kubevirt.io/');
const isOfAddresses = (key: string): boolean =>
  isCalico(key) || key === podAnnotations.awsPodIPs || key === podAnnotations.networks;
const isLastApplied = (key: string): boolean => key === 'kubectl.kubernetes.io/last-applied-configuration';

function those(texts: Texts, wanted: (key: string) => boolean): Record<string, string> | undefined {
  const kept = Object.entries(texts ?? {}).filter(([key]) => wanted(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** A copy without the keys whose value is undefined. */
function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

function metadataOf(metadata: ObjectMeta, labels: Texts, annotations: Texts): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, ownerReferences } = metadata;
  return defined({
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels,
    annotations,
    ownerReferences,
  }) as ObjectMeta;
}

function portsOf(containers: readonly Container[] | null | undefined): Container[] | undefined {
  return containers?.map(({ ports }) => (ports ? { ports } : {}));
}

function reducedPod({ apiVersion, kind, metadata, spec = {}, status = {} }: Pod, redact: boolean): KubeObject {
  const { nodeName, hostNetwork, serviceAccountName, containers, initContainers } = spec;
  const { phase, reason, podIP, podIPs } = status;
  return {
    apiVersion,
    kind,
    metadata: metadataOf(
      metadata,
      redact ? those(metadata.labels, isCalico) : metadata.labels,
      those(metadata.annotations, isOfAddresses),
    ),
    spec: defined({
      nodeName,
      hostNetwork,
      serviceAccountName: redact ? undefined : serviceAccountName,
      containers: portsOf(containers),
      initContainers: portsOf(initContainers),
    }),
    status: defined({ phase, reason, podIP, podIPs }),
  };
}

function reducedNode({ apiVersion, kind, metadata, spec = {}, status = {} }: CoreNode, redact: boolean): KubeObject {
  const annotations = those(metadata.annotations, redact ? isCalico : (key) => !isLastApplied(key));
  const conditions = status.conditions?.map((condition) => ({ type: condition.type, status: condition.status }));
  return {
    apiVersion,
    kind,
    metadata: metadataOf(metadata, metadata.labels, annotations),
    spec: defined({ podCIDR: spec.podCIDR, podCIDRs: spec.podCIDRs }),
    status: defined({ addresses: status.addresses, conditions }),
  };
}

function reducedOther(object: KubeObject, redact: boolean): KubeObject {
  const { metadata } = object;
  const annotations = those(metadata.annotations, redact ? isCalico : (key) => !isLastApplied(key));
  const { annotations: _, managedFields: __, ...rest } = metadata;
  return { ...object, metadata: { ...rest, ...(annotations === undefined ? {} : { annotations }) } };
}

/**
 * The object as it goes into a snapshot. With `redact`, labels and annotations that are not Calico's go too, but for the
 * labels of nodes and namespaces, which selectors choose by.
 */
export function reduced(object: KubeObject, redact: boolean): KubeObject {
  if (object.apiVersion.startsWith('crd.projectcalico.org/')) return object;
  if (object.kind === 'Pod') return reducedPod(object as Pod, redact);
  if (object.kind === 'Node') return reducedNode(object as CoreNode, redact);
  return reducedOther(object, redact);
}
