// calictl node verify: the data path of nodes, or of one pod on its node, fact by fact.
import type { Network, Workload } from '../../../datapath/expected/network.ts';
import type { NodeFactsList } from '../../../datapath/verify/node-facts.ts';
import type { Probe } from '../../../node-state/probes.ts';
import { CalictlError, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag, type PodName, podOf } from '../../shared-flags.ts';
import { exitOfList } from '../exit-code.ts';
import { birdFlag, transportFlags } from '../transport-flags.ts';

interface Verified {
  readonly list: NodeFactsList;
  readonly all: boolean;
}

function workloadOf(network: Network, { namespace, name }: PodName): Workload {
  for (const workloads of network.workloads.values()) {
    const found = workloads.find((one) => one.namespace === namespace && one.name === name);
    if (found !== undefined) return found;
  }
  throw new CalictlError(`there is no pod ${namespace}/${name} with a network of its own on a node`, {
    code: 'NO_POD',
    hint: 'See calictl get workloadendpoints -A.',
  });
}

async function run(ctx: Context, input: Input): Promise<Verified> {
  const pod = podOf(input);
  if (pod !== undefined && input.args.length > 0) {
    throw new UsageError('--pod and names of nodes cannot be used together', 'the node of a pod is known');
  }
  const [{ networkObjects }, { birdFolder, nodeTargets, readTargets }, probes, { readNetwork }, facts] =
    await Promise.all([
      import('../network-objects.ts'),
      import('../targets.ts'),
      import('../../../node-state/probes.ts'),
      import('../../../datapath/expected/read-network.ts'),
      import('../../../datapath/verify/node-facts.ts'),
    ]);
  const objects = await networkObjects(await ctx.datastore(), ctx.world.signal);
  const network = readNetwork(objects);
  const workload = pod === undefined ? undefined : workloadOf(network, pod);
  const targets = nodeTargets(objects.nodes, workload === undefined ? input.args : [workload.node]);
  // Felix's own tables are not judged here, and are large.
  const { nft: _, ...wanted } = probes.kernelProbes;
  const probesOf = (node: string): Probe[] => [
    ...Object.values(wanted),
    ...([4, 6] as const).flatMap((version) => probes.birdProbes(version, birdFolder(input, node))),
  ];
  const read = await readTargets(ctx, input, targets, probesOf, facts.readNode);
  const all = input.on('all');
  return { list: facts.nodeFactsList(network, read, { pod: workload, all }), all };
}

export const nodeVerify = defineCommand<Verified>({
  path: ['node', 'verify'],
  summary: 'Verify the data path of nodes or of a pod: interfaces, settings, tunnels, routes, packet filters',
  description:
    'Looks at everything that packets of pods need on a node and says of each fact what is expected and what was ' +
    'seen: the host end of each pod, proxy_arp and forwarding, the way to 169.254.1.1, tunnel devices with their ' +
    'neighbours and forwarding entries, routes, rules, MTUs, packet filters. What could not be seen is told as not ' +
    'observed, never as right. Shows what is wrong or was not observed; --all shows everything; docs/reference/datapath.md has the F numbers. Exits 3 when ' +
    'something is wrong, 5 when all that answered is well and some nodes were not reached.',
  examples: [
    { command: 'calictl node verify', about: 'all nodes' },
    { command: 'calictl node verify node-a --all', about: 'every fact of one node' },
    { command: 'calictl node verify --pod shop/cart-0', about: 'one pod, and what its node must do for it' },
    { command: 'calictl node verify --via local node-a -o json', about: 'this machine, for a script' },
  ],
  args: [{ name: 'NODE', about: 'names of nodes; all when left out', variadic: true }],
  flags: [
    { name: 'pod', value: 'NAMESPACE/NAME', about: 'one pod, on the node that it runs on' },
    { name: 'all', about: 'also the facts that are right' },
    outputFlag('table', 'json', 'yaml'),
    ...transportFlags,
    birdFlag,
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async ({ list, all }, view) => (await import('./text.ts')).nodeVerifyText(list, all, view),
    json: async ({ list }) => (await import('./text.ts')).nodeVerifyJson(list),
    yaml: async ({ list }) => (await import('./text.ts')).nodeVerifyYaml(list),
  },
  exit: ({ list }) => exitOfList(list),
});
