// What calictl ipam affinity list does: affinities, blocks, pools and nodes as one list.
import { listAll } from '../../../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../../../datastore/malformed.ts';
import { type AffinityList, affinityList } from '../../../../ipam/affinity/affinity-list.ts';
import { blockAffinity } from '../../../../resources/kinds/block-affinity.ts';
import { ipPool } from '../../../../resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../../resources/kinds/ipam-block.ts';
import { calicoNode } from '../../../../resources/kinds/node.ts';
import type { Context, View } from '../../../command.ts';
import { unknownName } from '../../named.ts';
import type { AffinityListInput } from './command.ts';
import { affinityListJson, affinityListText, affinityListYaml } from './text.ts';

export async function run(ctx: Context, { node }: AffinityListInput): Promise<AffinityList> {
  const store = await ctx.datastore();
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
  if (list.items.length === 0) {
    if (node !== undefined && !names.has(node)) throw unknownName({ node });
    await ctx.note(node === undefined ? 'No block affinities found.' : `No block affinities found for node ${node}.`);
  }
  return list;
}

export const formats = {
  table: (list: AffinityList, view: View) => affinityListText(list, false, view),
  wide: (list: AffinityList, view: View) => affinityListText(list, true, view),
  json: affinityListJson,
  yaml: affinityListYaml,
};
