// IPAMBlock: a slice of a pool, the unit of affinity and of compare-and-swap.
// Here are its fields and table cells; its arithmetic is in ipam/block/block.ts, its full check in ipam-check/.
import * as z from 'zod/mini';
import { addressAt, bitsOf, type Cidr, cidrCovers, parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import { column, nameColumn } from '../cells.ts';
import type { Column, ColumnContext, Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, int64, objectSchema, text } from '../schema.ts';

const nullableTexts = z.optional(z.nullable(z.record(z.string(), z.string())));

const attribute = z.looseObject({
  handle_id: z.optional(z.nullable(z.string())),
  /** Who owns the address: node, pod, namespace, type, service, timestamp, note. */
  secondary: nullableTexts,
  /** Second owner during a live migration of a virtual machine. */
  alternateOwnerAttrs: nullableTexts,
  /** Since when the address cools down; RFC 3339. */
  releasedAt: z.optional(z.nullable(z.string())),
});

const spec = z.looseObject({
  cidr: z.string(),
  /** `host:<node>` or `virtual:<name>`; absent when nobody owns the block. */
  affinity: z.optional(z.nullable(z.string())),
  affinityClaimTime: z.optional(z.nullable(z.string())),
  /** Index = ordinal, value = index into attributes; null = free. */
  allocations: z.array(z.nullable(z.int())),
  /** Queue of free ordinals: the head is assigned next, released ones go to the tail. */
  unallocated: z.array(z.int()),
  attributes: z.array(attribute),
  /** Counts the writes of the block. */
  sequenceNumber: z.optional(int64),
  /** Value of sequenceNumber when the ordinal was assigned. */
  sequenceNumberForAllocation: z.optional(z.nullable(z.record(z.string(), int64))),
  /** A delete began and did not end. */
  deleted: flag,
  /** Deprecated, always false. */
  strictAffinity: flag,
  /** Plain node name, in very old data. */
  hostAffinity: text,
});

export type BlockAttribute = z.infer<typeof attribute>;
export type IPAMBlockSpec = z.infer<typeof spec>;

export interface IPAMBlock extends KubeObject {
  spec: IPAMBlockSpec;
}

/** Number of ordinals that are allocated. */
function used(block: IPAMBlock): number {
  return block.spec.allocations.filter((index) => index !== null).length;
}

/** Node that owns the block, or undefined when none does. */
function hostOf(block: IPAMBlock): string | undefined {
  const { affinity, hostAffinity } = block.spec;
  if (affinity?.startsWith('host:')) return affinity.slice('host:'.length);
  return affinity ? undefined : hostAffinity || undefined;
}

function affinityOf(block: IPAMBlock): string {
  return block.spec.affinity || (block.spec.hostAffinity ? `host:${block.spec.hostAffinity}` : '');
}

/** Allocations whose node is not the one that owns the block. */
function borrowed(block: IPAMBlock): number {
  const host = hostOf(block);
  const { allocations, attributes } = block.spec;
  return allocations.filter((index) => {
    const node = index === null ? undefined : attributes[index]?.secondary?.['node'];
    return node !== undefined && node !== host;
  }).length;
}

const reservedSets = new WeakMap<readonly string[], IntervalSet>();

/** The reservations of a table, made once for all of its rows. */
function reservedSet(cidrs: readonly string[]): IntervalSet {
  const known = reservedSets.get(cidrs);
  if (known !== undefined) return known;
  const made = IntervalSet.of(cidrs.map((cidr) => parseCidrOrIp(cidr.trim())).filter((cidr) => cidr !== undefined));
  reservedSets.set(cidrs, made);
  return made;
}

/** Free addresses that automatic assignment leaves alone. */
function reserved(block: IPAMBlock, context: ColumnContext): number {
  const cidr = parseCidr(block.spec.cidr);
  if (cidr === undefined || context.reservedCidrs.length === 0) return 0;
  const set = reservedSet(context.reservedCidrs);
  if (!set.overlaps(cidr)) return 0;
  const size = block.spec.allocations.length;
  return block.spec.unallocated.filter((n) => n >= 0 && n < size && set.contains(addressAt(cidr, n))).length;
}

/** Name of the smallest pool around the block; empty when there is none. */
function poolOf(block: IPAMBlock, context: ColumnContext): string {
  const cidr = parseCidr(block.spec.cidr);
  let found: { name: string; cidr: Cidr } | undefined;
  for (const pool of cidr === undefined ? [] : context.pools) {
    const range = parseCidr(pool.cidr);
    if (range === undefined || cidr === undefined || !cidrCovers(range, cidr)) continue;
    if (found === undefined || range.prefix > found.cidr.prefix) found = { name: pool.name, cidr: range };
  }
  return found?.name ?? '';
}

/**
 * What is visibly wrong with a block from the block alone, in the order of its structures; `ok` when nothing is.
 * The full check is ipam-check/.
 */
export function blockState(block: IPAMBlock): string {
  const { allocations, unallocated, attributes, deleted } = block.spec;
  const cidr = parseCidr(block.spec.cidr);
  const wrong: string[] = [];
  if (deleted) wrong.push('deleted');
  if (cidr === undefined) wrong.push('bad cidr');
  const hostBits = cidr === undefined ? undefined : bitsOf(cidr.version) - cidr.prefix;
  if (hostBits !== undefined && allocations.length !== 2 ** hostBits) wrong.push('bad length');

  const free = new Set(unallocated);
  const count = (label: string, n: number) => n > 0 && wrong.push(`${label} ${n}`);
  count('lost', allocations.filter((index, ordinal) => index === null && !free.has(ordinal)).length);
  count('free and allocated', [...free].filter((n) => typeof allocations[n] === 'number').length);
  count('repeated', unallocated.length - free.size);
  count('out of range', [...free].filter((n) => n < 0 || n >= allocations.length).length);
  count('no attributes', allocations.filter((index) => index !== null && attributes[index] === undefined).length);

  if (affinityOf(block) === '') {
    wrong.push('ownerless');
    if (used(block) === 0) wrong.push('empty');
  } else if (!/^(host|virtual):./.test(affinityOf(block))) wrong.push('bad affinity');
  return wrong.length === 0 ? 'ok' : wrong.join(', ');
}

const cidr = column<IPAMBlock>('CIDR', ({ spec }) => spec.cidr);
const affinity = column<IPAMBlock>('AFFINITY', affinityOf);
const usedColumn = column<IPAMBlock>('USED', (block) => String(used(block)));
const free = column<IPAMBlock>('FREE', ({ spec }) => String(spec.unallocated.length));

const wide: readonly Column<IPAMBlock>[] = [
  cidr,
  column('POOL', poolOf),
  affinity,
  column('SIZE', ({ spec }) => String(spec.allocations.length)),
  usedColumn,
  free,
  column('BORROWED', (block) => String(borrowed(block))),
  column('RESERVED', (block, context) => String(reserved(block, context))),
  column('STATE', blockState),
];

const columns: Kind<IPAMBlock>['columns'] = {
  default: [nameColumn, cidr, affinity, usedColumn, free],
  wide,
  extra: [nameColumn],
};

export const ipamBlock: Kind<IPAMBlock> = {
  kind: 'IPAMBlock',
  aliases: ['ipamblock', 'ipamblocks', 'block', 'blocks'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamblocks' },
  v3: false,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: ['spec.sequenceNumber', 'spec.sequenceNumberForAllocation.*'],
  columns,
  fieldOrder: {
    spec: [
      'cidr*',
      'affinity',
      'affinityClaimTime',
      'strictAffinity*',
      'allocations*',
      'unallocated*',
      'attributes*',
      'sequenceNumber*',
      'sequenceNumberForAllocation',
      'deleted*',
    ],
    'spec.attributes': ['handle_id', 'secondary', 'alternateOwnerAttrs', 'releasedAt'],
  },
};
