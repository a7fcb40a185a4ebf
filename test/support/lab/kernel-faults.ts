// Faults of what Felix and the CNI plugin set up on a lab's nodes: routes, tunnels, the pods' ends, settings.

import { printedBy } from '../program/run-program.ts';
import { fdbEntry, felixRoute, hostRoute, ip, podNeighbour, sysctl, tunnelNeighbour } from './network.ts';
import { vxlanDevice, vxlanMtu, workers } from './plan.ts';
import type { At, Break, Faults } from './session-faults.ts';

/** Changes the kernel's state with one `ip` command in the node's namespace, and undoes it with another. */
const byIp =
  (commands: (at: At) => readonly [broken: string, healed: string]): Break =>
  async (at) => {
    const [broken, healed] = commands(at);
    await ip(at.node.netns, broken);
    return () => ip(at.node.netns, healed);
  };

const bySysctl =
  (settings: (at: At) => readonly [broken: string, healed: string]): Break =>
  async (at) => {
    const [broken, healed] = settings(at);
    await sysctl(at.node.netns, broken);
    return () => sysctl(at.node.netns, healed);
  };

/** Without a default route no route covers the pods' gateway; the other network remains reachable. */
const noGatewayRoute: Break = async ({ lab, node }) => {
  const far = lab.plan.networks[node.network === 0 ? 1 : 0][4];
  await ip(node.netns, `route add ${far} via ${node.gateway[4]}`, 'route del default');
  return () => ip(node.netns, `route add default via ${node.gateway[4]}`, `route del ${far}`);
};

const bridgeFdb = (at: At, verb: 'append' | 'del'): Promise<string> =>
  printedBy(['bridge', '-n', at.node.netns, '-batch', '-'], `fdb ${verb} ${fdbEntry(at.peer, at.family)}\n`);

const noForwardingEntry: Break = async (at) => {
  await bridgeFdb(at, 'del');
  return async () => void (await bridgeFdb(at, 'append'));
};

const wrongMac = '02:00:00:00:00:99';
const blockRoute = ({ lab, node, peer, family }: At): string => felixRoute(lab.plan, node, peer, family);
const withMac = (neighbour: string, mac: string): string => neighbour.replace(/lladdr \S+/, `lladdr ${mac}`);

/** The device and its routes, as Felix creates them with a wrong setting. */
const tunnelMtu: Break = async ({ lab, node, family }) => {
  const others = workers(lab.plan).filter((other) => other !== node);
  const set = (mtu: number): Promise<void> =>
    ip(
      node.netns,
      `link set ${vxlanDevice[family]} mtu ${mtu}`,
      ...others.map((other) => `route replace ${felixRoute(lab.plan, node, other, family, mtu)}`),
    );
  await set(vxlanMtu[family] - 50);
  return () => set(vxlanMtu[family]);
};

/** The first six need VXLAN. */
export const kernelFaults = {
  noBlockRoute: { id: 'F44', break: byIp((at) => [`route del ${blockRoute(at)}`, `route add ${blockRoute(at)}`]) },
  noBlackhole: {
    id: 'F45',
    break: byIp(({ node, family }) => [
      `route del blackhole ${node.block?.[family]} proto 80`,
      `route add blackhole ${node.block?.[family]} proto 80`,
    ]),
  },
  foreignRoute: {
    id: 'F47',
    break: byIp((at) => [
      `route replace ${at.peer.block?.[at.family]} via ${at.node.gateway[at.family]} dev eth0 proto static`,
      `route replace ${blockRoute(at)}`,
    ]),
  },
  noForwardingEntry: { id: 'F57', break: noForwardingEntry },
  wrongTunnelNeighbour: {
    id: 'F58',
    break: byIp(({ peer, family }) => {
      const neighbour = tunnelNeighbour(peer, family);
      return [`neigh replace ${withMac(neighbour, wrongMac)}`, `neigh replace ${neighbour}`];
    }),
  },
  tunnelMtu: { id: 'F74', break: tunnelMtu },
  noProxyArp: {
    id: 'F01',
    break: bySysctl(({ pod }) => [
      `net/ipv4/conf/${pod.hostInterface}/proxy_arp=0`,
      `net/ipv4/conf/${pod.hostInterface}/proxy_arp=1`,
    ]),
  },
  noForwarding: {
    id: 'F02',
    break: bySysctl(({ pod }) => [
      `net/ipv4/conf/${pod.hostInterface}/forwarding=0`,
      `net/ipv4/conf/${pod.hostInterface}/forwarding=1`,
    ]),
  },
  noGatewayRoute: { id: 'F03', break: noGatewayRoute },
  noHostRoute: {
    id: 'F06',
    break: byIp(({ pod, family }) => [`route del ${hostRoute(pod, family)}`, `route add ${hostRoute(pod, family)}`]),
  },
  staleNeighbour: {
    id: 'F08',
    break: byIp(({ pod }) => [
      `neigh replace ${withMac(podNeighbour(pod), wrongMac)}`,
      `neigh replace ${podNeighbour(pod)}`,
    ]),
  },
  podMtu: {
    id: 'F11',
    break: byIp(({ lab, pod }) => [
      `link set ${pod.hostInterface} mtu ${lab.plan.podMtu + 50}`,
      `link set ${pod.hostInterface} mtu ${lab.plan.podMtu}`,
    ]),
  },
  noIpForward: { id: 'F30', break: bySysctl(() => ['net/ipv4/ip_forward=0', 'net/ipv4/ip_forward=1']) },
  uplinkNotForwarding: {
    id: 'F31',
    break: bySysctl(() => ['net/ipv4/conf/eth0/forwarding=0', 'net/ipv4/conf/eth0/forwarding=1']),
  },
} as const satisfies Faults;
