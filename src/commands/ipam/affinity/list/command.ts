// calictl ipam affinity list: which node claims which blocks, how full they are, and what is wrong with the claim.
import { listAll } from '../../../../datastore/datastore.ts';
import type { AffinityList } from '../../../../ipam/affinity/affinity-list.ts';
import { exitCodes } from '../../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../../command.ts';
import { nodeOf, outputFlag } from '../../../shared-flags.ts';

async function run(ctx: Context, input: Input): Promise<AffinityList> {
  const node = nodeOf(input);
  const store = await ctx.datastore();
  const [{ blockAffinity }, { ipamBlock }, { ipPool }, { calicoNode }, { affinityList }, { refuseMalformedBlocks }] =
    await Promise.all([
      import('../../../../resources/kinds/block-affinity.ts'),
      import('../../../../resources/kinds/ipam-block.ts'),
      import('../../../../resources/kinds/ip-pool.ts'),
      import('../../../../resources/kinds/node.ts'),
      import('../../../../ipam/affinity/affinity-list.ts'),
      import('../../../../datastore/malformed.ts'),
    ]);
  const { signal } = ctx.world;
  const [affinities, blocks, pools, nodes] = await Promise.all([
    listAll(store, blockAffinity, { signal }),
    listAll(store, ipamBlock, { signal }),
    listAll(store, ipPool, { signal }),
    listAll(store, calicoNode, { signal, mode: 'scan' }),
  ]);
  refuseMalformedBlocks(blocks);
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const list = affinityList({ affinities, blocks, pools, nodes: names }, node);
  if (list.items.length === 0 && ctx.world.io.stderr.isTerminal) {
    await ctx.note(node === undefined ? 'nobody claims a block' : `${node} claims no block`);
  }
  return list;
}

export const ipamAffinityList = defineCommand<AffinityList>({
  path: ['ipam', 'affinity', 'list'],
  summary: 'Show which node claims which blocks',
  description:
    'One row a claim: the block, the pool it lies in, how full it is, and what is wrong, if anything. A block that ' +
    'names an owner whose affinity is missing has a row too.',
  examples: [
    { command: 'calictl ipam affinity list', about: 'all claims' },
    { command: 'calictl ipam affinity list --node node-a -o wide', about: 'those of one node, with object names' },
    { command: 'calictl ipam affinity list -o json', about: 'the same for a script' },
  ],
  args: [],
  flags: [
    { name: 'node', value: 'NODE', about: 'only claims of this node' },
    outputFlag('table', 'wide', 'json', 'yaml'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async (list, view) => (await import('./text.ts')).affinityListText(list, false, view),
    wide: async (list, view) => (await import('./text.ts')).affinityListText(list, true, view),
    json: async (list) => (await import('./text.ts')).affinityListJson(list),
    yaml: async (list) => (await import('./text.ts')).affinityListYaml(list),
  },
  exit: () => exitCodes.ok,
});
