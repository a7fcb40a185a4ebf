// IPAMBlock: a slice of a pool, the unit of affinity and of compare-and-swap.
// Here are its fields and table cells; its arithmetic is in ipam/block/block.ts, its full check in ipam-check/.
import { addressAt, bitsOf, type Cidr, cidrCovers, parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import { column, nameColumn } from '../cells.ts';
import {
  cidr,
  field,
  fields,
  flag,
  int64,
  integer,
  list,
  map,
  nullable,
  object,
  text,
  time,
  type Values,
} from '../field.ts';
import type { Column, Kind, RelatedObjects } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { ipamOnly } from '../refusals.ts';
import { ipPool } from './ip-pool.ts';
import { type IPReservation, ipReservation } from './ip-reservation.ts';

const attribute = fields(() => ({
  handle_id: field(nullable(text), 'Handle of the address.'),
  secondary: field(
    nullable(map(text)),
    'Who owns the address: `node`, `pod`, `namespace`, `service`, `type`, `timestamp`, `note`.',
  ),
  alternateOwnerAttrs: field(nullable(map(text)), 'Second owner during the live migration of a virtual machine.'),
  releasedAt: field(nullable(time), 'When the address was released, for addresses that are not reused immediately.'),
}));

const spec = fields(() => ({
  cidr: field(cidr, 'Addresses of the block.', { required: true, omit: 'never' }),
  affinity: field(nullable(text), 'Owner of the block: `host:<node>` or `virtual:<name>`; absent when it has none.'),
  affinityClaimTime: field(nullable(time), 'When the owner claimed the block.'),
  strictAffinity: field(flag, 'Deprecated and always false; IPAMConfig has the setting.', { omit: 'never' }),
  allocations: field(
    list(nullable(integer({ min: 0 }))),
    'For each address, by ordinal, the index of its entry in attributes; null for a free address.',
    { required: true, omit: 'never' },
  ),
  unallocated: field(
    list(integer({ min: 0 })),
    'Free ordinals: the first is assigned next, and released ones are added at the end.',
    { required: true, omit: 'never' },
  ),
  attributes: field(list(object(attribute)), 'Handles and owners that allocations refer to.', {
    required: true,
    omit: 'never',
  }),
  sequenceNumber: field(int64, 'Number that each write of the block increases.', { omit: 'never' }),
  sequenceNumberForAllocation: field(
    nullable(map(int64)),
    'Value of sequenceNumber when each address was assigned, by ordinal.',
  ),
  deleted: field(flag, 'Whether deletion was started but not completed.', { omit: 'never' }),
  hostAffinity: field(text, 'Node that owns the block, in very old data.'),
}));

export type BlockAttribute = Values<typeof attribute>;
export type IPAMBlockSpec = Values<typeof spec>;

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

const reservedSets = new WeakMap<readonly IPReservation[], IntervalSet>();

/** The reserved addresses of a table, collected once for all of its rows. */
function reservedSet(reservations: readonly IPReservation[]): IntervalSet {
  const known = reservedSets.get(reservations);
  if (known !== undefined) return known;
  const cidrs = reservations.flatMap(({ spec }) => spec.reservedCIDRs ?? []).map((text) => parseCidrOrIp(text.trim()));
  const made = IntervalSet.of(cidrs.filter((cidr) => cidr !== undefined));
  reservedSets.set(reservations, made);
  return made;
}

/** Free addresses that automatic assignment leaves alone. */
function reserved(block: IPAMBlock, related: RelatedObjects): number {
  const cidr = parseCidr(block.spec.cidr);
  if (cidr === undefined) return 0;
  const set = reservedSet(related.all(ipReservation));
  if (!set.overlaps(cidr)) return 0;
  const size = block.spec.allocations.length;
  return block.spec.unallocated.filter((n) => n >= 0 && n < size && set.contains(addressAt(cidr, n))).length;
}

/** Name of the smallest pool around the block; empty when there is none. */
function poolOf(block: IPAMBlock, related: RelatedObjects): string {
  const cidr = parseCidr(block.spec.cidr);
  let found: { name: string; cidr: Cidr } | undefined;
  for (const { metadata, spec } of cidr === undefined ? [] : related.all(ipPool)) {
    const range = parseCidr(spec.cidr);
    if (range === undefined || cidr === undefined || !cidrCovers(range, cidr)) continue;
    if (found === undefined || range.prefix > found.cidr.prefix) found = { name: metadata.name, cidr: range };
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

/** An owner must match a pattern there, which an empty one does not. */
function withoutEmptyOwner(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { affinity, ...others } = spec;
  return affinity ? { ...spec } : others;
}

const cidrColumn = column<IPAMBlock>('CIDR', ({ spec }) => spec.cidr);
const affinity = column<IPAMBlock>('AFFINITY', affinityOf);
const usedColumn = column<IPAMBlock>('USED', (block) => String(used(block)));
const free = column<IPAMBlock>('FREE', ({ spec }) => spec.unallocated.length.toString());

const wide: readonly Column<IPAMBlock>[] = [
  cidrColumn,
  column('POOL', poolOf, [{ kind: ipPool }]),
  affinity,
  column('SIZE', ({ spec }) => spec.allocations.length.toString()),
  usedColumn,
  free,
  column('BORROWED', (block) => String(borrowed(block))),
  column('RESERVED', (block, related) => String(reserved(block, related)), [{ kind: ipReservation }]),
  column('STATE', blockState),
];

export const ipamBlock: Kind<IPAMBlock> = {
  kind: 'IPAMBlock',
  about: 'A slice of a pool that nodes own as a whole and assign addresses from.',
  aliases: ['ipamblock', 'ipamblocks', 'block', 'blocks'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamblocks' },
  native: { isProof: true, toNative: withoutEmptyOwner },
  fields: { spec },
  refusals: ipamOnly,
  columns: { default: [nameColumn, cidrColumn, affinity, usedColumn, free], wide, extra: [nameColumn] },
};
