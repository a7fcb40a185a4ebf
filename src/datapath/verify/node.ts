// The node itself as seen: forwarding, the route to the pods' gateway, its address, rules, names and MTU.

import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults } from '../../faults/faults.ts';
import { sharedHints } from '../../faults/shared-findings.ts';
import { type Cidr, cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { Rule } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isSameAddress, routeTo } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { NodeReading, Observed } from '../../node-state/probes.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { FelixSettings } from '../expected/felix-settings.ts';
import type { ExpectedMtus } from '../expected/mtu.ts';
import { isRead, isSameSubnet, type Network, type NetworkNode } from '../expected/network.ts';
import type { TunnelDevice } from '../expected/tunnels.ts';
import { isWorkloadDevice } from '../routes/foreign.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved } from './fact.ts';
import { effectiveSysctl, settingFact } from './sysctls.ts';

const subject = 'node';
const families = [4, 6] as const;

/** The gateway of all pods: no interface has this address, each host end answers for it. */
const gatewayText = '169.254.1.1';
const gateway = parseIp(gatewayText) as IpAddress;

/** The families in which the cluster has pools. */
function usedFamilies(network: Network): (4 | 6)[] {
  return families.filter((version) => network.pools.some(({ cidr }) => cidr.version === version));
}

function forwardingFacts(network: Network, state: NodeState): Fact[] {
  return usedFamilies(network).map((version) => {
    const key = version === 4 ? 'net/ipv4/ip_forward' : 'net/ipv6/conf/all/forwarding';
    const spec: FactSpec = {
      fault: faults.forwardingOff,
      subject,
      fact: version === 4 ? 'ip_forward' : 'IPv6 forwarding',
      expected: '1',
      hint: `set it to 1 and find out what resets it (sysctl.d), ${endingAdvice.restartForSettings.hint}`,
      command: ['cat', `/proc/sys/${key}`],
      remedy: { type: 'setting', side: 'node', path: key, value: 1 },
    };
    return factOf(spec, state.sysctls, (sysctls) => {
      const value = sysctls.get(key);
      return value === undefined ? { why: `${key} was not read` } : { seen: value, isRight: value === '1' };
    });
  });
}

/** The interface with the address of the node. */
function uplinkOf(node: NetworkNode, state: NodeState, version: 4 | 6): string | undefined {
  const address = node.addresses[version]?.address;
  return address === undefined || !state.addresses.seen ? undefined : deviceOf(state.addresses.value, address);
}

function uplinkFacts(network: Network, node: NetworkNode, state: NodeState): Fact[] {
  return usedFamilies(network).flatMap((version) => {
    const device = uplinkOf(node, state, version);
    if (device === undefined) return [];
    const spec = {
      fault: faults.uplinkForwardingOff,
      subject: `uplink ${device}`,
      hint: 'set it to 1, and find out what resets it',
    };
    const rule = { folder: `net/ipv${version}/conf`, name: 'forwarding', value: 1 };
    return [settingFact(spec, state.sysctls, device, rule)];
  });
}

/** The interface towards the pods' gateway: as the kernel answered, else by the routes that were read. */
function gatewayRoute(reading: NodeReading, state: NodeState): Observed<string | undefined> {
  const outcome = reading.outcomes.get('gateway-route');
  if (outcome?.kind === 'answered' && outcome.exit === 0) {
    const device = /"dev":\s*"([^"]+)"|\bdev (\S+)/.exec(outcome.stdout);
    const name = device?.[1] ?? device?.[2];
    return name === undefined
      ? { seen: false, why: 'no device in the answer', argv: outcome.argv }
      : { seen: true, value: name, argv: outcome.argv };
  }
  if (outcome?.kind === 'answered' && outcome.stderr.includes('RTNETLINK answers')) {
    return { seen: true, value: undefined, argv: outcome.argv };
  }
  const { routes4 } = state;
  if (!routes4.seen) return { seen: false, why: routes4.why, argv: outcome?.argv ?? routes4.argv };
  return { ...routes4, value: routeTo(routes4.value, gateway)?.nextHops[0]?.device };
}

function gatewayFact(network: Network, reading: NodeReading, state: NodeState): Fact[] {
  if (!usedFamilies(network).includes(4)) return [];
  const { interfacePrefixes, bpf } = network.felix(state.node);
  const spec: FactSpec = {
    fault: faults.noGatewayRoute,
    subject,
    fact: `route to ${gatewayText}`,
    expected: "through an interface that is not a pod's",
    hint: `give the node a default route, or a route to ${gatewayText}/32 on its uplink with scope link`,
    command: ['ip', 'route', 'get', gatewayText],
  };
  return [
    factOf(spec, gatewayRoute(reading, state), (device) => ({
      seen: device === undefined ? none : `dev ${device}`,
      isRight: device !== undefined && (bpf || !isWorkloadDevice(device, interfacePrefixes)),
    })),
  ];
}

/** Bridges and the like that autodetection leaves out, for they lead to no other machine. */
const innerDevice = /^(docker|cbr|dummy|podman|virbr|lxcbr|br-|cni|kube-ipvs|nodelocaldns|flannel)/;

/**
 * F52: the address of the node, by which Kubernetes does not know it, is on a device that leads to no other machine
 * while the InternalIP is on another.
 */
function innerAddressFacts(node: NetworkNode, state: NodeState): Fact[] {
  const { addresses, interfaces } = state;
  if (!addresses.seen) return [];
  return families.flatMap((version): Fact[] => {
    const own = node.addresses[version]?.address;
    const internal = node.internalIps.filter((ip) => ip.version === version);
    const device = own === undefined ? undefined : deviceOf(addresses.value, own);
    if (own === undefined || device === undefined || internal.some((ip) => isSameAddress(ip, own))) return [];
    const uplink = internal.map((ip) => deviceOf(addresses.value, ip)).find((name) => name !== undefined);
    const link = interfaces.seen ? interfaces.value.find(({ name }) => name === device) : undefined;
    const isInner = innerDevice.test(device) || link?.flags.includes('NO-CARRIER') === true;
    if (uplink === undefined || uplink === device || !isInner) return [];
    const spec: FactSpec = {
      fault: faults.nodeAddressDoubtful,
      subject,
      fact: `IPv${version} address of the node`,
      expected: `${internal.map(formatIp).join(' or ')} on ${uplink}, as Kubernetes has it`,
      hint: 'the wrong interface was detected: set IP_AUTODETECTION_METHOD of calico-node, for example kubernetes-internal-ip',
      command: ['ip', 'addr', 'show', 'to', formatIp(own)],
    };
    return [
      { ...judged(spec, `${formatIp(own)} on ${device}, which leads to no other machine`, false), severity: 'error' },
    ];
  });
}

function addressFacts(node: NetworkNode, state: NodeState): Fact[] {
  return families.flatMap((version) => {
    const own = node.addresses[version];
    if (own === undefined) return [];
    const address = formatIp(own.address);
    const spec: FactSpec = {
      fault: faults.nodeAddressAbsent,
      subject,
      fact: `IPv${version} address of the node`,
      expected: `${address} on an interface`,
      hint: sharedHints.nodeAddressAbsent,
      command: ['ip', 'addr', 'show', 'to', address],
    };
    return [
      factOf(spec, state.addresses, (addresses) => {
        const device = deviceOf(addresses, own.address);
        return { seen: device === undefined ? none : `on ${device}`, isRight: device !== undefined };
      }),
    ];
  });
}

/** F32: strict reverse path filtering drops packets that arrive through an interface that the answer would not use. */
function reversePathFacts(
  network: Network,
  node: NetworkNode,
  state: NodeState,
  devices: readonly TunnelDevice[],
): Fact[] {
  const crosses = network.pools.some(({ cidr, encapsulation }) => cidr.version === 4 && encapsulation.crossSubnet);
  const isAsymmetric =
    crosses && [...network.nodes.values()].some((peer) => isSameSubnet(node, peer, 4) !== isSameSubnet(peer, node, 4));
  const uplink = uplinkOf(node, state, 4);
  const names = [
    ...(uplink === undefined ? [] : [uplink]),
    ...devices.filter(({ version }) => version === 4).map(({ name }) => name),
  ];
  return names
    .map((name) => {
      const spec: FactSpec = {
        fault: faults.reversePathStrict,
        subject: name,
        fact: 'rp_filter',
        expected: isAsymmetric ? '0 or 2: the subnets of nodes disagree' : '0, 1 or 2',
        hint: 'set it to 2 or 0; record all nodes with the prefix length of their network',
        command: ['cat', `/proc/sys/net/ipv4/conf/${name}/rp_filter`],
      };
      return factOf(spec, state.sysctls, (sysctls) => {
        const value = effectiveSysctl(sysctls, 'net/ipv4/conf', name, 'rp_filter');
        if (value === undefined) return { why: 'it was not read' };
        return { seen: String(value), isRight: value !== 1 || !isAsymmetric };
      });
    })
    .filter(({ verdict }) => isAsymmetric || verdict !== 'not observed');
}

const usualTables: readonly (string | undefined)[] = ['local', 'main', 'default', '255', '254', '253', undefined];

/** True for a rule that sends packets of pods to a table that is not Calico's. */
function intercepts(rule: Rule, pools: readonly Cidr[], felix: FelixSettings): boolean {
  if (rule.priority >= 32_766 || usualTables.includes(rule.table)) return false;
  const isWireguard = rule.priority === felix.wireguardRulePriority && rule.not && rule.mark !== undefined;
  // Packets of pods carry no other mark than Calico's own.
  if (isWireguard || (rule.mark !== undefined && !rule.not)) return false;
  if (rule.inputDevice !== undefined && !isWorkloadDevice(rule.inputDevice, felix.interfacePrefixes)) return false;
  if (rule.not) return true;
  const meets = (cidr: Cidr | undefined): boolean =>
    cidr === undefined || pools.some((pool) => cidrsOverlap(pool, cidr));
  return meets(rule.source) && meets(rule.destination);
}

function ruleText({ priority, not, source, destination, inputDevice, table }: Rule): string {
  const parts = [
    `${priority}: ${not ? 'not ' : ''}from ${source === undefined ? 'all' : formatCidr(source)}`,
    destination === undefined ? '' : `to ${formatCidr(destination)}`,
    inputDevice === undefined ? '' : `iif ${inputDevice}`,
    `lookup ${table ?? 'main'}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function ruleFacts(network: Network, state: NodeState): Fact[] {
  const felix = network.felix(state.node);
  return usedFamilies(network).map((version) => {
    const pools = network.pools.filter(({ cidr }) => cidr.version === version).map(({ cidr }) => cidr);
    const spec: FactSpec = {
      fault: faults.foreignRule,
      subject,
      fact: `IPv${version} rules for pods`,
      expected: "only Calico's",
      hint: 'find out what adds the rule, and whether packets of pods are meant to take that table',
      command: ['ip', `-${version}`, 'rule', 'show'],
    };
    return factOf(spec, version === 4 ? state.rules4 : state.rules6, (rules) => {
      const found = rules.filter((rule) => intercepts(rule, pools, felix));
      return { seen: found.map(ruleText).join('; ') || none, isRight: found.length === 0 };
    });
  });
}

function nameFact(state: NodeState): Fact {
  const spec: FactSpec = {
    fault: faults.nodenameWrong,
    subject,
    fact: 'nodename',
    expected: state.node,
    hint: endingAdvice.restartForNodename.hint,
    command: ['cat', '/var/lib/calico/nodename'],
  };
  return factOf(spec, state.nodename, (name) => ({ seen: name, isRight: name === state.node }));
}

function mtuFileFact(state: NodeState, mtus: ExpectedMtus | undefined): Fact {
  const spec: FactSpec = {
    fault: faults.mtuWrong,
    subject,
    fact: 'MTU of new pods',
    expected: mtus === undefined ? 'derived from that of the host' : String(mtus.pod),
    hint: endingAdvice.restartForMtu.hint,
    command: ['cat', '/var/lib/calico/mtu'],
  };
  if (mtus === undefined) return notObserved(spec, 'the MTU of the host is not known');
  return factOf(spec, state.mtu, (mtu) => ({ seen: String(mtu), isRight: mtu <= mtus.pod }));
}

/** F14, F15: host ends that do not belong to a pod of the node. */
function strayInterfaceFacts(network: Network, state: NodeState): Fact[] {
  const { interfaces } = state;
  if (!interfaces.seen || !isRead(network, 'Pod')) return [];
  const { interfacePrefixes } = network.felix(state.node);
  const workloads = network.workloads.get(state.node) ?? [];
  const own = new Set(workloads.map(({ interfaceName }) => interfaceName));
  // Another plugin names its interfaces as it likes.
  const endings = new Map(
    workloads
      .filter(({ isCalicos }) => isCalicos)
      .map((workload) => [workload.interfaceName.slice(-11), `pod ${qualifiedName(workload)}`]),
  );
  return interfaces.value.flatMap(({ name, kind }): Fact[] => {
    if (kind !== 'veth') return [];
    const command = ['ip', '-d', 'link', 'show', 'dev', name];
    const pod = endings.get(name.slice(-11));
    if (pod !== undefined && name.length > 11 && !isWorkloadDevice(name, interfacePrefixes)) {
      const spec: FactSpec = {
        fault: faults.interfacePrefixWrong,
        subject: pod,
        fact: 'interface name',
        expected: `a name beginning with ${interfacePrefixes.join(' or ')}`,
        hint: 'make FELIX_INTERFACEPREFIX of the CNI plugin and interfacePrefix of FelixConfiguration agree',
        command,
      };
      return [judged(spec, name, false)];
    }
    if (own.has(name) || !isWorkloadDevice(name, interfacePrefixes)) return [];
    const spec: FactSpec = {
      fault: faults.strayInterface,
      subject: name,
      fact: 'pod of the interface',
      expected: 'one of this node',
      hint: `find out what is at its other end (ip -d link show dev ${name}, and the pods that the container runtime of the node knows)`,
      command,
    };
    return [judged(spec, none, false)];
  });
}

/** What the node needs to forward for pods at all. */
export function forwardingNodeFacts(
  network: Network,
  node: NetworkNode,
  reading: NodeReading,
  state: NodeState,
): readonly Fact[] {
  return [
    ...forwardingFacts(network, state),
    ...uplinkFacts(network, node, state),
    ...gatewayFact(network, reading, state),
  ];
}

/** All other facts of the node itself, without pods, tunnels, routes and packet filters. */
export function otherNodeFacts(
  network: Network,
  node: NetworkNode,
  state: NodeState,
  devices: readonly TunnelDevice[],
  mtus: ExpectedMtus | undefined,
): readonly Fact[] {
  return [
    ...addressFacts(node, state),
    ...innerAddressFacts(node, state),
    nameFact(state),
    mtuFileFact(state, mtus),
    ...reversePathFacts(network, node, state, devices),
    ...ruleFacts(network, state),
    ...strayInterfaceFacts(network, state),
  ];
}
