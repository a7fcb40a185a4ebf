// What calictl node routes does: compares the kernel's routes of nodes with those that Calico should have programmed.

import { readNetwork } from '../../../datapath/expected/read-network.ts';
import { installationText, recogniseInstallation } from '../../../datapath/installation/installation.ts';
import { type NodeRoutesList, nodeRoutesList } from '../../../datapath/routes/node-routes.ts';
import { nodeState } from '../../../node-state/node-state.ts';
import { birdProbes, kernelProbes, type Probe } from '../../../node-state/probes.ts';
import type { Surroundings } from '../../../output/findings.ts';
import type { Context } from '../../command.ts';
import { exitOfList } from '../exit-code.ts';
import { networkObjects } from '../network-objects.ts';
import { askableTargets, birdFolder, readTargets } from '../targets.ts';
import type { RoutesInput } from './command.ts';
import { nodeRoutesJson, nodeRoutesText, nodeRoutesYaml } from './text.ts';

export type RoutesReport = NodeRoutesList & Surroundings;

export async function run(ctx: Context, input: RoutesInput): Promise<RoutesReport> {
  const { objects, refused } = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const { targets, notAsked } = askableTargets(objects.nodes, input.nodes);
  const { routes4, routes6, links, addresses } = kernelProbes;
  const probesOf = (node: string): Probe[] => {
    const folder = birdFolder(input, node);
    return [routes4, routes6, links, addresses, ...birdProbes(4, folder), ...birdProbes(6, folder)];
  };
  const states = await readTargets(ctx, input, targets, probesOf, nodeState);
  const network = readNetwork(objects, refused);
  const installation = recogniseInstallation({ ...objects, network, states });
  const list = nodeRoutesList(network, states, input.all);
  return { ...list, notAsked, installation: installationText(installation) };
}

export const formats = { table: nodeRoutesText, json: nodeRoutesJson, yaml: nodeRoutesYaml };

export const exit = (list: RoutesReport): number => exitOfList(list);
