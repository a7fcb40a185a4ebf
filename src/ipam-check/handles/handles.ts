// Judges handles against the allocations that name them (INV-45 to INV-49 and INV-52).
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import { blockName, isObjectName } from '../../resources/names.ts';
import { counted } from '../../text/wording.ts';
import { namedOwnerOf } from '../addresses/holders.ts';
import type { UnreadableOwners } from '../blocks/unreadable-owners.ts';
import type { FoundObject, Judgement, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { automatic, blockObject, handleObject, judge } from '../judgement.ts';
import type { HandleRecord } from '../snapshot.ts';
import { operationGuardMs, tombstoneGuardMs } from '../times.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import { isMisnamed, misnamedHandle, sharedName } from './handle-names.ts';
import type { UnmatchedHandles } from './unmatched-handles.ts';

/**
 * INV-45 to INV-49 and INV-52. Of 45 to 48 a handle gets one finding: the first it breaks in the order 46, 45, 48, 47.
 */
export function handleJudgements(
  view: CheckView,
  releases: PlannedReleases,
  owners: UnreadableOwners,
  unmatched: UnmatchedHandles,
): Judgement[] {
  const blocks = new Map<string, BlockView>();
  for (const block of view.blocks) if (block.status !== 'live') blocks.set(block.cidr, block);
  for (const block of view.liveBlocks) blocks.set(block.cidr, block);
  const judgements: Judgement[] = [];
  for (const handle of unmatched.handles) {
    if (handle.deleted) {
      judgements.push(tombstone(view, handle));
      continue;
    }
    const allocations = view.allocationsByHandle.get(handle.name);
    if (!owners.livingHandles.has(handle.name)) {
      const judgement = miscounted(view, handle, allocations, blocks);
      if (judgement) judgements.push(judgement);
    }
    if (allocations.length > 0 && isMisnamed(handle)) judgements.push(misnamedHandle(handle));
  }
  for (const name of unmatched.names) {
    const shared = sharedName(name, view.allocationsByHandle.get(name));
    if (shared) judgements.push(shared);
  }
  for (const name of unmatched.withoutObject) {
    const judgement = missing(name, view.allocationsByHandle.get(name), releases);
    if (judgement) judgements.push(judgement);
  }
  return judgements;
}

function tombstone(view: CheckView, handle: HandleRecord): Judgement {
  const action: RepairAction = { primitive: 'R7', kind: 'IPAMHandle', name: handle.name, uid: handle.uid };
  return judge({
    id: 'INV-52',
    object: handleObject(handle.name),
    candidate: view.isYounger(handle.writtenAtMs, tombstoneGuardMs),
    handle: handle.handleId || handle.name,
    ageSeconds: view.ageSeconds(handle.writtenAtMs),
    evidence: ['spec.deleted is true'],
    fingerprint: `${handle.uid} ${handle.resourceVersion}`,
    action,
    repair: automatic(action, 'complete the deletion of the handle', 'INV-52'),
  });
}

/** The differences between the counts of a handle and the blocks. */
interface Differences {
  /** About keys and counts that are invalid (INV-48). */
  readonly invalid: string[];
  /** About counts that differ (INV-47). */
  readonly unequal: string[];
  /** A count is too high, or an entry has to go. */
  lowers: boolean;
  /** A key names a block that cannot be read: the right count is unknown. */
  uncertain: boolean;
  /** Names of the blocks that the keys stand for. */
  readonly named: Set<string>;
}

function compare(
  view: CheckView,
  handle: HandleRecord,
  allocations: readonly Allocation[],
  blocks: ReadonlyMap<string, BlockView>,
): Differences {
  const right = new Map<string, number>();
  for (const { block } of allocations) right.set(block.cidr, (right.get(block.cidr) ?? 0) + 1);
  const found: Differences = { invalid: [], unequal: [], lowers: false, uncertain: false, named: new Set() };
  const entries = Object.entries(handle.block);
  if (entries.length === 0) found.invalid.push('spec.block is empty');
  const seen = new Set<string>();
  for (const [key, count] of entries) {
    const range = parseCidr(key);
    if (!range) {
      found.invalid.push(`invalid CIDR "${key}" in spec.block`);
      found.lowers = true;
      continue;
    }
    const cidr = formatCidr(range);
    const block = blocks.get(cidr);
    seen.add(cidr);
    found.named.add(block?.name ?? blockName(cidr));
    if (block ? block.status === 'unreadable' : view.isUnjudgedRange(range)) {
      found.uncertain = true;
      continue;
    }
    const expected = right.get(cidr) ?? 0;
    if (key !== cidr) found.invalid.push(`spec.block has "${key}", not the canonical ${cidr}`);
    if (!block) found.invalid.push(`block ${cidr} does not exist`);
    else if (!(count >= 1)) found.invalid.push(`the count for ${cidr} is ${count}`);
    else if (count !== expected)
      found.unequal.push(`the handle counts ${count} in ${cidr}, but the block records ${expected}`);
    if (count > expected || expected === 0 || key !== cidr) found.lowers = true;
  }
  for (const [cidr, expected] of right) {
    if (!seen.has(cidr)) found.unequal.push(`the handle does not count ${cidr}, but the block records ${expected}`);
  }
  return found;
}

function miscounted(
  view: CheckView,
  handle: HandleRecord,
  allocations: readonly Allocation[],
  blocks: ReadonlyMap<string, BlockView>,
): Judgement | undefined {
  const differences = compare(view, handle, allocations, blocks);
  const { invalid, unequal, uncertain } = differences;
  const stray = allocations.length === 0;
  if (stray && uncertain) return undefined;
  const broken: InvariantId[] = [];
  if (stray) broken.push('INV-45');
  if (invalid.length > 0) broken.push('INV-48');
  if (unequal.length > 0) broken.push('INV-47');
  if (stray && isMisnamed(handle)) broken.push('INV-49');
  const [id, ...also] = broken;
  if (id === undefined) return undefined;

  const named = [...new Set([...differences.named, ...allocations.map(({ block }) => block.name)])].sort();
  const lowers = stray || differences.lowers;
  const action: RepairAction = {
    primitive: 'R3',
    handle: handle.name,
    handleId: handle.handleId || handle.name,
    uid: handle.uid,
    resourceVersion: handle.resourceVersion,
    blocks: named,
    lowers,
  };
  const objects = named.map(blockObject);
  const byHand = 'a block that the handle names cannot be read';
  return judge({
    id,
    also,
    object: handleObject(handle.name),
    related: objects,
    dependencies: objects,
    candidate: lowers && view.isYounger(handle.writtenAtMs, operationGuardMs),
    handle: action.handleId,
    ageSeconds: view.ageSeconds(handle.writtenAtMs),
    owner: podOf(allocations[0]),
    evidence: [...(stray ? ['no block records an address with this handle'] : []), ...invalid, ...unequal],
    fingerprint: `${handle.uid} ${handle.resourceVersion}`,
    ...(uncertain
      ? { repair: { primitive: 'R3', automatic: false, summary: byHand } }
      : {
          action,
          repair: automatic(action, stray ? 'delete the handle' : 'set its counts to what the blocks record', id),
        }),
  });
}

/** INV-46. Undefined when all its addresses are released anyway: then it is in `also` of those findings. */
function missing(name: string, all: readonly Allocation[], releases: PlannedReleases): Judgement | undefined {
  const allocations = all.filter((allocation) => allocation.block.status === 'live');
  const [first] = allocations;
  if (!first || allocations.every((allocation) => releases.of(allocation) !== undefined)) return undefined;
  const blocks = [...new Set(allocations.map(({ block }) => block.name))].sort();
  const handleId = first.handleId ?? name;
  const action: RepairAction = {
    primitive: 'R3',
    handle: name,
    handleId,
    uid: undefined,
    resourceVersion: undefined,
    blocks,
    lowers: false,
  };
  const summary = `create the handle with a count of ${counted(allocations.length, 'address')}`;
  return judge({
    id: 'INV-46',
    object: handleObject(name),
    related: blocks.map(blockObject),
    dependencies: blocks.map(blockObject),
    cidr: blocks.length === 1 ? first.block.cidr : undefined,
    address: allocations.length === 1 ? first.address : undefined,
    handle: handleId,
    node: first.node,
    owner: podOf(first),
    part: 'missing',
    evidence: allocations.map(({ address, block }) => `${address} in block ${block.cidr} has the handle`),
    fingerprint: allocations.map(({ address, sequence }) => `${address}@${sequence}`).join(' '),
    ...(isObjectName(name)
      ? { action, repair: automatic(action, summary, 'INV-46') }
      : { repair: { primitive: 'R3', automatic: false, summary: 'no object can have this name' } }),
  });
}

function podOf(allocation: Allocation | undefined): FoundObject | undefined {
  const owner = allocation && namedOwnerOf(allocation.attributes);
  return owner?.kind === 'Pod' ? owner : undefined;
}

/** The judgements that release all addresses of a handle without an object. */
export function handlesMissedByReleases(
  view: CheckView,
  releases: PlannedReleases,
  unmatched: UnmatchedHandles,
): Set<Judgement> {
  const judgements = new Set<Judgement>();
  if (!view.canJudge('INV-46')) return judgements;
  for (const name of unmatched.withoutObject) {
    const all = view.allocationsByHandle.get(name);
    const by = all.filter(({ block }) => block.status === 'live').map((allocation) => releases.of(allocation));
    if (by.every((judgement) => judgement !== undefined)) for (const judgement of by) judgements.add(judgement);
  }
  return judgements;
}
