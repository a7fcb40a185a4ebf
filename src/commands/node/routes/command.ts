// calictl node routes: the kernel's routes of nodes beside those that Calico should have programmed.
import type { NodeRoutesList } from '../../../datapath/routes/node-routes.ts';
import type { Probe } from '../../../node-state/probes.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { exitOfList } from '../exit-code.ts';
import { birdFlag, transportFlags } from '../transport-flags.ts';

async function run(ctx: Context, input: Input): Promise<NodeRoutesList> {
  const [{ networkObjects }, { birdFolder, nodeTargets, readTargets }, probes, network, { nodeState }, list] =
    await Promise.all([
      import('../network-objects.ts'),
      import('../targets.ts'),
      import('../../../node-state/probes.ts'),
      import('../../../datapath/expected/read-network.ts'),
      import('../../../node-state/node-state.ts'),
      import('../../../datapath/routes/node-routes.ts'),
    ]);
  const objects = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const targets = nodeTargets(objects.nodes, input.args);
  const { routes4, routes6, links, addresses } = probes.kernelProbes;
  const probesOf = (node: string): Probe[] => [
    ...[routes4, routes6, links, addresses],
    ...([4, 6] as const).flatMap((version) => probes.birdProbes(version, birdFolder(input, node))),
  ];
  const states = await readTargets(ctx, input, targets, probesOf, nodeState);
  return list.nodeRoutesList(network.readNetwork(objects), states, input.on('all'));
}

export const nodeRoutes = defineCommand<NodeRoutesList>({
  path: ['node', 'routes'],
  summary: 'Compare the routes of nodes with those that Calico should have programmed',
  description:
    'Works out from pools, blocks, nodes and pods which routes each node must have (no encapsulation, IPIP, VXLAN, ' +
    'CrossSubnet, borrowed addresses, blackholes, own pods) and reads those of the kernel and of BIRD. Shows what is ' +
    'missing, wrong, masked or left over, and why; --all shows every route; docs/reference/datapath.md has the F numbers. A node that ' +
    'could not be asked is told as such. Exits 3 when something differs, 5 when all that answered is well and some nodes were not reached.',
  examples: [
    { command: 'calictl node routes', about: 'what differs on any node' },
    { command: 'calictl node routes node-a --all', about: 'every route of one node, with the reason for it' },
    { command: 'calictl node routes --via ssh -o json', about: 'the same over SSH, for a script' },
    { command: 'calictl node routes --datastore ./snapshot', about: 'from a snapshot' },
  ],
  args: [{ name: 'NODE', about: 'names of nodes; all when left out', variadic: true }],
  flags: [
    { name: 'all', about: 'also the routes that are as expected' },
    outputFlag('table', 'json', 'yaml'),
    ...transportFlags,
    birdFlag,
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async (list, view) => (await import('./text.ts')).nodeRoutesText(list, view),
    json: async (list) => (await import('./text.ts')).nodeRoutesJson(list),
    yaml: async (list) => (await import('./text.ts')).nodeRoutesYaml(list),
  },
  exit: exitOfList,
});
