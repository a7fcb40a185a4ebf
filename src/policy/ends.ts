// The ends of a flow, as people name them: a pod, a node, an address. An address of a workload is the workload, one of a
// node is the node.

import { parseCidr, stripMask } from '../net/cidr.ts';
import { canonicalIp, formatIp, type IpAddress, parseIp } from '../net/ip.ts';
import { type NodeAnnotation, nodeAnnotation } from '../resources/convert/node-annotations.ts';
import { hasEndpoint, isFinished, podAddresses } from '../resources/convert/pod-addresses.ts';
import { nodeNotFound } from '../resources/kinds/node.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import { CalictlError, UsageError } from '../world/errors.ts';
import type { Cluster } from './cluster.ts';
import type { Workload } from './members.ts';

export type End =
  | {
      readonly type: 'workload';
      readonly title: string;
      readonly workload: Workload;
      readonly addresses: readonly IpAddress[];
    }
  | {
      readonly type: 'host';
      readonly title: string;
      readonly node: string;
      /** The first of each family is that of the node itself, others are of its tunnels. */
      readonly addresses: readonly IpAddress[];
    }
  | { readonly type: 'address'; readonly title: string; readonly addresses: readonly IpAddress[] };

const seePods = 'Write a pod as NAMESPACE/POD, a node as node/NAME, or use an address.';

const ownAddresses: readonly NodeAnnotation[] = ['ipv4Address', 'ipv6Address'];
const tunnelAddresses: readonly NodeAnnotation[] = [
  'ipv4IPIPTunnelAddr',
  'ipv4VXLANTunnelAddr',
  'ipv6VXLANTunnelAddr',
  'interfaceIPv4Address',
  'interfaceIPv6Address',
];

function parsed(texts: readonly (string | undefined)[]): IpAddress[] {
  const unique = new Set(texts.flatMap((text) => (text === undefined ? [] : (stripMask(text) ?? []))));
  return [...unique].flatMap((text) => parseIp(text) ?? []);
}

/** All addresses of a node, its own first. */
function addressesOf({ metadata, status }: CoreNode): IpAddress[] {
  const annotated = (fields: readonly NodeAnnotation[]) =>
    fields.map((field) => nodeAnnotation(metadata.annotations, field));
  const reported = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP');
  return parsed([...annotated(ownAddresses), ...reported.map(({ address }) => address), ...annotated(tunnelAddresses)]);
}

function hostEnd(cluster: Cluster, node: string, title: string): End {
  const found = cluster.objects.nodes.find(({ metadata }) => metadata.name === node);
  const expected = cluster.hostEndpoints
    .filter((one) => one.node === node)
    .flatMap(({ nets }) => nets.map(({ base }) => base));
  const addresses = [...(found === undefined ? [] : addressesOf(found)), ...expected];
  const unique = new Map(addresses.map((address) => [formatIp(address), address]));
  return { type: 'host', title, node, addresses: [...unique.values()] };
}

function nodeEnd(cluster: Cluster, name: string): End {
  const isKnown =
    cluster.objects.nodes.some(({ metadata }) => metadata.name === name) ||
    cluster.hostEndpoints.some(({ node }) => node === name);
  if (isKnown) return hostEnd(cluster, name, `node ${name}`);
  const unread = cluster.unread.get('nodes');
  if (unread === undefined) throw nodeNotFound(name);
  throw new CalictlError(`node ${name} is not known: ${unread}`, {
    code: 'NODE_UNKNOWN',
    hint: 'use a datastore that has the nodes, or the address of the node',
  });
}

function workloadEnd(workload: Workload): End {
  const title = `${workload.namespace}/${workload.name}`;
  return { type: 'workload', title, workload, addresses: workload.nets.map(({ base }) => base) };
}

/** Why a pod cannot be an end of a flow. */
function noEnd(title: string, why: string, code: string, hint: string): UsageError {
  return new UsageError(`pod ${title} ${why}`, hint, code);
}

/**
 * The workload of a pod. Errors: CalictlError when there is no such pod; UsageError when it has no endpoint of its own,
 * has ended, or (unless `mayLackAddress`) has no address.
 */
export function workloadNamed(cluster: Cluster, namespace: string, name: string, mayLackAddress = false): Workload {
  const title = `${namespace}/${name}`;
  const pod = cluster.objects.pods.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
  );
  if (pod?.spec?.hostNetwork === true) {
    const hint = `Policies for node ${pod.spec.nodeName ?? ''} apply to it: use node/${pod.spec.nodeName ?? 'NAME'}.`;
    throw noEnd(title, 'uses the network of its node, so it has no endpoint', 'POD_HOST_NETWORK', hint);
  }
  if (pod !== undefined && isFinished(pod)) {
    throw noEnd(title, 'has ended and has no address', 'POD_FINISHED', 'Use a running pod.');
  }
  const workload = cluster.workload(namespace, name);
  if (workload === undefined) {
    if (pod !== undefined && !hasEndpoint(pod)) {
      throw noEnd(
        title,
        'is not scheduled to a node yet, so it has no endpoint',
        'POD_NOT_SCHEDULED',
        'Try again when it runs.',
      );
    }
    const unread = cluster.unread.get('pods');
    const message = unread === undefined ? `pod ${title} does not exist` : `pod ${title} is not known: ${unread}`;
    throw new CalictlError(message, { code: unread === undefined ? 'POD_NOT_FOUND' : 'POD_UNKNOWN', hint: seePods });
  }
  if (workload.nets.length === 0 && !mayLackAddress) {
    throw noEnd(title, 'has no address yet', 'POD_WITHOUT_ADDRESS', 'Try again when it runs.');
  }
  return workload;
}

function podEnd(cluster: Cluster, namespace: string, name: string): End {
  const pod = cluster.objects.pods.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'default') === namespace,
  );
  const node = pod?.spec?.hostNetwork === true && !isFinished(pod) ? pod.spec.nodeName : undefined;
  if (pod !== undefined && node) {
    const host = hostEnd(cluster, node, `${namespace}/${name} (network of node ${node})`);
    if (host.addresses.length > 0) return host;
    const addresses = podAddresses(pod).flatMap((text) => parseIp(text) ?? []);
    return { ...host, addresses };
  }
  return workloadEnd(workloadNamed(cluster, namespace, name));
}

function addressEnd(cluster: Cluster, ip: IpAddress): End {
  const address = formatIp(ip);
  const workloads = cluster.workloadsAt(ip);
  const [workload, other] = workloads;
  if (workload !== undefined) {
    if (other !== undefined) {
      const names = workloads.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
      throw new CalictlError(`${address} is the address of several pods: ${names}`, {
        code: 'ADDRESS_AMBIGUOUS',
        hint: 'specify the pod; calictl ipam check shows who the address is allocated to',
      });
    }
    return {
      ...workloadEnd(workload),
      title: `${address} (pod ${workload.namespace}/${workload.name})`,
      addresses: [ip],
    };
  }
  const isOwn = (own: IpAddress): boolean => formatIp(own) === address;
  const node =
    cluster.objects.nodes.find((one) => addressesOf(one).some(isOwn))?.metadata.name ??
    cluster.hostEndpoints.find(({ nets }) => nets.some(({ base }) => isOwn(base)))?.node;
  if (node) return { type: 'host', title: `${address} (node ${node})`, node, addresses: [ip] };
  return { type: 'address', title: address, addresses: [ip] };
}

/**
 * The end that a text names. Errors: UsageError for a text that names nothing, and for a pod that has ended or has no
 * address; CalictlError for a pod or node that does not exist, and for an address of several pods.
 */
export function endNamed(cluster: Cluster, text: string): End {
  const address = canonicalIp(text);
  const ip = address === undefined ? undefined : parseIp(address);
  if (ip !== undefined) return addressEnd(cluster, ip);
  if (parseCidr(text) !== undefined) {
    throw new UsageError(`${text} is a network, not an address`, 'Use one address of it.', 'END_UNKNOWN');
  }
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new UsageError(`${text} is neither a pod nor a node nor an address`, seePods, 'END_UNKNOWN');
  }
  return namespace === 'node' ? nodeEnd(cluster, name) : podEnd(cluster, namespace, name);
}
