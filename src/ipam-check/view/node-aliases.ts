// Names under which a CNI plugin records addresses although no Node has that name: a short host name where the Node has a
// long one, another case, or the name that a machine had before. The pods on them tell which node is meant.
import type { NodeRecord, PodRecord } from '../snapshot.ts';
import type { Allocation } from './block-view.ts';

/** A name that IPAM records, the node that is meant, and the pods that show it. */
export interface NodeAlias {
  readonly name: string;
  readonly node: NodeRecord;
  readonly pods: readonly PodRecord[];
}

/** What the search needs of the check's view. */
interface Cluster {
  readonly allocations: readonly Allocation[];
  readonly nodesByName: ReadonlyMap<string, NodeRecord>;
  readonly affinities: readonly { readonly node: string }[];
  podNamed(pod: { readonly namespace: string; readonly name: string }): PodRecord | undefined;
  wasRead(kind: 'Pod'): boolean;
}

/** One pod may have been moved by hand; so many on one node were set up there. */
const enoughPods = 2;

/**
 * The aliases by name. A name is one only if all running pods whose addresses are recorded under it, each still with its
 * address, run on one and the same node, and that node's name resembles it or there are several such pods.
 */
export function nodeAliases(cluster: Cluster): ReadonlyMap<string, NodeAlias> {
  if (cluster.nodesByName.size === 0) return new Map();
  if (!cluster.wasRead('Pod')) return resembling(cluster);
  const found = new Map<string, PodRecord[]>();
  for (const allocation of cluster.allocations) {
    const { node, pod: name, namespace } = allocation.attributes;
    if (!node || !name || !namespace || cluster.nodesByName.has(node)) continue;
    const pod = cluster.podNamed({ namespace, name });
    if (pod === undefined || pod.finished || pod.hostNetwork || !pod.addresses.includes(allocation.address)) continue;
    const known = found.get(node);
    if (known === undefined) found.set(node, [pod]);
    else known.push(pod);
  }
  const aliases = new Map<string, NodeAlias>();
  for (const [name, pods] of found) {
    const [first] = pods;
    const node = cluster.nodesByName.get(first?.node ?? '');
    if (node === undefined || pods.some((pod) => pod.node !== node.name)) continue;
    if (resemble(name, node.name) || pods.length >= enoughPods) aliases.set(name, { name, node, pods });
  }
  return aliases;
}

/** Without pods a name is an alias when it resembles that of a node: who may be that node is not taken for gone. */
function resembling({ allocations, affinities, nodesByName }: Cluster): ReadonlyMap<string, NodeAlias> {
  const recorded = [...allocations.map(({ attributes }) => attributes['node']), ...affinities.map(({ node }) => node)];
  const missing = [...new Set(recorded)].filter((name) => name !== undefined && name !== '' && !nodesByName.has(name));
  return new Map(
    missing.flatMap((name = '') => {
      const node = [...nodesByName.values()].find((one) => resemble(name, one.name));
      return node === undefined ? [] : [[name, { name, node, pods: [] }] as const];
    }),
  );
}

/** True for names that differ in case, or of which one is the first part of the other. */
function resemble(a: string, b: string): boolean {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
