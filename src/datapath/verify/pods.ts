// The wiring of a pod on its node: the host end of its veth pair, settings, routes, neighbour entry, and its address on
// other interfaces. The inside of the pod is not checked.

import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults, type NodeFault } from '../../faults/faults.ts';
import { formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { Interface } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { Network, Workload } from '../expected/network.ts';
import { hostCidr } from '../expected/routes.ts';
import type { RouteComparison } from '../routes/comparison.ts';
import { hostEndMac } from '../wire/pod-wiring.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved, routeFact } from './fact.ts';
import { type SettingRule, settingFact } from './sysctls.ts';

const v4 = 'net/ipv4/conf';
const v6 = 'net/ipv6/conf';
const resetHint = 'set it, and find out what resets it (sysctl.d, tuned, NetworkManager)';
const managedHint =
  'check whether NetworkManager or systemd-networkd manages cali*: it must be among their unmanaged devices';

type PodRule = SettingRule & Pick<FactSpec, 'fault' | 'hint'>;

const rule = (folder: string, name: string, value: number, fault: NodeFault, hint: string): PodRule => ({
  folder,
  name,
  value,
  fault,
  hint,
});

/** docs/reference/datapath.md#settings-of-interfaces */
const rules: Readonly<Record<4 | 6, readonly PodRule[]>> = {
  4: [
    rule(v4, 'proxy_arp', 1, faults.proxyArpOff, resetHint),
    rule(v4, 'forwarding', 1, faults.podForwardingOff, resetHint),
    rule(v4, 'route_localnet', 1, faults.podSettingChanged, managedHint),
    rule('net/ipv4/neigh', 'proxy_delay', 0, faults.podSettingChanged, managedHint),
  ],
  6: [
    rule(v6, 'disable_ipv6', 0, faults.podIpv6Disabled, 'enable IPv6 on the node'),
    rule(v6, 'forwarding', 1, faults.podForwardingOff, resetHint),
    rule(v6, 'proxy_ndp', 1, faults.podSettingChanged, managedHint),
    rule(v6, 'accept_ra', 0, faults.podSettingChanged, managedHint),
  ],
};

/** What the facts of one pod are made from. */
interface PodView {
  readonly network: Network;
  readonly state: NodeState;
  readonly workload: Workload;
  readonly subject: string;
  /** MTU of new pods, and where it was read. */
  readonly podMtu: Observed<number>;
  readonly comparisons: readonly RouteComparison[];
}

function interfaceOf({ state, workload }: PodView): Observed<Interface | undefined> {
  const { interfaces } = state;
  if (!interfaces.seen) return interfaces;
  return { ...interfaces, value: interfaces.value.find(({ name }) => name === workload.interfaceName) };
}

function interfaceFacts(view: PodView): Fact[] {
  const { subject, workload } = view;
  const device = workload.interfaceName;
  const base = { subject, command: ['ip', '-d', 'link', 'show', 'dev', device] };
  const observed = interfaceOf(view);
  const there: FactSpec = {
    ...base,
    fault: faults.podInterfaceMissing,
    fact: 'interface',
    expected: device,
    hint: endingAdvice.recreateUnwiredPod.hint,
  };
  if (!observed.seen) return [notObserved(there, observed.why)];
  const found = observed.value;
  if (found === undefined) {
    // A pod that is starting has none yet, one that is ending may have none any more.
    return workload.settled ? [judged(there, none, false)] : [];
  }
  const up: FactSpec = {
    ...base,
    fault: faults.podInterfaceDown,
    fact: 'state',
    expected: 'UP,LOWER_UP',
    hint: endingAdvice.recreateCutOffPod.hint,
  };
  const mac: FactSpec = {
    ...base,
    fault: faults.podInterfaceMacWrong,
    fact: 'MAC',
    expected: hostEndMac,
    hint: 'keep udev, systemd (MACAddressPolicy) and NetworkManager away from cali* interfaces',
  };
  const mtu: FactSpec = {
    ...base,
    fault: faults.podMtuWrong,
    fact: 'MTU',
    expected: view.podMtu.seen ? String(view.podMtu.value) : 'that of new pods',
    hint: endingAdvice.recreatePodForMtu.hint,
  };
  const upFlags = found.flags.filter((flag) => flag === 'UP' || flag === 'LOWER_UP');
  return [
    judged(there, found.name, true),
    judged(up, upFlags.join(',') || 'DOWN', found.flags.includes('UP') && found.flags.includes('LOWER_UP')),
    judged(mac, found.mac ?? none, found.mac === hostEndMac),
    factOf(mtu, view.podMtu, (value) =>
      found.mtu === undefined
        ? { why: 'the MTU of the interface was not read' }
        : // A smaller one loses nothing: the CNI configuration may say so.
          { seen: String(found.mtu), isRight: found.mtu <= value },
    ),
  ];
}

function settingFacts(view: PodView): Fact[] {
  const { subject, workload, state } = view;
  const { interfaces, sysctls } = state;
  const device = workload.interfaceName;
  if (interfaces.seen && !interfaces.value.some(({ name }) => name === device)) return [];
  const versions = ([4, 6] as const).filter((version) =>
    workload.addresses.some((address) => address.version === version),
  );
  const facts = versions.flatMap((version) =>
    rules[version].map(({ fault, hint, ...setting }) =>
      settingFact({ subject, fault, hint }, sysctls, device, setting),
    ),
  );
  // Strict filtering drops what a pod sends from other addresses, or answers through another interface.
  if (!workload.sendsAsOthers && !workload.hasMoreNetworks) return facts;
  const hint = 'set it to 0 for a pod with allowedSourcePrefixes, to 0 or 2 (loose) for one with several networks';
  const setting: SettingRule = { folder: v4, name: 'rp_filter', value: 0 };
  const strict = settingFact({ subject, fault: faults.podReversePathStrict, hint }, sysctls, device, setting);
  const isLoose = strict.seen === '2' && !workload.sendsAsOthers;
  return [...facts, isLoose ? { ...strict, verdict: 'ok' } : strict];
}

function neighbourFact({ state, workload, subject }: PodView, address: IpAddress): Fact[] {
  const { neighbours } = state;
  const device = workload.interfaceName;
  const spec: FactSpec = {
    fault: faults.podNeighbourWrong,
    subject,
    fact: `permanent neighbour ${formatIp(address)}`,
    expected: workload.mac ?? 'the MAC of the pod',
    hint: `check the MAC of the WorkloadEndpoint; ${endingAdvice.restartForRoutes.hint}`,
    command: ['ip', 'neigh', 'show', 'dev', device],
    ...(workload.mac === undefined
      ? {}
      : { remedy: { type: 'neighbour', side: 'node', address, mac: workload.mac, device } as const }),
  };
  if (address.version !== 4) return [];
  return [
    factOf(spec, neighbours, (all) => {
      const entry = all.find(
        (one) =>
          isSameAddress(one.address, address) &&
          (one.device === undefined || one.device === device) &&
          one.states.includes('PERMANENT'),
      );
      // Without an entry the kernel asks the pod itself.
      if (entry === undefined) return { seen: none, isRight: true };
      if (workload.mac === undefined) return { why: `${entry.mac ?? none}, but the MAC of the pod is not known here` };
      return { seen: entry.mac ?? none, isRight: entry.mac === workload.mac };
    }),
  ];
}

function addressFact({ state, subject }: PodView, address: IpAddress): Fact {
  const text = formatIp(address);
  const spec: FactSpec = {
    fault: faults.podAddressOnNode,
    subject,
    fact: `interface of the node with ${text}`,
    expected: none,
    hint: 'find out what gave it to the node: packets to the pod are delivered to the node itself',
    command: ['ip', 'addr', 'show', 'to', text],
  };
  return factOf(spec, state.addresses, (addresses) => {
    const device = deviceOf(addresses, address);
    return { seen: device ?? none, isRight: device === undefined };
  });
}

function routeFacts({ comparisons, subject, workload }: PodView): Fact[] {
  return workload.addresses.map(hostCidr).flatMap((cidr) =>
    comparisons
      .filter(({ destination }) => destination === formatCidr(cidr))
      .map((comparison): Fact => {
        const fact = routeFact(subject, comparison);
        if (comparison.verdict !== 'missing') return fact;
        return {
          ...fact,
          remedy: { type: 'route', side: 'node', destination: cidr, device: workload.interfaceName },
        };
      }),
  );
}

/** All facts of one pod, in the order in which packets meet them. */
export function podFacts(
  network: Network,
  state: NodeState,
  workload: Workload,
  podMtu: Observed<number>,
  comparisons: readonly RouteComparison[],
): readonly Fact[] {
  const subject = `pod ${qualifiedName(workload)}`;
  const view: PodView = { network, state, workload, subject, podMtu, comparisons };
  return [
    ...interfaceFacts(view),
    ...settingFacts(view),
    ...routeFacts(view),
    ...workload.addresses.flatMap((address) => [...neighbourFact(view, address), addressFact(view, address)]),
  ];
}
