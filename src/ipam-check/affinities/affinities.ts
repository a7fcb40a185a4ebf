// Judges block affinities against the blocks, which decide who owns them, and against nodes and pools.
import { affinityName, blockName } from '../../resources/names.ts';
import { counted } from '../../text/wording.ts';
import type { Dependency, FoundObject, Judgement, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { affinityObject, automatic, blockObject, judge, nodeObject, poolObject } from '../judgement.ts';
import { conflictGuardMs, operationGuardMs, tombstoneGuardMs } from '../times.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import { AffinityNames } from './affinity-names.ts';
import {
  affinityRepair,
  isBlockless,
  isLeftAlone,
  type JudgedAffinity,
  missingAffinityRepair,
} from './affinity-repair.ts';

/** INV-28 to INV-36. One affinity gets one finding: the first it breaks in the order 31, 30, 36, 33, 32, 35, 29. */
export function affinityJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
  const blocksWithout = blocksWithoutAffinity(view);
  const rivalries = rivalriesOf(view);
  const deletedBlocks = new Set(view.blocks.filter((block) => block.status === 'tombstone').map((block) => block.cidr));
  const names = new AffinityNames();
  const judgements: Judgement[] = [];
  for (const affinity of view.affinities) {
    if (affinity.tombstone) {
      judgements.push(tombstone(view, affinity));
      continue;
    }
    const judgement = judgeAffinity(view, releases, {
      ...factsOf(view, affinity, deletedBlocks),
      mismatches: names.mismatches(affinity),
      rivalry: rivalries.get(affinity),
      nameFor: blocksWithout.get(affinity.name),
    });
    if (judgement) judgements.push(judgement);
  }
  for (const [name, block] of blocksWithout) {
    const holder = view.affinitiesByName.get(name);
    if (holder === undefined || holder.tombstone) judgements.push(missingAffinity(view, releases, block, name));
  }
  return judgements;
}

function tombstone(view: CheckView, affinity: AffinityView): Judgement {
  const { uid } = affinity.affinity.metadata;
  const action: RepairAction = { primitive: 'R7', kind: 'BlockAffinity', name: affinity.name, uid };
  return judge({
    id: 'INV-34',
    object: affinityObject(affinity.name),
    candidate: view.isYounger(affinity.writtenAtMs, tombstoneGuardMs),
    cidr: affinity.cidr,
    node: affinity.node,
    ageSeconds: view.ageSeconds(affinity.writtenAtMs),
    evidence: ['spec.deleted is true'],
    fingerprint: `${uid} ${affinity.resourceVersion}`,
    action,
    repair: automatic(action, `complete the deletion of ${affinity.name}`, 'INV-34'),
  });
}

/** Owned blocks whose owner has no affinity for them, by the name that the affinity should have. */
function blocksWithoutAffinity(view: CheckView): Map<string, BlockView> {
  const blocks = new Map<string, BlockView>();
  for (const block of view.liveBlocks) {
    const { owner } = block;
    if (owner && view.affinityOfOwner(block) === undefined) blocks.set(affinityName(owner.name, block.cidr), block);
  }
  return blocks;
}

function missingAffinity(view: CheckView, releases: PlannedReleases, block: BlockView, name: string): Judgement {
  const owner = block.affinity ?? '';
  const lives = block.owner !== undefined && view.ownerLives(block.owner.type, block.owner.name);
  const pooled = block.range !== undefined && view.poolsCovering(block.range).length > 0;
  const enabled = block.range !== undefined && view.enabledPoolOf(block.range.base) !== undefined;
  const empty = releases.leaveEmpty(block);
  const evidence = [`${block.cidr} is owned by ${owner}`, `${owner} has no affinity for it`];
  if (!lives) evidence.push(`node ${block.owner?.name} does not exist`);
  if (!pooled) evidence.push('no pool contains the block');
  return judge({
    id: 'INV-28',
    object: blockObject(block.name),
    related: [affinityObject(name)],
    dependencies: [affinityObject(name), ...(block.node ? [nodeObject(block.node)] : [])],
    cidr: block.cidr,
    node: block.node,
    evidence,
    fingerprint: `${owner} ${lives} ${pooled} ${enabled} ${empty}`,
    ...missingAffinityRepair(block, { empty, worthClaiming: lives && (empty ? enabled : pooled) }),
  });
}

type Rivalry = NonNullable<JudgedAffinity['rivalry']>;

/** The affinities to be reported where several are confirmed for one block: those that lose, or the first of a draw. */
function rivalriesOf(view: CheckView): Map<AffinityView, Rivalry> {
  const rivalries = new Map<AffinityView, Rivalry>();
  for (const [cidr, affinities] of view.affinitiesByCidr) {
    if (affinities.length < 2) continue;
    const confirmed = affinities.filter((affinity) => affinity.state === 'confirmed');
    if (confirmed.length < 2) continue;
    const block = view.blocksByCidr.get(cidr);
    const range = confirmed[0]?.range;
    if (!block && range && view.isUnjudgedRange(range)) continue;
    const decides = block !== undefined && (block.affinity === undefined || block.owner !== undefined);
    const isLost = (affinity: AffinityView) =>
      decides ? affinity.owner !== block.affinity : !view.ownerLives(affinity.type, affinity.node);
    const othersThan = (one: AffinityView) => confirmed.filter((affinity) => affinity !== one);
    for (const loser of confirmed.filter(isLost)) rivalries.set(loser, { others: othersThan(loser), lost: true });
    const undecided = confirmed.filter((affinity) => !isLost(affinity));
    const [first] = undecided;
    if (first && undecided.length > 1) rivalries.set(first, { others: othersThan(first), lost: false });
  }
  return rivalries;
}

function factsOf(
  view: CheckView,
  affinity: AffinityView,
  deletedBlocks: ReadonlySet<string>,
): Pick<JudgedAffinity, 'affinity' | 'block' | 'readable' | 'blockDeleted' | 'ownerLives' | 'poolEnabled'> {
  const { cidr, range, node, type } = affinity;
  const block = cidr === undefined ? undefined : view.blocksByCidr.get(cidr);
  const blockDeleted = cidr !== undefined && deletedBlocks.has(cidr);
  return {
    affinity,
    block,
    readable:
      range !== undefined && node !== '' && (block !== undefined || blockDeleted || !view.isUnjudgedRange(range)),
    blockDeleted,
    ownerLives: view.ownerLives(type, node),
    poolEnabled: range !== undefined && view.enabledPoolOf(range.base) !== undefined,
  };
}

function isMislabelled({ mismatches }: JudgedAffinity): boolean {
  return mismatches.name.length > 0 || mismatches.labels.length > 0;
}

/** What the affinity breaks: first the invariant that the finding bears, then those for its `also`. */
function brokenBy(judged: JudgedAffinity): InvariantId[] {
  const { affinity, block } = judged;
  if (!judged.readable) return isMislabelled(judged) ? ['INV-35'] : [];
  const owns = block !== undefined && block.affinity === affinity.owner;
  const decided = block !== undefined && (block.affinity === undefined || block.owner !== undefined);
  const ids: InvariantId[] = [];
  if (judged.rivalry) ids.push('INV-31');
  if (decided && !owns) ids.push('INV-30');
  if (affinity.type === 'host' && !judged.ownerLives) ids.push('INV-36');
  if (affinity.state === 'pendingDeletion') ids.push('INV-33');
  if (affinity.state === 'pending' && owns) ids.push('INV-32');
  if (isMislabelled(judged)) ids.push('INV-35');
  if (isBlockless(judged) && !(judged.blockDeleted && isLeftAlone(judged))) ids.push('INV-29');
  if ((owns && affinity.state !== 'confirmed') || (judged.nameFor && ids.length > 0)) ids.push('INV-28');
  return ids;
}

/** What an affinity breaks for a moment while its node claims or releases the block, or is being registered. */
const guarded: ReadonlySet<InvariantId> = new Set(['INV-29', 'INV-32', 'INV-33', 'INV-36']);

/** True when an operation in progress may look like this. */
function isCandidate(view: CheckView, id: InvariantId, judged: JudgedAffinity): boolean {
  const { writtenAtMs } = judged.affinity;
  if (id === 'INV-30' || id === 'INV-31') return view.isYounger(writtenAtMs, conflictGuardMs);
  if (id === 'INV-29' && isLeftAlone(judged)) return false;
  return guarded.has(id) && view.isYounger(writtenAtMs, operationGuardMs);
}

function judgeAffinity(view: CheckView, releases: PlannedReleases, judged: JudgedAffinity): Judgement | undefined {
  const [id, ...also] = brokenBy(judged);
  if (id === undefined) return undefined;
  const { affinity, block } = judged;
  const candidate = isCandidate(view, id, judged);
  const harmless = id === 'INV-29' && (isLeftAlone(judged) || (candidate && affinity.state === 'pending'));
  const others = judged.rivalry?.others ?? [];
  const related: FoundObject[] = others.map((other) => affinityObject(other.name));
  if (block) related.push(blockObject(block.name));
  return judge({
    id,
    also,
    ...(harmless && { severity: 'info' as const }),
    candidate,
    object: affinityObject(affinity.name),
    related,
    cidr: affinity.cidr ?? affinity.cidrText,
    node: affinity.node,
    ageSeconds: view.ageSeconds(affinity.writtenAtMs),
    evidence: evidenceOf(judged),
    fingerprint: [
      affinity.resourceVersion,
      block ? (block.affinity ?? 'nobody') : 'no block',
      judged.ownerLives,
      judged.poolEnabled,
      ...others.map((other) => other.name),
    ].join(' '),
    dependencies: dependenciesOf(view, judged, others),
    ...affinityRepair(id, judged, releases),
  });
}

function dependenciesOf(
  view: CheckView,
  { affinity, block }: JudgedAffinity,
  others: readonly AffinityView[],
): Dependency[] {
  const dependencies: Dependency[] = others.map((other) => affinityObject(other.name));
  if (block) dependencies.push(blockObject(block.name));
  else if (affinity.cidr !== undefined) dependencies.push(blockObject(blockName(affinity.cidr)));
  if (affinity.type === 'host' && affinity.node !== '') dependencies.push(nodeObject(affinity.node));
  if (affinity.range) for (const { name } of view.poolsCovering(affinity.range)) dependencies.push(poolObject(name));
  return dependencies;
}

function evidenceOf(judged: JudgedAffinity): string[] {
  const { affinity, block, rivalry } = judged;
  const cidr = affinity.cidr ?? affinity.cidrText;
  const evidence = [`affinity of ${affinity.owner} for ${cidr}, state ${affinity.state}`];
  if (judged.readable) {
    if (block)
      evidence.push(block.affinity ? `block ${cidr} is owned by ${block.affinity}` : `block ${cidr} has no owner`);
    else evidence.push(judged.blockDeleted ? `block ${cidr} is marked as deleted` : `block ${cidr} does not exist`);
    for (const other of rivalry?.others ?? []) evidence.push(`${other.owner} has a confirmed affinity for ${cidr} too`);
    if (!judged.ownerLives) evidence.push(`node ${affinity.node} does not exist`);
    if (!judged.ownerLives && block && !block.empty) {
      evidence.push(`${counted(block.allocations.length, 'address is', 'addresses are')} allocated in it`);
    }
    if (!judged.poolEnabled) evidence.push(`no enabled pool contains ${cidr}`);
  }
  evidence.push(...judged.mismatches.name, ...judged.mismatches.labels);
  if (judged.nameFor) evidence.push(`its name is the one for an affinity for ${judged.nameFor.cidr}`);
  return evidence;
}
