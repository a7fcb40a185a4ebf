// What calictl node status does: reads BIRD and Felix of all nodes in parallel and evaluates both ends of every session.
import { type NodeStatusList, nodeStatusList } from '../../../bgp/node-status.ts';
import { installationText, recogniseInstallation } from '../../../datapath/installation/installation.ts';
import { nodeState } from '../../../node-state/node-state.ts';
import type { Surroundings } from '../../../output/findings.ts';
import type { Context, View } from '../../command.ts';
import { plannedBgp } from '../bgp-plan.ts';
import { birdProbesOf } from '../bgp-probes.ts';
import { exitOfList } from '../exit-code.ts';
import { askableTargets, readTargets } from '../targets.ts';
import type { StatusInput } from './command.ts';
import { nodeStatusJson, nodeStatusText, nodeStatusYaml } from './text.ts';

export type StatusReport = NodeStatusList & Surroundings;

export async function run(ctx: Context, input: StatusInput): Promise<StatusReport> {
  const planned = await plannedBgp(await ctx.datastore(), ctx.world.signal);
  const { targets, notAsked } = askableTargets(planned.nodes, input.nodes);
  const probesOf = birdProbesOf(input, planned.plan, { withFelix: true });
  const states = await readTargets(ctx, input, targets, probesOf, nodeState);
  const installation = installationText(recogniseInstallation({ ...planned, states }));
  return { ...nodeStatusList(planned.plan, states, planned), notAsked, installation };
}

export const formats = {
  table: (list: StatusReport, view: View) => nodeStatusText(list, false, view),
  wide: (list: StatusReport, view: View) => nodeStatusText(list, true, view),
  json: nodeStatusJson,
  yaml: nodeStatusYaml,
};

export const exit = (list: StatusReport): number => exitOfList(list);
