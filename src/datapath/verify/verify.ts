// The data path of a node, and of a pod on its node, as facts with verdicts: docs/reference/datapath.md#facts.

import type { NodeState } from '../../node-state/node-state.ts';
import type { NodeReading, Observed } from '../../node-state/probes.ts';
import { expectedMtus, hostMtu } from '../expected/mtu.ts';
import type { Network, NetworkNode, Workload } from '../expected/network.ts';
import { tunnelDevices } from '../expected/tunnels.ts';
import { compareRoutes } from '../routes/compare.ts';
import type { RouteComparison } from '../routes/comparison.ts';
import { type Fact, type FactSpec, judged } from './fact.ts';
import { forwardingNodeFacts, otherNodeFacts } from './node.ts';
import { packetFilterFacts } from './packet-filter.ts';
import { podFacts, routeFact } from './pods.ts';
import { tunnelFacts } from './tunnels.ts';

/** What was read of a node: as it came, and understood. */
export interface ReadNode {
  readonly reading: NodeReading;
  readonly state: NodeState;
}

function mtusOf(network: Network, state: NodeState): ReturnType<typeof expectedMtus> | undefined {
  if (!state.interfaces.seen) return undefined;
  const host = hostMtu(state.interfaces.value, network.felix(state.node).mtuInterfaces);
  return host === undefined ? undefined : expectedMtus(network, state.node, host);
}

/** The MTU that new pods get: that of the node's file, else that of Felix' rule. */
function podMtuOf(network: Network, state: NodeState): Observed<number> {
  if (state.mtu.seen) return state.mtu;
  const mtus = mtusOf(network, state);
  return mtus === undefined ? state.mtu : { seen: true, value: mtus.pod, argv: state.mtu.argv };
}

/**
 * What is wrong only because of something else is not told again: forwarding of each interface when it is off on the
 * whole node, the MTU of routes when that of their device is not as it should be.
 */
function withoutConsequences(facts: readonly Fact[]): Fact[] {
  const wrong = facts.filter(({ verdict }) => verdict === 'wrong');
  const off = (family: 4 | 6): boolean =>
    wrong.some(({ id, fact }) => id === 'F30' && fact.startsWith('IPv6') === (family === 6));
  const [off4, off6] = [off(4), off(6)];
  const isTunnelMtuWrong = wrong.some(({ id, fact }) => id === 'F74' && fact === 'MTU');
  return facts.filter(({ id, verdict, fact }) => {
    if (verdict !== 'wrong') return true;
    if (id === 'F02' || id === 'F31') return !(fact.startsWith('IPv6') ? off6 : off4);
    return !(id === 'F74' && fact.startsWith('route to') && isTunnelMtuWrong);
  });
}

/** Routes that are no pod's: one fact for all that are as expected, one for each that is not. */
function routeFacts(comparisons: readonly RouteComparison[], asExpected: number): Fact[] {
  const spec: FactSpec = {
    ...{ subject: 'node', fact: 'routes to blocks', expected: 'as Calico programs them', id: 'F44' },
    ...{ severity: 'error', hint: '', command: ['ip', '-d', 'route', 'show'] },
  };
  return [
    ...(asExpected === 0 ? [] : [judged(spec, `${asExpected} as expected`, true)]),
    ...comparisons.map((comparison) => routeFact('node', comparison)),
  ];
}

/** All facts of a node: itself, its tunnels, its routes, its packet filters, each of its pods. */
export function verifyNode(network: Network, node: NetworkNode, { reading, state }: ReadNode): readonly Fact[] {
  const felix = network.felix(node.name);
  const workloads = network.workloads.get(node.name) ?? [];
  const devices = tunnelDevices(node.name, network);
  const mtus = mtusOf(network, state);
  const { comparisons, asExpected } = compareRoutes(network, state, 'differing');
  const podMtu = podMtuOf(network, state);
  const own = comparisons.filter(({ subject }) => subject === 'workload');
  return withoutConsequences([
    ...forwardingNodeFacts(network, node, reading, state),
    ...otherNodeFacts(network, node, state, devices, mtus),
    ...tunnelFacts(devices, state, mtus, felix.bpf),
    ...routeFacts(
      comparisons.filter(({ subject }) => subject !== 'workload'),
      asExpected - own.filter(({ verdict }) => verdict === 'ok').length,
    ),
    ...packetFilterFacts(reading, state, felix),
    ...workloads.flatMap((workload) => podFacts(network, state, workload, podMtu, own)),
  ]);
}

/** The facts of one pod, and of its node what all pods rest on. */
export function verifyPod(
  network: Network,
  node: NetworkNode,
  { reading, state }: ReadNode,
  workload: Workload,
): readonly Fact[] {
  const { comparisons } = compareRoutes(network, state, 'differing');
  const own = comparisons.filter(({ subject }) => subject === 'workload');
  return withoutConsequences([
    ...forwardingNodeFacts(network, node, reading, state),
    ...podFacts(network, state, workload, podMtuOf(network, state), own),
  ]);
}
