// The wiring of a pod on its node: the host's end of its veth pair, settings, routes, neighbour, its address elsewhere.
// What is inside of the pod is not looked at here.
import { formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { Interface } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import type { Network, Workload } from '../expected/network.ts';
import { hostCidr } from '../expected/routes.ts';
import type { RouteComparison } from '../routes/comparison.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved } from './fact.ts';
import { type SettingRule, settingFact } from './sysctls.ts';

/** The MAC of the host's end of all pods: the gateway of pods answers with it. */
const hostEndMac = 'ee:ee:ee:ee:ee:ee';

const v4 = 'net/ipv4/conf';
const v6 = 'net/ipv6/conf';
const resetHint = 'set it, and find out what resets it (sysctl.d, tuned, NetworkManager); restart calico-node';
const managedHint = 'see whether NetworkManager or systemd-networkd manages cali*; restart calico-node';

type PodRule = SettingRule & Pick<FactSpec, 'id' | 'severity' | 'hint'>;

/** docs/reference/datapath.md#settings-of-interfaces */
const rules: Readonly<Record<4 | 6, readonly PodRule[]>> = {
  4: [
    { folder: v4, name: 'proxy_arp', value: 1, id: 'F01', severity: 'error', hint: resetHint },
    { folder: v4, name: 'forwarding', value: 1, id: 'F02', severity: 'error', hint: resetHint },
    { folder: v4, name: 'route_localnet', value: 1, id: 'F13', severity: 'warning', hint: managedHint },
    { folder: 'net/ipv4/neigh', name: 'proxy_delay', value: 0, id: 'F13', severity: 'warning', hint: managedHint },
  ],
  6: [
    { folder: v6, name: 'disable_ipv6', value: 0, id: 'F12', severity: 'error', hint: 'enable IPv6 on the node' },
    { folder: v6, name: 'forwarding', value: 1, id: 'F02', severity: 'error', hint: resetHint },
    { folder: v6, name: 'proxy_ndp', value: 1, id: 'F13', severity: 'warning', hint: managedHint },
    { folder: v6, name: 'accept_ra', value: 0, id: 'F13', severity: 'warning', hint: managedHint },
  ],
};

/** What the facts of one pod are made from. */
interface PodView {
  readonly network: Network;
  readonly state: NodeState;
  readonly workload: Workload;
  readonly subject: string;
  /** MTU of new pods, and where it is from. */
  readonly podMtu: Observed<number>;
  readonly comparisons: readonly RouteComparison[];
}

function linkOf({ state, workload }: PodView): Observed<Interface | undefined> {
  const { interfaces } = state;
  return interfaces.seen
    ? { ...interfaces, value: interfaces.value.find(({ name }) => name === workload.interfaceName) }
    : interfaces;
}

function linkFacts(view: PodView): Fact[] {
  const { subject, workload } = view;
  const device = workload.interfaceName;
  const command = ['ip', '-d', 'link', 'show', 'dev', device];
  const link = linkOf(view);
  const there: FactSpec = {
    ...{ subject, fact: 'interface', expected: device, id: 'F04', severity: 'error', command },
    hint: 'delete the pod to have it wired again; look at the log of the CNI plugin',
  };
  if (!link.seen) return [notObserved(there, link.why)];
  const found = link.value;
  if (found === undefined) {
    // A pod that starts has none yet, one that ends none any more.
    return workload.settled ? [judged(there, none, false)] : [];
  }
  const mtu: FactSpec = {
    ...{ subject, fact: 'MTU', expected: view.podMtu.seen ? String(view.podMtu.value) : 'that of new pods' },
    ...{ id: 'F11', severity: 'warning', command, hint: 'recreate the pod: a change of MTU reaches new pods only' },
  };
  const isUp = found.flags.includes('UP') && found.flags.includes('LOWER_UP');
  return [
    judged(there, found.name, true),
    judged(
      {
        ...{ subject, fact: 'state', expected: 'UP,LOWER_UP', id: 'F05', severity: 'error', command },
        hint: 'set it up; when the other end in the pod is down or gone, delete the pod',
      },
      found.flags.filter((flag) => flag === 'UP' || flag === 'LOWER_UP').join(',') || 'DOWN',
      isUp,
    ),
    judged(
      {
        ...{ subject, fact: 'MAC', expected: hostEndMac, id: 'F09', severity: 'warning', command },
        hint: 'keep udev, systemd (MACAddressPolicy) and NetworkManager from cali* interfaces',
      },
      found.mac ?? none,
      found.mac === hostEndMac,
    ),
    factOf(mtu, view.podMtu, (value) =>
      found.mtu === undefined
        ? { why: 'the MTU of the interface was not read' }
        : { seen: String(found.mtu), isRight: found.mtu === value },
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
    rules[version].map(({ folder, name, value, ...fault }) =>
      settingFact({ subject, ...fault }, sysctls, device, { folder, name, value }),
    ),
  );
  // Strict filtering drops what a pod sends as another, or answers by another interface.
  if (!workload.sendsAsOthers && !workload.hasMoreNetworks) return facts;
  const spec = { subject, id: 'F17', severity: 'warning' as const };
  const hint = 'use allowedSourcePrefixes, or the loose mode 2';
  const rule: SettingRule = { folder: v4, name: 'rp_filter', value: 0 };
  const strict = settingFact({ ...spec, hint }, sysctls, device, rule);
  const isLoose = strict.seen === '2' && !workload.sendsAsOthers;
  return [...facts, isLoose ? { ...strict, verdict: 'ok' } : strict];
}

function neighbourFact({ state, workload, subject }: PodView, address: IpAddress): Fact[] {
  const { neighbours } = state;
  const device = workload.interfaceName;
  const spec: FactSpec = {
    ...{ subject, fact: `permanent neighbour ${formatIp(address)}`, expected: workload.mac ?? 'the MAC of the pod' },
    ...{ id: 'F08', severity: 'error', command: ['ip', 'neigh', 'show', 'dev', device] },
    hint: 'restart calico-node; see the MAC of the WorkloadEndpoint',
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
      if (workload.mac === undefined) return { why: `${entry.mac ?? none}, and the MAC of the pod is not known here` };
      return { seen: entry.mac ?? none, isRight: entry.mac === workload.mac };
    }),
  ];
}

function addressFact({ state, subject }: PodView, address: IpAddress): Fact {
  const text = formatIp(address);
  return factOf(
    {
      ...{ subject, fact: `interface of the node with ${text}`, expected: none, id: 'F16', severity: 'error' },
      command: ['ip', 'addr', 'show', 'to', text],
      hint: 'remove the address from the node: packets to the pod are delivered to the node itself',
    },
    state.addresses,
    (addresses) => {
      const device = deviceOf(addresses, address);
      return { seen: device ?? none, isRight: device === undefined };
    },
  );
}

function routeFacts({ comparisons, subject, workload }: PodView): Fact[] {
  return comparisons
    .filter(({ destination }) => workload.addresses.some((address) => destination === formatCidr(hostCidr(address))))
    .map((comparison) => routeFact(subject, comparison));
}

/** A compared route as a fact. */
export function routeFact(subject: string, comparison: RouteComparison): Fact {
  const { destination, expected, seen, verdict, finding, command, why, peer } = comparison;
  const spec: FactSpec = {
    ...{ subject, fact: `route to ${destination}`, expected, command },
    ...{ id: finding?.id ?? '', severity: finding?.severity ?? 'error', hint: finding?.hint ?? '' },
    ...(peer === undefined ? {} : { peer }),
    comparison,
  };
  if (verdict === 'not observed') return notObserved(spec, why);
  return judged(spec, seen, finding === undefined);
}

/** All facts of one pod, in the order in which packets meet them. */
export function podFacts(
  network: Network,
  state: NodeState,
  workload: Workload,
  podMtu: Observed<number>,
  comparisons: readonly RouteComparison[],
): readonly Fact[] {
  const subject = `pod ${workload.namespace}/${workload.name}`;
  const view: PodView = { network, state, workload, subject, podMtu, comparisons };
  return [
    ...linkFacts(view),
    ...settingFacts(view),
    ...routeFacts(view),
    ...workload.addresses.flatMap((address) => [...neighbourFact(view, address), addressFact(view, address)]),
  ];
}
