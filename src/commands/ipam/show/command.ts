// calictl ipam show: how full pools and blocks are, who has an address, what is borrowed, the map, the configuration.
import { getIfAny, listAll } from '../../../datastore/datastore.ts';
import type { AddressMap, MapFilter } from '../../../ipam/show/address-map.ts';
import type { IpamShown } from '../../../ipam/show/views.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { IPPool } from '../../../resources/kinds/ip-pool.ts';
import { exitCodes, invalidIp, StdoutFailure, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { nodeOf, outputFlag, type PodName, podOf } from '../../shared-flags.ts';

type Shown = IpamShown | AddressMap;

const formatNames = ['table', 'json', 'yaml', 'csv', 'svg', 'html'] as const;
const isPicture = (format: string): boolean => format === 'svg' || format === 'html';

/** Exactly one thing can be asked for at a time; the map takes the others that name something as its filter. */
function questionOf(input: Input): string {
  const named = ['ip', 'node', 'pod'].filter((flag) => input.texts(flag).length > 0);
  const asked = ['map', 'show-blocks', 'show-borrowed', 'show-configuration'].filter((flag) => input.on(flag));
  if (!input.on('map')) {
    asked.unshift(...named);
    if (input.texts('pool').length > 0) throw new UsageError('--pool goes with --map', 'add --map');
  }
  if (asked.length > 1)
    throw new UsageError(`--${asked[0]} and --${asked[1]} cannot be used together`, 'ask for one at a time');
  return asked[0] ?? 'usage';
}

/** Which blocks of the map are asked for. Errors: CalictlError for a pool that is not there. */
async function filterOf(
  input: Input,
  pools: readonly IPPool[],
  addresses: readonly IpAddress[],
  pod: PodName | undefined,
): Promise<MapFilter> {
  const { poolNamed, unknownPool } = await import('../../../ipam/pool/pools.ts');
  const named = input.texts('pool').map((text) => {
    const pool = poolNamed(pools, text);
    if (pool === undefined) throw unknownPool(text);
    return pool.metadata.name;
  });
  const node = input.text('node');
  return {
    ...(named.length === 0 ? {} : { pools: named }),
    ...(node === undefined ? {} : { node }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(pod === undefined ? {} : { pod }),
  };
}

async function run(ctx: Context, input: Input): Promise<Shown> {
  const question = questionOf(input);
  const [net, { formatIp, parseIp }, shown, { utilization }, pools, blocks, reservations, configs] = await Promise.all([
    import('../../../net/cidr.ts'),
    import('../../../net/ip.ts'),
    import('../../../ipam/show/views.ts'),
    import('../../../ipam/show/utilization.ts'),
    import('../../../resources/kinds/ip-pool.ts'),
    import('../../../resources/kinds/ipam-block.ts'),
    import('../../../resources/kinds/ip-reservation.ts'),
    import('../../../resources/kinds/ipam-config.ts'),
  ]);
  const addresses = input.texts('ip').map((text) => {
    const ip = parseIp(text);
    if (ip !== undefined) return ip;
    if (ctx.compat) throw new StdoutFailure(`Error executing command: invalid IP address specified: ${text}`);
    throw invalidIp(text);
  });
  const pod = podOf(input);
  const node = nodeOf(input);

  const store = await ctx.datastore();
  const { signal } = ctx.world;
  if (question === 'show-configuration') {
    return shown.configurationShown(await getIfAny(store, configs.ipamConfig, { name: 'default' }, { signal }));
  }
  const [allPools, allBlocks] = await Promise.all([
    listAll(store, pools.ipPool, { signal }),
    listAll(store, blocks.ipamBlock, { signal }),
  ]);
  const { refuseMalformedBlocks } = await import('../../../datastore/malformed.ts');
  refuseMalformedBlocks(allBlocks);
  if (question === 'show-borrowed') return shown.borrowedList(allBlocks);
  if (question === 'map') {
    const [reserved, { addressMap }] = await Promise.all([
      listAll(store, reservations.ipReservation, { signal }),
      import('../../../ipam/show/address-map.ts'),
    ]);
    const map = addressMap(allPools, allBlocks, reserved, await filterOf(input, allPools, addresses, pod));
    if (map.legend.length === 0 && ctx.world.io.stderr.isTerminal) await ctx.note('there are no blocks to show');
    return map;
  }
  if (question === 'usage' || question === 'show-blocks') {
    const reserved = await listAll(store, reservations.ipReservation, { signal });
    return { kind: 'IPAMUsage', usage: utilization(allPools, allBlocks, reserved), withBlocks: question !== 'usage' };
  }

  const poolCidrs = allPools.map((pool) => ({ pool, cidr: net.parseCidr(pool.spec.cidr) }));
  const blockCidrs = allBlocks.map((block) => ({ block, cidr: net.parseCidr(block.spec.cidr) }));
  if (question === 'ip') {
    const items = addresses.map((ip) => {
      const pool = poolCidrs.find(({ cidr }) => cidr !== undefined && net.cidrContains(cidr, ip))?.pool;
      const block = blockCidrs.find(({ cidr }) => cidr !== undefined && net.cidrContains(cidr, ip))?.block;
      const found = block === undefined ? undefined : shown.addressIn(block, ip, pool);
      // calicoctl looks in enabled pools only, and calls everything else not assigned.
      const visible = !ctx.compat || (pool !== undefined && pool.spec.disabled !== true);
      return found !== undefined && visible ? found : { address: formatIp(ip), allocated: false };
    });
    return { kind: 'IPAMAddressList', items };
  }
  const found = shown.addressesWhere(
    allBlocks,
    (block) => {
      const cidr = net.parseCidr(block.spec.cidr);
      const covering = poolCidrs.find((entry) => entry.cidr && cidr && net.cidrsOverlap(entry.cidr, cidr));
      return covering?.pool;
    },
    (attributes) =>
      question === 'node'
        ? attributes['node'] === node
        : attributes['namespace'] === pod?.namespace && attributes['pod'] === pod?.name,
  );
  if (found.items.length === 0 && ctx.world.io.stderr.isTerminal)
    await ctx.note(`nothing is allocated for ${question} ${input.text(question)}`);
  return found;
}

const isMap = (shown: Shown): shown is AddressMap => shown.kind === 'IPAMAddressMap';

/** Only maps get here: `format` refuses the rest. */
function mapOf(shown: Shown): AddressMap {
  if (isMap(shown)) return shown;
  throw new Error('only a map can be drawn');
}

export const ipamShow = defineCommand<Shown>({
  path: ['ipam', 'show'],
  summary: 'Show how full pools and blocks are, or who has an address',
  description:
    'Without flags: one row a pool. --show-blocks adds the blocks. --ip, --node and --pod list addresses with their ' +
    'owners. --map draws every address of every block; with it --pool, --ip, --node and --pod say which blocks, and ' +
    '-o svg and -o html make a picture. Nothing is written, not even by --show-configuration.',
  examples: [
    { command: 'calictl ipam show', about: 'usage of each pool' },
    { command: 'calictl ipam show --show-blocks -o json', about: 'usage of pools and blocks for a script' },
    { command: 'calictl ipam show --ip 10.60.0.1 --ip 10.60.0.2', about: 'who has these addresses' },
    { command: 'calictl ipam show --pod shop/cart-0', about: 'the addresses that a pod holds' },
    { command: 'calictl ipam show --map', about: 'one character an address, coloured by node' },
    { command: 'calictl ipam show --map -o html > map.html', about: 'the same as a page for a browser' },
  ],
  args: [],
  flags: [
    { name: 'ip', value: 'IP', about: 'an address to look up', repeatable: true, calicoctl: true },
    { name: 'node', value: 'NODE', about: 'all addresses allocated for a node' },
    { name: 'pod', value: 'NAMESPACE/NAME', about: 'all addresses allocated for a pod' },
    { name: 'show-blocks', about: 'a row for each block below its pool', calicoctl: true },
    { name: 'show-borrowed', about: 'addresses used by a node that does not own their block', calicoctl: true },
    { name: 'map', about: 'every address of the blocks, one character each' },
    { name: 'pool', value: 'POOL', about: 'with --map: blocks of this pool (name or CIDR)', repeatable: true },
    { name: 'show-configuration', about: 'the IPAM configuration in force', calicoctl: true },
    outputFlag(...formatNames),
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => {
    if (compat) return 'calicoctl';
    const format = input.text('output') ?? 'table';
    if (isPicture(format) && !input.on('map'))
      throw new UsageError(`-o ${format} is a picture of the map`, 'add --map');
    return format;
  },
  formats: {
    table: async (shown, view) =>
      isMap(shown)
        ? (await import('./map-text.ts')).ipamMapText(shown, view)
        : (await import('./text.ts')).ipamShowText(shown, false),
    calicoctl: async (shown) => (isMap(shown) ? '' : (await import('./text.ts')).ipamShowText(shown, true)),
    json: async (shown) =>
      isMap(shown)
        ? (await import('./map-data.ts')).ipamMapJson(shown)
        : (await import('./text.ts')).ipamShowJson(shown),
    yaml: async (shown) =>
      isMap(shown)
        ? (await import('./map-data.ts')).ipamMapYaml(shown)
        : (await import('./text.ts')).ipamShowYaml(shown),
    csv: async (shown) =>
      isMap(shown) ? (await import('./map-data.ts')).ipamMapCsv(shown) : (await import('./text.ts')).ipamShowCsv(shown),
    svg: async (shown) => (await import('./map-svg.ts')).ipamMapSvg(mapOf(shown)),
    html: async (shown) => (await import('./map-svg.ts')).ipamMapHtml(mapOf(shown)),
  },
  exit: () => exitCodes.ok,
});
