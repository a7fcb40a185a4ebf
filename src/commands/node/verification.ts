// One reading of nodes and objects, and what is wrong with the data path by it: for node verify and node repair.
import type { Network, Workload } from '../../datapath/expected/network.ts';
import { withObservedSettings } from '../../datapath/expected/observed-settings.ts';
import { type NetworkObjects, readNetwork } from '../../datapath/expected/read-network.ts';
import { installationText, recogniseInstallation } from '../../datapath/installation/installation.ts';
import { type NodeFactsList, nodeFactsList, readNode } from '../../datapath/verify/node-facts.ts';
import type { ReadNode } from '../../datapath/verify/verify.ts';
import { birdProbes, kernelProbes, type Probe } from '../../node-state/probes.ts';
import type { Surroundings } from '../../output/findings.ts';
import { CalictlError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { PodName } from '../parameters.ts';
import type { BirdInput, ReadingInput } from '../transport-flags.ts';
import { networkObjects } from './network-objects.ts';
import { askableTargets, birdFolder, readTargets } from './targets.ts';

/** What is verified: these nodes, or one pod on its node. */
export interface VerificationInput extends ReadingInput, BirdInput {
  readonly nodes: readonly string[];
  readonly pod: PodName | undefined;
}

export interface Verification {
  readonly objects: NetworkObjects;
  /** With the settings that devices of the nodes prove. */
  readonly network: Network;
  readonly read: readonly ReadNode[];
  readonly list: NodeFactsList & Surroundings;
}

function workloadOf(network: Network, { namespace, name }: PodName): Workload {
  for (const workloads of network.workloads.values()) {
    const found = workloads.find((one) => one.namespace === namespace && one.name === name);
    if (found !== undefined) return found;
  }
  throw new CalictlError(`pod ${namespace}/${name} is not running on a node, or uses the host network`, {
    code: 'NO_POD',
    hint: 'calictl get workloadendpoints -A lists the pods that Calico knows',
  });
}

// Felix's own tables are not evaluated here, and are large.
const { nft: _, ...wantedProbes } = kernelProbes;

/**
 * Reads and judges. With `all`, facts that are right are kept too. Errors: those of the datastore and of the transport;
 * CalictlError for a name that is not that of a node or pod.
 */
export async function verification(
  ctx: Context,
  input: VerificationInput,
  { all }: { readonly all: boolean },
): Promise<Verification> {
  const { objects, refused } = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const network = readNetwork(objects, refused);
  const names = input.pod === undefined ? input.nodes : [workloadOf(network, input.pod).node];
  const { targets, notAsked } = askableTargets(objects.nodes, names);
  const read = await readTargets(ctx, input, targets, probesOf(input), readNode);
  return judged(objects, network, read, { ...input, all, notAsked });
}

/**
 * The same for nodes that were found wrong: they are read first and the objects after them, as they are stored now. So a pod
 * that got its address before its route was read is among the objects.
 */
export async function secondVerification(
  ctx: Context,
  input: VerificationInput,
  first: Verification,
  nodes: readonly string[],
): Promise<Verification> {
  const { targets } = askableTargets(first.objects.nodes, nodes);
  const read = await readTargets(ctx, input, targets, probesOf(input), readNode);
  const { objects, refused } = await networkObjects(await ctx.datastore(), ctx.world.signal, { current: true });
  return judged(objects, readNetwork(objects, refused), read, { ...input, all: false, notAsked: [] });
}

function probesOf(input: VerificationInput): (node: string) => Probe[] {
  return (node) => {
    const folder = birdFolder(input, node);
    return [...Object.values(wantedProbes), ...birdProbes(4, folder), ...birdProbes(6, folder)];
  };
}

function judged(
  objects: NetworkObjects,
  network: Network,
  read: readonly ReadNode[],
  { pod, all, notAsked }: Pick<VerificationInput, 'pod'> & Pick<Surroundings, 'notAsked'> & { readonly all: boolean },
): Verification {
  const workload = pod === undefined ? undefined : workloadOf(network, pod);
  const states = read.map(({ state }) => state);
  const installation = installationText(recogniseInstallation({ ...objects, network, states }));
  const list = { ...nodeFactsList(network, read, { pod: workload, all }), notAsked, installation };
  return { objects, network: withObservedSettings(network, states), read, list };
}
