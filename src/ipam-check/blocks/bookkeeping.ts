// Judges the bookkeeping of a block: allocations, attribute records and free list must agree (INV-04 to INV-10).
// Rules: docs/reference/ipam.md#block-bookkeeping.
import { attributesOf } from '../../ipam/block/block.ts';
import { type StructureProblem, structureProblems } from '../../ipam/block/block-structure.ts';
import { isReservedOrdinal } from '../../ipam/block/windows-reserve.ts';
import { addressAt } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { listed } from '../../text/wording.ts';
import type { Judgement, Repair, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { aboutBlock, automatic, judge, mostListed } from '../judgement.ts';
import { type AddressUsers, describeUser } from '../view/address-users.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { UnreadableOwners } from './unreadable-owners.ts';

/** INV-04 to INV-10 of one live block. */
export function bookkeepingJudgements(
  view: CheckView,
  users: AddressUsers,
  block: BlockView,
  owners: UnreadableOwners,
): Judgement[] {
  if (isPlainlyInOrder(view, block)) return [];
  const problems = structureProblems(block.block);
  if (problems.length === 0) return [];
  const missing = block.allocations.filter((allocation) => allocation.attributeMissing);
  // A record that no allocation uses may be the very one that a broken index meant: it stays until every such index is settled.
  const keepsRecords = missing.length > 0 && problems.some(({ id }) => id === 'INV-09');
  const recordsSettled = missing.every(
    (allocation) => owners.isUnused(allocation) && !view.isYoungAllocation(allocation),
  );
  const obstacle = obstacleToFreeing(view, users, block, problems);
  const settled = recordsSettled && obstacle === undefined;
  const action: RepairAction = {
    primitive: 'R2',
    block: block.name,
    ...(missing.length > 0 && { unused: missing.map(({ ordinal }) => ordinal) }),
    lost: problems.flatMap(({ id, at }) => (id === 'INV-08' ? at : [])),
  };
  const judgements = missing.map((allocation) =>
    attributeMissing(allocation, owners, keepsRecords, settled ? action : undefined, obstacle),
  );
  const rewritten = settled && problems.some(({ id }) => id !== 'INV-10');
  for (const problem of problems) {
    if (problem.id === 'INV-03' || problem.id === 'INV-04' || (problem.id === 'INV-09' && keepsRecords)) continue;
    judgements.push(structureJudgement(block, problem.id, problem.at, rewritten ? action : undefined, obstacle));
  }
  return judgements;
}

/** True only when the bookkeeping cannot be wrong: a quick look that spares nearly all blocks the thorough one. */
function isPlainlyInOrder(view: CheckView, block: BlockView): boolean {
  const { size, allocations, unreadableOrdinals } = block;
  const { spec } = block.block;
  if (unreadableOrdinals.length > 0 || !Array.isArray(spec.attributes) || !Array.isArray(spec.unallocated))
    return false;
  if (allocations.length + spec.unallocated.length !== size) return false;
  const free = new Set<number>();
  for (const ordinal of spec.unallocated) if (spec.allocations[ordinal] === null) free.add(ordinal);
  if (free.size !== spec.unallocated.length) return false;
  // As many records as handles: each one is referred to, and no two are equal.
  return view.allocatedHandles.differentIn(block) === spec.attributes.length;
}

/**
 * Why the lost addresses of the block cannot go into its free list: an address in use would be assigned a second time.
 * Undefined when they can.
 */
function obstacleToFreeing(
  view: CheckView,
  users: AddressUsers,
  { range, size, allocations }: BlockView,
  problems: readonly StructureProblem[],
): string | undefined {
  const lost = problems.find(({ id }) => id === 'INV-08')?.at ?? [];
  if (lost.length === 0 || range === undefined) return undefined;
  for (const kind of ['Node', 'Pod', 'Service', 'WorkloadEndpoint'] as const) {
    if (!view.wasRead(kind)) return `its lost addresses may be in use: ${kind} objects cannot be read`;
  }
  const windows = allocations.some(({ windowsReserved }) => windowsReserved);
  if (windows && lost.some((ordinal) => isReservedOrdinal(ordinal, size))) {
    return 'its lost addresses are reserved for Windows: resolve INV-16 first';
  }
  for (const ordinal of lost) {
    const ip = addressAt(range, ordinal);
    const [user] = users.of(ip);
    if (user !== undefined) return `${formatIp(ip)} is used by ${describeUser(user)}: give it another address first`;
  }
  return undefined;
}

function attributeMissing(
  { block, ordinal, ip, address, sequence }: Allocation,
  owners: UnreadableOwners,
  keepsRecords: boolean,
  action: RepairAction | undefined,
  obstacle: string | undefined,
): Judgement {
  const index = block.block.spec.allocations[ordinal];
  const records = attributesOf(block.block).length;
  const unused = owners.isUnused({ block, ip });
  const byHand: Repair = {
    primitive: 'R2',
    automatic: false,
    summary: obstacle ?? `not every such address of block ${block.cidr} is proved to be unused`,
  };
  return judge({
    ...aboutBlock(block),
    id: 'INV-04',
    also: keepsRecords ? ['INV-09'] : [],
    address,
    evidence: [
      `ordinal ${ordinal} refers to attribute record ${index}, but the block has only ${records}`,
      unused ? 'nothing is known to use the address' : 'something alive uses the address, or may use it',
    ],
    fingerprint: `${index} ${sequence} ${unused}`,
    ...(action
      ? { action, repair: automatic(action, `free ${address} and rebuild block ${block.cidr}`, 'INV-04') }
      : { repair: byHand }),
  });
}

type RebuildableId = 'INV-05' | 'INV-06' | 'INV-07' | 'INV-08' | 'INV-09' | 'INV-10';

const wording: Readonly<Record<RebuildableId, { readonly fact: string; readonly repair: string }>> = {
  'INV-05': {
    fact: 'out of range in the free list',
    repair: 'remove entries that are out of range from the free list',
  },
  'INV-06': { fact: 'more than once in the free list', repair: 'keep one entry per address in the free list' },
  'INV-07': { fact: 'allocated and in the free list', repair: 'remove allocated addresses from the free list' },
  'INV-08': { fact: 'neither allocated nor in the free list', repair: 'append the lost addresses to the free list' },
  'INV-09': { fact: 'not used by any allocation', repair: 'remove the attribute records that no allocation uses' },
  'INV-10': { fact: 'equal to an earlier record', repair: 'merge equal attribute records' },
};

/** Problems at ordinals of the block, which stand for addresses. */
const atOrdinals: ReadonlySet<InvariantId> = new Set(['INV-06', 'INV-07', 'INV-08']);

/** Problems at indexes of attribute records. */
const atRecords: ReadonlySet<InvariantId> = new Set(['INV-09', 'INV-10']);

function structureJudgement(
  block: BlockView,
  id: RebuildableId,
  at: readonly number[],
  action: RepairAction | undefined,
  obstacle: string | undefined,
): Judgement {
  const range = block.range;
  const addresses = atOrdinals.has(id) && range ? at.map((ordinal) => formatIp(addressAt(range, ordinal))) : [];
  const what = atRecords.has(id) ? 'attribute records' : addresses.length > 0 ? 'ordinals' : 'entries';
  const evidence = [`${what} ${wording[id].fact}: ${listed(at, mostListed)}`];
  if (addresses.length > 0) evidence.push(`addresses: ${listed(addresses, mostListed)}`);
  const byHand: Repair = {
    primitive: 'R2',
    automatic: false,
    summary:
      id === 'INV-10'
        ? 'merged when the block is rewritten for another reason'
        : (obstacle ?? 'resolve INV-04 of this block first'),
  };
  return judge({
    ...aboutBlock(block),
    id,
    address: addresses.length === 1 ? addresses[0] : undefined,
    part: 'bookkeeping',
    evidence,
    fingerprint: at.join(),
    ...(action ? { action, repair: automatic(action, wording[id].repair, id) } : { repair: byHand }),
  });
}
