// Builds the network between a lab's nodes, and what Felix and the CNI plugin would set up on them, with iproute2.
import { existsSync, readdirSync } from 'node:fs';
import { printedBy, runProgram } from '../program/run-program.ts';
import {
  type Family,
  hostBits,
  type LabNode,
  type LabPlan,
  type LabPod,
  networkBits,
  pools,
  vxlanDevice,
  vxlanMtu,
  workers,
} from './plan.ts';

const fabricOf = (plan: LabPlan): string => `${plan.prefix}-fabric`;
const namespaceFolder = '/var/run/netns';
const workloadMac = 'ee:ee:ee:ee:ee:ee';
const workloadGateway = '169.254.1.1';
/** The IPv6 link-local address that follows from the workload interfaces' MAC. */
const workloadLinkLocal = 'fe80::ecee:eeff:feee:eeee';

/** All network namespaces of a lab. */
function namespaces(plan: LabPlan): readonly string[] {
  return [fabricOf(plan), ...plan.nodes.flatMap(({ netns, pods }) => [netns, ...pods.map((pod) => pod.netns)])];
}

/** `ip` for one namespace, several commands in one process. */
export async function ip(netns: string, ...commands: readonly string[]): Promise<void> {
  await printedBy(['ip', '-n', netns, '-batch', '-'], `${commands.join('\n')}\n`);
}

/** Settings of one namespace, `net/ipv4/ip_forward=1`. */
export async function sysctl(netns: string, ...settings: readonly string[]): Promise<void> {
  await printedBy(['ip', 'netns', 'exec', netns, 'sysctl', '-qw', ...settings]);
}

/** Two networks, the router between them, the nodes' interfaces, and access from the root namespace. */
export async function buildUnderlay(plan: LabPlan): Promise<void> {
  await printedBy(
    ['ip', '-batch', '-'],
    namespaces(plan)
      .map((name) => `netns add ${name}\n`)
      .join(''),
  );
  const fabric = fabricOf(plan);
  const router = new Map(plan.nodes.map(({ network, gateway }) => [network, gateway]));
  await Promise.all([
    sysctl(fabric, 'net/ipv4/ip_forward=1', 'net/ipv6/conf/all/forwarding=1', 'net/ipv6/conf/default/accept_dad=0'),
    ...plan.nodes.map(({ netns }) =>
      sysctl(
        netns,
        ...['net/ipv4/ip_forward=1', 'net/ipv6/conf/all/forwarding=1', 'net/ipv6/conf/default/accept_dad=0'],
        // Not part of a node, but without it a ping is not answered at once.
        'net/ipv6/conf/all/accept_dad=0',
      ),
    ),
  ]);
  await ip(
    fabric,
    ...['link set lo up', ...[0, 1].flatMap((which) => bridge(which, router.get(which as 0 | 1)))],
    `link add uplink type veth peer name ${plan.prefix} netns 1`,
    'link set uplink master net0 up',
    ...plan.nodes.flatMap(({ name, netns, network }) => [
      `link add ${name} type veth peer name eth0 netns ${netns}`,
      `link set ${name} master net${network} up`,
    ]),
  );
  await Promise.all([connectRoot(plan), ...plan.nodes.map((node) => connectNode(plan, node))]);
  if (plan.encapsulation === 'none') await ip(fabric, ...workers(plan).flatMap((node) => fabricRoutes(plan, node)));
}

function bridge(which: number, gateway: LabNode['gateway'] | undefined): string[] {
  if (gateway === undefined) return [];
  return [
    `link add net${which} type bridge forward_delay 0 mcast_snooping 0`,
    `addr add ${gateway[4]}/${networkBits[4]} dev net${which}`,
    `addr add ${gateway[6]}/${networkBits[6]} dev net${which} nodad`,
    `link set net${which} up`,
  ];
}

/** Without encapsulation the underlay must have routes to the blocks. */
function fabricRoutes(plan: LabPlan, node: LabNode): string[] {
  return plan.families.map((family) => `route add ${node.block?.[family]} via ${node.address[family]}`);
}

async function connectRoot({ prefix, uplink, nodes, networks }: LabPlan): Promise<void> {
  const near = nodes.find(({ network }) => network === 0) as LabNode;
  const commands = [
    `addr add ${uplink[4]}/${networkBits[4]} dev ${prefix}`,
    `addr add ${uplink[6]}/${networkBits[6]} dev ${prefix} nodad`,
    `link set ${prefix} up`,
    ...([4, 6] as const).map((family) => `route add ${networks[1][family]} via ${near.gateway[family]}`),
  ];
  await printedBy(['ip', '-batch', '-'], `${commands.join('\n')}\n`);
}

async function connectNode(plan: LabPlan, node: LabNode): Promise<void> {
  await ip(
    node.netns,
    'link set lo up',
    `addr add ${node.address[4]}/${networkBits[4]} dev eth0`,
    `addr add ${node.address[6]}/${networkBits[6]} dev eth0 nodad`,
    'link set eth0 up',
    `route add default via ${node.gateway[4]}`,
    `route add ::/0 via ${node.gateway[6]}`,
  );
  if (plan.encapsulation !== 'none' && node.block !== undefined) {
    for (const family of plan.families) await buildVxlan(plan, node, family);
  }
  for (const pod of node.pods) await wirePod(plan, node, pod);
}

const inSameNetwork = (plan: LabPlan, node: LabNode, other: LabNode): boolean =>
  plan.encapsulation === 'vxlan-crosssubnet' && node.network === other.network;

/** The route to another node's block as Felix has it, as arguments of `ip route`. */
export function felixRoute(
  plan: LabPlan,
  node: LabNode,
  other: LabNode,
  family: Family,
  mtu: number = vxlanMtu[family],
): string {
  const block = other.block?.[family];
  return inSameNetwork(plan, node, other)
    ? `${block} via ${other.address[family]} dev eth0 proto 80 onlink`
    : `${block} via ${other.tunnelAddress?.[family]} dev ${vxlanDevice[family]} onlink mtu ${mtu}`;
}

/** The forwarding entry of another node's tunnel end, as arguments of `bridge fdb`. */
export const fdbEntry = (other: LabNode, family: Family): string =>
  `${other.tunnelMac[family]} dev ${vxlanDevice[family]} dst ${other.address[family]} self permanent`;

/** The neighbour of another node's tunnel address, as arguments of `ip neigh`. */
export const tunnelNeighbour = (other: LabNode, family: Family): string =>
  `${other.tunnelAddress?.[family]} lladdr ${other.tunnelMac[family]} dev ${vxlanDevice[family]} nud permanent`;

async function buildVxlan(plan: LabPlan, node: LabNode, family: Family): Promise<void> {
  const device = vxlanDevice[family];
  const others = workers(plan).filter((other) => other !== node);
  await ip(
    node.netns,
    `link add ${device} address ${node.tunnelMac[family]} mtu ${vxlanMtu[family]} type vxlan id 4096 local ${node.address[family]} dev eth0 dstport 4789 nolearning`,
    `addr add ${node.tunnelAddress?.[family]}/${hostBits[family]} dev ${device}${family === 6 ? ' nodad' : ''}`,
    `link set ${device} up`,
    ...others.map((other) => `neigh add ${tunnelNeighbour(other, family)}`),
    ...others.map((other) => `route add ${felixRoute(plan, node, other, family)}`),
    `route add blackhole ${node.block?.[family]} proto 80`,
  );
  await printedBy(
    ['bridge', '-n', node.netns, '-batch', '-'],
    others.map((other) => `fdb append ${fdbEntry(other, family)}\n`).join(''),
  );
}

/** A pod's end and the node's end of its veth pair, as the CNI plugin and Felix leave them. */
async function wirePod(plan: LabPlan, { netns }: LabNode, pod: LabPod): Promise<void> {
  const { hostInterface: host } = pod;
  const [v4, v6] = [plan.families.includes(4), plan.families.includes(6)];
  await sysctl(pod.netns, 'net/ipv6/conf/default/accept_dad=0');
  await ip(
    netns,
    `link add name ${host} address ${workloadMac} mtu ${plan.podMtu} numtxqueues 1 numrxqueues 1 type veth peer name eth0 address ${pod.mac} mtu ${plan.podMtu} numtxqueues 1 numrxqueues 1 netns ${pod.netns}`,
  );
  await sysctl(netns, ...workloadSysctls(host, v4, v6));
  await ip(netns, `link set ${host} up`);
  await ip(
    pod.netns,
    ...['link set lo up', 'link set eth0 up'],
    ...(v4 ? [`addr add ${pod.address[4]}/32 dev eth0`, `route add ${workloadGateway}/32 dev eth0 scope link`] : []),
    ...(v4 ? [`route add default via ${workloadGateway} dev eth0`] : []),
    ...(v6 ? [`addr add ${pod.address[6]}/128 dev eth0`, `route add ::/0 via ${workloadLinkLocal} dev eth0`] : []),
  );
  await ip(
    netns,
    ...(v4 ? [`route add ${hostRoute(pod, 4)}`, `neigh replace ${podNeighbour(pod)}`] : []),
    ...(v6 ? [`route add ${hostRoute(pod, 6)}`] : []),
  );
}

function workloadSysctls(host: string, v4: boolean, v6: boolean): string[] {
  const four = [`conf/${host}/route_localnet=1`, `neigh/${host}/proxy_delay=0`, `conf/${host}/proxy_arp=1`];
  const six = ['accept_dad=0', 'disable_ipv6=0', 'proxy_ndp=1', 'forwarding=1'];
  return [
    ...(v4 ? [...four, `conf/${host}/forwarding=1`].map((setting) => `net/ipv4/${setting}`) : []),
    ...[...(v6 ? six : []), 'accept_ra=0'].map((setting) => `net/ipv6/conf/${host}/${setting}`),
  ];
}

/** The node's route to a pod of its own, as arguments of `ip route`. */
export const hostRoute = (pod: LabPod, family: Family): string =>
  `${pod.address[family]}/${hostBits[family]} dev ${pod.hostInterface}${family === 4 ? ' scope link' : ''}`;

/** Felix's neighbour of a pod, as arguments of `ip neigh`. */
export const podNeighbour = (pod: LabPod): string =>
  `${pod.address[4]} lladdr ${pod.mac} dev ${pod.hostInterface} nud permanent`;

/** Removes all namespaces whose names begin with the prefix, and the link from the root namespace, if they exist. */
export async function removeUnderlay(prefix: string): Promise<void> {
  const names = existsSync(namespaceFolder) ? readdirSync(namespaceFolder) : [];
  await Promise.all(
    names.filter((name) => name.startsWith(`${prefix}-`)).map((name) => runProgram(['ip', 'netns', 'delete', name])),
  );
  await runProgram(['ip', 'link', 'delete', 'dev', prefix]);
}

/** True when the node's kernel has a route to every remote block, and a blackhole for the rest of its own blocks. */
export async function routesInstalled(node: LabNode, remote: readonly string[], family: Family): Promise<boolean> {
  const { stdout } = await runProgram([
    'ip',
    '-n',
    node.netns,
    '-j',
    '-d',
    `-${family}`,
    'route',
    'show',
    'root',
    pools[family],
  ]);
  const routes = (stdout.trim() === '' ? [] : JSON.parse(stdout)) as { type: string; dst: string }[];
  const has = (type: string, cidr: string): boolean =>
    routes.some((route) => route.type === type && route.dst === cidr);
  const { block } = node;
  return remote.every((cidr) => has('unicast', cidr)) && (block === undefined || has('blackhole', block[family]));
}
