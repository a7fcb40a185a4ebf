// What calictl node routes does: compares the kernel's routes of nodes with those that Calico should have programmed.
import { readNetwork } from '../../../datapath/expected/read-network.ts';
import { type NodeRoutesList, nodeRoutesList } from '../../../datapath/routes/node-routes.ts';
import { nodeState } from '../../../node-state/node-state.ts';
import { birdProbes, kernelProbes, type Probe } from '../../../node-state/probes.ts';
import type { Context } from '../../command.ts';
import { exitOfList } from '../exit-code.ts';
import { networkObjects } from '../network-objects.ts';
import { birdFolder, nodeTargets, readTargets } from '../targets.ts';
import type { RoutesInput } from './command.ts';
import { nodeRoutesJson, nodeRoutesText, nodeRoutesYaml } from './text.ts';

export async function run(ctx: Context, input: RoutesInput): Promise<NodeRoutesList> {
  const objects = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const targets = nodeTargets(objects.nodes, input.nodes);
  const { routes4, routes6, links, addresses } = kernelProbes;
  const probesOf = (node: string): Probe[] => {
    const folder = birdFolder(input, node);
    return [routes4, routes6, links, addresses, ...birdProbes(4, folder), ...birdProbes(6, folder)];
  };
  const states = await readTargets(ctx, input, targets, probesOf, nodeState);
  return nodeRoutesList(readNetwork(objects), states, input.all);
}

export const formats = { table: nodeRoutesText, json: nodeRoutesJson, yaml: nodeRoutesYaml };

export const exit = (list: NodeRoutesList): number => exitOfList(list);
