// calictl node status: BIRD, Felix and BGP peers of nodes, asked all at once, judged from both ends of every session.
import type { NodeStatusList } from '../../../bgp/node-status.ts';
import { exitCodes } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { exitOfList } from '../exit-code.ts';
import { birdFlag, transportFlags } from '../transport-flags.ts';
import type { CalicoctlStatus } from './calicoctl.ts';

interface Status {
  readonly kind: 'nodes';
  readonly list: NodeStatusList;
}

async function run(ctx: Context, input: Input): Promise<Status | CalicoctlStatus> {
  if (ctx.compat) return (await import('./calicoctl.ts')).calicoctlStatus(ctx);
  const [{ plannedBgp }, { nodeTargets, readTargets }, { birdProbesOf }, { nodeState }, { nodeStatusList }] =
    await Promise.all([
      import('../bgp-plan.ts'),
      import('../targets.ts'),
      import('../bgp-probes.ts'),
      import('../../../node-state/node-state.ts'),
      import('../../../bgp/node-status.ts'),
    ]);
  const { nodes, plan, bgpNeeded } = await plannedBgp(await ctx.datastore(), ctx.world.signal);
  const targets = nodeTargets(nodes, input.args);
  const states = await readTargets(ctx, input, targets, birdProbesOf(input, plan, { withFelix: true }), nodeState);
  return { kind: 'nodes', list: nodeStatusList(plan, states, bgpNeeded) };
}

/** Only what was asked of nodes gets here: `format` sends the rest elsewhere. */
function listOf(result: Status | CalicoctlStatus): NodeStatusList {
  if (result.kind === 'nodes') return result.list;
  throw new Error('this is printed as calicoctl prints it');
}

export const nodeStatus = defineCommand<Status | CalicoctlStatus>({
  path: ['node', 'status'],
  summary: 'Show BIRD, Felix and BGP peers of nodes, and why a peer is down',
  description:
    'Asks all nodes, or those named, at the same time. A peer that is not Established is explained from what both ' +
    'say and from what Node, BGPPeer and BGPConfiguration objects ask for, with the object to change; docs/reference/bgp.md has the F numbers. A node that ' +
    'could not be asked is told as such, never as down. Exits 3 when something is wrong, 5 when all that answered is ' +
    'well and some nodes were not reached.',
  examples: [
    { command: 'calictl node status', about: 'all nodes of the cluster, through the API server' },
    { command: 'calictl node status node-a node-b -o wide', about: 'a row for each peer of two nodes' },
    { command: 'calictl node status --via ssh --ssh-user core', about: 'the same over SSH' },
    { command: 'calictl node status --datastore ./snapshot -o json', about: 'from a snapshot, for a script' },
  ],
  args: [{ name: 'NODE', about: 'names of nodes; all when left out', variadic: true, calicoctl: false }],
  flags: [outputFlag('table', 'wide', 'json', 'yaml'), ...transportFlags, birdFlag],
  calicoctl: true,
  guarded: false,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'table')),
  formats: {
    table: async (result, view) => (await import('./text.ts')).nodeStatusText(listOf(result), false, view),
    wide: async (result, view) => (await import('./text.ts')).nodeStatusText(listOf(result), true, view),
    json: async (result) => (await import('./text.ts')).nodeStatusJson(listOf(result)),
    yaml: async (result) => (await import('./text.ts')).nodeStatusYaml(listOf(result)),
    calicoctl: async (result) =>
      result.kind === 'calicoctl' ? (await import('./calicoctl-text.ts')).calicoctlNodeStatusText(result.families) : '',
  },
  exit: (result) => {
    if (result.kind === 'nodes') return exitOfList(result.list);
    return result.failure === undefined ? exitCodes.ok : exitCodes.failed;
  },
  errors: (result) => (result.kind === 'calicoctl' && result.failure !== undefined ? [result.failure] : []),
});
