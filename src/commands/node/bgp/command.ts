// calictl node bgp: who should peer with whom by the resources, and what became of it on the nodes.
import type { Peerings } from '../../../bgp/peerings.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { exitOf } from '../exit-code.ts';
import { birdFlag, transportFlags } from '../transport-flags.ts';

interface Shown {
  readonly peerings: Peerings;
  /** All nodes were looked at. */
  readonly complete: boolean;
}

async function run(ctx: Context, input: Input): Promise<Shown> {
  const [{ plannedBgp }, { nodeTargets, readTargets }, { birdProbesOf }, { peeringsOf }] = await Promise.all([
    import('../bgp-plan.ts'),
    import('../targets.ts'),
    import('../bgp-probes.ts'),
    import('../../../bgp/peerings.ts'),
  ]);
  const { nodes, plan, bgpNeeded } = await plannedBgp(await ctx.datastore(), ctx.world.signal);
  const targets = nodeTargets(nodes, input.args);
  const names = targets.map(({ name }) => name);
  const complete = input.args.length === 0;
  if (input.on('desired')) return { peerings: peeringsOf(plan, names, undefined), complete };
  const [{ nodeState }, { nodeStatusList }] = await Promise.all([
    import('../../../node-state/node-state.ts'),
    import('../../../bgp/node-status.ts'),
  ]);
  const states = await readTargets(ctx, input, targets, birdProbesOf(input, plan, { withFelix: false }), nodeState);
  const status = nodeStatusList(plan, states, bgpNeeded);
  return { peerings: peeringsOf(plan, names, status), complete };
}

export const nodeBgp = defineCommand<Shown>({
  path: ['node', 'bgp'],
  summary: 'Show who should peer with whom over BGP, and what became of it',
  description:
    'One row for each session that Node, BGPPeer and BGPConfiguration objects ask for or that a BIRD has: which object ' +
    'wants it, and its state. -o dot and -o svg draw all sessions; lines differ by colour and by dashes. --desired asks ' +
    'no node. Exits as node status does.',
  examples: [
    { command: 'calictl node bgp', about: 'all sessions of the cluster' },
    { command: 'calictl node bgp node-a', about: 'those of one node' },
    { command: 'calictl node bgp --desired', about: 'what the objects ask for; no node is asked' },
    { command: 'calictl node bgp -o svg > bgp.svg', about: 'a picture for a browser' },
  ],
  args: [{ name: 'NODE', about: 'names of nodes; all when left out', variadic: true }],
  flags: [
    { name: 'desired', about: 'only what the objects ask for: no node is asked' },
    outputFlag('table', 'json', 'yaml', 'dot', 'svg'),
    ...transportFlags,
    birdFlag,
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async ({ peerings }, view) => (await import('./text.ts')).nodeBgpText(peerings, view),
    json: async ({ peerings }) => (await import('./text.ts')).nodeBgpJson(peerings),
    yaml: async ({ peerings }) => (await import('./text.ts')).nodeBgpYaml(peerings),
    dot: async ({ peerings, complete }) => {
      const [{ bgpGraph }, { nodeBgpDot }] = await Promise.all([
        import('../../../bgp/peerings.ts'),
        import('./text.ts'),
      ]);
      return nodeBgpDot(bgpGraph(peerings, complete));
    },
    svg: async ({ peerings, complete }) => {
      const [{ bgpGraph }, { nodeBgpSvg }] = await Promise.all([
        import('../../../bgp/peerings.ts'),
        import('./svg.ts'),
      ]);
      return nodeBgpSvg(bgpGraph(peerings, complete));
    },
  },
  exit: ({ peerings }) => exitOf(peerings),
});
