// What calictl ipam capacity does: count the room, and with --simulate place pods in a copy in memory.
import { type Datastore, getIfAny, listAll } from '../../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { ipamStoreOf } from '../../../datastore/stored-ipam.ts';
import { compareBlockSizes } from '../../../ipam/capacity/block-size-comparison.ts';
import { capacity } from '../../../ipam/capacity/capacity.ts';
import { commonLabels, type IpamLists } from '../../../ipam/capacity/ipam-lists.ts';
import { simulate } from '../../../ipam/capacity/simulation.ts';
import { poolNamed, unknownPool } from '../../../ipam/pool/pools.ts';
import { type Cidr, parseCidr } from '../../../net/cidr.ts';
import { toV3 } from '../../../resources/convert/v3.ts';
import { blockAffinity } from '../../../resources/kinds/block-affinity.ts';
import { ipamBlock } from '../../../resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../../resources/kinds/ipam-config.ts';
import { calicoNode } from '../../../resources/kinds/node.ts';
import { exitCodes, UsageError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { namespaceLabels } from '../namespace-labels.ts';
import type { CapacityInput } from './command.ts';
import {
  type IpamCapacityShown,
  ipamCapacityJson,
  ipamCapacityText,
  ipamCapacityYaml,
  type SimulatedFamily,
} from './text.ts';
import type { Trial } from './trial.ts';

/** Everything that is counted, each kind once. Errors: those of the store; CalictlError for a block that cannot be counted. */
async function read(store: Datastore, namespace: string | undefined, signal: AbortSignal): Promise<IpamLists> {
  const ipam = ipamStoreOf(store, { signal });
  const [pools, reservations, blocks, affinities, config, stored, labels] = await Promise.all([
    ipam.pools(),
    ipam.reservations(),
    listAll(store, ipamBlock, { signal, mode: 'scan' }),
    listAll(store, blockAffinity, { signal, mode: 'scan' }),
    getIfAny(store, ipamConfig, { name: 'default' }, { signal }),
    listAll(store, calicoNode, { signal }),
    namespaceLabels(store, namespace, signal),
  ]);
  refuseMalformedBlocks(blocks);
  const nodes = stored.map((node) => ({
    name: node.metadata.name,
    labels: toV3(calicoNode, node).metadata.labels ?? {},
  }));
  return { pools, reservations, blocks, affinities, config, nodes, namespaceLabels: labels };
}

function requestedPool(name: string, { pools }: IpamLists): Cidr {
  const cidr = parseCidr(poolNamed(pools, name)?.spec.cidr ?? '');
  if (cidr === undefined) throw unknownPool(name);
  return cidr;
}

export async function run(
  ctx: Context,
  { simulate: trial, nodeLabel, namespace }: CapacityInput,
): Promise<IpamCapacityShown> {
  const lists = await read(await ctx.datastore(), namespace, ctx.world.signal);
  const given = nodeLabel.length === 0 ? undefined : Object.fromEntries(nodeLabel);
  const labels = given ?? commonLabels(lists.nodes);
  const room = capacity(lists, labels);
  if (trial === undefined) return { kind: 'IPAMCapacity', capacity: room };
  const versions = room.families.length > 0 ? room.families.map(({ ipVersion }) => ipVersion) : [4 as const];
  const families = await simulated(ctx, lists, trial, labels, versions);
  const { nodes, podsPerNode } = trial;
  return { kind: 'IPAMCapacitySimulation', nodes, podsPerNode, labels, families };
}

/** Runs the trial for each family, on copies: the store is no longer needed. */
async function simulated(
  ctx: Context,
  lists: IpamLists,
  { nodes, podsPerNode, pool, blockSize }: Trial,
  labels: Readonly<Record<string, string>>,
  enabled: readonly (4 | 6)[],
): Promise<SimulatedFamily[]> {
  const pools = pool === undefined ? [] : [requestedPool(pool, lists)];
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

export const formats = {
  table: (shown: IpamCapacityShown, view: View) => ipamCapacityText(shown, false, view),
  wide: (shown: IpamCapacityShown, view: View) => ipamCapacityText(shown, true, view),
  json: ipamCapacityJson,
  yaml: ipamCapacityYaml,
};

export function exit(shown: IpamCapacityShown): number {
  const found =
    shown.kind === 'IPAMCapacity'
      ? shown.capacity.problems.length > 0
      : shown.families.some(({ run: { firstBreak } }) => firstBreak !== undefined);
  return found ? exitCodes.findings : exitCodes.ok;
}
