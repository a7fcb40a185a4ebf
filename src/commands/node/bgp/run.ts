// What calictl node bgp does: works out the configured sessions and reads their state from the nodes.
import { nodeStatusList } from '../../../bgp/node-status.ts';
import { bgpGraph, type Peerings, peeringsOf } from '../../../bgp/peerings.ts';
import { installationText, recogniseInstallation } from '../../../datapath/installation/installation.ts';
import { nodeState } from '../../../node-state/node-state.ts';
import type { Surroundings } from '../../../output/findings.ts';
import type { Context, View } from '../../command.ts';
import { plannedBgp } from '../bgp-plan.ts';
import { birdProbesOf } from '../bgp-probes.ts';
import { exitOf } from '../exit-code.ts';
import { askableTargets, nodeTargets, readTargets } from '../targets.ts';
import type { BgpInput } from './command.ts';
import { nodeBgpSvg } from './svg.ts';
import { nodeBgpDot, nodeBgpJson, nodeBgpText, nodeBgpYaml } from './text.ts';

interface Shown {
  readonly peerings: Peerings & Surroundings;
  /** True when no nodes were named: all are shown. */
  readonly complete: boolean;
  /** When the sessions were read, or the snapshot was saved. */
  readonly at: Date;
}

export async function run(ctx: Context, input: BgpInput): Promise<Shown> {
  const store = await ctx.datastore();
  const planned = await plannedBgp(store, ctx.world.signal);
  const at = store.capturedAt ?? ctx.world.clock.now();
  const { nodes, plan, refused = [] } = planned;
  const complete = input.nodes.length === 0;
  if (input.desired) {
    const names = nodeTargets(nodes, input.nodes).map(({ name }) => name);
    const installation = installationText(recogniseInstallation({ ...planned, states: [] }));
    return { peerings: { ...peeringsOf(plan, names, undefined, refused), notAsked: [], installation }, complete, at };
  }
  const { targets, notAsked } = askableTargets(nodes, input.nodes);
  const names = [...targets.map(({ name }) => name), ...notAsked.map(({ node }) => node)];
  const states = await readTargets(ctx, input, targets, birdProbesOf(input, plan, { withFelix: false }), nodeState);
  const status = nodeStatusList(plan, states, planned);
  const installation = installationText(recogniseInstallation({ ...planned, states }));
  return { peerings: { ...peeringsOf(plan, names, status), notAsked, installation }, complete, at };
}

export const formats = {
  table: ({ peerings }: Shown, view: View) => nodeBgpText(peerings, view),
  json: ({ peerings }: Shown) => nodeBgpJson(peerings),
  yaml: ({ peerings }: Shown) => nodeBgpYaml(peerings),
  dot: ({ peerings, complete }: Shown) => nodeBgpDot(bgpGraph(peerings, complete), peerings.asked),
  svg: ({ peerings, complete, at }: Shown) => nodeBgpSvg(bgpGraph(peerings, complete), { at, asked: peerings.asked }),
};

export const exit = ({ peerings }: Shown): number => exitOf(peerings);
