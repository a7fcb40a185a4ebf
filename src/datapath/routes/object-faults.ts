// Faults that the objects alone prove, whatever the nodes say: ranges that overlap, one tunnel address on two nodes.
import { faults } from '../../faults/faults.ts';
import { type NodeFinding, nodeFinding } from '../../faults/finding.ts';
import { cidrContains, cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { groupBy } from '../../text/group-by.ts';
import { listed } from '../../text/wording.ts';
import { type Network, type NetworkNode, routedPools } from '../expected/network.ts';
import { rangesOverlapHint } from './comparison.ts';

const families = [4, 6] as const;

/** F56: nodes with the same address of a tunnel device. */
function sharedTunnelAddresses(nodes: readonly NetworkNode[]): NodeFinding[] {
  const addressed = nodes.flatMap(({ name, ipipAddress, vxlanAddresses, wireguardAddresses }) =>
    [ipipAddress, ...families.flatMap((version) => [vxlanAddresses[version], wireguardAddresses[version]])].flatMap(
      (address: IpAddress | undefined) => (address === undefined ? [] : [{ name, address: formatIp(address) }]),
    ),
  );
  return [...groupBy(addressed, ({ address }) => address)].flatMap(([address, group]) => {
    const [node, peer] = new Set(group.map(({ name }) => name));
    if (node === undefined || peer === undefined) return [];
    return [
      nodeFinding(faults.tunnelAddressShared, {
        node,
        peer,
        message: `${listed([...new Set(group.map(({ name }) => name))])} have the same tunnel address, ${address}`,
        object: { kind: 'Node', name: peer },
        hint: `find out which node it is allocated to: calictl ipam show --ip ${address}; the other node needs an address of its own`,
      }),
    ];
  });
}

/** F79: nodes inside a pool from which pods get addresses. */
function poolsOverNodes(network: Network, nodes: readonly NetworkNode[]): NodeFinding[] {
  return routedPools(network).flatMap((pool) => {
    const inside = nodes.flatMap(({ name, addresses }) =>
      families.flatMap((version) => {
        const own = addresses[version];
        return own !== undefined && cidrContains(pool.cidr, own.address) ? [{ name, own }] : [];
      }),
    );
    const [first] = inside;
    if (first === undefined) return [];
    const networks = new Set(inside.map(({ own }) => formatCidr(own.subnet)));
    return [
      nodeFinding(faults.rangesOverlap, {
        node: first.name,
        message: `IPPool ${pool.name} (${formatCidr(pool.cidr)}) holds the network of nodes: ${listed([...networks])} of ${listed(inside.map(({ name }) => name))}`,
        object: { kind: 'IPPool', name: pool.name },
        hint: 'move pods to a pool outside of the network of the nodes: packets of pods to nodes are not translated, and a block can be cut out of it',
      }),
    ];
  });
}

/** F79: a service range that BGP advertises and a pool, of which one holds the other. */
function servicesOverPools(network: Network): NodeFinding[] {
  const [node] = [...network.nodes.keys()].sort();
  return routedPools(network).flatMap((pool) =>
    network.serviceCidrs
      .filter((cidr) => cidrsOverlap(cidr, pool.cidr))
      .map((cidr) =>
        nodeFinding(faults.rangesOverlap, {
          node: node ?? '',
          message: `serviceClusterIPs ${formatCidr(cidr)} overlap IPPool ${pool.name} (${formatCidr(pool.cidr)}): BIRD keeps every route to pods in it out of the kernel`,
          object: { kind: 'BGPConfiguration', name: 'default' },
          hint: rangesOverlapHint,
        }),
      ),
  );
}

/** What is wrong with the objects, once for all nodes. */
export function objectFindings(network: Network): readonly NodeFinding[] {
  const nodes = [...network.nodes.values()];
  return [...sharedTunnelAddresses(nodes), ...poolsOverNodes(network, nodes), ...servicesOverPools(network)];
}
