// What calictl node status does: reads BIRD and Felix of all nodes in parallel and evaluates both ends of every session.
import { type NodeStatusList, nodeStatusList } from '../../../bgp/node-status.ts';
import { nodeState } from '../../../node-state/node-state.ts';
import type { Context, View } from '../../command.ts';
import { plannedBgp } from '../bgp-plan.ts';
import { birdProbesOf } from '../bgp-probes.ts';
import { exitOfList } from '../exit-code.ts';
import { nodeTargets, readTargets } from '../targets.ts';
import type { StatusInput } from './command.ts';
import { nodeStatusJson, nodeStatusText, nodeStatusYaml } from './text.ts';

export async function run(ctx: Context, input: StatusInput): Promise<NodeStatusList> {
  const { nodes, plan, bgpNeeded } = await plannedBgp(await ctx.datastore(), ctx.world.signal);
  const targets = nodeTargets(nodes, input.nodes);
  const states = await readTargets(ctx, input, targets, birdProbesOf(input, plan, { withFelix: true }), nodeState);
  return nodeStatusList(plan, states, bgpNeeded);
}

export const formats = {
  table: (list: NodeStatusList, view: View) => nodeStatusText(list, false, view),
  wide: (list: NodeStatusList, view: View) => nodeStatusText(list, true, view),
  json: nodeStatusJson,
  yaml: nodeStatusYaml,
};

export const exit = (list: NodeStatusList): number => exitOfList(list);
