// The facts of several nodes, or of one pod, in one result: what is wrong, what was not seen, which nodes are unreachable.

import { faults } from '../../faults/faults.ts';
import type { NodeFinding } from '../../faults/finding.ts';
import { nodeState } from '../../node-state/node-state.ts';
import type { NodeReading, ProbeName } from '../../node-state/probes.ts';
import { type UnreachedNode, type UnreadKind, unreachedOf } from '../../node-state/unreached.ts';
import type { Network, Workload } from '../expected/network.ts';
import { withObservedSettings } from '../expected/observed-settings.ts';
import { type CommonCauses, commonCauses } from '../routes/common-causes.ts';
import { becauseOfDevice } from '../routes/comparison.ts';
import { crossNodeFindings, samePodAddresses } from '../routes/cross-node.ts';
import { concerning, routeFindings } from '../routes/node-routes.ts';
import { sharedTunnelNodes } from '../routes/object-faults.ts';
import { type Fact, findingOf } from './fact.ts';
import { type ReadNode, verifyNode, verifyPod } from './verify.ts';

export interface NodeFacts {
  readonly node: string;
  /** False when it could not be reached: nothing is known of it then. */
  readonly reached: boolean;
  /** How many are right, including those that are not in `facts`. */
  readonly right: number;
  readonly facts: readonly Fact[];
}

export interface NodeFactsList {
  readonly items: readonly NodeFacts[];
  readonly findings: readonly NodeFinding[];
  readonly unreached: readonly UnreachedNode[];
  /** Kinds of objects that were not read: what rests on them was not judged. */
  readonly unread: readonly UnreadKind[];
}

const wrongOf = (facts: readonly Fact[]): Fact[] => facts.filter(({ verdict }) => verdict === 'wrong');

/**
 * Faults that only follow from a tunnel address that nodes share: that of the device of such a node, and what the devices of
 * others know of it.
 */
function followsFromSharing(node: string, { id, peer }: Fact, sharing: ReadonlySet<string>): boolean {
  if (id === faults.tunnelAddressWrong.id) return sharing.has(node);
  const isOfPeer = id === faults.vtepMacWrong.id || id === faults.forwardingEntryMissing.id;
  return isOfPeer && peer !== undefined && sharing.has(peer);
}

/** What is wrong on a node; routes that are wrong for one common reason are one finding. */
function findingsOf(node: string, facts: readonly Fact[], { explained }: CommonCauses): NodeFinding[] {
  const wrong = wrongOf(facts);
  // A device that is wrong is a fact of its own: the routes through it follow from it.
  const devices = new Set(
    wrong.filter(({ id, fact }) => id === faults.tunnelUnusable.id && fact === 'device').map(({ subject }) => subject),
  );
  const routes = wrong
    .flatMap(({ comparison }) => (comparison === undefined || explained.has(comparison) ? [] : [comparison]))
    .filter(({ finding }) => ![...devices].some((device) => finding?.because === becauseOfDevice(device)));
  const others = wrong.filter(({ comparison }) => comparison === undefined);
  return [...others.flatMap((fact) => findingOf(node, fact) ?? []), ...routeFindings(routes)];
}

/** Probes that facts need beyond the state of a node. */
const factProbes: readonly ProbeName[] = ['gateway-route', 'nft-kube-proxy'];

/** What facts need of a reading; its other texts are dropped. */
export function readNode(reading: NodeReading): ReadNode {
  const outcomes = new Map([...reading.outcomes].filter(([name]) => factProbes.includes(name)));
  return { reading: { ...reading, outcomes }, state: nodeState(reading) };
}

/**
 * Judges what was read of the nodes; with `pod`, whose node is the one that was read, of that pod only.
 * Without `all`, facts that are right are only counted: large clusters have millions of them.
 */
export function nodeFactsList(
  objects: Network,
  read: readonly ReadNode[],
  { pod, all }: { readonly pod: Workload | undefined; readonly all: boolean },
): NodeFactsList {
  const network = withObservedSettings(
    objects,
    read.map(({ state }) => state),
  );
  const items = read.map((one): NodeFacts => {
    const { node: name, unreachable } = one.state;
    const node = network.nodes.get(name);
    if (unreachable !== undefined || node === undefined) return { node: name, reached: false, right: 0, facts: [] };
    const facts = pod === undefined ? verifyNode(network, node, one) : verifyPod(network, node, one, pod);
    const others = facts.filter(({ verdict }) => verdict !== 'ok');
    return { node: name, reached: true, right: facts.length - others.length, facts: all ? facts : others };
  });
  const states = read.map(({ state }) => state);
  const asked = new Set(states.map(({ node }) => node));
  const between =
    pod === undefined ? concerning(crossNodeFindings(network, states), asked) : samePodAddresses(network, pod);
  const common = commonCauses(
    network,
    states,
    items.flatMap(({ facts }) => wrongOf(facts).flatMap(({ comparison }) => comparison ?? [])),
  );
  const sharing = sharedTunnelNodes(network);
  const wrong = items.flatMap(({ node, facts }) =>
    findingsOf(
      node,
      facts.filter((fact) => !followsFromSharing(node, fact, sharing)),
      common,
    ),
  );
  // What the interfaces of a node show says more than its object alone.
  const doubtful = new Set(wrong.filter(({ id }) => id === faults.nodeAddressDoubtful.id).map(({ node }) => node));
  const notRepeated = between.filter(({ id, node }) => id !== faults.nodeAddressDoubtful.id || !doubtful.has(node));
  return {
    items,
    findings: [...notRepeated, ...common.findings, ...wrong],
    unreached: states.flatMap(
      (state) =>
        unreachedOf(state, [
          ['interfaces', state.interfaces],
          ['addresses', state.addresses],
          ['IPv4 routes', state.routes4],
          ['settings', state.sysctls],
        ]) ?? [],
    ),
    unread: network.unread,
  };
}
