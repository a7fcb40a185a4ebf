// Judges a snapshot: every rule, what they say about one fault joined, in the order of the report.
import { compareIp, type IpAddress, parseIp } from '../net/ip.ts';
import { addressJudgements } from './addresses/addresses.ts';
import { hasLiveContainer } from './addresses/allocation-fault.ts';
import { metadataJudgements } from './addresses/allocation-metadata.ts';
import { affinityJudgements } from './affinities/affinities.ts';
import { nodeBlockJudgements } from './affinities/node-blocks.ts';
import { unneededBlockJudgements } from './affinities/unneeded-blocks.ts';
import { blockOwnerJudgements } from './blocks/block-owners.ts';
import { blockJudgements } from './blocks/blocks.ts';
import { sequenceJudgements } from './blocks/sequences.ts';
import { unreadableOwners } from './blocks/unreadable-owners.ts';
import type { Judgement } from './finding.ts';
import { handleJudgements, handlesMissedByReleases } from './handles/handles.ts';
import { unmatchedHandles } from './handles/unmatched-handles.ts';
import type { Severity } from './invariant.ts';
import {
  borrowingJudgements,
  configurationJudgements,
  manualPoolJudgements,
  ownerNameJudgements,
} from './policy/policy.ts';
import { poolExhaustionJudgements } from './pools/pool-exhaustion.ts';
import { poolJudgements } from './pools/pools.ts';
import { reservationJudgements, reservedOf } from './pools/reservations.ts';
import type { IpamSnapshot } from './snapshot.ts';
import { type AddressUsers, addressUsersOf } from './view/address-users.ts';
import type { Allocation } from './view/block-view.ts';
import { CheckView } from './view/check-view.ts';
import { PlannedReleases } from './view/planned-releases.ts';

/** What a snapshot comes to. */
export interface Evaluation {
  readonly judgements: readonly Judgement[];
  /** Allocated addresses, the Windows reserve among them. */
  readonly allocations: number;
  /** Those of them that something uses, or that are reserved. */
  readonly inUse: number;
}

/**
 * Everything that is wrong in the snapshot: what is stable first, the severe before the harmless, then by invariant,
 * address and object; and the counts of its allocations. The same snapshot gives the same answer.
 */
export function evaluate(snapshot: IpamSnapshot): Evaluation {
  const view = new CheckView(snapshot);
  const addressUsers = addressUsersOf(view);
  let inUse = 0;
  for (const allocation of view.allocations) if (isInUse(view, addressUsers, allocation)) inUse++;
  return { judgements: judgementsOf(view, addressUsers), allocations: view.allocations.length, inUse };
}

/** A live container's addresses are in use even when its pod does not list them. */
function isInUse(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): boolean {
  return (
    allocation.windowsReserved || addressUsers.hasUserOf(allocation) || hasLiveContainer(view, addressUsers, allocation)
  );
}

function judgementsOf(view: CheckView, addressUsers: AddressUsers): Judgement[] {
  const addresses = addressJudgements(view, addressUsers);
  const owners = unreadableOwners(view, addressUsers);
  const books = blockJudgements(view, addressUsers, owners);
  const releases = new PlannedReleases([...addresses, ...books]);
  const reported = new Set(addresses.map(({ finding }) => finding.address ?? ''));
  const open = unmatchedHandles(view);
  const missed = handlesMissedByReleases(view, releases, open);
  const claims = affinityJudgements(view, releases);
  const faulty = new Set(claims.map(({ finding }) => finding.object.name));
  const reserved = reservedOf(view.snapshot.reservations);
  return inReportOrder([
    ...addresses.map((judgement) => (missed.has(judgement) ? withMissingHandle(judgement) : judgement)),
    ...books,
    ...sequenceJudgements(view),
    ...blockOwnerJudgements(view),
    ...metadataJudgements(view, addressUsers, releases, reported),
    ...poolJudgements(view, releases),
    ...claims,
    ...unneededBlockJudgements(view, releases, faulty),
    ...nodeBlockJudgements(view, reserved),
    ...poolExhaustionJudgements(view, reserved),
    ...reservationJudgements(view, reserved, releases),
    ...ownerNameJudgements(view),
    ...borrowingJudgements(view, releases),
    ...configurationJudgements(view, reserved),
    ...manualPoolJudgements(view, reported),
    ...handleJudgements(view, releases, owners, open),
  ]);
}

/** The handle of an address that is released anyway is not created first: its absence is part of the same fault. */
function withMissingHandle(judgement: Judgement): Judgement {
  const { finding } = judgement;
  if (finding.also.includes('INV-46')) return judgement;
  const evidence = [...finding.evidence, 'its handle has no object'];
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
