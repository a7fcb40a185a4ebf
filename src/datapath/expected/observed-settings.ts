// Settings of Felix that no object says, as its devices show them: calico-node's environment wins over
// FelixConfiguration, and is not readable from here. docs/reference/installations.md#settings-by-environment

import type { NodeState } from '../../node-state/node-state.ts';
import type { UnreadKind } from '../../node-state/unreached.ts';
import type { FelixSettings } from './felix-settings.ts';
import { isRead, type Network } from './network.ts';

/** The device that Felix makes in eBPF mode only. */
const bpfDevice = 'bpfin.cali';

const usesBpf = ({ interfaces }: NodeState): boolean =>
  interfaces.seen && interfaces.value.some(({ name, flags }) => name === bpfDevice && flags.includes('UP'));

/** Pods that were not read, although nodes have interfaces of pods. */
function unreadPods(network: Network, states: readonly NodeState[]): UnreadKind[] {
  if (network.workloads.size > 0 || !isRead(network, 'Pod')) return [];
  const isWorkload = ({ node, interfaces }: NodeState): boolean =>
    interfaces.seen &&
    interfaces.value.some(({ name, kind }) => kind === 'veth' && isWorkloadName(name, network.felix(node)));
  return states.some(isWorkload)
    ? [{ kind: 'Pod', reason: 'there is none, although nodes have interfaces of pods' }]
    : [];
}

const isWorkloadName = (name: string, { interfacePrefixes }: FelixSettings): boolean =>
  interfacePrefixes.some((prefix) => name.startsWith(prefix));

/** The network as the nodes that were read complete it: the settings that their devices prove, the kinds that are missing. */
export function withObservedSettings(network: Network, states: readonly NodeState[]): Network {
  const bpf = new Set(states.filter(usesBpf).map(({ node }) => node));
  const unread = [...network.unread, ...unreadPods(network, states)];
  if (bpf.size === 0) return { ...network, unread };
  const felix = (node: string): FelixSettings => {
    const settings = network.felix(node);
    return bpf.has(node) ? { ...settings, bpf: true } : settings;
  };
  return { ...network, unread, felix };
}
