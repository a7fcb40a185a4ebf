// Faults that the objects alone prove, whatever the nodes say: ranges that overlap, one tunnel address on two nodes.
import { faults } from '../../faults/faults.ts';
import { type FoundObject, type NodeFinding, nodeFinding } from '../../faults/finding.ts';
import { cidrContains, cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { isSameAddress } from '../../node-state/lookups.ts';
import { groupBy } from '../../text/group-by.ts';
import { listed } from '../../text/wording.ts';
import { type Network, type NetworkNode, routedPools, type ServiceRange } from '../expected/network.ts';
import { rangesOverlapHint } from './comparison.ts';

const families = [4, 6] as const;

/** The nodes by the address of a tunnel device that more than one of them has. */
function nodesByTunnelAddress(nodes: readonly NetworkNode[]): [address: string, names: string[]][] {
  const addressed = nodes.flatMap(({ name, ipipAddress, vxlanAddresses, wireguardAddresses }) =>
    [ipipAddress, ...families.flatMap((version) => [vxlanAddresses[version], wireguardAddresses[version]])].flatMap(
      (address: IpAddress | undefined) => (address === undefined ? [] : [{ name, address: formatIp(address) }]),
    ),
  );
  return [...groupBy(addressed, ({ address }) => address)].flatMap(([address, group]) => {
    const names = [...new Set(group.map(({ name }) => name))];
    return names.length > 1 ? [[address, names] as [string, string[]]] : [];
  });
}

/** The nodes that have the address of another one's tunnel device: what others know of them is wrong for that reason. */
export function sharedTunnelNodes({ nodes }: Network): ReadonlySet<string> {
  return new Set(nodesByTunnelAddress([...nodes.values()]).flatMap(([, names]) => names));
}

/** F56: nodes with the same address of a tunnel device. */
function sharedTunnelAddresses(nodes: readonly NetworkNode[]): NodeFinding[] {
  return nodesByTunnelAddress(nodes).flatMap(([address, names]) => {
    const [node, peer] = names;
    if (node === undefined || peer === undefined) return [];
    return [
      nodeFinding(faults.tunnelAddressShared, {
        node,
        peer,
        message: `${listed(names)} have the same tunnel address, ${address}`,
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

/** The node that a finding about the objects alone is filed under. */
const firstNode = (network: Network): string => [...network.nodes.keys()].sort()[0] ?? '';

const rangeText = ({ cidr, field }: ServiceRange): string => `${field} ${formatCidr(cidr)}`;

const configurationOf = ({ configuration }: ServiceRange): FoundObject => ({
  kind: 'BGPConfiguration',
  name: configuration,
});

/** F79: a range of services that BGP advertises and a pool that overlap. */
function servicesOverPools(network: Network): NodeFinding[] {
  return routedPools(network).flatMap((pool) =>
    network.serviceRanges
      .filter(({ cidr }) => cidrsOverlap(cidr, pool.cidr))
      .map((range) =>
        nodeFinding(faults.rangesOverlap, {
          node: firstNode(network),
          message: `${rangeText(range)} overlap IPPool ${pool.name} (${formatCidr(pool.cidr)})${range.isWhole ? ': BIRD keeps every route to pods in it out of the kernel' : ''}`,
          object: configurationOf(range),
          hint: rangesOverlapHint(range.field),
        }),
      ),
  );
}

/** F79: a range of services with the addresses of nodes. A part of their network without nodes is what L2 services use. */
function servicesOverNodes(network: Network, nodes: readonly NetworkNode[]): NodeFinding[] {
  return network.serviceRanges
    .filter(({ isWhole }) => isWhole)
    .flatMap((range) => {
      const inside = nodes.flatMap(({ name, addresses }) => {
        const own = addresses[range.cidr.version];
        return own !== undefined && cidrContains(range.cidr, own.address)
          ? [{ name, text: `${name} (${formatIp(own.address)})` }]
          : [];
      });
      const [first] = inside;
      if (first === undefined) return [];
      return [
        nodeFinding(faults.rangesOverlap, {
          node: first.name,
          message: `${rangeText(range)} hold addresses of nodes: ${listed(
            inside.map(({ text }) => text),
            3,
          )}; BGP advertises all of it as services`,
          object: configurationOf(range),
          hint: `${range.field} of BGPConfiguration must hold addresses of services only: take a range without nodes`,
        }),
      ];
    });
}

/** F79: ranges of cluster addresses and of other service addresses that overlap: both are advertised. */
function servicesOverServices(network: Network): NodeFinding[] {
  const [cluster, others] = [true, false].map((isCluster) =>
    network.serviceRanges.filter(({ field }) => (field === 'serviceClusterIPs') === isCluster),
  );
  return (others ?? []).flatMap((range) =>
    (cluster ?? [])
      .filter(({ cidr }) => cidrsOverlap(cidr, range.cidr))
      .map((other) =>
        nodeFinding(faults.rangesOverlap, {
          node: firstNode(network),
          message: `${rangeText(range)} overlap ${rangeText(other)}`,
          object: configurationOf(range),
          hint: `addresses from outside must not be cluster addresses: take another range for ${range.field} of BGPConfiguration`,
        }),
      ),
  );
}

/**
 * F52: the address of a node is in no network of the others, while its InternalIP is in one of theirs. Where no
 * node uses the network of its InternalIP, that is meant.
 */
function addressesElsewhere(nodes: readonly NetworkNode[]): NodeFinding[] {
  return families.flatMap((version) =>
    nodes.flatMap((node): NodeFinding[] => {
      const own = node.addresses[version];
      const internal = node.internalIps.filter((ip) => ip.version === version);
      if (own === undefined || internal.length === 0 || internal.some((ip) => isSameAddress(ip, own.address)))
        return [];
      const others = nodes.filter((other) => other !== node).flatMap(({ addresses }) => addresses[version] ?? []);
      const isAmongOthers = others.some(
        ({ address, subnet }) => cidrContains(subnet, own.address) || cidrContains(own.subnet, address),
      );
      const neighbours = internal.filter((ip) => others.some(({ subnet }) => cidrContains(subnet, ip)));
      if (isAmongOthers || neighbours.length === 0) return [];
      return [
        nodeFinding(faults.nodeAddressDoubtful, {
          node: node.name,
          message: `the address of ${node.name} is ${formatIp(own.address)}, in no network of another node; its InternalIP ${listed(neighbours.map(formatIp))} is in theirs`,
          object: { kind: 'Node', name: node.name },
          hint: 'the wrong interface may have been detected: set IP_AUTODETECTION_METHOD of calico-node, for example kubernetes-internal-ip',
        }),
      ];
    }),
  );
}

/** What is wrong with the objects, once for all nodes. */
export function objectFindings(network: Network): readonly NodeFinding[] {
  const nodes = [...network.nodes.values()];
  return [
    ...sharedTunnelAddresses(nodes),
    ...addressesElsewhere(nodes),
    ...poolsOverNodes(network, nodes),
    ...servicesOverPools(network),
    ...servicesOverNodes(network, nodes),
    ...servicesOverServices(network),
  ];
}
