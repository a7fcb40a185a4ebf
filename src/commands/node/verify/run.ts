// What calictl node verify does: compares what nodes have with what packets of pods need there, fact by fact.
import type { Network, Workload } from '../../../datapath/expected/network.ts';
import { readNetwork } from '../../../datapath/expected/read-network.ts';
import { installationText, recogniseInstallation } from '../../../datapath/installation/installation.ts';
import { type NodeFactsList, nodeFactsList, readNode } from '../../../datapath/verify/node-facts.ts';
import { birdProbes, kernelProbes, type Probe } from '../../../node-state/probes.ts';
import type { Surroundings } from '../../../output/findings.ts';
import { CalictlError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import type { PodName } from '../../parameters.ts';
import { exitOfList } from '../exit-code.ts';
import { networkObjects } from '../network-objects.ts';
import { askableTargets, birdFolder, readTargets } from '../targets.ts';
import type { VerifyInput } from './command.ts';
import { nodeVerifyJson, nodeVerifyText, nodeVerifyYaml } from './text.ts';

interface Verified {
  readonly list: NodeFactsList & Surroundings;
  readonly all: boolean;
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

export async function run(ctx: Context, input: VerifyInput): Promise<Verified> {
  const { pod, all } = input;
  const { objects, refused } = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const network = readNetwork(objects, refused);
  const workload = pod === undefined ? undefined : workloadOf(network, pod);
  const { targets, notAsked } = askableTargets(objects.nodes, workload === undefined ? input.nodes : [workload.node]);
  // Felix's own tables are not evaluated here, and are large.
  const { nft: _, ...wanted } = kernelProbes;
  const probesOf = (node: string): Probe[] => {
    const folder = birdFolder(input, node);
    return [...Object.values(wanted), ...birdProbes(4, folder), ...birdProbes(6, folder)];
  };
  const read = await readTargets(ctx, input, targets, probesOf, readNode);
  const states = read.map(({ state }) => state);
  const installation = installationText(recogniseInstallation({ ...objects, network, states }));
  return { list: { ...nodeFactsList(network, read, { pod: workload, all }), notAsked, installation }, all };
}

export const formats = {
  table: ({ list, all }: Verified, view: View) => nodeVerifyText(list, all, view),
  json: ({ list }: Verified) => nodeVerifyJson(list),
  yaml: ({ list }: Verified) => nodeVerifyYaml(list),
};

export const exit = ({ list }: Verified): number => exitOfList(list);
