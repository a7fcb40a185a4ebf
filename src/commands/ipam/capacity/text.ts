// What `ipam capacity` prints: space by pool and family, nodes in trouble, a simulation and its comparison.
import type { SizedRun } from '../../../ipam/capacity/block-size-comparison.ts';
import {
  type Capacity,
  type CapacityProblem,
  type FamilyCapacity,
  isForPods,
} from '../../../ipam/capacity/capacity.ts';
import type { NodeCapacity } from '../../../ipam/capacity/capacity-nodes.ts';
import type { PoolCapacity } from '../../../ipam/capacity/capacity-pools.ts';
import type { SimulationRun } from '../../../ipam/capacity/simulation.ts';
import { moreInWide } from '../../../output/findings.ts';
import { jsonCount, jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import type { TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { goFiveDigits } from '../../../text/go-number.ts';
import { plural } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';

export interface SimulatedFamily {
  readonly ipVersion: 4 | 6;
  readonly run: SimulationRun;
  /** The present sizes first; none when there is no pool to compare. */
  readonly blockSizes: readonly SizedRun[];
}

export type IpamCapacityShown =
  | { readonly kind: 'IPAMCapacity'; readonly capacity: Capacity }
  | {
      readonly kind: 'IPAMCapacitySimulation';
      readonly nodes: number;
      readonly podsPerNode: number;
      readonly labels: Readonly<Record<string, string>>;
      readonly families: readonly SimulatedFamily[];
    };

const mostProblems = 20;

/** For people: numbers that are too long to read, in five digits. */
const shown = (value: bigint | number): string => (value > 10n ** 12n ? goFiveDigits(Number(value)) : String(value));

const counted = (value: bigint | number, one: string): string =>
  `${shown(value)} ${value === 1n || value === 1 ? one : plural(one)}`;

function modeText(pool: PoolCapacity): string {
  if (pool.mode !== 'automatic' || isForPods(pool)) return pool.mode;
  return pool.allowedUses.join(', ');
}

function poolTable(pools: readonly PoolCapacity[], wide: boolean, columns: number): string {
  if (!wide) {
    const headings = ['POOL', 'MODE', 'NODES', 'FREE', 'FREE BLOCKS', 'FREE IN BLOCKS'];
    const rows = pools.map((pool) => [
      pool.name,
      modeText(pool),
      String(pool.nodes),
      shown(pool.free),
      shown(pool.blocksFree),
      String(pool.freeInOwnBlocks + pool.freeElsewhere),
    ]);
    return textTable(headings, rows, columns);
  }
  const table = (headings: string, row: (pool: PoolCapacity) => string[]): string =>
    textTable(headings.split(', '), pools.map(row), columns);
  const settings = table('POOL, CIDR, BLOCK SIZE, MODE, SELECTOR, NODES', (pool) => [
    pool.name,
    pool.cidr,
    String(pool.blockSize),
    modeText(pool),
    pool.nodeSelector,
    String(pool.nodes),
  ]);
  const addresses = table(
    'POOL, TOTAL, RESERVED, IN USE, BORROWED, FREE, IN NEW BLOCKS, IN OWNED BLOCKS, IN OTHER BLOCKS',
    (pool) => [
      pool.name,
      ...[pool.total, pool.reserved, pool.inUse, pool.borrowed].map(shown),
      ...[pool.free, pool.freeInNewBlocks, pool.freeInOwnBlocks, pool.freeElsewhere].map(shown),
    ],
  );
  const blocks = table('POOL, BLOCKS, EXISTING, PARTLY USED, FREE BLOCKS', (pool) => [
    pool.name,
    ...[pool.blocks, pool.blocksMade, pool.blocksPartlyUsed, pool.blocksFree].map(shown),
  ]);
  return `${settings}\n${addresses}\n${blocks}`;
}

function familyLines(family: FamilyCapacity, { pools, nodes, settings }: Capacity): string {
  const own = pools.filter(({ name }) => family.pools.includes(name));
  const sum = (of: (pool: PoolCapacity) => bigint | number): bigint =>
    own.reduce((all, pool) => all + BigInt(of(pool)), 0n);
  const all = nodes.filter(({ ipVersion }) => ipVersion === family.ipVersion).length;
  const borrowing = settings.strictAffinity
    ? 'strict affinity: no borrowing'
    : `${shown(family.morePodsWithoutBorrowing)} without borrowing`;
  const blocks = sum((pool) => pool.blocksFree);
  const places = [
    `${shown(sum((pool) => pool.freeInNewBlocks))} in ${counted(blocks, 'block')} that ${blocks === 1n ? 'does' : 'do'} not exist yet`,
    `${shown(sum((pool) => pool.freeInOwnBlocks))} in blocks that nodes own`,
    `${shown(sum((pool) => pool.freeElsewhere))} in other blocks`,
  ];
  const rows: readonly (readonly [string, string])[] = [
    ['free addresses', shown(family.free)],
    ...places.map((place) => ['', place] as const),
    ['more nodes', `${shown(family.moreNodes)}, with one block each`],
    ['more pods', `${shown(family.morePods)} on ${counted(all, 'node')} (${borrowing})`],
    ['out of reach', `${shown(family.stranded)}, which these nodes cannot use`],
    ['at block limit', `${family.nodesAtLimit} of ${counted(all, 'node')}`],
    ['borrowed', shown(family.borrowed)],
  ];
  return `IPv${family.ipVersion}\n${rows.map(([name, value]) => `  ${name.padEnd(16)}${value}\n`).join('')}`;
}

function nodeTable(nodes: readonly NodeCapacity[], columns: number): string {
  const headings = ['NODE', 'FAMILY', 'BLOCKS', 'LIMIT', 'FREE', 'BORROWED', 'LENT', 'POOLS'];
  const rows = nodes.map((node) => [
    node.name,
    `IPv${node.ipVersion}`,
    String(node.blocks),
    String(node.blockLimit),
    String(node.free),
    String(node.borrowed),
    String(node.lent),
    node.pools.join(', '),
  ]);
  return textTable(headings, rows, columns);
}

function problemLine({ object, ipVersion, problem }: CapacityProblem): string {
  if (object.kind === 'Cluster') return `${problem}\n`;
  const family = ipVersion === undefined ? '' : ` (IPv${ipVersion})`;
  return `${object.kind === 'Node' ? 'node' : 'pool'} ${printable(object.name)}${family}: ${printable(problem)}\n`;
}

function problemLines(problems: readonly CapacityProblem[], wide: boolean): string {
  const listed = wide ? problems : problems.slice(0, mostProblems);
  return listed.map(problemLine).join('') + moreInWide(problems.length - listed.length);
}

function sizesText(blockSizes: Readonly<Record<string, number>>): string {
  const sizes = new Set(Object.values(blockSizes));
  if (sizes.size === 1) return [...sizes].map((size) => `/${size}`).join('');
  return Object.entries(blockSizes)
    .map(([pool, size]) => `${pool} /${size}`)
    .join(', ');
}

function simulationText(
  { ipVersion, run, blockSizes }: SimulatedFamily,
  { nodes, podsPerNode }: Extract<IpamCapacityShown, { kind: 'IPAMCapacitySimulation' }>,
  columns: number,
): string {
  const { firstBreak, placed, requested, borrowed, blocksMade, tunnelAddresses, nodesShort } = run;
  const rows: [string, string][] = [
    ['placed', `${placed} of ${counted(requested, 'pod')}, ${borrowed} with borrowed addresses`],
    ['blocks', `${blocksMade} new`],
  ];
  if (tunnelAddresses > 0) rows.push(['tunnels', counted(tunnelAddresses, 'address')]);
  if (firstBreak !== undefined) {
    const what = firstBreak.pod === 0 ? 'the tunnel address' : `pod ${firstBreak.pod}`;
    rows.push(['breaks at', `${what} of ${firstBreak.node}, after ${firstBreak.placedBefore} were placed`]);
    rows.push(['because', printable(firstBreak.message)]);
    rows.push(['incomplete', `${nodesShort} of ${counted(nodes, 'node')} could not place all pods`]);
  }
  const head = `IPv${ipVersion}: ${counted(nodes, 'more node')} with ${counted(podsPerNode, 'pod')} each\n`;
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)}${value}\n`).join('');
  if (blockSizes.length === 0) return head + lines;
  const sized = blockSizes.map((one) => [
    `${sizesText(one.blockSizes)}${one.current ? ' (now)' : ''}`,
    one.notAssignedAgain === 0 ? String(one.assignedAgain) : `${one.assignedAgain} (${one.notAssignedAgain} failed)`,
    String(one.placed),
    String(one.borrowed),
    String(one.blocksMade),
    one.firstBreak === undefined ? '-' : `${one.firstBreak.node} pod ${one.firstBreak.pod}`,
  ]);
  return (
    `${head}${lines}\nThe same simulation after recreating the pools at each block size and reassigning the current addresses:\n` +
    textTable(['BLOCK SIZE', 'REASSIGNED', 'PLACED', 'BORROWED', 'BLOCKS', 'BREAKS AT'], sized, columns)
  );
}

/** Tables and lines for a terminal; `wide` has every number and all nodes. */
export function ipamCapacityText(result: IpamCapacityShown, wide: boolean, { columns }: TextView): string {
  if (result.kind === 'IPAMCapacitySimulation') {
    return result.families.map((family) => simulationText(family, result, columns)).join('\n');
  }
  const { capacity } = result;
  const limited = capacity.nodes.filter(({ atLimit, problem }) => atLimit || problem !== undefined);
  const nodes = wide ? capacity.nodes : limited.slice(0, mostProblems);
  const parts = [
    capacity.pools.length > 0 ? poolTable(capacity.pools, wide, columns) : '',
    ...capacity.families.map((family) => familyLines(family, capacity)),
    nodes.length > 0 ? nodeTable(nodes, columns) : '',
    problemLines(capacity.problems, wide),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The value with its counts as JSON has them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return jsonCount(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

function documentOf(result: IpamCapacityShown): unknown {
  return plain(result.kind === 'IPAMCapacity' ? { kind: result.kind, ...result.capacity } : result);
}

/** Everything as one JSON document. */
export const ipamCapacityJson = (result: IpamCapacityShown): string => jsonDocument(documentOf(result));
/** The same as YAML. */
export const ipamCapacityYaml = (result: IpamCapacityShown): string => printYaml(documentOf(result));
