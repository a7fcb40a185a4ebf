// Faults that only show between nodes: one address on two of them, subnets that disagree. From the datastore, and from
// the routes of all nodes that were read: docs/reference/datapath.md#faults.

import type { NodeFinding } from '../../faults/finding.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { groupBy } from '../../node-state/group-by.ts';
import { isHostRoute, isInMainTable } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import { isSameSubnet, type Network, type NetworkNode, type Workload } from '../expected/network.ts';
import { isWorkloadDevice } from './foreign.ts';

const families = [4, 6] as const;

/** The values that share a key. */
function sharing<T>(entries: readonly (readonly [key: string, value: T])[]): [string, T[]][] {
  return [...groupBy(entries, ([key]) => key)]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => [key, group.map(([, value]) => value)]);
}

/** F51: nodes that are recorded with one address. */
function sameNodeAddresses(nodes: readonly NetworkNode[]): NodeFinding[] {
  const entries = nodes.flatMap((node) =>
    families.flatMap((version) => {
      const own = node.addresses[version];
      return own === undefined ? [] : [[formatIp(own.address), node.name] as const];
    }),
  );
  return sharing(entries).flatMap(([address, names]) => {
    const [node, peer] = names;
    if (node === undefined || peer === undefined) return [];
    return [
      {
        id: 'F51',
        severity: 'error' as const,
        node,
        peer,
        message: `${names.join(' and ')} are both recorded with the address ${address}`,
        object: { kind: 'Node', name: peer },
        hint: 'fix the autodetection of node addresses: IP_AUTODETECTION_METHOD of calico-node',
      },
    ];
  });
}

/** Addresses that more than one settled pod has. */
function sharedAddresses(network: Network): [address: string, workloads: Workload[]][] {
  const entries = [...network.workloads.values()]
    .flat()
    .filter(({ settled }) => settled)
    .flatMap((workload) => workload.addresses.map((address) => [formatIp(address), workload] as const));
  return sharing(entries);
}

/** F50: pods with one address, all of them or those that share one with a pod. */
export function samePodAddresses(network: Network, pod?: Workload): NodeFinding[] {
  return sharedAddresses(network).flatMap(([address, workloads]) => {
    if (pod !== undefined && !workloads.includes(pod)) return [];
    const [one, other] = workloads;
    if (one === undefined || other === undefined) return [];
    const names = workloads.map(({ namespace, name }) => `${namespace}/${name}`);
    return [
      {
        id: 'F50',
        severity: 'error' as const,
        node: one.node,
        peer: other.node,
        message: `pods ${names.join(' and ')} have one address, ${address}`,
        object: { kind: 'Pod', name: `${other.namespace}/${other.name}` },
        hint: 'find the duplicate with calictl ipam check, and recreate one of the pods',
      },
    ];
  });
}

/** Addresses that the routes of a node give to its own workload interfaces. */
function workloadRoutesOf(network: Network, state: NodeState): string[] {
  const prefixes = network.felix(state.node).interfacePrefixes;
  return families.flatMap((version) => {
    const routes = routesOf(state, version);
    if (!routes.seen) return [];
    return routes.value
      .filter((route) => isInMainTable(route) && isHostRoute(route.destination) && route.type === 'unicast')
      .filter(({ nextHops }) =>
        nextHops.some(({ gateway, device }) => gateway === undefined && isWorkloadDevice(device, prefixes)),
      )
      .map(({ destination }) => formatIp(destination.base));
  });
}

/** F50: one address routed to workload interfaces of two nodes. */
function sameRoutedAddresses(network: Network, states: readonly NodeState[], told: ReadonlySet<string>): NodeFinding[] {
  const entries = states.flatMap((state) =>
    [...new Set(workloadRoutesOf(network, state))].map((address) => [address, state.node] as const),
  );
  return sharing(entries).flatMap(([address, nodes]) => {
    const [node, peer] = nodes;
    if (node === undefined || peer === undefined || told.has(address)) return [];
    return [
      {
        id: 'F50',
        severity: 'error' as const,
        node,
        peer,
        message: `${nodes.join(' and ')} both have ${address} on a workload interface`,
        hint: 'find the pod that has the address by right; delete the other, or the route that it left',
      },
    ];
  });
}

/** F43: of two nodes, only one sees the other in its subnet, and a pool encapsulates between subnets only. */
function asymmetricSubnets(network: Network, nodes: readonly NetworkNode[]): NodeFinding[] {
  return families.flatMap((version) => {
    const uses = network.pools.some(({ cidr, encapsulation }) => cidr.version === version && encapsulation.crossSubnet);
    if (!uses) return [];
    const addressed = nodes.filter(({ addresses }) => addresses[version] !== undefined);
    const lengths = new Set(addressed.map(({ addresses }) => addresses[version]?.subnet.prefix));
    // Subnets of one length contain each other's addresses or are apart.
    if (lengths.size < 2) return [];
    return addressed.flatMap((node, index) =>
      addressed.slice(index + 1).flatMap((peer): NodeFinding[] => {
        const sees = isSameSubnet(node, peer, version);
        if (sees === isSameSubnet(peer, node, version)) return [];
        const [near, far] = sees ? [node, peer] : [peer, node];
        const subnetOf = ({ addresses }: NetworkNode): string =>
          addresses[version] === undefined ? '' : formatCidr(addresses[version].subnet);
        return [
          {
            id: 'F43',
            severity: 'error',
            node: near.name,
            peer: far.name,
            message: `${near.name} (${subnetOf(near)}) sees ${far.name} in its subnet, ${far.name} (${subnetOf(far)}) does not: one sends plain, the other encapsulated`,
            object: { kind: 'Node', name: far.name },
            hint: 'record both nodes with the prefix length of their network: Node spec.bgp, autodetection of node addresses',
          },
        ];
      }),
    );
  });
}

/** What is wrong between nodes. `states`: those of them that were read; the datastore's part is told of all nodes. */
export function crossNodeFindings(network: Network, states: readonly NodeState[]): readonly NodeFinding[] {
  const nodes = [...network.nodes.values()];
  const shared = sharedAddresses(network);
  return [
    ...sameNodeAddresses(nodes),
    ...asymmetricSubnets(network, nodes),
    ...samePodAddresses(network),
    ...sameRoutedAddresses(network, states, new Set(shared.map(([address]) => address))),
  ];
}
