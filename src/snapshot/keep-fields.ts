// Objects as a snapshot keeps them: Calico's own in full, Kubernetes' with the fields that calictl reads. None of those is
// secret: environment variables, but for harmless ones of calico-node, and kubectl's last-applied configuration are left out.
import { calicoNodeContainer, isKeptVariable } from '../resources/convert/calico-node-environment.ts';
import { concernsAddresses } from '../resources/convert/pod-addresses.ts';
import { customResourceApi, v3ApiVersion } from '../resources/kind.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { Pod } from '../resources/kinds/pod.ts';
import type { KubeObject, ObjectMeta } from '../resources/object.ts';

/** The APIs that Calico keeps its objects in. */
const apis: readonly string[] = [customResourceApi, v3ApiVersion];

type Texts = Readonly<Record<string, string>> | undefined;
type Containers = NonNullable<Pod['spec']>['containers'];

const isCalico = (key: string): boolean => key.includes('projectcalico.org/') || key.startsWith('kubevirt.io/');
const isOfAddresses = (key: string): boolean => isCalico(key) || concernsAddresses(key);
const isLastApplied = (key: string): boolean => key === 'kubectl.kubernetes.io/last-applied-configuration';

function keep(texts: Texts, wanted: (key: string) => boolean): Record<string, string> | undefined {
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

function containersOf(containers: Containers): NonNullable<Containers>[number][] | undefined {
  return containers?.map(({ name, env, ports }) => {
    const kept = ports ? { ports } : {};
    if (name !== calicoNodeContainer) return kept;
    const variables = (env ?? []).filter((one) => one.value !== undefined && isKeptVariable(one.name ?? ''));
    return { name, ...(variables.length === 0 ? {} : { env: variables }), ...kept };
  });
}

function keepPodFields({ apiVersion, kind, metadata, spec = {}, status = {} }: Pod, redact: boolean): KubeObject {
  const { nodeName, hostNetwork, serviceAccountName, containers, initContainers } = spec;
  const { phase, reason, podIP, podIPs } = status;
  return {
    apiVersion,
    kind,
    metadata: metadataOf(
      metadata,
      redact ? keep(metadata.labels, isCalico) : metadata.labels,
      keep(metadata.annotations, isOfAddresses),
    ),
    spec: defined({
      nodeName,
      hostNetwork,
      serviceAccountName: redact ? undefined : serviceAccountName,
      containers: containersOf(containers),
      initContainers: containersOf(initContainers),
    }),
    status: defined({ phase, reason, podIP, podIPs }),
  };
}

function keepNodeFields({ apiVersion, kind, metadata, spec = {}, status = {} }: CoreNode, redact: boolean): KubeObject {
  const annotations = keep(metadata.annotations, redact ? isCalico : (key) => !isLastApplied(key));
  const conditions = status.conditions?.map((condition) => ({ type: condition.type, status: condition.status }));
  return {
    apiVersion,
    kind,
    metadata: metadataOf(metadata, metadata.labels, annotations),
    spec: defined({ podCIDR: spec.podCIDR, podCIDRs: spec.podCIDRs }),
    status: defined({ addresses: status.addresses, conditions }),
  };
}

function keepMetadata(object: KubeObject, redact: boolean): KubeObject {
  const { metadata } = object;
  const annotations = keep(metadata.annotations, redact ? isCalico : (key) => !isLastApplied(key));
  const { annotations: _, managedFields: __, ...rest } = metadata;
  return { ...object, metadata: { ...rest, ...(annotations === undefined ? {} : { annotations }) } };
}

/**
 * The object as a snapshot keeps it. With `redact`, labels and annotations that are not Calico's are left out too, except
 * for the labels of nodes and namespaces, which selectors need.
 */
export function keepFields(object: KubeObject, redact: boolean): KubeObject {
  if (apis.includes(object.apiVersion)) return object;
  if (object.kind === 'Pod') return keepPodFields(object as Pod, redact);
  if (object.kind === 'Node') return keepNodeFields(object as CoreNode, redact);
  if (object.kind === 'ServiceAccount') {
    // Only its labels matter: what else it has are the names of secrets.
    const { apiVersion, kind, metadata } = object;
    return keepMetadata({ apiVersion, kind, metadata }, redact);
  }
  return keepMetadata(object, redact);
}
