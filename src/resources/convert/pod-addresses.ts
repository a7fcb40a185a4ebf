// Which addresses a pod uses and whether it still uses any: the rule by which Calico makes an endpoint of a pod,
// docs/reference/ipam.md.
import { stripMask } from '../../net/cidr.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Pod } from '../kinds/pod.ts';
import { jsonIn, listInAnnotation } from './annotation-list.ts';

export const podAnnotations = {
  podIP: 'cni.projectcalico.org/podIP',
  podIPs: 'cni.projectcalico.org/podIPs',
  containerId: 'cni.projectcalico.org/containerID',
  ipAddrsNoIpam: 'cni.projectcalico.org/ipAddrsNoIpam',
  floatingIPs: 'cni.projectcalico.org/floatingIPs',
  allowedSourcePrefixes: 'cni.projectcalico.org/allowedSourcePrefixes',
  awsPodIPs: 'vpc.amazonaws.com/pod-ips',
  ipv4Pools: 'cni.projectcalico.org/ipv4pools',
  ipv6Pools: 'cni.projectcalico.org/ipv6pools',
  /** Further networks that the pod requests. */
  networks: 'k8s.v1.cni.cncf.io/networks',
  /** The networks that it has, with their addresses, as Multus notes them; the second is the name of old releases. */
  networkStatus: 'k8s.v1.cni.cncf.io/network-status',
  oldNetworkStatus: 'k8s.v1.cni.cncf.io/networks-status',
} as const;

/** Annotations of other writers than Calico that say which addresses a pod uses. */
const foreignAnnotations: readonly string[] = [
  podAnnotations.awsPodIPs,
  podAnnotations.networks,
  podAnnotations.networkStatus,
  podAnnotations.oldNetworkStatus,
];

/** True for an annotation that concerns the addresses of a pod, by its key. */
export function concernsAddresses(key: string): boolean {
  return key.includes('projectcalico.org/') || foreignAnnotations.includes(key);
}

const finishedPhases: readonly string[] = ['Failed', 'Succeeded', 'Completed'];

/** The valid addresses of a list in canonical form, in order. */
function canonical(texts: readonly (string | null | undefined)[]): string[] {
  return texts.map((text) => stripMask(text?.trim() ?? '')).filter((address) => address !== undefined);
}

/** A copy of the pod that says that Calico's CNI plugin took its addresses back, as the plugin itself writes it. */
export function withoutCalicoAddresses(pod: Pod): Pod {
  const annotations = { ...pod.metadata.annotations, [podAnnotations.podIP]: '', [podAnnotations.podIPs]: '' };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/**
 * Canonical addresses of a pod, whatever its phase: from the first of status.podIPs, status.podIP and the annotations
 * that Calico's and Amazon's CNI plugins write which has any.
 */
export function podAddresses(pod: Pod): string[] {
  const { annotations } = pod.metadata;
  const { podIPs, podIP } = pod.status ?? {};
  const sources = [
    (podIPs ?? []).map((entry) => entry.ip),
    [podIP],
    annotations?.[podAnnotations.podIPs]?.split(',') ?? [],
    [annotations?.[podAnnotations.podIP]],
    annotations?.[podAnnotations.awsPodIPs]?.split(',') ?? [],
  ];
  const source = sources.find((texts) => texts.some((text) => text !== undefined && text !== null && text !== ''));
  return canonical(source ?? []);
}

/**
 * Canonical addresses that a pod has on networks besides its main one, from the annotation of Multus. Calico's garbage
 * collector takes them for addresses of the pod too.
 */
export function otherNetworkAddresses({ metadata: { annotations } }: Pod): string[] {
  const status = annotations?.[podAnnotations.networkStatus] ?? annotations?.[podAnnotations.oldNetworkStatus];
  const networks = jsonIn(status);
  if (!Array.isArray(networks)) return [];
  return networks.flatMap((network: unknown) => {
    const { ips, default: main }: Record<string, unknown> = isObject(network) ? network : {};
    if (main === true || !Array.isArray(ips)) return [];
    return canonical(ips.filter((ip) => typeof ip === 'string'));
  });
}

/** Names or CIDRs of the pools from which a pod requests its addresses: a list for each family that it requests. */
export function requestedPools({ metadata: { annotations } }: Pod): string[][] {
  const lists = [podAnnotations.ipv4Pools, podAnnotations.ipv6Pools].map((key) => listInAnnotation(annotations?.[key]));
  return lists.filter((names) => names.length > 0);
}

/** True when Calico's CNI plugin noted on the pod that it set up its network. */
export function isWiredByCalico({ metadata: { annotations } }: Pod): boolean {
  const { containerId, podIP, podIPs } = podAnnotations;
  return [containerId, podIP, podIPs].some((key) => annotations?.[key] !== undefined);
}

/** True when the pod no longer uses any address: it ended, or it is being deleted and its address annotation was emptied. */
export function isFinished(pod: Pod): boolean {
  const { annotations, deletionTimestamp } = pod.metadata;
  if (finishedPhases.includes(pod.status?.phase ?? '')) return true;
  if (deletionTimestamp === undefined || deletionTimestamp === null) return false;
  return annotations?.[podAnnotations.podIP] === '' || annotations?.[podAnnotations.awsPodIPs] === '';
}

/** True when Calico makes an endpoint for the pod: it is scheduled, and does not use the host's network. */
export function hasEndpoint(pod: Pod): boolean {
  return Boolean(pod.spec?.nodeName) && pod.spec?.hostNetwork !== true;
}
