// calictl ipam capacity: what room pools and nodes have, how many more nodes and pods fit, and a trial of adding some.
import type { Datastore } from '../../../datastore/datastore.ts';
import type { IpamLists } from '../../../ipam/capacity/ipam-lists.ts';
import type { Cidr } from '../../../net/cidr.ts';
import { exitCodes, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag, pairsOf } from '../../shared-flags.ts';
import type { IpamCapacityShown, SimulatedFamily } from './text.ts';

const formatNames = ['table', 'wide', 'json', 'yaml'] as const;
const mostNodes = 2000;
const mostPodsPerNode = 1000;
const mostPods = 220_000;

/** What --simulate asks for. */
interface Trial {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly pool: string | undefined;
  readonly blockSize: number | undefined;
}

function wholeNumber(key: string, text: string, most: number): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`--simulate does not take ${key}=${text}`, `write a number from 1 to ${most}`);
}

function trialOf(text: string): Trial {
  const form = 'write it like nodes=10,pods-per-node=50; pool= and block-size= may follow';
  const given = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, key = '', value = ''] = /^([a-z-]+)=(.+)$/.exec(part) ?? [];
    const known = ['nodes', 'pods-per-node', 'pool', 'block-size'].includes(key);
    if (!known || given.has(key)) throw new UsageError(`--simulate does not take '${part}'`, form);
    given.set(key, value);
  }
  const missing = ['nodes', 'pods-per-node'].find((key) => !given.has(key));
  if (missing !== undefined) throw new UsageError(`--simulate needs ${missing}=`, form);
  const nodes = wholeNumber('nodes', given.get('nodes') as string, mostNodes);
  const podsPerNode = wholeNumber('pods-per-node', given.get('pods-per-node') as string, mostPodsPerNode);
  if (nodes * podsPerNode > mostPods) {
    throw new UsageError(
      `--simulate does not take ${nodes} nodes of ${podsPerNode} pods`,
      `ask for ${mostPods} pods at most`,
    );
  }
  const size = given.get('block-size');
  const blockSize = size === undefined ? undefined : Number(/^[0-9]{2,3}$/.test(size) ? size : 0);
  const isSize = blockSize === undefined || (blockSize >= 20 && blockSize <= 32) || blockSize >= 116;
  if (!isSize || (blockSize ?? 0) > 128) {
    throw new UsageError(
      `--simulate does not take block-size=${size}`,
      'write 20 to 32 for IPv4 pools, 116 to 128 for IPv6 pools',
    );
  }
  return { nodes, podsPerNode, pool: given.get('pool'), blockSize };
}

function labelsOf(input: Input): Record<string, string> | undefined {
  const pairs = pairsOf(input, 'node-label');
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** All that is counted, each kind once. Errors: those of the store; CalictlError for a block that cannot be counted. */
async function read(store: Datastore, signal: AbortSignal): Promise<IpamLists> {
  const [{ getIfAny, listAll }, { ipamStoreOf }, { refuseMalformedBlocks }, { toV3 }, kinds] = await Promise.all([
    import('../../../datastore/datastore.ts'),
    import('../../../datastore/stored-ipam.ts'),
    import('../../../datastore/malformed.ts'),
    import('../../../resources/convert/v3.ts'),
    Promise.all([
      import('../../../resources/kinds/ipam-block.ts'),
      import('../../../resources/kinds/block-affinity.ts'),
      import('../../../resources/kinds/ipam-config.ts'),
      import('../../../resources/kinds/node.ts'),
    ]),
  ]);
  const [{ ipamBlock }, { blockAffinity }, { ipamConfig }, { calicoNode }] = kinds;
  const ipam = ipamStoreOf(store, { signal });
  const [pools, reservations, blocks, affinities, config, stored] = await Promise.all([
    ipam.pools(),
    ipam.reservations(),
    listAll(store, ipamBlock, { signal, mode: 'scan' }),
    listAll(store, blockAffinity, { signal, mode: 'scan' }),
    getIfAny(store, ipamConfig, { name: 'default' }, { signal }),
    listAll(store, calicoNode, { signal }),
  ]);
  refuseMalformedBlocks(blocks);
  const nodes = stored.map((node) => ({
    name: node.metadata.name,
    labels: toV3(calicoNode, node).metadata.labels ?? {},
  }));
  return { pools, reservations, blocks, affinities, config, nodes };
}

async function requestedPool(name: string, { pools }: IpamLists): Promise<Cidr> {
  const [{ parseCidr }, { poolNamed, unknownPool }] = await Promise.all([
    import('../../../net/cidr.ts'),
    import('../../../ipam/pool/pools.ts'),
  ]);
  const cidr = parseCidr(poolNamed(pools, name)?.spec.cidr ?? '');
  if (cidr === undefined) throw unknownPool(name);
  return cidr;
}

async function run(ctx: Context, input: Input): Promise<IpamCapacityShown> {
  const text = input.text('simulate');
  const trial = text === undefined ? undefined : trialOf(text);
  const given = labelsOf(input);
  const store = await ctx.datastore();
  const lists = await read(store, ctx.world.signal);
  const [{ capacity }, { commonLabels }] = await Promise.all([
    import('../../../ipam/capacity/capacity.ts'),
    import('../../../ipam/capacity/ipam-lists.ts'),
  ]);
  const labels = given ?? commonLabels(lists.nodes);
  const room = capacity(lists, labels);
  if (trial === undefined) return { kind: 'IPAMCapacity', capacity: room };
  const versions = room.families.length > 0 ? room.families.map(({ ipVersion }) => ipVersion) : [4 as const];
  const families = await simulated(ctx, lists, trial, labels, versions);
  const { nodes, podsPerNode } = trial;
  return { kind: 'IPAMCapacitySimulation', nodes, podsPerNode, labels, families };
}

/** Runs the trial for each family, on copies: the store is not needed any more. */
async function simulated(
  ctx: Context,
  lists: IpamLists,
  { nodes, podsPerNode, pool, blockSize }: Trial,
  labels: Readonly<Record<string, string>>,
  enabled: readonly (4 | 6)[],
): Promise<SimulatedFamily[]> {
  const [{ simulate }, { compareBlockSizes }] = await Promise.all([
    import('../../../ipam/capacity/simulation.ts'),
    import('../../../ipam/capacity/block-size-comparison.ts'),
  ]);
  const pools = pool === undefined ? [] : [await requestedPool(pool, lists)];
  const versions = pools.length > 0 ? pools.map(({ version }) => version) : enabled;
  const asked = blockSize === undefined ? versions : versions.filter((version) => (version === 4) === blockSize <= 32);
  if (asked.length === 0) {
    throw new UsageError(
      `no pool of these pods can have blocks of /${blockSize}`,
      'IPv4 blocks are /20 to /32, IPv6 blocks /116 to /128',
    );
  }
  const { clock, signal } = ctx.world;
  const pause = async (): Promise<void> => {
    await clock.sleep(0, signal);
    signal.throwIfAborted();
  };
  const families: SimulatedFamily[] = [];
  for (const ipVersion of asked) {
    const plan = { ipVersion, nodes, podsPerNode, labels, pools };
    ctx.progress(`placing ${nodes * podsPerNode} IPv${ipVersion} pods`);
    const done = await simulate(lists, plan, pause);
    ctx.progress(`placing ${nodes * podsPerNode} IPv${ipVersion} pods in blocks of other sizes`);
    families.push({ ipVersion, run: done, blockSizes: await compareBlockSizes(lists, plan, blockSize, pause) });
  }
  return families;
}

export const ipamCapacity = defineCommand<IpamCapacityShown>({
  path: ['ipam', 'capacity'],
  summary: 'Tell how many more nodes and pods fit, and what is in the way',
  description:
    'Per pool and per node: free addresses and blocks, block limits, borrowed and stranded addresses. --simulate adds ' +
    'nodes with pods to a copy in memory and lets the allocator place them. Nothing is ever written to the datastore. ' +
    'Exits 3 when a pool or a node has no room left, or the simulation breaks.',
  examples: [
    { command: 'calictl ipam capacity', about: 'the room of each pool, and what fits' },
    { command: 'calictl ipam capacity -o wide', about: 'the same with all nodes' },
    {
      command: 'calictl ipam capacity --simulate nodes=20,pods-per-node=110',
      about: 'where it would break, and what other block sizes would give',
    },
    {
      command: 'calictl ipam capacity --simulate nodes=5,pods-per-node=30,pool=pool-b --node-label zone=b',
      about: 'nodes with this label, pods that ask for this pool',
    },
  ],
  args: [],
  flags: [
    {
      name: 'simulate',
      value: 'nodes=N,pods-per-node=M',
      about: 'place so many pods on so many new nodes, in memory; also pool=POOL and block-size=LENGTH',
    },
    {
      name: 'node-label',
      value: 'KEY=VALUE',
      about: 'a label of the new nodes; when none is given: those that all nodes have',
      repeatable: true,
    },
    outputFlag(...formatNames),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async (shown, view) => (await import('./text.ts')).ipamCapacityText(shown, false, view),
    wide: async (shown, view) => (await import('./text.ts')).ipamCapacityText(shown, true, view),
    json: async (shown) => (await import('./text.ts')).ipamCapacityJson(shown),
    yaml: async (shown) => (await import('./text.ts')).ipamCapacityYaml(shown),
  },
  exit: (shown) => {
    const found =
      shown.kind === 'IPAMCapacity'
        ? shown.capacity.problems.length > 0
        : shown.families.some(({ run: { firstBreak } }) => firstBreak !== undefined);
    return found ? exitCodes.findings : exitCodes.ok;
  },
});
