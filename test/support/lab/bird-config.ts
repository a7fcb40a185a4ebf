// Configurations of BIRD 1.6 for the nodes of a lab, in the order and with the names that Calico renders.
// Timers are shorter than Calico's, so that sessions come back within a second or two.
import { asNumber, type Family, type LabNode, type LabPlan, pools, workers } from './plan.ts';

/** How the configuration of one side of a session deviates from the objects. */
export interface PeerDeviation {
  readonly as?: number;
  readonly password?: string;
  /** This side's configuration lacks the peer. */
  readonly absent?: boolean;
}

/** How a node's BIRD configuration deviates from the objects: this injects configuration faults. */
export interface Deviation {
  readonly routerId?: string;
  readonly listenPort?: number;
  /** The node's own AS number, and the one that its peers expect. */
  readonly localAs?: number;
  /** The password of all its sessions; the objects then have one too. */
  readonly password?: string;
  readonly ignoredInterfaces?: readonly string[];
  /** Networks of either family that the kernel filter keeps out of the kernel. */
  readonly kernelRejects?: readonly string[];
  /** Per node of the peer. */
  readonly peers?: Readonly<Record<string, PeerDeviation>>;
}

/** Deviations per node. */
export type Deviations = ReadonlyMap<string, Deviation>;

/** `Mesh_10_90_0_2`: Calico's name for the session with an address. */
export function protocolName(plan: LabPlan, address: string): string {
  return `${plan.reflector ? 'Node' : 'Mesh'}_${address.replaceAll(/[.:]/g, '_')}`;
}

/** The nodes that a node has a session with: all others, or only the reflector (for a reflector, its clients). */
export function peersOf(plan: LabPlan, node: LabNode): readonly LabNode[] {
  return plan.nodes.filter(
    (other) =>
      other !== node && (!plan.reflector || (other.clusterId === undefined) !== (node.clusterId === undefined)),
  );
}

/** The whole text of bird.cfg or bird6.cfg of a node. */
export function birdConfiguration(
  plan: LabPlan,
  node: LabNode,
  family: Family,
  deviations: Deviations,
  logFile: string,
): string {
  const own = deviations.get(node.name) ?? {};
  return [
    `log "${logFile}" all;`,
    aggregation(node, family),
    poolFilters(plan, family, own.kernelRejects ?? []),
    `router id ${own.routerId ?? node.address[4]};`,
    ...(own.listenPort === undefined ? [] : [`listen bgp port ${own.listenPort};`]),
    base(own.localAs ?? asNumber, own.ignoredInterfaces ?? []),
    ...peersOf(plan, node).flatMap((peer) => session(plan, node, peer, family, deviations)),
    '',
  ].join('\n\n');
}

function aggregation({ block }: LabNode, family: Family): string {
  const own = block === undefined ? [] : [block[family]];
  return `protocol static {
${own.map((cidr) => `    route ${cidr} blackhole;`).join('\n')}
}

function calico_aggr()
{
${own.map((cidr) => `    if (net = ${cidr}) then { accept; }\n    if (net ~ ${cidr}) then { reject; }`).join('\n')}
}`;
}

function poolFilters(plan: LabPlan, family: Family, kernelRejects: readonly string[]): string {
  const rejected = kernelRejects.filter((cidr) => cidr.includes(':') === (family === 6));
  const kept = plan.encapsulation === 'none' ? rejected : [pools[family], ...rejected];
  return `function calico_export_to_bgp_peers(bool internal_peer)
{
    if (internal_peer) then {
        if (defined(ifname)) then {
            if ((ifname ~ "*.cali") || (ifname ~ "*.calico")) then { reject; }
        }
    }
    calico_aggr();
    if (net ~ ${pools[family]}) then { accept; }
}

filter calico_kernel_programming
{
${kept.map((cidr) => `    if (net ~ ${cidr}) then { reject; }`).join('\n')}
    accept;
}`;
}

function base(localAs: number, ignoredInterfaces: readonly string[]): string {
  const patterns = [...ignoredInterfaces.map((name) => `-"${name}"`), '-"cali*"', '-"kube-ipvs*"', '"*"'];
  return `protocol kernel {
    learn;
    persist;
    scan time 1;
    import all;
    export filter calico_kernel_programming;
    graceful restart;
    merge paths on;
}

protocol device {
    debug { states };
    scan time 1;
}

protocol direct {
    debug { states };
    interface ${patterns.join(', ')};
}

template bgp bgp_template {
    debug { states };
    description "Connection to BGP peer";
    local as ${localAs};
    gateway recursive;
    add paths on;
    graceful restart;
    connect delay time 1;
    connect retry time 1;
    error wait time 1,2;
}`;
}

function session(plan: LabPlan, node: LabNode, peer: LabNode, family: Family, deviations: Deviations): string[] {
  const own = deviations.get(node.name)?.peers?.[peer.name] ?? {};
  if (own.absent === true) return [];
  const address = peer.address[family];
  const password = own.password ?? deviations.get(node.name)?.password;
  const peerAs = own.as ?? deviations.get(peer.name)?.localAs ?? asNumber;
  const sameAs = peerAs === (deviations.get(node.name)?.localAs ?? asNumber);
  return [
    [
      `protocol bgp ${protocolName(plan, address)} from bgp_template {`,
      ...(plan.reflector ? ['    ttl security off;', '    multihop;'] : []),
      `    neighbor ${address} as ${peerAs};`,
      `    source address ${node.address[family]};`,
      '    import all;',
      `    export filter { calico_export_to_bgp_peers(${sameAs}); reject; };`,
      // Calico compares them as strings.
      ...(!plan.reflector && address > node.address[family] ? ['    passive on;'] : []),
      ...(password === undefined ? [] : [`    password "${password}";`]),
      ...(node.clusterId === undefined ? [] : ['    rr client;', `    rr cluster id ${node.clusterId};`]),
      // Both ends dial, and connections that they open at the same moment are closed by both: let the clients dial first.
      ...(node.clusterId === undefined ? [] : ['    connect delay time 3;', '    connect retry time 3;']),
      '}',
    ].join('\n'),
  ];
}

/** The blocks that a node must have routes to. */
export function remoteBlocks(plan: LabPlan, node: LabNode, family: Family): readonly string[] {
  return workers(plan)
    .filter((other) => other !== node)
    .map(({ block }) => block[family]);
}
