// What `ipam capacity` prints: room by pool and family, nodes in trouble, a simulation and its comparison.
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
import { printable } from '../../../output/columns.ts';
import { jsonCount, jsonDocument } from '../../../output/json-document.ts';
import type { TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import { goFiveDigits } from '../../../text/go-number.ts';
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

/** For people: numbers too long to read in five digits. */
const told = (value: bigint | number): string => (value > 10n ** 12n ? goFiveDigits(Number(value)) : String(value));

const counted = (value: bigint | number, one: string, many = `${one}s`): string =>
  `${told(value)} ${value === 1n || value === 1 ? one : many}`;

function modeText(pool: PoolCapacity): string {
  if (pool.mode !== 'automatic' || isForPods(pool)) return pool.mode;
  return pool.allowedUses.join(',');
}

function poolTable(pools: readonly PoolCapacity[], wide: boolean, columns: number): string {
  const inBlocks = (pool: PoolCapacity): number => pool.freeInOwnBlocks + pool.freeElsewhere;
  if (!wide) {
    const headings = ['POOL', 'MODE', 'NODES', 'FREE', 'FREE BLOCKS', 'FREE IN BLOCKS'];
    const rows = pools.map((pool) => [
      ...[pool.name, modeText(pool), String(pool.nodes), told(pool.free), told(pool.blocksFree)],
      String(inBlocks(pool)),
    ]);
    return `${textTable(headings, rows, columns)}\n`;
  }
  const headings = [
    ...['POOL', 'CIDR', 'BLOCKSIZE', 'MODE', 'SELECTOR', 'NODES', 'TOTAL', 'RESERVED', 'IN USE', 'FREE'],
    ...['IN NEW', 'IN OWN', 'ELSEWHERE', 'BLOCKS', 'MADE', 'FREE BLOCKS', 'PARTLY USED', 'BORROWED'],
  ];
  const rows = pools.map((pool) => [
    ...[pool.name, pool.cidr, String(pool.blockSize), modeText(pool), pool.nodeSelector, String(pool.nodes)],
    ...[pool.total, pool.reserved, pool.inUse, pool.free, pool.freeInNewBlocks].map(told),
    ...[pool.freeInOwnBlocks, pool.freeElsewhere, pool.blocks, pool.blocksMade, pool.blocksFree].map(told),
    ...[pool.blocksPartlyUsed, pool.borrowed].map(told),
  ]);
  return `${textTable(headings, rows, columns)}\n`;
}

function familyLines(family: FamilyCapacity, { pools, nodes, settings }: Capacity): string {
  const own = pools.filter(({ name }) => family.pools.includes(name));
  const sum = (of: (pool: PoolCapacity) => bigint | number): bigint =>
    own.reduce((all, pool) => all + BigInt(of(pool)), 0n);
  const all = nodes.filter(({ ipVersion }) => ipVersion === family.ipVersion).length;
  const borrowing = settings.strictAffinity
    ? 'strict affinity: nobody borrows'
    : `${told(family.morePodsWithoutBorrowing)} without borrowing`;
  const places = [
    `${told(sum((pool) => pool.freeInNewBlocks))} in ${counted(
      sum((pool) => pool.blocksFree),
      'block',
    )} not made yet`,
    `${told(sum((pool) => pool.freeInOwnBlocks))} in blocks of nodes`,
    `${told(sum((pool) => pool.freeElsewhere))} in other blocks`,
  ];
  const rows: readonly (readonly [string, string])[] = [
    ['free addresses', told(family.free)],
    ...places.map((place) => ['', place] as const),
    ['more nodes', `${told(family.moreNodes)}, with a block each`],
    ['more pods', `${told(family.morePods)} on ${counted(all, 'node')} (${borrowing})`],
    ['stranded', `${told(family.stranded)}, which these nodes do not get to`],
    ['at block limit', `${family.nodesAtLimit} of ${counted(all, 'node')}`],
    ['borrowed', told(family.borrowed)],
  ];
  return `IPv${family.ipVersion}\n${rows.map(([name, value]) => `  ${name.padEnd(16)}${value}\n`).join('')}\n`;
}

function nodeTable(nodes: readonly NodeCapacity[], columns: number): string {
  const headings = ['NODE', 'FAMILY', 'BLOCKS', 'LIMIT', 'FREE', 'BORROWED', 'LENT', 'POOLS'];
  const rows = nodes.map((node) => [
    ...[node.name, `IPv${node.ipVersion}`, String(node.blocks), String(node.blockLimit), String(node.free)],
    ...[String(node.borrowed), String(node.lent), node.pools.join(',')],
  ]);
  return `${textTable(headings, rows, columns)}\n`;
}

function problemLine({ object, ipVersion, problem }: CapacityProblem): string {
  if (object.kind === 'Cluster') return `${problem}\n`;
  const family = ipVersion === undefined ? '' : ` (IPv${ipVersion})`;
  return `${object.kind === 'Node' ? 'node' : 'pool'} ${printable(object.name)}${family}: ${printable(problem)}\n`;
}

function problemLines(problems: readonly CapacityProblem[], wide: boolean): string {
  const shown = wide ? problems : problems.slice(0, mostProblems);
  const left = problems.length - shown.length;
  return shown.map(problemLine).join('') + (left > 0 ? `and ${left} more, which -o wide tells\n` : '');
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
  nodes: number,
  podsPerNode: number,
  columns: number,
): string {
  const { firstBreak, placed, requested, borrowed, blocksMade, tunnelAddresses, nodesShort } = run;
  const rows: [string, string][] = [
    ['placed', `${placed} of ${counted(requested, 'pod')}, ${borrowed} of them borrowed`],
    ['blocks', `${blocksMade} made`],
  ];
  if (tunnelAddresses > 0) rows.push(['tunnels', counted(tunnelAddresses, 'address', 'addresses')]);
  if (firstBreak !== undefined) {
    const what = firstBreak.pod === 0 ? 'the tunnel address' : `pod ${firstBreak.pod}`;
    rows.push(['breaks at', `${what} of ${firstBreak.node}, when ${firstBreak.placedBefore} were placed`]);
    rows.push(['because', printable(firstBreak.message)]);
    rows.push(['short', `${nodesShort} of ${counted(nodes, 'node')} without all of their pods`]);
  }
  const head = `IPv${ipVersion}: ${counted(nodes, 'node')} more, ${counted(podsPerNode, 'pod')} each\n`;
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)}${value}\n`).join('');
  if (blockSizes.length === 0) return `${head}${lines}\n`;
  const sized = blockSizes.map((one) => [
    `${sizesText(one.blockSizes)}${one.current ? ' (now)' : ''}`,
    one.notAssignedAgain === 0 ? String(one.assignedAgain) : `${one.assignedAgain} (${one.notAssignedAgain} not)`,
    ...[String(one.placed), String(one.borrowed), String(one.blocksMade)],
    one.firstBreak === undefined ? '-' : `${one.firstBreak.node} pod ${one.firstBreak.pod}`,
  ]);
  return (
    `${head}${lines}\nThe same if the pools were made anew, empty, and today's addresses given out again:\n` +
    `${textTable(['BLOCK SIZE', 'AGAIN', 'PLACED', 'BORROWED', 'BLOCKS', 'BREAKS AT'], sized, columns)}\n`
  );
}

/** Tables and lines for a terminal; `wide` has every number and all nodes. */
export function ipamCapacityText(shown: IpamCapacityShown, wide: boolean, { columns }: TextView): string {
  if (shown.kind === 'IPAMCapacitySimulation') {
    return shown.families.map((family) => simulationText(family, shown.nodes, shown.podsPerNode, columns)).join('');
  }
  const { capacity } = shown;
  const limited = capacity.nodes.filter(({ atLimit, problem }) => atLimit || problem !== undefined);
  const nodes = wide ? capacity.nodes : limited.slice(0, mostProblems);
  return (
    (capacity.pools.length > 0 ? poolTable(capacity.pools, wide, columns) : '') +
    capacity.families.map((family) => familyLines(family, capacity)).join('') +
    (nodes.length > 0 ? nodeTable(nodes, columns) : '') +
    problemLines(capacity.problems, wide)
  );
}

/** The value with its counts as JSON has them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return jsonCount(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

function documentOf(shown: IpamCapacityShown): unknown {
  return plain(shown.kind === 'IPAMCapacity' ? { kind: shown.kind, ...shown.capacity } : shown);
}

/** Everything as one JSON document. */
export const ipamCapacityJson = (shown: IpamCapacityShown): string => jsonDocument(documentOf(shown));
/** The same as YAML. */
export const ipamCapacityYaml = (shown: IpamCapacityShown): string => printYaml(documentOf(shown));
