// The data path of a node, and of a pod on its node, as facts with verdicts: docs/reference/datapath.md#facts.

import { faults } from '../../faults/faults.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { NodeReading, Observed } from '../../node-state/probes.ts';
import { expectedMtus, hostMtu } from '../expected/mtu.ts';
import type { Network, NetworkNode, Workload } from '../expected/network.ts';
import { tunnelDevices } from '../expected/tunnels.ts';
import { compareRoutes } from '../routes/compare.ts';
import type { RouteComparison } from '../routes/comparison.ts';
import { type Fact, type FactSpec, judged, routeFact } from './fact.ts';
import { forwardingNodeFacts, otherNodeFacts } from './node.ts';
import { packetFilterFacts } from './packet-filter.ts';
import { podFacts } from './pods.ts';
import { tunnelFacts, wireguardFacts } from './tunnels.ts';

/** What was read of a node: as printed, and parsed. */
export interface ReadNode {
  readonly reading: NodeReading;
  readonly state: NodeState;
}

function mtusOf(network: Network, state: NodeState): ReturnType<typeof expectedMtus> | undefined {
  if (!state.interfaces.seen) return undefined;
  const host = hostMtu(state.interfaces.value, network.felix(state.node).mtuInterfaces);
  return host === undefined ? undefined : expectedMtus(network, state.node, host);
}

/** The MTU that new pods get: the one in the node's file, else the one that Felix computes. */
function podMtuOf(network: Network, state: NodeState): Observed<number> {
  if (state.mtu.seen) return state.mtu;
  const mtus = mtusOf(network, state);
  return mtus === undefined ? state.mtu : { seen: true, value: mtus.pod, argv: state.mtu.argv };
}

/**
 * What is wrong only because of something else is not reported: forwarding of each interface when it is off on the
 * whole node, the MTU of routes when that of their device is wrong.
 */
function withoutConsequences(facts: readonly Fact[]): Fact[] {
  const wrong = facts.filter(({ verdict }) => verdict === 'wrong');
  const off = (family: 4 | 6): boolean =>
    wrong.some(({ id, fact }) => id === faults.forwardingOff.id && fact.startsWith('IPv6') === (family === 6));
  const [off4, off6] = [off(4), off(6)];
  const isTunnelMtuWrong = wrong.some(({ id, fact }) => id === faults.mtuWrong.id && fact === 'MTU');
  return facts.filter(({ id, verdict, fact }) => {
    if (verdict !== 'wrong') return true;
    if (id === faults.podForwardingOff.id || id === faults.uplinkForwardingOff.id)
      return !(fact.startsWith('IPv6') ? off6 : off4);
    return !(id === faults.mtuWrong.id && fact.startsWith('route to') && isTunnelMtuWrong);
  });
}

/** Routes that do not belong to a pod: one fact for all that are as expected, one for each that is not. */
function routeFacts(comparisons: readonly RouteComparison[], asExpected: number): Fact[] {
  const spec: FactSpec = {
    fault: faults.remoteRouteMissing,
    subject: 'node',
    fact: 'routes to blocks',
    expected: 'as Calico programs them',
    hint: '',
    command: ['ip', '-d', 'route', 'show'],
  };
  return [
    ...(asExpected === 0 ? [] : [judged(spec, `${asExpected} as expected`, true)]),
    ...comparisons.map((comparison) => routeFact('node', comparison)),
  ];
}

/** All facts of a node: the node itself, its tunnels, routes and packet filters, and each of its pods. */
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
    ...tunnelFacts(devices, state, mtus, felix),
    ...wireguardFacts(felix, node, state),
    ...routeFacts(
      comparisons.filter(({ subject }) => subject !== 'workload'),
      asExpected - own.filter(({ verdict }) => verdict === 'ok').length,
    ),
    ...packetFilterFacts(reading, state, felix),
    ...workloads
      .filter(({ isCalicos }) => isCalicos)
      .flatMap((workload) => podFacts(network, state, workload, podMtu, own)),
  ]);
}

/** The facts of one pod, and of its node those that all pods depend on. */
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
