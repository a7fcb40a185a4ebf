// Turns raw objects into the small records that a check holds: one function per kind.
import type {
  HandleRecord,
  NodeRecord,
  PodRecord,
  ServiceRecord,
  TunnelType,
  WorkloadRecord,
} from '../../ipam-check/snapshot.ts';
import { lastWriteMs } from '../../ipam-check/times.ts';
import { stripMask } from '../../net/cidr.ts';
import { ownAddresses } from '../../resources/convert/node-addresses.ts';
import { type NodeAnnotation, nodeAnnotation } from '../../resources/convert/node-annotations.ts';
import {
  isFinished,
  isWiredByCalico,
  otherNetworkAddresses,
  podAddresses,
  podAnnotations,
  requestedPools,
} from '../../resources/convert/pod-addresses.ts';
import type { IPAMHandle } from '../../resources/kinds/ipam-handle.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import type { Pod } from '../../resources/kinds/pod.ts';
import type { Service } from '../../resources/kinds/service.ts';
import type { WorkloadEndpoint } from '../../resources/kinds/workload-endpoint-fields.ts';
import { defaultNamespace } from '../../resources/object.ts';

/** The node annotation of each tunnel address. */
const tunnelAnnotations: readonly (readonly [TunnelType, NodeAnnotation])[] = [
  ['ipipTunnelAddress', 'ipv4IPIPTunnelAddr'],
  ['vxlanTunnelAddress', 'ipv4VXLANTunnelAddr'],
  ['vxlanV6TunnelAddress', 'ipv6VXLANTunnelAddr'],
  ['wireguardTunnelAddress', 'interfaceIPv4Address'],
  ['wireguardV6TunnelAddress', 'interfaceIPv6Address'],
];

/** What judgements need of a handle. */
export function handleRecord(handle: IPAMHandle): HandleRecord {
  const { name, uid, resourceVersion } = handle.metadata;
  return {
    name,
    uid,
    resourceVersion,
    // A folder may hold a handle without it; the name is the same but for its case.
    handleId: typeof handle.spec.handleID === 'string' ? handle.spec.handleID : name,
    block: handle.spec.block ?? {},
    deleted: handle.spec.deleted === true,
    writtenAtMs: lastWriteMs(handle.metadata),
  };
}

/** Whether condition Ready is True; undefined when the node has no such condition. */
function isReady(node: CoreNode): boolean | undefined {
  const condition = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return condition === undefined ? undefined : condition.status === 'True';
}

/** Labels, health and tunnel addresses of a node; invalid addresses are left out. */
export function nodeRecord(node: CoreNode): NodeRecord {
  const { annotations, labels } = node.metadata;
  const tunnels: Partial<Record<TunnelType, string>> = {};
  for (const [type, field] of tunnelAnnotations) {
    const address = stripMask(nodeAnnotation(annotations, field) ?? '');
    if (address !== undefined) tunnels[type] = address;
  }
  const { podCIDR, podCIDRs } = node.spec ?? {};
  return {
    name: node.metadata.name,
    tunnels,
    labels: labels ?? {},
    ready: isReady(node),
    addresses: ownAddresses(node),
    podCIDRs: podCIDRs?.length ? podCIDRs : podCIDR ? [podCIDR] : [],
  };
}

/** True when the text lists only these addresses, each with or without its prefix length. */
function namesOnly(noted: string, addresses: readonly string[]): boolean {
  const isOne = (text: string, address: string) =>
    text.startsWith(address) && (text.length === address.length || text[address.length] === '/');
  return noted === '' || noted.split(',').every((text) => addresses.some((address) => isOne(text, address)));
}

/** What says which addresses a pod uses, and whether it still uses them. */
export function podRecord(pod: Pod): PodRecord {
  const { metadata, spec, status } = pod;
  const annotations = metadata.annotations ?? {};
  const addresses = podAddresses(pod);
  const noted = annotations[podAnnotations.podIPs] ?? annotations[podAnnotations.podIP] ?? '';
  return {
    namespace: metadata.namespace ?? defaultNamespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    node: spec?.nodeName || undefined,
    hostNetwork: spec?.hostNetwork === true,
    phase: status?.phase,
    reason: status?.reason,
    addresses,
    finished: isFinished(pod),
    deleting: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
    containerId: annotations[podAnnotations.containerId] || undefined,
    noIpam: Boolean(annotations[podAnnotations.ipAddrsNoIpam]),
    moreAddresses: Boolean(annotations[podAnnotations.networks]) || !namesOnly(noted, addresses),
    otherAddresses: otherNetworkAddresses(pod),
    wired: isWiredByCalico(pod),
    pools: requestedPools(pod),
  };
}

/** A stored endpoint, with its addresses without their masks. */
export function workloadRecord(workload: WorkloadEndpoint): WorkloadRecord {
  const { metadata, spec } = workload;
  return {
    namespace: metadata.namespace ?? defaultNamespace,
    name: metadata.name,
    node: spec.node,
    pod: spec.pod,
    containerId: spec.containerID,
    addresses: (spec.ipNetworks ?? []).map(stripMask).filter((address) => address !== undefined),
  };
}

/** What says whether Calico assigns the addresses of a service, and which it has. */
export function serviceRecord(service: Service): ServiceRecord {
  const { metadata, spec, status } = service;
  return {
    namespace: metadata.namespace ?? defaultNamespace,
    name: metadata.name,
    uid: metadata.uid,
    loadBalancer: spec?.type === 'LoadBalancer',
    deleting: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
    loadBalancerClass: spec?.loadBalancerClass,
    annotations: metadata.annotations ?? {},
    ingress: (status?.loadBalancer?.ingress ?? [])
      .map((entry) => stripMask(entry.ip ?? ''))
      .filter((address) => address !== undefined),
  };
}
