// Judges a snapshot: runs every rule, joins what they say about one fault, and puts the judgements in report order.
import { compareIp, type IpAddress, parseIp } from '../net/ip.ts';
import { addressJudgements } from './addresses/addresses.ts';
import { hasLiveContainer } from './addresses/allocation-fault.ts';
import { metadataJudgements } from './addresses/allocation-metadata.ts';
import { affinityJudgements } from './affinities/affinities.ts';
import { cniNodeNameJudgements } from './affinities/cni-node-names.ts';
import { nodeBlockJudgements } from './affinities/node-blocks.ts';
import { ownerNameJudgements } from './affinities/owner-names.ts';
import { unneededBlockJudgements } from './affinities/unneeded-blocks.ts';
import { blockOwnerJudgements } from './blocks/block-owners.ts';
import { blockJudgements } from './blocks/blocks.ts';
import { sequenceJudgements } from './blocks/sequences.ts';
import { unreadableOwners } from './blocks/unreadable-owners.ts';
import type { Judgement } from './finding.ts';
import { handleJudgements, handlesMissedByReleases } from './handles/handles.ts';
import { unmatchedHandles } from './handles/unmatched-handles.ts';
import type { Severity } from './invariant.ts';
import { borrowingJudgements } from './policy/borrowing.ts';
import { configurationJudgements } from './policy/configuration.ts';
import { manualPoolJudgements } from './policy/manual-pools.ts';
import { reservedAddressJudgements } from './policy/reserved-addresses.ts';
import { blockPlacementJudgements } from './pools/block-placement.ts';
import { nodeExhaustionJudgements } from './pools/node-exhaustion.ts';
import { nodeNetworkJudgements } from './pools/node-networks.ts';
import { poolDefinitionJudgements } from './pools/pool-definitions.ts';
import { poolExhaustionJudgements } from './pools/pool-exhaustion.ts';
import type { IpamSnapshot } from './snapshot.ts';
import { type AddressUsers, addressUsersOf } from './view/address-users.ts';
import type { Allocation } from './view/block-view.ts';
import { CheckView } from './view/check-view.ts';
import { PlannedReleases } from './view/planned-releases.ts';
import { reservedAddressesOf } from './view/reserved-addresses.ts';
import { waitingPodJudgements } from './waiting/pods.ts';
import { waitingServiceJudgements } from './waiting/services.ts';

/** What a snapshot comes to. */
export interface Evaluation {
  readonly judgements: readonly Judgement[];
  /** Allocated addresses, the Windows reserve among them. */
  readonly allocations: number;
  /** Those of them that something uses, or that are reserved for Windows. */
  readonly inUse: number;
}

/**
 * Everything that is wrong in the snapshot, and the counts of its allocations. Stable judgements come first, then the
 * most severe, then in order of invariant, address and object. Equal snapshots give equal evaluations.
 */
export function evaluate(snapshot: IpamSnapshot): Evaluation {
  const view = new CheckView(snapshot);
  const users = addressUsersOf(view);
  let inUse = 0;
  for (const allocation of view.allocations) if (isInUse(view, users, allocation)) inUse++;
  return { judgements: inReportOrder(judgementsOf(view, users)), allocations: view.allocations.length, inUse };
}

/** The addresses of a live container are in use even when its pod does not list them. */
function isInUse(view: CheckView, users: AddressUsers, allocation: Allocation): boolean {
  return allocation.windowsReserved || users.hasUserOf(allocation) || hasLiveContainer(view, users, allocation);
}

/** Runs the rules. Those further down pass over what the repairs of those further up settle anyway. */
function judgementsOf(view: CheckView, users: AddressUsers): Judgement[] {
  const addresses = judgeable(view, addressJudgements(view, users));
  const owners = unreadableOwners(view, users);
  const blocks = judgeable(view, blockJudgements(view, users, owners));
  const releases = new PlannedReleases([...addresses, ...blocks]);
  const affinities = judgeable(view, affinityJudgements(view, releases));

  const reported = new Set(addresses.map(({ finding }) => finding.address ?? ''));
  const faulty = new Set(affinities.map(({ finding }) => finding.object.name));
  const unmatched = unmatchedHandles(view);
  const missed = handlesMissedByReleases(view, releases, unmatched);
  const reserved = reservedAddressesOf(view.snapshot.reservations);
  const others = [
    ...sequenceJudgements(view),
    ...blockOwnerJudgements(view),
    ...metadataJudgements(view, users, releases, reported),
    ...blockPlacementJudgements(view, releases),
    ...poolDefinitionJudgements(view),
    ...poolExhaustionJudgements(view, reserved),
    ...nodeExhaustionJudgements(view, reserved),
    ...nodeNetworkJudgements(view, reserved),
    ...cniNodeNameJudgements(view),
    ...ownerNameJudgements(view),
    ...nodeBlockJudgements(view),
    ...unneededBlockJudgements(view, releases, faulty),
    ...borrowingJudgements(view, releases),
    ...configurationJudgements(view, reserved),
    ...reservedAddressJudgements(view, reserved, releases),
    ...manualPoolJudgements(view, reported),
    ...waitingServiceJudgements(view),
    ...waitingPodJudgements(view),
    ...handleJudgements(view, releases, owners, unmatched),
  ];
  return [
    ...addresses.map((judgement) => (missed.has(judgement) ? withMissingHandle(judgement) : judgement)),
    ...blocks,
    ...affinities,
    ...judgeable(view, others),
  ];
}

/** Those judgements whose invariant can be judged by what was read. */
function judgeable(view: CheckView, judgements: readonly Judgement[]): Judgement[] {
  return judgements.filter(({ finding }) => view.canJudge(finding.id));
}

/** The handle of an address that is released anyway is not created first: its absence is part of the same fault. */
function withMissingHandle(judgement: Judgement): Judgement {
  const { finding } = judgement;
  if (finding.also.includes('INV-46')) return judgement;
  const evidence = [...finding.evidence, 'its handle object does not exist'];
  return { ...judgement, finding: { ...finding, also: [...finding.also, 'INV-46'], evidence } };
}

const weight: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

function inReportOrder(judgements: readonly Judgement[]): Judgement[] {
  const placed = judgements.map((judgement) => {
    const { address } = judgement.finding;
    return { judgement, ip: address === undefined ? undefined : parseIp(address) };
  });
  placed.sort(({ judgement: a, ip: ipA }, { judgement: b, ip: ipB }) => {
    const candidates = Number(a.finding.stability === 'candidate') - Number(b.finding.stability === 'candidate');
    return (
      candidates ||
      weight[a.finding.severity] - weight[b.finding.severity] ||
      byText(a.finding.id, b.finding.id) ||
      byAddress(ipA, ipB) ||
      byText(a.key, b.key)
    );
  });
  return placed.map(({ judgement }) => judgement);
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function byAddress(a: IpAddress | undefined, b: IpAddress | undefined): number {
  if (a && b) return compareIp(a, b);
  return Number(a !== undefined) - Number(b !== undefined);
}
