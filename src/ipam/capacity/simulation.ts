// Simulates adding nodes and filling them with pods, with the allocator itself on a copy in memory.
// Rules: docs/reference/ipam.md#simulation. Other block sizes are block-size-comparison.ts.
import type { Cidr } from '../../net/cidr.ts';
import { withDefaults } from '../../resources/defaults.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import { blockName } from '../../resources/names.ts';
import type { Labels } from '../../resources/selector.ts';
import { CalictlError } from '../../world/errors.ts';
import { type Assignment, type AssignRequest, autoAssign } from '../assign/auto-assign.ts';
import { freeCount } from '../block/block-assign.ts';
import type { IpamStore } from '../ipam-store.ts';
import { choosePools } from '../pool/pool-choice.ts';
import { reservedAddresses } from '../pool/pools.ts';
import type { AllocatorWorld } from '../retries.ts';
import type { IpamLists } from './ipam-lists.ts';
import { simulatedStore } from './simulated-store.ts';

export interface SimulationPlan {
  readonly ipVersion: 4 | 6;
  /** The number of nodes that are added, and their labels. */
  readonly nodes: number;
  readonly labels: Labels;
  readonly podsPerNode: number;
  /** The pools that the pods request; if none, those that select the nodes. */
  readonly pools: readonly Cidr[];
}

/** The first failure. */
export interface Break {
  readonly node: string;
  /** The number of the pod on the node, from 1; 0 for the tunnel address that the node itself gets first. */
  readonly pod: number;
  /** How many pods had an address by then. */
  readonly placedBefore: number;
  /** The message of the allocator. */
  readonly message: string;
}

export interface SimulationRun {
  readonly requested: number;
  readonly placed: number;
  /** Pods placed in blocks of other nodes. */
  readonly borrowed: number;
  readonly tunnelAddresses: number;
  /** By how many blocks the number has grown. */
  readonly blocksMade: number;
  /** Nodes that could not place all of their pods. */
  readonly nodesShort: number;
  readonly firstBreak?: Break;
}

/** Called between steps: lets other work run, and rejects to end the simulation. */
export type Pause = () => Promise<void>;

/** A fixed time and no randomness, so that the same plan gives the same result. */
const still: AllocatorWorld = {
  clock: { now: () => new Date(0), nowNs: () => 0n, sleep: async () => undefined },
  random: { uuid: () => '', float: () => 0 },
};

/** The number of allocator calls between two pauses. */
const callsPerTurn = 50;

/** Up to this many pods are placed one by one; more are placed in about this many groups. */
const mostGroups = 2000;

/** Names of nodes that do not exist yet. */
function newNodeNames(count: number, { nodes }: IpamLists): string[] {
  const taken = new Set(nodes.map(({ name }) => name));
  const names: string[] = [];
  for (let number = 1; names.length < count; number += 1) {
    const name = `new-node-${number}`;
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

/** Adds the nodes to a copy of the lists and places their pods. The lists stay as they are. */
export async function simulate(lists: IpamLists, plan: SimulationPlan, pause: Pause): Promise<SimulationRun> {
  return simulateOn(simulatedStore(withNewNodes(lists, plan)), lists, plan, pause);
}

/** The lists including the added nodes. */
export function withNewNodes(lists: IpamLists, plan: SimulationPlan): IpamLists {
  const added = newNodeNames(plan.nodes, lists).map((name) => ({ name, labels: plan.labels }));
  return { ...lists, nodes: [...lists.nodes, ...added] };
}

/** The same on an existing copy that includes the new nodes. */
export async function simulateOn(
  store: IpamStore,
  lists: IpamLists,
  plan: SimulationPlan,
  pause: Pause,
): Promise<SimulationRun> {
  return new Simulation(store, plan, lists.namespaceLabels, pause).run(
    newNodeNames(plan.nodes, lists),
    tunnelPools(lists.pools, plan),
  );
}

/** The result of the allocator; a CalictlError that it throws becomes part of the result. */
export async function tryAssign(
  store: IpamStore,
  request: Omit<AssignRequest, 'holder'>,
): Promise<Pick<Assignment, 'addresses' | 'messages' | 'error'>> {
  try {
    const holder = { secondary: { node: request.node } };
    return await autoAssign(store, { ...request, holder }, still);
  } catch (error) {
    if (error instanceof CalictlError) return { addresses: [], messages: [error.message], error };
    throw error;
  }
}

/** For each type of tunnel that such a node has, the pools that its address can come from. */
function tunnelPools(pools: readonly IPPool[], { ipVersion, labels }: SimulationPlan): (readonly Cidr[])[] {
  const modes = ipVersion === 4 ? (['ipipMode', 'vxlanMode'] as const) : (['vxlanMode'] as const);
  return modes.flatMap((mode) => {
    const encapsulating = pools.filter((pool) => {
      const { spec } = withDefaults(ipPool, pool);
      return spec[mode] !== undefined && spec[mode] !== 'Never';
    });
    try {
      const tunnels = { version: ipVersion, node: '', use: 'Tunnel' as const, requested: [] };
      const asked = { ...tunnels, labels, namespaceLabels: {} };
      return [choosePools(encapsulating, asked).usable.map(({ cidr }) => cidr)];
    } catch (error) {
      if (error instanceof CalictlError) return [];
      throw error;
    }
  });
}

interface SimulatedNode {
  readonly name: string;
  readonly blocks: Set<string>;
  placed: number;
}

/** Places pods in rounds: one pod, or a group of pods, for each node that still has some to place. */
class Simulation {
  readonly #store: IpamStore;
  readonly #plan: SimulationPlan;
  readonly #namespaceLabels: Labels | undefined;
  readonly #pause: Pause;
  #placed = 0;
  #borrowed = 0;
  #tunnels = 0;
  #nodesShort = 0;
  #calls = 0;
  #firstBreak: Break | undefined;

  constructor(store: IpamStore, plan: SimulationPlan, namespaceLabels: Labels | undefined, pause: Pause) {
    this.#store = store;
    this.#plan = plan;
    this.#namespaceLabels = namespaceLabels;
    this.#pause = pause;
  }

  async run(names: readonly string[], tunnels: readonly (readonly Cidr[])[]): Promise<SimulationRun> {
    const { nodes, podsPerNode } = this.#plan;
    const before = (await this.#store.blocks.list()).length;
    let active: SimulatedNode[] = names.map((name) => ({ name, blocks: new Set(), placed: 0 }));
    for (const node of active) for (const pools of tunnels) await this.#tunnel(node, pools);
    const reserved = reservedAddresses(await this.#store.reservations());
    while (active.length > 0) {
      // While every node has room in its own blocks, nodes do not affect each other: that many rounds are done as one.
      let rounds = podsPerNode;
      for (const node of active) {
        let own = 0;
        for (const name of node.blocks) {
          const block = await this.#store.blocks.get(name);
          if (block.ok) own += freeCount(block.value, reserved);
        }
        rounds = Math.min(rounds, own, podsPerNode - node.placed);
      }
      active = await this.#round(active, Math.max(Math.ceil((nodes * podsPerNode) / mostGroups), rounds));
    }
    const made = (await this.#store.blocks.list()).length - before;
    return {
      requested: nodes * podsPerNode,
      placed: this.#placed,
      borrowed: this.#borrowed,
      tunnelAddresses: this.#tunnels,
      blocksMade: made,
      nodesShort: this.#nodesShort,
      ...(this.#firstBreak && { firstBreak: this.#firstBreak }),
    };
  }

  /** Places up to `most` pods on each node. Returns the nodes that still have pods to place. */
  async #round(active: readonly SimulatedNode[], most: number): Promise<SimulatedNode[]> {
    const { ipVersion: version, pools, podsPerNode } = this.#plan;
    const remaining: SimulatedNode[] = [];
    for (const [index, node] of active.entries()) {
      const count = Math.min(most, podsPerNode - node.placed);
      const namespaceLabels = this.#namespaceLabels;
      const answer = await this.#ask({ node: node.name, version, count, use: 'Workload', pools, namespaceLabels });
      node.placed += answer.addresses.length;
      this.#placed += answer.addresses.length;
      for (const { block, borrowed } of answer.addresses) {
        if (borrowed) this.#borrowed += 1;
        else node.blocks.add(blockName(block));
      }
      if (answer.addresses.length < count) {
        this.#recordFailure(node, node.placed + 1, answer);
        this.#nodesShort += 1;
        if (answer.error === undefined && !(await this.#isStrict())) {
          // The pools are empty for all nodes, including the blocks of others: the rest would get the same result.
          this.#nodesShort += active.length - index - 1 + remaining.length;
          return [];
        }
      } else if (node.placed < podsPerNode) remaining.push(node);
    }
    return remaining;
  }

  async #isStrict(): Promise<boolean> {
    return (await this.#store.config())?.spec.strictAffinity === true;
  }

  async #tunnel(node: SimulatedNode, pools: readonly Cidr[]): Promise<void> {
    const answer = await this.#ask({ node: node.name, version: this.#plan.ipVersion, count: 1, use: 'Tunnel', pools });
    this.#tunnels += answer.addresses.length;
    for (const { block, borrowed } of answer.addresses) if (!borrowed) node.blocks.add(blockName(block));
    if (answer.addresses.length === 0) this.#recordFailure(node, 0, answer);
  }

  #recordFailure(node: SimulatedNode, pod: number, { messages, error }: Pick<Assignment, 'messages' | 'error'>): void {
    const message = messages.length > 0 ? messages.join('; ') : (error?.message ?? '');
    this.#firstBreak ??= { node: node.name, pod, placedBefore: this.#placed, message };
  }

  async #ask(request: Omit<AssignRequest, 'holder'>): ReturnType<typeof tryAssign> {
    this.#calls += 1;
    if (this.#calls % callsPerTurn === 0) await this.#pause();
    return tryAssign(this.#store, request);
  }
}
