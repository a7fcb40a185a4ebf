// What calictl ipam show does: one function for each question that the flags ask.
import { type Datastore, getIfAny, listAll } from '../../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { poolNamed, unknownPool } from '../../../ipam/pool/pools.ts';
import { addressFacts, type Place } from '../../../ipam/show/address-facts.ts';
import { type AddressMap, addressMap, type MapFilter } from '../../../ipam/show/address-map.ts';
import { utilization } from '../../../ipam/show/utilization.ts';
import {
  type AddressList,
  type AddressShown,
  addressesWhere,
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
import { namedIn, refuseUnknown } from '../named.ts';
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
  return configurationShown(await getIfAny(store, ipamConfig, { name: 'default' }, { signal }), store.calicoApi);
}

interface Ranged<Item> {
  readonly item: Item;
  readonly cidr: Cidr | undefined;
}

const ranged = <Item extends IPPool | IPAMBlock>(items: readonly Item[]): Ranged<Item>[] =>
  items.map((item) => ({ item, cidr: parseCidr(item.spec.cidr) }));

const covering = <Item>(list: readonly Ranged<Item>[], ip: IpAddress): Item[] =>
  list.flatMap(({ cidr, item }) => (cidr !== undefined && cidrContains(cidr, ip) ? [item] : []));

/** Looks up each address and shows it with `show`, in the order given. */
export function whoHas(
  addresses: readonly string[],
  { pools, blocks }: Lists,
  show: (place: Place) => AddressShown,
): AddressList {
  const [poolRanges, blockRanges] = [ranged(pools), ranged(blocks)];
  const items = addresses.map((address) => {
    const ip = parseIp(address);
    if (ip === undefined) return { address, allocated: false };
    return show({ ip, pool: covering(poolRanges, ip)[0], blocks: covering(blockRanges, ip) });
  });
  return { kind: 'IPAMAddressList', items };
}

async function lookUp(addresses: readonly string[], store: Datastore, signal: AbortSignal): Promise<AddressList> {
  const [lists, reservations] = await Promise.all([
    readLists(store, signal),
    listAll(store, ipReservation, { signal }),
  ]);
  return whoHas(addresses, lists, (place) => addressFacts(place, reservations));
}

/** Addresses recorded for a node or a pod. Errors: NOT_FOUND when there are none and the node or pod does not exist. */
async function heldBy(ctx: Context, input: ShowInput, store: Datastore): Promise<AddressList> {
  const { node, pod } = input;
  const { pools, blocks } = await readLists(store, ctx.world.signal);
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
  if (found.items.length === 0) {
    await refuseUnknown(ctx, store, input);
    await ctx.note(`No addresses are allocated for ${namedIn(input)}.`);
  }
  return found;
}

/** Which blocks of the map are selected. Errors: CalictlError for a pool that does not exist. */
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
  const [poolRanges, blockRanges] = [ranged(pools), ranged(blocks)];
  const outside = input.ip.filter((address) => {
    const ip = parseIp(address);
    return ip !== undefined && covering(blockRanges, ip).length === 0;
  });
  for (const address of outside) {
    const ip = parseIp(address);
    const pool = ip && covering(poolRanges, ip)[0];
    const where = pool === undefined ? 'it is outside of every pool' : `it is free in pool ${pool.metadata.name}`;
    await ctx.note(`No block contains ${address}: ${where}.`);
  }
  if (map.legend.length === 0) {
    // Another flag may have left its blocks out.
    const named = mapFilter({ ...input, pool: [], ip: [] }, pools);
    if (addressMap(pools, blocks, [], named).legend.length === 0) await refuseUnknown(ctx, store, input);
    if (outside.length === 0) await ctx.note(noBlocks(input));
  }
  return map;
}

/** Why the map is empty. */
function noBlocks(input: ShowInput): string {
  const asked = [
    ...(input.node === undefined && input.pod === undefined ? [] : [namedIn(input)]),
    ...input.pool.map((name) => `pool ${name}`),
    ...input.ip,
  ];
  return asked.length === 0 ? 'No blocks found.' : `No blocks found for ${asked.join(' and ')}.`;
}

export async function run(ctx: Context, input: ShowInput): Promise<Shown> {
  if (isPicture(input.output) && !input.map) {
    throw new UsageError(`-o ${input.output} requires --map`, 'add --map');
  }
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  if (input.map) return mapOf(ctx, input, store);
  if (input.showConfiguration) return configurationOf(store, signal);
  if (input.showBorrowed) return borrowedList((await readLists(store, signal)).blocks);
  if (input.ip.length > 0) return lookUp(input.ip, store, signal);
  if (input.node !== undefined || input.pod !== undefined) return heldBy(ctx, input, store);
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
