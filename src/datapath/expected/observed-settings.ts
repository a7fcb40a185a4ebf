// Settings of Felix that no object says, as devices and routes show them: where calico-node's environment is not visible,
// what all nodes agree on and what is possible is right. docs/reference/installations.md#settings-by-environment

import type { Interface, KernelRoute } from '../../node-state/iproute/iproute.ts';
import { type NodeState, routesOf } from '../../node-state/node-state.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import { type FelixSettings, protocolName } from './felix-settings.ts';
import { isRead, type Network, type Workload } from './network.ts';
import { vxlanDevices } from './route-forms.ts';

/** The device that Felix makes in eBPF mode only. */
const bpfDevice = 'bpfin.cali';
const wireguardDevices = { 4: 'wireguard.cali', 6: 'wg-v6.cali' } as const;

const interfacesOf = ({ interfaces }: NodeState): readonly Interface[] => (interfaces.seen ? interfaces.value : []);

const hasUp = (state: NodeState, device: string): boolean =>
  interfacesOf(state).some(({ name, flags }) => name === device && flags.includes('UP'));

const isWorkloadName = (name: string, { interfacePrefixes }: FelixSettings): boolean =>
  interfacePrefixes.some((prefix) => name.startsWith(prefix));

/** Pods that were not read, although nodes have interfaces of pods. */
function unreadPods(network: Network, states: readonly NodeState[]): UnreadKind[] {
  if (network.workloads.size > 0 || !isRead(network, 'Pod')) return [];
  const hasPods = (state: NodeState): boolean =>
    interfacesOf(state).some(({ name, kind }) => kind === 'veth' && isWorkloadName(name, network.felix(state.node)));
  return states.some(hasPods) ? [{ kind: 'Pod', reason: 'there is none, although nodes have interfaces of pods' }] : [];
}

/** The one value that all have; undefined for none, and when they differ. */
function agreed<T>(values: readonly T[]): T | undefined {
  const [first, ...more] = new Set(values);
  return more.length === 0 ? first : undefined;
}

/** The end of an interface name that the CNI plugin derives from the name of a pod. */
const hashLength = 11;

/** The host ends of a node's pods by the names that they have there, where those differ from what Felix's settings say. */
function renamedInterfaces(workloads: readonly Workload[], state: NodeState): ReadonlyMap<string, string> {
  const names = interfacesOf(state).flatMap(({ name, kind }) => (kind === 'veth' ? [name] : []));
  const known = new Set(names);
  const byHash = new Map(
    names.filter((name) => name.length > hashLength).map((name) => [name.slice(-hashLength), name]),
  );
  return new Map(
    workloads.flatMap(({ interfaceName }) => {
      const seen = known.has(interfaceName) ? undefined : byHash.get(interfaceName.slice(-hashLength));
      return seen === undefined ? [] : [[interfaceName, seen] as const];
    }),
  );
}

type Renamed = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The prefix of the host ends of pods on all nodes, where it is not one that Felix's settings say. */
function observedPrefix(network: Network, states: readonly NodeState[], renamed: Renamed): string | undefined {
  const prefixes = states.flatMap((state) =>
    (network.workloads.get(state.node) ?? [])
      .filter(({ isCalicos }) => isCalicos)
      .flatMap(({ interfaceName }) => {
        const actual = renamed.get(state.node)?.get(interfaceName) ?? interfaceName;
        const isThere = interfacesOf(state).some(({ name }) => name === actual);
        return isThere ? [actual.slice(0, -hashLength)] : [];
      }),
  );
  return agreed(prefixes);
}

/** VNI and port of the VXLAN devices, where all nodes agree on them. eBPF mode has devices without either. */
function observedVxlan(states: readonly NodeState[]): Partial<FelixSettings> {
  const names: readonly string[] = Object.values(vxlanDevices);
  const devices = states
    .flatMap(interfacesOf)
    .filter(({ name }) => names.includes(name))
    .flatMap(({ vxlan }) => (vxlan?.id === undefined || vxlan.port === undefined ? [] : [vxlan]));
  const id = agreed(devices.map((vxlan) => vxlan.id));
  const port = agreed(devices.map((vxlan) => vxlan.port));
  return { ...(id === undefined ? {} : { vxlanVni: id }), ...(port === undefined ? {} : { vxlanPort: port }) };
}

/** The protocol that all routes through VXLAN devices have. BIRD's is none that Felix would be set to. */
function observedProtocol(states: readonly NodeState[]): Partial<FelixSettings> {
  const names: readonly (string | undefined)[] = Object.values(vxlanDevices);
  const protocols = states
    .flatMap((state) => ([4, 6] as const).map((version) => routesOf(state, version)))
    .flatMap((routes): readonly KernelRoute[] => (routes.seen ? routes.value : []))
    .filter(({ nextHops, protocol }) => protocolName(protocol) !== 'kernel' && names.includes(nextHops[0]?.device))
    .map(({ protocol }) => protocolName(protocol));
  const protocol = agreed(protocols);
  return protocol === undefined || protocol === 'boot' || protocol === 'bird' ? {} : { routeProtocol: protocol };
}

/** WireGuard where it works on most of the nodes that were read: calico-node has one environment on all. */
function observedWireguard(states: readonly NodeState[]): Partial<FelixSettings> {
  const seen = states.filter(({ interfaces }) => interfaces.seen);
  const isUsed = (version: 4 | 6): boolean =>
    seen.filter((state) => hasUp(state, wireguardDevices[version])).length * 2 > seen.length;
  return { ...(isUsed(4) && { wireguard: true }), ...(isUsed(6) && { wireguardV6: true }) };
}

/** The network as the nodes that were read complete it: the settings that they prove, the kinds that are missing. */
export function withObservedSettings(network: Network, states: readonly NodeState[]): Network {
  const bpf = new Set(states.filter((state) => hasUp(state, bpfDevice)).map(({ node }) => node));
  const renamed: Renamed = new Map(
    states.map((state) => [state.node, renamedInterfaces(network.workloads.get(state.node) ?? [], state)]),
  );
  const prefix = observedPrefix(network, states, renamed);
  const common = { ...observedVxlan(states), ...observedProtocol(states) };
  const wireguard = network.setsWireguard ? {} : observedWireguard(states);
  const byNode = new Map<string, FelixSettings>();
  const felix = (node: string): FelixSettings => {
    const known = byNode.get(node);
    if (known !== undefined) return known;
    const stated = network.felix(node);
    const { interfacePrefixes } = stated;
    const settings = {
      ...stated,
      ...common,
      ...wireguard,
      ...(bpf.has(node) && { bpf: true }),
      ...(prefix !== undefined &&
        !interfacePrefixes.includes(prefix) && { interfacePrefixes: [prefix, ...interfacePrefixes] }),
    };
    byNode.set(node, settings);
    return settings;
  };
  const workloads = new Map(
    [...network.workloads].map(([node, all]): [string, readonly Workload[]] => {
      const names = renamed.get(node);
      if (names === undefined || names.size === 0) return [node, all];
      const named = all.map((one) => ({ ...one, interfaceName: names.get(one.interfaceName) ?? one.interfaceName }));
      return [node, named];
    }),
  );
  return { ...network, workloads, unread: [...network.unread, ...unreadPods(network, states)], felix };
}
