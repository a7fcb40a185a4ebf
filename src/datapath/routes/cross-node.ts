// Faults that only show between nodes: one address on two of them, subnets that disagree. From the datastore, and from
// the routes of all nodes that were read: docs/reference/node-faults.md.

import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults } from '../../faults/faults.ts';
import { type NodeFinding, nodeFinding } from '../../faults/finding.ts';
import { sharedNodeAddresses } from '../../faults/shared-findings.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { isHostRoute, isInMainTable } from '../../node-state/lookups.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import { qualifiedName } from '../../resources/object.ts';
import { groupBy } from '../../text/group-by.ts';
import { isSameSubnet, type Network, type NetworkNode, type Workload } from '../expected/network.ts';
import { isWorkloadDevice } from './foreign.ts';
import { objectFindings } from './object-faults.ts';

const families = [4, 6] as const;

/** The values that share a key. */
function sharing<T>(entries: readonly (readonly [key: string, value: T])[]): [string, T[]][] {
  return [...groupBy(entries, ([key]) => key)]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => [key, group.map(([, value]) => value)]);
}

/** F51: nodes that are recorded with the same address. */
function sameNodeAddresses(nodes: readonly NetworkNode[]): NodeFinding[] {
  return families.flatMap((version) => {
    const addressed = nodes.flatMap(({ name, addresses: { [version]: own } }) =>
      own === undefined ? [] : [{ name, address: own.address }],
    );
    return sharedNodeAddresses(addressed).map(({ finding }) => finding);
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

/** F50: pods with the same address: all of them, or those that share an address with the given pod. */
export function samePodAddresses(network: Network, pod?: Workload): NodeFinding[] {
  return sharedAddresses(network).flatMap(([address, workloads]) => {
    if (pod !== undefined && !workloads.includes(pod)) return [];
    const [one, other] = workloads;
    if (one === undefined || other === undefined) return [];
    const names = workloads.map(qualifiedName);
    return [
      nodeFinding(faults.duplicatePodAddress, {
        node: one.node,
        peer: other.node,
        message: `pods ${names.join(' and ')} have the same address, ${address}`,
        object: { kind: 'Pod', name: qualifiedName(other) },
        hint: endingAdvice.recreateOneOfTwo.hint,
      }),
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

/** F50: one address routed to workload interfaces of two nodes; `reported` are those that pods share anyway. */
function sameRoutedAddresses(
  network: Network,
  states: readonly NodeState[],
  reported: ReadonlySet<string>,
): NodeFinding[] {
  const entries = states.flatMap((state) =>
    [...new Set(workloadRoutesOf(network, state))].map((address) => [address, state.node] as const),
  );
  return sharing(entries).flatMap(([address, nodes]) => {
    const [node, peer] = nodes;
    if (node === undefined || peer === undefined || reported.has(address)) return [];
    return [
      nodeFinding(faults.duplicatePodAddress, {
        node,
        peer,
        message: `${nodes.join(' and ')} both have ${address} on a workload interface`,
        hint: `find out which pod has the address: calictl ipam show --ip ${address}`,
      }),
    ];
  });
}

/** F43: of two nodes only one sees the other in its subnet, and a pool encapsulates between subnets only. */
function asymmetricSubnets(network: Network, nodes: readonly NetworkNode[]): NodeFinding[] {
  return families.flatMap((version) => {
    const uses = network.pools.some(({ cidr, encapsulation }) => cidr.version === version && encapsulation.crossSubnet);
    if (!uses) return [];
    const addressed = nodes.filter(({ addresses }) => addresses[version] !== undefined);
    const lengths = new Set(addressed.map(({ addresses }) => addresses[version]?.subnet.prefix));
    // Two subnets of one length are either the same or disjoint.
    if (lengths.size < 2) return [];
    return addressed.flatMap((node, index) =>
      addressed.slice(index + 1).flatMap((peer): NodeFinding[] => {
        const sees = isSameSubnet(node, peer, version);
        if (sees === isSameSubnet(peer, node, version)) return [];
        const [near, far] = sees ? [node, peer] : [peer, node];
        const subnetOf = ({ addresses }: NetworkNode): string =>
          addresses[version] === undefined ? '' : formatCidr(addresses[version].subnet);
        return [
          nodeFinding(faults.subnetsDisagree, {
            node: near.name,
            peer: far.name,
            message: `${near.name} (${subnetOf(near)}) sees ${far.name} in its subnet, ${far.name} (${subnetOf(far)}) does not: one sends without encapsulation, the other with it`,
            object: { kind: 'Node', name: far.name },
            hint: 'record both nodes with the prefix length of their network: Node spec.bgp, autodetection of node addresses',
          }),
        ];
      }),
    );
  });
}

/** What is wrong between nodes. `states`: those that were read; what the datastore alone shows covers all nodes. */
export function crossNodeFindings(network: Network, states: readonly NodeState[]): readonly NodeFinding[] {
  const nodes = [...network.nodes.values()];
  const shared = sharedAddresses(network);
  return [
    ...sameNodeAddresses(nodes),
    ...objectFindings(network),
    ...asymmetricSubnets(network, nodes),
    ...samePodAddresses(network),
    ...sameRoutedAddresses(network, states, new Set(shared.map(([address]) => address))),
  ];
}
