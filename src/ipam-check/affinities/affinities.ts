// Judges the claims of nodes on blocks (BlockAffinity objects) against the blocks, which decide, and against nodes and pools.
import { affinityName, blockName } from '../../resources/names.ts';
import type { Dependency, FoundObject, Judgement, RepairAction } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { affinityObject, automatic, blockObject, judge, nodeObject } from '../judgement.ts';
import { conflictGuardMs, operationGuardMs, tombstoneGuardMs } from '../times.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PlannedReleases } from '../view/planned-releases.ts';
import { AffinityNames } from './affinity-names.ts';
import { affinityRepair, type Claim, isBlockless, isLeftAlone, missingAffinityRepair } from './affinity-repair.ts';

/** INV-28 to INV-36. One claim gets one finding: the first it breaks in the order 31, 30, 36, 33, 32, 35, 29. */
export function affinityJudgements(view: CheckView, releases: PlannedReleases): Judgement[] {
  if (!view.canJudge('BlockAffinity')) return [];
  const unclaimed = unclaimedBlocks(view);
  const rivalries = rivalriesOf(view);
  const deletedBlocks = new Set(view.blocks.filter((block) => block.status === 'tombstone').map((block) => block.cidr));
  const names = new AffinityNames();
  const judgements: Judgement[] = [];
  for (const affinity of view.affinities) {
    if (affinity.tombstone) {
      judgements.push(tombstone(view, affinity));
      continue;
    }
    const mismatches = names.mismatches(affinity);
    const judgement = judgeClaim(view, releases, {
      ...claimOf(view, affinity, deletedBlocks),
      mismatches,
      rivalry: rivalries.get(affinity),
      coversFor: unclaimed.get(affinity.name),
    });
    if (judgement) judgements.push(judgement);
  }
  for (const [name, block] of unclaimed) {
    const holder = view.affinitiesByName.get(name);
    if (holder === undefined || holder.tombstone) judgements.push(missingClaim(view, releases, block, name));
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
    repair: automatic(action, `finish the deletion of ${affinity.name}`, 'INV-34'),
  });
}

/** Owned blocks without a claim of their owner, by the name that the claim should have. */
function unclaimedBlocks(view: CheckView): Map<string, BlockView> {
  const unclaimed = new Map<string, BlockView>();
  for (const block of view.liveBlocks) {
    const { owner } = block;
    if (!owner || view.affinitiesOf(block.cidr).some((affinity) => affinity.owner === block.affinity)) continue;
    unclaimed.set(affinityName(owner.name, block.cidr), block);
  }
  return unclaimed;
}

function missingClaim(view: CheckView, releases: PlannedReleases, block: BlockView, name: string): Judgement {
  const owner = block.affinity ?? '';
  const lives = block.owner !== undefined && view.ownerLives(block.owner.type, block.owner.name);
  const pooled = block.range !== undefined && view.poolsCovering(block.range).length > 0;
  const enabled = block.range !== undefined && view.enabledPoolOf(block.range.base) !== undefined;
  const empty = releases.leaveEmpty(block);
  const evidence = [`${block.cidr} is owned by ${owner}`, `no claim of ${owner} for it exists`];
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

/** How a confirmed claim stands among several confirmed ones for the same block. */
interface Rivalry {
  readonly others: readonly AffinityView[];
  /** True when the block, or the loss of its node, decides against this claim. */
  readonly lost: boolean;
}

/** The claims that are to be reported among rivals: the losers, and the first of those that nothing decides between. */
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
    const lost = (affinity: AffinityView) =>
      decides ? affinity.owner !== block.affinity : !view.ownerLives(affinity.type, affinity.node);
    const losers = confirmed.filter(lost);
    const standing = confirmed.filter((affinity) => !lost(affinity));
    const others = (one: AffinityView) => confirmed.filter((affinity) => affinity !== one);
    for (const loser of losers) rivalries.set(loser, { others: others(loser), lost: true });
    const [first] = standing;
    if (first && standing.length > 1) rivalries.set(first, { others: others(first), lost: false });
  }
  return rivalries;
}

function claimOf(
  view: CheckView,
  affinity: AffinityView,
  deletedBlocks: ReadonlySet<string>,
): Pick<Claim, 'affinity' | 'block' | 'judged' | 'blockDeleted' | 'ownerLives' | 'poolEnabled'> {
  const { cidr, range, node, type } = affinity;
  const block = cidr === undefined ? undefined : view.blocksByCidr.get(cidr);
  const blockDeleted = cidr !== undefined && deletedBlocks.has(cidr);
  return {
    affinity,
    block,
    judged: range !== undefined && node !== '' && (block !== undefined || blockDeleted || !view.isUnjudgedRange(range)),
    blockDeleted,
    ownerLives: view.ownerLives(type, node),
    poolEnabled: range !== undefined && view.enabledPoolOf(range.base) !== undefined,
  };
}

function isMislabelled({ mismatches }: Claim): boolean {
  return mismatches.name.length > 0 || mismatches.labels.length > 0;
}

/** What the claim breaks, the finding first, then what stands in `also`. */
function broken(claim: Claim): InvariantId[] {
  const { affinity, block } = claim;
  const ids: InvariantId[] = [];
  if (claim.judged) {
    const ours = block !== undefined && block.affinity === affinity.owner;
    const decided = block !== undefined && (block.affinity === undefined || block.owner !== undefined);
    if (claim.rivalry) ids.push('INV-31');
    if (decided && !ours) ids.push('INV-30');
    if (affinity.type === 'host' && !claim.ownerLives) ids.push('INV-36');
    if (affinity.state === 'pendingDeletion') ids.push('INV-33');
    if (affinity.state === 'pending' && ours) ids.push('INV-32');
    if (isMislabelled(claim)) ids.push('INV-35');
    if (isBlockless(claim) && !(claim.blockDeleted && isLeftAlone(claim))) ids.push('INV-29');
    if ((ours && affinity.state !== 'confirmed') || (claim.coversFor && ids.length > 0)) ids.push('INV-28');
  } else if (isMislabelled(claim)) ids.push('INV-35');
  return ids;
}

function isCandidate(view: CheckView, id: InvariantId, claim: Claim): boolean {
  const { writtenAtMs } = claim.affinity;
  if (id === 'INV-30') return view.isYounger(writtenAtMs, conflictGuardMs);
  if (id === 'INV-29' && isLeftAlone(claim)) return false;
  return (id === 'INV-29' || id === 'INV-32' || id === 'INV-33') && view.isYounger(writtenAtMs, operationGuardMs);
}

function judgeClaim(view: CheckView, releases: PlannedReleases, claim: Claim): Judgement | undefined {
  const [id, ...also] = broken(claim);
  if (id === undefined) return undefined;
  const { affinity, block } = claim;
  const candidate = isCandidate(view, id, claim);
  const harmless = id === 'INV-29' && (isLeftAlone(claim) || (candidate && affinity.state === 'pending'));
  const others = claim.rivalry?.others ?? [];
  const blockRef = block ? [blockObject(block.name)] : [];
  const related: FoundObject[] = [...others.map((other) => affinityObject(other.name)), ...blockRef];
  const repair = affinityRepair(id, claim, releases);
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
    evidence: evidenceOf(claim),
    fingerprint: [
      affinity.resourceVersion,
      block ? (block.affinity ?? 'nobody') : 'no block',
      claim.ownerLives,
      claim.poolEnabled,
      ...others.map((other) => other.name),
    ].join(' '),
    dependencies: dependenciesOf(view, claim, others),
    ...repair,
  });
}

function dependenciesOf(view: CheckView, { affinity, block }: Claim, others: readonly AffinityView[]): Dependency[] {
  const dependencies: Dependency[] = others.map((other) => affinityObject(other.name));
  if (block) dependencies.push(blockObject(block.name));
  else if (affinity.cidr !== undefined) dependencies.push(blockObject(blockName(affinity.cidr)));
  if (affinity.type === 'host' && affinity.node !== '') dependencies.push(nodeObject(affinity.node));
  if (affinity.range)
    for (const { name } of view.poolsCovering(affinity.range)) dependencies.push({ kind: 'IPPool', name });
  return dependencies;
}

function evidenceOf(claim: Claim): string[] {
  const { affinity, block, rivalry } = claim;
  const cidr = affinity.cidr ?? affinity.cidrText;
  const evidence = [`${affinity.owner} claims ${cidr}, state ${affinity.state}`];
  if (claim.judged) {
    if (block) evidence.push(`block ${cidr} is owned by ${block.affinity ?? 'nobody'}`);
    else evidence.push(claim.blockDeleted ? `block ${cidr} is marked deleted` : `block ${cidr} does not exist`);
    for (const other of rivalry?.others ?? []) evidence.push(`${other.owner} has a confirmed claim for ${cidr} too`);
    if (!claim.ownerLives) evidence.push(`node ${affinity.node} does not exist`);
    if (!claim.ownerLives && block && !block.empty)
      evidence.push(`${block.allocations.length} addresses are allocated in it`);
    if (!claim.poolEnabled) evidence.push(`no enabled pool contains ${cidr}`);
  }
  evidence.push(...claim.mismatches.name, ...claim.mismatches.labels);
  if (claim.coversFor) evidence.push(`its name is that of the claim for ${claim.coversFor.cidr}`);
  return evidence;
}
