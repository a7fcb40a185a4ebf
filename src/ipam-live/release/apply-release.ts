// Carries out a release plan: addresses by block, then handles, then the affinities of a node that is gone.
import pMap from 'p-map';
import type { Datastore } from '../../datastore/datastore.ts';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import { releaseInBlock } from '../../ipam/release/release.ts';
import type { PlannedRelease, Released, ReleaseOutcome } from '../../ipam/release/release-plan.ts';
import { setHandleCount } from '../../ipam/repair/handle-repair.ts';
import { noPrecondition } from '../../ipam/repair/repair-outcome.ts';
import { CalictlError } from '../../world/errors.ts';
import { LivePreconditions } from '../repair/preconditions.ts';
import { repairStore } from '../repair/repair-store.ts';
import { interrupted, runInOrder } from '../sequential-steps.ts';
import { releaseNodeAffinities } from './node-affinities.ts';
import type { MadeReleasePlan } from './plan-release.ts';

/** Blocks written at the same time. */
const blocksInFlight = 16;

export interface ApplyReleaseOptions {
  /** Release also what is in use. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Releases what the plan says. Each address is guarded by handle and sequence number, and its owner is looked up once more. */
export async function applyRelease(
  store: Datastore,
  plan: MadeReleasePlan,
  options: ApplyReleaseOptions,
): Promise<Released> {
  const { force, signal } = options;
  const ipam = repairStore(store);
  const preconditions = new LivePreconditions(store, plan.judged, signal);
  const checkPrecondition = async ({ namedOwner }: PlannedRelease): Promise<string | undefined> => {
    if (force || namedOwner === undefined) return undefined;
    return preconditions.changeOfObjects([namedOwner]);
  };
  const addresses = await releaseAddresses(ipam, plan.requests, checkPrecondition, signal);
  const handles = await runInOrder(
    plan.handles,
    ({ handle }) => handle,
    (handle) => setHandleCount(ipam, { ...handle, lowers: true }, noPrecondition),
    signal,
  );
  const affinities = await releaseNodeAffinities(ipam, plan.nodeAffinities, signal);
  return { plan, dryRun: false, outcomes: [...addresses, ...handles, ...affinities] };
}

type CheckPrecondition = (request: PlannedRelease) => Promise<string | undefined>;

/** One write per block, several blocks at a time. */
async function releaseAddresses(
  ipam: IpamStore,
  requests: readonly PlannedRelease[],
  checkPrecondition: CheckPrecondition,
  signal: AbortSignal,
): Promise<ReleaseOutcome[]> {
  const byBlock = new Map<string, PlannedRelease[]>();
  for (const request of requests) {
    const batch = byBlock.get(request.block);
    if (batch === undefined) byBlock.set(request.block, [request]);
    else batch.push(request);
  }
  const outcomes: ReleaseOutcome[] = [];
  await pMap(
    byBlock,
    async ([block, batch]) => {
      const ends = await releaseBatch(ipam, block, batch, checkPrecondition, signal);
      for (const [index, { address }] of batch.entries()) {
        const end = ends[index];
        if (end !== undefined) outcomes.push({ ...end, subject: address });
      }
    },
    { concurrency: blocksInFlight },
  );
  return outcomes;
}

/** The outcomes of the addresses of one block. After the signal nothing is begun; what was begun has its outcome. */
async function releaseBatch(
  ipam: IpamStore,
  block: string,
  requests: readonly PlannedRelease[],
  checkPrecondition: CheckPrecondition,
  signal: AbortSignal,
): Promise<Omit<ReleaseOutcome, 'subject'>[]> {
  const stopped = { outcome: 'skipped', detail: interrupted } as const;
  if (signal.aborted) return requests.map(() => stopped);
  try {
    return await releaseInBlock(ipam, block, requests, checkPrecondition);
  } catch (error) {
    // The check of the precondition reads with the signal, and nothing is written without it.
    if (signal.aborted && !(error instanceof CalictlError)) return requests.map(() => stopped);
    if (!(error instanceof CalictlError)) throw error;
    return requests.map(() => ({ outcome: 'failed', detail: error.message }));
  }
}
