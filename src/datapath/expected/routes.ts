// The routes that a node must have for blocks, borrowed addresses and its own workloads, each with the forms that are
// right and the reason: docs/reference/datapath.md#routes. routes/compare.ts compares them with those of the kernel.

import { bitsOf, type Cidr, compareCidr, formatCidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import { isHostRoute, isSameAddress } from '../../node-state/lookups.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { Network, NetworkBlock, NetworkNode, NetworkPool, StrayAddress } from './network.ts';
import {
  blackholeForm,
  felixProtocolOf,
  linkForm,
  ownerProtocols,
  plainOwner,
  type RemoteForms,
  type RouteForm,
  remoteForms,
} from './route-forms.ts';

export type RouteSubject = 'workload' | 'own block' | 'remote block' | 'borrowed address' | 'remote workload';

export interface ExpectedRoute {
  readonly destination: Cidr;
  /** Canonical text of the destination. */
  readonly text: string;
  readonly subject: RouteSubject;
  /** The other node that the route leads to; undefined when it leads to none. */
  readonly peer: string | undefined;
  readonly pool: NetworkPool | undefined;
  /** False when it may be missing: for now (an affinity being claimed, a pod starting or ending), or for good. */
  readonly required: boolean;
  /** Each of these is right. */
  readonly forms: readonly RouteForm[];
  readonly why: string;
}

/** The network of a single address. */
export function hostCidr(address: IpAddress): Cidr {
  return { version: address.version, base: address, prefix: bitsOf(address.version) };
}

function poolText(pool: NetworkPool): string {
  return `pool ${pool.name}`;
}

function ownBlock(network: Network, local: NetworkNode, block: NetworkBlock): ExpectedRoute[] {
  const { cidr, text, pool, confirmed } = block;
  // A block of one address has the route of its workload, or none.
  if (pool === undefined || isHostRoute(cidr)) return [];
  const felix = network.felix(local.name);
  const { kind } = pool.encapsulation;
  const protocols =
    kind === 'vxlan'
      ? [felixProtocolOf(felix, '80')]
      : ownerProtocols(kind === 'ipip' ? felix.ipipOwner : plainOwner(network, felix), felix);
  return [
    {
      destination: cidr,
      text,
      subject: 'own block',
      peer: undefined,
      pool,
      required: confirmed && !(kind === 'vxlan' && felix.workloadRoutes),
      forms: [blackholeForm(protocols)],
      why: `own block of ${poolText(pool)}`,
    },
  ];
}

function remoteBlock(network: Network, local: NetworkNode, block: NetworkBlock, formsTo: FormsTo): ExpectedRoute[] {
  const { cidr, text, pool, owner, confirmed } = block;
  const remote = owner === undefined ? undefined : network.nodes.get(owner);
  if (pool === undefined || remote === undefined) return [];
  const reached = isHostRoute(cidr) ? remoteForms(network, local, remote, pool, cidr) : formsTo(remote, pool, cidr);
  const replaced = pool.encapsulation.kind === 'vxlan' && network.felix(local.name).workloadRoutes;
  return [
    {
      destination: cidr,
      text,
      subject: 'remote block',
      peer: remote.name,
      pool,
      required: confirmed && reached !== undefined && !replaced,
      forms: reached?.forms ?? [],
      why: `block of ${remote.name} in ${poolText(pool)}, ${reached?.why ?? 'which has no address'}`,
    },
  ];
}

/** Addresses of a block at nodes other than its owner: each has a route of its own on every node but that one. */
function borrowedAddresses(
  network: Network,
  local: NetworkNode,
  { borrowed, pool, owner }: NetworkBlock,
): ExpectedRoute[] {
  if (pool === undefined) return [];
  return borrowed.flatMap(({ address, node }): ExpectedRoute[] => {
    const remote = network.nodes.get(node);
    if (remote === undefined || node === local.name) return [];
    const destination = hostCidr(address);
    const reached = remoteForms(network, local, remote, pool, destination);
    const isTunnel = isSameAddress(address, remote.vxlanAddresses[address.version]);
    // Felix follows the allocation, BIRD the route that the other node has for a living pod.
    const isAnnounced = pool.encapsulation.kind === 'vxlan' || network.isLive(node, address) || isTunnel;
    return [
      {
        destination,
        text: formatCidr(destination),
        subject: 'borrowed address',
        peer: node,
        pool,
        required: reached !== undefined && isAnnounced,
        forms: reached?.forms ?? [],
        why: `borrowed by ${node} from ${owner === undefined ? 'a block without an owner' : `a block of ${owner}`}, ${reached?.why ?? 'which has no address'}`,
      },
    ];
  });
}

function ownWorkloads(network: Network, local: NetworkNode): ExpectedRoute[] {
  const felix = network.felix(local.name);
  const protocols = [...new Set(['boot', felixProtocolOf(felix, 'boot'), '80'])];
  return (network.workloads.get(local.name) ?? [])
    .filter(({ isCalicos }) => isCalicos)
    .flatMap((workload) =>
      workload.addresses.map((address) => ({
        destination: hostCidr(address),
        text: formatCidr(hostCidr(address)),
        subject: 'workload' as const,
        peer: undefined,
        pool: undefined,
        required: workload.settled,
        forms: [linkForm(workload.interfaceName, protocols)],
        why: `pod ${qualifiedName(workload)}`,
      })),
    );
}

/** The route to an address of a pod on another node. */
function remoteWorkload(
  network: Network,
  local: NetworkNode,
  { workload, address, pool }: StrayAddress,
  why: string,
  required: boolean,
): ExpectedRoute[] {
  const remote = network.nodes.get(workload.node);
  if (remote === undefined || remote === local) return [];
  const destination = hostCidr(address);
  const reached = remoteForms(network, local, remote, pool, destination);
  return [
    {
      destination,
      text: formatCidr(destination),
      subject: 'remote workload',
      peer: remote.name,
      pool,
      required: required && reached !== undefined,
      forms: reached?.forms ?? [],
      why: `pod ${qualifiedName(workload)} of ${remote.name}${why}`,
    },
  ];
}

/** Pods on other nodes with a route of their own: outside all blocks, or with route source WorkloadIPs. */
function remoteWorkloads(network: Network, local: NetworkNode): ExpectedRoute[] {
  const stray = network.strayAddresses.flatMap((entry) =>
    remoteWorkload(network, local, entry, ', in no block', false),
  );
  if (!network.felix(local.name).workloadRoutes) return stray;
  const all = [...network.workloads.values()].flat().flatMap((workload) =>
    workload.addresses.flatMap((address) => {
      const pool = network.blockAt(address)?.pool;
      return pool?.encapsulation.kind === 'vxlan'
        ? remoteWorkload(network, local, { workload, address, pool }, '', workload.settled)
        : [];
    }),
  );
  return [...stray, ...all];
}

/** The forms of routes to blocks of another node, which are the same for all its blocks in a pool. */
type FormsTo = (remote: NetworkNode, pool: NetworkPool, cidr: Cidr) => RemoteForms | undefined;

function formsFrom(network: Network, local: NetworkNode): FormsTo {
  const known = new Map<NetworkNode, Map<NetworkPool, RemoteForms | undefined>>();
  return (remote, pool, cidr) => {
    const ofRemote = known.get(remote) ?? new Map<NetworkPool, RemoteForms | undefined>();
    known.set(remote, ofRemote);
    if (!ofRemote.has(pool)) ofRemote.set(pool, remoteForms(network, local, remote, pool, cidr));
    return ofRemote.get(pool);
  };
}

/** The one of two expectations for a destination that applies: the node's own workload, then what is required. */
function preferred(a: ExpectedRoute, b: ExpectedRoute): ExpectedRoute {
  const rank = ({ subject, required }: ExpectedRoute): number => (subject === 'workload' ? 0 : required ? 1 : 2);
  return rank(b) < rank(a) ? b : a;
}

/** All routes that the datastore explains on a node, one per destination, in the order of their destinations. */
export function expectedRoutes(nodeName: string, network: Network): readonly ExpectedRoute[] {
  const local = network.nodes.get(nodeName);
  if (local === undefined) return [];
  const formsTo = formsFrom(network, local);
  const between = (): ExpectedRoute[] => [
    ...network.blocks.flatMap((block) => [
      ...(block.owner === nodeName ? ownBlock(network, local, block) : remoteBlock(network, local, block, formsTo)),
      ...borrowedAddresses(network, local, block),
    ]),
    ...remoteWorkloads(network, local),
  ];
  const all = [...ownWorkloads(network, local), ...(network.carrier === 'flannel' ? [] : between())];
  const byDestination = new Map<string, ExpectedRoute>();
  for (const route of all) {
    const known = byDestination.get(route.text);
    byDestination.set(route.text, known === undefined ? route : preferred(known, route));
  }
  return [...byDestination.values()].sort((a, b) => compareCidr(a.destination, b.destination));
}
