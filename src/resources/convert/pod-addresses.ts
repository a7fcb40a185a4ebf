// Which addresses a pod uses and whether it still uses any: the rule by which Calico makes an endpoint of a pod,
// docs/reference/ipam.md.
import { stripMask } from '../../net/cidr.ts';
import type { Pod } from '../kinds/pod.ts';

export const podAnnotations = {
  podIP: 'cni.projectcalico.org/podIP',
  podIPs: 'cni.projectcalico.org/podIPs',
  containerId: 'cni.projectcalico.org/containerID',
  ipAddrsNoIpam: 'cni.projectcalico.org/ipAddrsNoIpam',
  floatingIPs: 'cni.projectcalico.org/floatingIPs',
  allowedSourcePrefixes: 'cni.projectcalico.org/allowedSourcePrefixes',
  awsPodIPs: 'vpc.amazonaws.com/pod-ips',
  /** Further networks that the pod requests. */
  networks: 'k8s.v1.cni.cncf.io/networks',
} as const;

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
