// Judges each block by itself: its name, its CIDR, its books, and whether its deletion was left half done.
import { attributesOf } from '../../ipam/block/block.ts';
import { type StructureProblem, structureProblems } from '../../ipam/block/block-structure.ts';
import { isReservedOrdinal } from '../../ipam/block/windows-reserve.ts';
import { addressAt } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { blockName } from '../../resources/names.ts';
import { listed } from '../../text/wording.ts';
import type { Judgement, Repair, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { aboutBlock, automatic, blockObject, judge, mostListed } from '../judgement.ts';
import { tombstoneGuardMs } from '../times.ts';
import { type AddressUsers, describeUser } from '../view/address-users.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { UnreadableOwners } from './unreadable-owners.ts';

/** INV-01 to INV-10 and INV-14. A block that cannot be read, or is a tombstone, gets that one finding only. */
export function blockJudgements(view: CheckView, addressUsers: AddressUsers, owners: UnreadableOwners): Judgement[] {
  const judgements: Judgement[] = [];
  for (const block of view.blocks) {
    if (block.status === 'tombstone') judgements.push(tombstone(view, block));
    else if (block.cidrProblem !== undefined) judgements.push(unreadable(block, 'INV-02', block.cidrProblem));
    else {
      if (block.name !== blockName(block.cidr)) judgements.push(misnamed(view, block));
      if (block.arrayProblem !== undefined) judgements.push(unreadable(block, 'INV-03', block.arrayProblem));
      else if (block.status === 'live') judgements.push(...books(view, addressUsers, block, owners));
    }
  }
  return judgements;
}

function tombstone(view: CheckView, block: BlockView): Judgement {
  const { uid } = block.block.metadata;
  const held = block.allocations.filter((allocation) => !allocation.windowsReserved).length;
  const action: RepairAction = { primitive: 'R7', kind: 'IPAMBlock', name: block.name, uid };
  const safe = block.empty;
  const evidence = ['spec.deleted is true'];
  if (held > 0) evidence.push(`the block still records ${held} allocated addresses`);
  else if (!safe) evidence.push('whether addresses are recorded in it cannot be read');
  return judge({
    ...aboutBlock(block),
    id: 'INV-14',
    candidate: view.isYounger(block.writtenAtMs, tombstoneGuardMs),
    ageSeconds: view.ageSeconds(block.writtenAtMs),
    evidence,
    fingerprint: `${uid} ${block.resourceVersion}`,
    ...(safe
      ? { action, repair: automatic(action, `finish the deletion of block ${block.cidr}`, 'INV-14') }
      : { repair: { primitive: 'R7', automatic: false, summary: 'not finished while the block records addresses' } }),
  });
}

function unreadable(block: BlockView, id: 'INV-02' | 'INV-03', problem: string): Judgement {
  return judge({
    ...aboutBlock(block),
    id,
    evidence: [problem, 'addresses in this block are not judged'],
    fingerprint: problem,
  });
}

function misnamed(view: CheckView, block: BlockView): Judgement {
  const right = blockName(block.cidr);
  const twin = view.blocksByName.get(right);
  return judge({
    ...aboutBlock(block),
    id: 'INV-01',
    also: twin ? ['INV-18'] : [],
    related: twin ? [blockObject(right)] : [],
    dependencies: twin ? [blockObject(right)] : [],
    evidence: [
      `metadata.name is ${block.name}, the name for ${block.cidr} is ${right}`,
      twin ? `a block named ${right} exists too; Calico reads that one` : `no block named ${right} exists`,
    ],
    fingerprint: `${block.cidr} ${twin !== undefined}`,
  });
}

/** True only when nothing can be wrong with the books: a quick look that spares nearly all blocks the thorough one. */
function isPlainlyInOrder(view: CheckView, block: BlockView): boolean {
  const { size, allocations, unreadableOrdinals } = block;
  const { spec } = block.block;
  if (unreadableOrdinals.length > 0 || !Array.isArray(spec.attributes) || !Array.isArray(spec.unallocated))
    return false;
  if (allocations.length + spec.unallocated.length !== size) return false;
  const listed = new Set<number>();
  for (const ordinal of spec.unallocated) if (spec.allocations[ordinal] === null) listed.add(ordinal);
  if (listed.size !== spec.unallocated.length) return false;
  // As many records as handles: each is pointed to, and no two are equal.
  return view.allocatedHandles.differentIn(block) === spec.attributes.length;
}

function books(view: CheckView, addressUsers: AddressUsers, block: BlockView, owners: UnreadableOwners): Judgement[] {
  if (isPlainlyInOrder(view, block)) return [];
  const problems = structureProblems(block.block);
  if (problems.length === 0) return [];
  const missing = block.allocations.filter((allocation) => allocation.attributeMissing);
  // A record that nobody has may be the very one that a broken index meant: it stays until every such index is settled.
  const keepsRecords = missing.length > 0 && problems.some(({ id }) => id === 'INV-09');
  const recordsSettled = missing.every(
    (allocation) => owners.isUnused(allocation) && !view.isYoungAllocation(allocation),
  );
  const unfree = usersOfLost(view, addressUsers, block, problems);
  const settled = recordsSettled && unfree === undefined;
  const action: RepairAction = {
    primitive: 'R2',
    block: block.name,
    ...(missing.length > 0 && { unused: missing.map(({ ordinal }) => ordinal) }),
    lost: problems.flatMap(({ id, at }) => (id === 'INV-08' ? at : [])),
  };
  const judgements = missing.map((allocation) =>
    attributeMissing(allocation, owners, keepsRecords, settled ? action : undefined, unfree),
  );
  const rewritten = settled && problems.some(({ id }) => id !== 'INV-10');
  for (const problem of problems) {
    if (problem.id === 'INV-03' || problem.id === 'INV-04' || (problem.id === 'INV-09' && keepsRecords)) continue;
    judgements.push(bookProblem(block, problem, rewritten ? action : undefined, unfree));
  }
  return judgements;
}

/**
 * Why the lost addresses of the block cannot go into its free list: what is in use would be handed out a second time.
 * Undefined when they can.
 */
function usersOfLost(
  view: CheckView,
  addressUsers: AddressUsers,
  { range, size, allocations }: BlockView,
  problems: readonly StructureProblem[],
): string | undefined {
  const lost = problems.find(({ id }) => id === 'INV-08')?.at ?? [];
  if (lost.length === 0 || range === undefined) return undefined;
  for (const kind of ['Service', 'WorkloadEndpoint']) {
    if (!view.canJudge(kind))
      return `whether its lost addresses are in use is not known: ${kind} objects cannot be read`;
  }
  const windows = allocations.some(({ windowsReserved }) => windowsReserved);
  if (windows && lost.some((ordinal) => isReservedOrdinal(ordinal, size))) {
    return 'its lost addresses belong to the reserve for Windows: settle INV-16 first';
  }
  for (const ordinal of lost) {
    const ip = addressAt(range, ordinal);
    const [user] = addressUsers.of(ip);
    if (user !== undefined) return `first give ${describeUser(user)} another address than ${formatIp(ip)}`;
  }
  return undefined;
}

function attributeMissing(
  { block, ordinal, ip, address, sequence }: Allocation,
  owners: UnreadableOwners,
  keepsRecords: boolean,
  action: RepairAction | undefined,
  unfree: string | undefined,
): Judgement {
  const index = block.block.spec.allocations[ordinal];
  const records = attributesOf(block.block).length;
  const unused = owners.isUnused({ block, ip });
  return judge({
    ...aboutBlock(block),
    id: 'INV-04',
    also: keepsRecords ? ['INV-09'] : [],
    address,
    evidence: [
      `ordinal ${ordinal} points to attribute ${index}, the block has ${records}`,
      unused ? 'nothing is known to use the address' : 'something alive uses the address or may use it',
    ],
    fingerprint: `${index} ${sequence} ${unused}`,
    ...(action
      ? { action, repair: automatic(action, `free ${address} and rebuild block ${block.cidr}`, 'INV-04') }
      : {
          repair: {
            primitive: 'R2',
            automatic: false,
            summary: unfree ?? `not every such address of block ${block.cidr} is proved unused`,
          },
        }),
  });
}

const says: Readonly<Record<string, (list: string) => string>> = {
  'INV-05': (list) => `free list holds ${list}`,
  'INV-06': (list) => `more than once in the free list: ${list}`,
  'INV-07': (list) => `allocated and in the free list: ${list}`,
  'INV-08': (list) => `neither allocated nor in the free list: ${list}`,
  'INV-09': (list) => `attributes that no allocation points to: ${list}`,
  'INV-10': (list) => `attributes that repeat an earlier one: ${list}`,
};

const mends: Readonly<Record<string, string>> = {
  'INV-05': 'drop what is out of range from the free list',
  'INV-06': 'keep one entry of each address in the free list',
  'INV-07': 'take allocated addresses out of the free list',
  'INV-08': 'append the lost addresses to the free list',
  'INV-09': 'remove the attributes that no address has',
  'INV-10': 'merge equal attributes',
};

/** Problems whose values are ordinals of the block, so that they have addresses. */
const ofOrdinals: ReadonlySet<InvariantId> = new Set(['INV-06', 'INV-07', 'INV-08']);

function bookProblem(
  block: BlockView,
  { id, at }: StructureProblem,
  action: RepairAction | undefined,
  unfree: string | undefined,
): Judgement {
  const range = block.range;
  const addresses = ofOrdinals.has(id) && range ? at.map((ordinal) => formatIp(addressAt(range, ordinal))) : [];
  const evidence = [
    says[id]?.(`${addresses.length > 0 ? 'ordinals ' : ''}${listed(at, mostListed)}`) ?? listed(at, mostListed),
  ];
  if (addresses.length > 0) evidence.push(`addresses: ${listed(addresses, mostListed)}`);
  const summary = mends[id] ?? 'rebuild the block';
  const byHand: Repair = {
    primitive: 'R2',
    automatic: false,
    summary:
      id === 'INV-10'
        ? 'merged when the block is rewritten for another reason'
        : (unfree ?? 'settle INV-04 of this block first'),
  };
  return judge({
    ...aboutBlock(block),
    id,
    address: addresses.length === 1 ? addresses[0] : undefined,
    part: 'books',
    evidence,
    fingerprint: at.join(),
    ...(action ? { action, repair: automatic(action, summary, id) } : { repair: byHand }),
  });
}
