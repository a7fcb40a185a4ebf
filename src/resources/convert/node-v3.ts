// Between the Kubernetes node, which carries Calico's fields as annotations, and the v3 Node that people see.
import { parseIp } from '../../net/ip.ts';
import { parseJson, printJson } from '../../text/json.ts';
import { orderMetadata } from '../field-order.ts';
import type { CoreNode, NodeBgp, NodeV3, NodeV3Spec, NodeV3Status } from '../kinds/node-fields.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import { addressText, bgpOf, type NodeAnnotation, nodeAnnotation, nodeAnnotations } from './node-annotations.ts';

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The strings of a JSON object, or undefined when the text is anything else. */
function textMap(text: string | undefined): Record<string, string> | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every(([, entry]) => typeof entry === 'string')
    ? (Object.fromEntries(entries) as Record<string, string>)
    : undefined;
}

function sortedJson(map: Readonly<Record<string, string>>): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return printJson(Object.fromEntries(entries), { goEscapes: true });
}

/** A hardware address of 6, 8 or 20 bytes as Go reads it: `:`, `-`, or groups of four digits with `.` between. */
function isMac(text: string): boolean {
  const bytes = text.replaceAll(/[:.-]/g, '').length / 2;
  const pairs = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*$/i;
  const groups = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i;
  return [6, 8, 20].includes(bytes) && (pairs.test(text) || groups.test(text));
}

type Interface = NonNullable<NodeV3Spec['interfaces']>[number];

/** The interfaces that the annotation lists, with their valid addresses. */
function interfacesOf(text: string | undefined): Interface[] {
  const value = parsed(text);
  return (Array.isArray(value) ? value : []).flatMap((entry): Interface[] => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { name, addresses } = entry;
    const valid = (Array.isArray(addresses) ? addresses : []).filter(
      (address) => typeof address === 'string' && parseIp(address) !== undefined,
    );
    return [
      {
        ...(typeof name === 'string' && name !== '' ? { name } : {}),
        ...(valid.length === 0 ? {} : { addresses: valid as string[] }),
      },
    ];
  });
}

const kubernetesAddressTypes: readonly string[] = ['InternalIP', 'ExternalIP'];

function addressesOf(node: CoreNode, bgp: NodeBgp | undefined): { address: string; type: string }[] {
  const own = [bgp?.ipv4Address, bgp?.ipv6Address].filter((address) => address !== undefined);
  return [
    ...own.map((address) => ({ address, type: 'CalicoNodeIP' })),
    ...(node.status?.addresses ?? [])
      .filter(({ type }) => kubernetesAddressTypes.includes(type))
      .map(({ address, type }) => ({ address, type })),
  ];
}

function familyOf(field: NodeAnnotation): 4 | 6 {
  return field.toLowerCase().includes('v6') ? 6 : 4;
}

function nodeSpec(node: CoreNode): NodeV3Spec {
  const { annotations } = node.metadata;
  const bgp = bgpOf(annotations);
  const spec: NodeV3Spec = {};
  if (bgp !== undefined) spec.bgp = bgp;

  for (const field of ['ipv4VXLANTunnelAddr', 'ipv6VXLANTunnelAddr'] as const) {
    const address = addressText(nodeAnnotation(annotations, field), familyOf(field));
    if (address !== undefined) spec[field] = address;
  }
  for (const field of ['vxlanTunnelMACAddr', 'vxlanTunnelMACAddrV6'] as const) {
    const mac = nodeAnnotation(annotations, field);
    if (mac !== undefined && isMac(mac)) spec[field] = mac;
  }
  for (const field of ['interfaceIPv4Address', 'interfaceIPv6Address'] as const) {
    const address = addressText(nodeAnnotation(annotations, field), familyOf(field));
    if (address !== undefined) spec.wireguard = { ...spec.wireguard, [field]: address };
  }
  spec.orchRefs = [{ nodeName: node.metadata.name, orchestrator: 'k8s' }];
  spec.addresses = addressesOf(node, bgp);
  const interfaces = interfacesOf(nodeAnnotation(annotations, 'interfaces'));
  if (interfaces.length > 0) spec.interfaces = interfaces;
  return spec;
}

function nodeStatus(node: CoreNode): NodeV3Status {
  const { annotations } = node.metadata;
  const status: NodeV3Status = {};
  for (const field of ['wireguardPublicKey', 'wireguardPublicKeyV6'] as const) {
    const key = nodeAnnotation(annotations, field);
    if (key !== undefined) status[field] = key;
  }
  if (node.spec?.podCIDRs?.length) status.podCIDRs = node.spec.podCIDRs;
  return status;
}

/** The labels of a node as Calico sees them: its own, which an annotation holds, and Kubernetes', which win. */
export function nodeLabels({ metadata: { labels, annotations } }: CoreNode): Record<string, string> {
  return { ...textMap(nodeAnnotation(annotations, 'labels')), ...labels };
}

/** The v3 Node of a Kubernetes node. Kubernetes' labels win, and are recorded so that a write can strip them again. */
export function nodeToV3(node: CoreNode): NodeV3 {
  const { name, uid, resourceVersion, creationTimestamp, labels: kubeLabels, annotations } = node.metadata;
  const labels = nodeLabels(node);
  const metadata: ObjectMeta = {
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    creationTimestamp: creationTimestamp ?? null,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    annotations: {
      ...textMap(nodeAnnotation(annotations, 'annotations')),
      [nodeAnnotations.kubeLabels]: kubeLabels ? sortedJson(kubeLabels) : 'null',
    },
  };
  return {
    apiVersion: 'projectcalico.org/v3',
    kind: 'Node',
    metadata: orderMetadata(metadata),
    spec: nodeSpec(node),
    status: nodeStatus(node),
  };
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** The text of each annotation for the v3 Node; undefined for one that must not exist. */
function annotationTexts(v3: NodeV3): Partial<Record<NodeAnnotation, string | undefined>> {
  const { spec, status } = v3;
  const kubeLabels = textMap(v3.metadata.annotations?.[nodeAnnotations.kubeLabels]) ?? {};
  const labels = Object.entries(v3.metadata.labels ?? {}).filter(([key]) => !Object.hasOwn(kubeLabels, key));
  const annotations = Object.entries(v3.metadata.annotations ?? {}).filter(
    ([key]) => key !== nodeAnnotations.kubeLabels,
  );
  return {
    ipv4Address: textOf(spec.bgp?.ipv4Address),
    ipv6Address: textOf(spec.bgp?.ipv6Address),
    ipv4IPIPTunnelAddr: textOf(spec.bgp?.ipv4IPIPTunnelAddr),
    asNumber: textOf(spec.bgp?.asNumber),
    routeReflectorClusterID: textOf(spec.bgp?.routeReflectorClusterID),
    ipv4VXLANTunnelAddr: textOf(spec.ipv4VXLANTunnelAddr),
    vxlanTunnelMACAddr: textOf(spec.vxlanTunnelMACAddr),
    ipv6VXLANTunnelAddr: textOf(spec.ipv6VXLANTunnelAddr),
    vxlanTunnelMACAddrV6: textOf(spec.vxlanTunnelMACAddrV6),
    interfaceIPv4Address: textOf(spec.wireguard?.interfaceIPv4Address),
    interfaceIPv6Address: textOf(spec.wireguard?.interfaceIPv6Address),
    wireguardPublicKey: textOf(status.wireguardPublicKey),
    wireguardPublicKeyV6: textOf(status.wireguardPublicKeyV6),
    interfaces: spec.interfaces?.length ? printJson(spec.interfaces, { goEscapes: true }) : undefined,
    labels: labels.length === 0 ? undefined : sortedJson(Object.fromEntries(labels)),
    annotations: annotations.length === 0 ? undefined : sortedJson(Object.fromEntries(annotations)),
  };
}

/**
 * The Kubernetes node with Calico's annotations as the v3 Node has them; everything else of `stored` stays. Without one
 * (a v3 export without the Kubernetes node) it is made from what the v3 Node says.
 */
export function nodeFromV3(object: KubeObject, stored?: CoreNode): CoreNode {
  const v3 = { ...object, spec: object.spec ?? {}, status: object.status ?? {} } as NodeV3;
  const base = stored ?? coreNodeOf(v3);
  const annotations: Record<string, string> = { ...base.metadata.annotations };
  for (const [field, text] of Object.entries(annotationTexts(v3))) {
    const key = nodeAnnotations[field as NodeAnnotation];
    if (text === undefined) delete annotations[key];
    else annotations[key] = text;
  }
  return { ...base, metadata: { ...base.metadata, annotations } };
}

function coreNodeOf(v3: NodeV3): CoreNode {
  const { name, uid, resourceVersion, creationTimestamp, annotations } = v3.metadata;
  const labels = textMap(annotations?.[nodeAnnotations.kubeLabels]);
  const { podCIDRs } = v3.status;
  const addresses = (v3.spec.addresses ?? [])
    .filter(({ type }) => type !== undefined && kubernetesAddressTypes.includes(type))
    .map(({ address, type = '' }) => ({ type, address }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: podCIDRs?.length ? { podCIDR: podCIDRs[0], podCIDRs } : {},
    status: addresses.length === 0 ? {} : { addresses },
  };
}
