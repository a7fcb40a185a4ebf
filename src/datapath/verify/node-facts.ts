// The facts of several nodes, or of one pod, in one result: what is wrong, what was not seen, who could not be asked.
import type { Network, Workload } from '../expected/network.ts';
import { concerning } from '../node-routes.ts';
import { nodeState } from '../node-state.ts';
import type { NodeReading } from '../probes.ts';
import type { DatapathProblem } from '../problem.ts';
import { crossNodeProblems } from '../routes/cross-node.ts';
import { type UnreachedNode, unreachedOf } from '../unreached.ts';
import { type Fact, problemOf } from './fact.ts';
import { type ReadNode, verifyNode, verifyPod } from './verify.ts';

export interface NodeFacts {
  readonly node: string;
  /** False when it could not be asked: then nothing of it is known. */
  readonly reached: boolean;
  readonly facts: readonly Fact[];
}

export interface NodeFactsList {
  readonly items: readonly NodeFacts[];
  readonly problems: readonly DatapathProblem[];
  readonly unreached: readonly UnreachedNode[];
}

/** Judges what was read of the nodes; of one pod only, when it is given (then its node is the one that was read). */
export function nodeFactsList(network: Network, readings: readonly NodeReading[], pod?: Workload): NodeFactsList {
  const read = readings.map((reading): ReadNode => ({ reading, state: nodeState(reading) }));
  const items = read.map((one): NodeFacts => {
    const { node: name, unreachable } = one.state;
    const node = network.nodes.get(name);
    if (unreachable !== undefined || node === undefined) return { node: name, reached: false, facts: [] };
    const facts = pod === undefined ? verifyNode(network, node, one) : verifyPod(network, node, one, pod);
    return { node: name, reached: true, facts };
  });
  const states = read.map(({ state }) => state);
  const between = concerning(crossNodeProblems(network, states), new Set(states.map(({ node }) => node)));
  const ofPod =
    pod === undefined ? between : between.filter(({ message }) => message.includes(`${pod.namespace}/${pod.name}`));
  const wrong = items.flatMap(({ node, facts }) =>
    facts.filter(({ verdict }) => verdict === 'wrong').map((fact) => problemOf(node, fact)),
  );
  return {
    items,
    problems: [...ofPod, ...wrong],
    unreached: states.flatMap(
      (state) =>
        unreachedOf(state, [
          ['links', state.links],
          ['addresses', state.addresses],
          ['IPv4 routes', state.routes4],
          ['settings', state.sysctls],
        ]) ?? [],
    ),
  };
}
