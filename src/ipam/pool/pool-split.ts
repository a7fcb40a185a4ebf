// Plans the split of a pool into smaller ones, by what was read. Pure; the writes are in ipam-live/split.ts.
// Rules: docs/reference/ipam.md#splitting-a-pool.
import {
  addressAt,
  bitsOf,
  type Cidr,
  cidrCovers,
  cidrsOverlap,
  formatCidr,
  isMaskedCidr,
  networkOf,
  parseCidr,
} from '../../net/cidr.ts';
import { fromV3, toV3 } from '../../resources/convert/v3.ts';
import { withDefaults } from '../../resources/defaults.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import { isObjectName, longestObjectName } from '../../resources/names.ts';
import { printYaml } from '../../text/yaml.ts';
import { blockSizeOf } from './pools.ts';

/** On a pool that was disabled for its split: the number of parts. Calico keeps this key when it rewrites the pool. */
export const splitMark = 'calictl.projectcalico.org/split-into';
/** The manifest of the old pool as recorded by kubectl, which does not apply to the parts. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** More than anyone would list by hand, and few enough to keep in memory. */
export const mostParts = 65536;

export interface SplitRequest {
  /** The pool by name, else by CIDR. */
  readonly name?: string | undefined;
  readonly cidr?: string | undefined;
  readonly number: number;
  /** True for the rules of calicoctl: the CIDR must be spelled as stored, and the parts of a disabled pool are enabled. */
  readonly asCalicoctl: boolean;
}

/** What a split is decided by: all pools, and the CIDRs of all blocks. */
export interface SplitReading {
  readonly pools: readonly IPPool[];
  readonly blocks: readonly string[];
}

export interface PlannedPart {
  /** The part as it is to be created. */
  readonly pool: IPPool;
  /** True when it exists already with the same spec. */
  readonly exists: boolean;
  /** How many existing blocks are in it. */
  readonly blocks: number;
}

export interface SplitPlan {
  /** The pool to split, as it was read. */
  readonly pool: IPPool;
  readonly parts: readonly PlannedPart[];
  /** False when it is disabled already. */
  readonly disable: boolean;
}

/** The pool is gone and its parts exist: nothing is left to do. */
export interface SplitFinished {
  readonly name: string;
  readonly finished: readonly IPPool[];
}

export type SplitProblem =
  | { readonly problem: 'no-pool' }
  | { readonly problem: 'bad-cidr' | 'being-deleted' | 'not-large-enough'; readonly pool: IPPool }
  | { readonly problem: 'not-power-of-two' | 'too-many'; readonly pool: IPPool }
  | { readonly problem: 'split-otherwise'; readonly pool: IPPool; readonly into: string }
  | { readonly problem: 'bad-name' | 'smaller-than-block' | 'other-content'; readonly part: IPPool }
  | { readonly problem: 'overlap'; readonly part: IPPool; readonly other: IPPool }
  | { readonly problem: 'block-across'; readonly block: string; readonly pool: IPPool };

/** True for 2, 4, 8, …: the numbers that a pool can be split into. */
export function isSplitNumber(number: number): boolean {
  return Number.isInteger(Math.log2(number)) && number >= 2;
}

const keptOfLongName = 245;

function partName(pool: string, index: number): string {
  const plain = `split-${pool}-${index}`;
  return plain.length <= longestObjectName ? plain : `split-${pool.slice(0, keptOfLongName)}-${index}`;
}

function partOf(cidr: Cidr, number: number, index: number): Cidr {
  const prefix = cidr.prefix + Math.log2(number);
  return networkOf(addressAt(cidr, BigInt(index) << BigInt(bitsOf(cidr.version) - prefix)), prefix);
}

/** Labels and annotations of the old pool, as stored and as v3 metadata, without what concerns only the old object. */
function partMetadata(pool: IPPool, name: string): IPPool['metadata'] {
  const kept = (map: Record<string, string> | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => key !== splitMark && key !== lastApplied));
  const shown = toV3(ipPool, pool);
  const labels = { ...shown.metadata.labels };
  const annotations = kept(shown.metadata.annotations);
  const { metadata } = fromV3(ipPool, { ...shown, metadata: { name, creationTimestamp: null, labels, annotations } });
  const rawLabels = { ...pool.metadata.labels, ...metadata.labels };
  return {
    name,
    ...(Object.keys(rawLabels).length === 0 ? {} : { labels: rawLabels }),
    annotations: { ...kept(pool.metadata.annotations), ...metadata.annotations },
  };
}

function partPool(pool: IPPool, name: string, cidr: Cidr, disabled: boolean): IPPool {
  const { disabled: _, ...spec } = withDefaults(ipPool, pool).spec;
  return {
    apiVersion: pool.apiVersion,
    kind: pool.kind,
    metadata: partMetadata(pool, name),
    spec: { ...spec, cidr: formatCidr(cidr), ...(disabled ? { disabled } : {}) },
  };
}

/** True when both pools have the same configuration: defaults count as set, and the order of fields does not matter. */
export function sameSpec(a: IPPool, b: IPPool): boolean {
  return printYaml(toV3(ipPool, a).spec) === printYaml(toV3(ipPool, b).spec);
}

function findPool({ pools }: SplitReading, { name, cidr, asCalicoctl }: SplitRequest): IPPool | undefined {
  if (name !== undefined) return pools.find(({ metadata }) => metadata.name === name);
  const wanted = parseCidr(cidr ?? '');
  return (
    pools.find(({ spec }) => spec.cidr === cidr) ??
    pools.find(({ spec }) => {
      const found = asCalicoctl || wanted === undefined ? undefined : parseCidr(spec.cidr);
      return found !== undefined && wanted !== undefined && formatCidr(found) === formatCidr(wanted);
    })
  );
}

/** The parts that an earlier run left, when the pool is gone and all of them exist. */
function findFinished({ pools }: SplitReading, { name, cidr, number }: SplitRequest): SplitFinished | undefined {
  const depth = Math.log2(number);
  const byName = new Map(pools.map((pool) => [pool.metadata.name, pool]));
  const wanted = cidr === undefined ? undefined : parseCidr(cidr);
  for (const first of pools) {
    const start = parseCidr(first.spec.cidr);
    const stem = /^split-(.+)-0$/.exec(first.metadata.name)?.[1];
    if (start === undefined || stem === undefined || start.prefix < depth) continue;
    const whole = networkOf(start.base, start.prefix - depth);
    const asked =
      name === undefined
        ? wanted !== undefined && formatCidr(wanted) === formatCidr(whole)
        : partName(name, 0) === first.metadata.name;
    if (!asked || byName.has(partName(stem, number))) continue;
    const finished = Array.from({ length: Math.min(number, pools.length) }, (_, index) => {
      const part = byName.get(partName(stem, index));
      return part?.spec.cidr === formatCidr(partOf(whole, number, index)) ? part : undefined;
    }).filter((part) => part !== undefined);
    if (finished.length === number) return { name: name ?? stem, finished };
  }
  return undefined;
}

/** Why the pool cannot be split into this number of parts at all. */
function shapeProblem(pool: IPPool, cidr: Cidr | undefined, number: number): SplitProblem | undefined {
  if (cidr === undefined || !isMaskedCidr(pool.spec.cidr)) return { problem: 'bad-cidr', pool };
  if (!isSplitNumber(number)) return { problem: 'not-power-of-two', pool };
  if (cidr.prefix + Math.log2(number) > bitsOf(cidr.version)) return { problem: 'not-large-enough', pool };
  if (cidr.prefix + Math.log2(number) > blockSizeOf(pool)) {
    return {
      problem: 'smaller-than-block',
      part: partPool(pool, partName(pool.metadata.name, 0), partOf(cidr, number, 0), false),
    };
  }
  if (number > mostParts) return { problem: 'too-many', pool };
  const mark = pool.spec.disabled === true ? pool.metadata.annotations?.[splitMark] : undefined;
  return mark === undefined || mark === String(number) ? undefined : { problem: 'split-otherwise', pool, into: mark };
}

/**
 * What a split has to write, by the pools and blocks as they are; for an interrupted split, what is left to write.
 * Everything that could stop it halfway is reported as a problem here, before anything is written.
 */
export function planSplit(reading: SplitReading, request: SplitRequest): SplitPlan | SplitFinished | SplitProblem {
  const { number, asCalicoctl } = request;
  const pool = findPool(reading, request);
  if (pool === undefined) {
    const finished = asCalicoctl || !isSplitNumber(number) ? undefined : findFinished(reading, request);
    return finished ?? { problem: 'no-pool' };
  }
  const cidr = parseCidr(pool.spec.cidr);
  const unfit = shapeProblem(pool, cidr, number);
  if (unfit !== undefined || cidr === undefined) return unfit ?? { problem: 'bad-cidr', pool };

  const byName = new Map(reading.pools.map((other) => [other.metadata.name, other]));
  const names = Array.from({ length: number }, (_, index) => partName(pool.metadata.name, index));
  const isDisabled = pool.spec.disabled === true;
  // The parts are disabled if a person disabled the pool, but not if a split did.
  const begun =
    pool.metadata.annotations?.[splitMark] !== undefined ||
    names.some((name) => byName.has(name) && byName.get(name)?.spec.disabled !== true);
  const disabled = isDisabled && !begun && !asCalicoctl;
  const wanted = names.map((name, index) => partPool(pool, name, partOf(cidr, number, index), disabled));

  const within = new Map<string, number>(wanted.map(({ spec }) => [spec.cidr, 0]));
  const problem =
    partsProblem(wanted, byName) ??
    overlapProblem(reading, pool, cidr, wanted) ??
    countBlocks(reading, pool, cidr, within);
  if (problem !== undefined) return problem;
  const parts = wanted.map((part) => ({
    pool: part,
    exists: byName.has(part.metadata.name),
    blocks: within.get(part.spec.cidr) ?? 0,
  }));
  const isGoing = Boolean(pool.metadata.deletionTimestamp);
  if (isGoing && !parts.every(({ exists }) => exists)) return { problem: 'being-deleted', pool };
  return { pool, parts, disable: !isDisabled };
}

function partsProblem(wanted: readonly IPPool[], byName: ReadonlyMap<string, IPPool>): SplitProblem | undefined {
  for (const part of wanted) {
    if (!isObjectName(part.metadata.name)) return { problem: 'bad-name', part };
    const existing = byName.get(part.metadata.name);
    if (existing === undefined) continue;
    if (!sameSpec(existing, part) || existing.metadata.deletionTimestamp) return { problem: 'other-content', part };
  }
  return undefined;
}

function overlapProblem(
  { pools }: SplitReading,
  pool: IPPool,
  cidr: Cidr,
  wanted: readonly IPPool[],
): SplitProblem | undefined {
  const own = new Set([pool, ...wanted].map(({ metadata }) => metadata.name));
  for (const other of pools) {
    const theirs = own.has(other.metadata.name) ? undefined : parseCidr(other.spec.cidr);
    if (theirs === undefined || !cidrsOverlap(theirs, cidr)) continue;
    const part = wanted.find(({ spec }) => cidrsOverlap(theirs, parseCidr(spec.cidr) ?? cidr));
    if (part !== undefined) return { problem: 'overlap', part, other };
  }
  return undefined;
}

/** Counts the blocks of each part. A block that is not inside one part is a problem: it would belong to none. */
function countBlocks(
  { blocks }: SplitReading,
  pool: IPPool,
  cidr: Cidr,
  within: Map<string, number>,
): SplitProblem | undefined {
  const prefix = cidr.prefix + Math.log2(within.size);
  for (const text of blocks) {
    const block = parseCidr(text);
    if (block === undefined || !cidrsOverlap(block, cidr)) continue;
    if (block.prefix < prefix || !cidrCovers(cidr, block)) return { problem: 'block-across', block: text, pool };
    const part = formatCidr(networkOf(block.base, prefix));
    within.set(part, (within.get(part) ?? 0) + 1);
  }
  return undefined;
}
