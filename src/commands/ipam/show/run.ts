// What calictl ipam show does: one function for each question that the flags ask.
import { type Datastore, getIfAny, listAll } from '../../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { poolNamed, unknownPool } from '../../../ipam/pool/pools.ts';
import { type AddressMap, addressMap, type MapFilter } from '../../../ipam/show/address-map.ts';
import { utilization } from '../../../ipam/show/utilization.ts';
import {
  type AddressList,
  addressesWhere,
  addressIn,
  borrowedList,
  configurationShown,
  type IpamShown,
} from '../../../ipam/show/views.ts';
import { type Cidr, cidrContains, cidrsOverlap, parseCidr } from '../../../net/cidr.ts';
import { type IpAddress, parseIp } from '../../../net/ip.ts';
import { type IPPool, ipPool } from '../../../resources/kinds/ip-pool.ts';
import { ipReservation } from '../../../resources/kinds/ip-reservation.ts';
import { type IPAMBlock, ipamBlock } from '../../../resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../../resources/kinds/ipam-config.ts';
import { UsageError } from '../../../world/errors.ts';
import type { Context, Rendered, View } from '../../command.ts';
import type { ShowInput } from './command.ts';
import { ipamMapCsv, ipamMapJson, ipamMapYaml } from './map-data.ts';
import { ipamMapHtml, ipamMapSvg } from './map-svg.ts';
import { ipamMapText } from './map-text.ts';
import { ipamShowCsv, ipamShowJson, ipamShowText, ipamShowYaml } from './text.ts';

type Shown = IpamShown | AddressMap;

interface Lists {
  readonly pools: readonly IPPool[];
  readonly blocks: readonly IPAMBlock[];
}

/** Pools and blocks. Errors: those of the store; CalictlError for a block that cannot be counted. */
export async function readLists(store: Datastore, signal: AbortSignal): Promise<Lists> {
  const [pools, blocks] = await Promise.all([
    listAll(store, ipPool, { signal }),
    listAll(store, ipamBlock, { signal }),
  ]);
  refuseMalformedBlocks(blocks);
  return { pools, blocks };
}

/** How full pools and blocks are. */
export async function usageOf(store: Datastore, signal: AbortSignal, withBlocks: boolean): Promise<IpamShown> {
  const [{ pools, blocks }, reservations] = await Promise.all([
    readLists(store, signal),
    listAll(store, ipReservation, { signal }),
  ]);
  return { kind: 'IPAMUsage', usage: utilization(pools, blocks, reservations), withBlocks };
}

export async function configurationOf(store: Datastore, signal: AbortSignal): Promise<IpamShown> {
  return configurationShown(await getIfAny(store, ipamConfig, { name: 'default' }, { signal }));
}

interface Ranged<Item> {
  readonly item: Item;
  readonly cidr: Cidr | undefined;
}

const ranged = <Item extends IPPool | IPAMBlock>(items: readonly Item[]): Ranged<Item>[] =>
  items.map((item) => ({ item, cidr: parseCidr(item.spec.cidr) }));

const covering = <Item>(list: readonly Ranged<Item>[], ip: IpAddress): Item | undefined =>
  list.find(({ cidr }) => cidr !== undefined && cidrContains(cidr, ip))?.item;

/** Who has each address; `isVisible` decides by the pool that covers it whether its block is looked at. */
export function whoHas(
  addresses: readonly string[],
  { pools, blocks }: Lists,
  isVisible: (pool: IPPool | undefined) => boolean,
): AddressList {
  const [poolRanges, blockRanges] = [ranged(pools), ranged(blocks)];
  const items = addresses.map((address) => {
    const ip = parseIp(address);
    const pool = ip && covering(poolRanges, ip);
    const block = ip && covering(blockRanges, ip);
    return ip && block && isVisible(pool) ? addressIn(block, ip, pool) : { address, allocated: false };
  });
  return { kind: 'IPAMAddressList', items };
}

/** Addresses recorded for a node or a pod. */
async function heldBy(ctx: Context, { node, pod }: ShowInput, { pools, blocks }: Lists): Promise<AddressList> {
  const poolRanges = ranged(pools);
  const found = addressesWhere(
    blocks,
    (block) => {
      const cidr = parseCidr(block.spec.cidr);
      return poolRanges.find((entry) => entry.cidr && cidr && cidrsOverlap(entry.cidr, cidr))?.item;
    },
    (attributes) =>
      pod === undefined
        ? attributes['node'] === node
        : attributes['namespace'] === pod.namespace && attributes['pod'] === pod.name,
  );
  if (found.items.length === 0 && ctx.world.io.stderr.isTerminal) {
    await ctx.note(`No addresses are allocated for ${pod ? `pod ${pod.namespace}/${pod.name}` : `node ${node}`}.`);
  }
  return found;
}

/** Which blocks of the map are asked for. Errors: CalictlError for a pool that does not exist. */
function mapFilter({ pool, node, ip, pod }: ShowInput, pools: readonly IPPool[]): MapFilter {
  const named = pool.map((text) => {
    const found = poolNamed(pools, text);
    if (found === undefined) throw unknownPool(text);
    return found.metadata.name;
  });
  const addresses = ip.flatMap((text) => parseIp(text) ?? []);
  return {
    ...(named.length === 0 ? {} : { pools: named }),
    ...(node === undefined ? {} : { node }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(pod === undefined ? {} : { pod }),
  };
}

async function mapOf(ctx: Context, input: ShowInput, store: Datastore): Promise<AddressMap> {
  const { signal } = ctx.world;
  const [{ pools, blocks }, reservations] = await Promise.all([
    readLists(store, signal),
    listAll(store, ipReservation, { signal }),
  ]);
  const map = addressMap(pools, blocks, reservations, mapFilter(input, pools));
  if (map.legend.length === 0 && ctx.world.io.stderr.isTerminal) await ctx.note('No blocks found.');
  return map;
}

export async function run(ctx: Context, input: ShowInput): Promise<Shown> {
  if (isPicture(input.output) && !input.map) {
    throw new UsageError(`-o ${input.output} is a picture of the map`, 'add --map');
  }
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  if (input.map) return mapOf(ctx, input, store);
  if (input.showConfiguration) return configurationOf(store, signal);
  if (input.showBorrowed) return borrowedList((await readLists(store, signal)).blocks);
  if (input.ip.length > 0) return whoHas(input.ip, await readLists(store, signal), () => true);
  if (input.node !== undefined || input.pod !== undefined) return heldBy(ctx, input, await readLists(store, signal));
  return usageOf(store, signal, input.showBlocks);
}

const isPicture = (format: string): boolean => format === 'svg' || format === 'html';
const isMap = (shown: Shown): shown is AddressMap => shown.kind === 'IPAMAddressMap';

/** A renderer for maps and one for everything else. */
const either =
  (map: (shown: AddressMap, view: View) => Rendered, other: (shown: IpamShown) => string) =>
  (shown: Shown, view: View): Rendered =>
    isMap(shown) ? map(shown, view) : other(shown);

/** `run` lets only maps be drawn. */
const drawn = (draw: (map: AddressMap) => Rendered) => either(draw, () => '');

export const formats = {
  table: either(ipamMapText, ipamShowText),
  json: either(ipamMapJson, ipamShowJson),
  yaml: either(ipamMapYaml, ipamShowYaml),
  csv: either(ipamMapCsv, ipamShowCsv),
  svg: drawn(ipamMapSvg),
  html: drawn(ipamMapHtml),
};
