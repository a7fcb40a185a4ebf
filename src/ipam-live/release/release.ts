// The release that a person asks for: what may go, proved on live data, and then done.
import pMap from 'p-map';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import { releaseInBlock } from '../../ipam/release/release.ts';
import type {
  PlannedHandle,
  PlannedRelease,
  Released,
  ReleaseOutcome,
  ReleasePlan,
} from '../../ipam/release/release-plan.ts';
import { setHandleCount } from '../../ipam/repair/handle-repair.ts';
import { noPrecondition } from '../../ipam/repair/repair-outcome.ts';
import { containerOf } from '../../ipam-check/addresses/allocation-fault.ts';
import { awaitsAddress, namedPod } from '../../ipam-check/addresses/pod-allocations.ts';
import { leakedInAll, type ReadReport } from '../../ipam-check/calicoctl-report/read-calicoctl-report.ts';
import type { FoundObject } from '../../ipam-check/finding.ts';
import type { HandleRecord, IpamSnapshot, PodRecord } from '../../ipam-check/snapshot.ts';
import { operationGuardMs } from '../../ipam-check/times.ts';
import { type AddressUsers, addressUsersOf, objectOf } from '../../ipam-check/view/address-users.ts';
import type { Allocation } from '../../ipam-check/view/block-view.ts';
import { CheckView } from '../../ipam-check/view/check-view.ts';
import { canonicalIp, parseIp } from '../../net/ip.ts';
import { blockName, handleName, sanitiseHandle, translateUid } from '../../resources/names.ts';
import { CalictlError, RefusedError } from '../../world/errors.ts';
import { type ObserveOptions, observe } from '../check/observe.ts';
import { LivePreconditions } from '../repair/preconditions.ts';
import { repairStore } from '../repair/repair-store.ts';
import { interrupted, runInOrder } from '../sequential-steps.ts';
import { affinitiesOfNode, releaseNodeAffinities } from './node-affinities.ts';

export interface ReleaseTarget {
  readonly addresses: readonly string[];
  readonly handles: readonly string[];
  readonly reports: readonly ReadReport[];
  /** Everything that is recorded for this node. */
  readonly node?: string | undefined;
  /** Everything that is recorded for this pod. */
  readonly pod?: { readonly namespace: string; readonly name: string } | undefined;
  /** With `node`: its block affinities too. */
  readonly affinities?: boolean;
}

/** A plan with the reading that it was made from. */
export interface MadeReleasePlan extends ReleasePlan {
  readonly judged: IpamSnapshot;
}

/**
 * Looks up who holds what is to be released and who uses it.
 * Errors: RefusedError for a report of another cluster; whatever reading raises.
 */
export async function planRelease(
  store: Datastore,
  target: ReleaseTarget,
  options: ObserveOptions,
): Promise<MadeReleasePlan> {
  const snapshot = await observe(store, options);
  const unread = snapshot.unread.find(({ kind }) => kind === 'Service' || kind === 'WorkloadEndpoint');
  if (unread !== undefined) {
    throw new DatastoreError('unauthorized', `who uses the addresses cannot be told: ${unread.reason}`, {
      hint: `the right to list ${unread.kind} objects is needed to release addresses safely`,
    });
  }
  refuseForeignReports(target.reports, snapshot);
  const view = new CheckView(snapshot);
  const addressUsers = addressUsersOf(view);
  const leaked = leakedInAll(target.reports);

  const requests: PlannedRelease[] = [];
  const inUse: { address: string; users: string[] }[] = [];
  const unassigned: string[] = [];
  const changed: string[] = [];
  const alreadyFree: string[] = [];
  const young: string[] = [];
  const wanted = (address: string, allocations: readonly Allocation[]): void => {
    if (allocations.length === 0) unassigned.push(address);
    for (const allocation of allocations) {
      const users = usersOf(view, addressUsers, allocation);
      if (users.length > 0) inUse.push({ address, users });
      requests.push(requestOf(allocation));
    }
  };
  for (const address of new Set(target.addresses.map((text) => canonicalIp(text) ?? text))) {
    wanted(address, view.allocationsAt(parseIp(address)));
  }
  for (const handle of new Set(target.handles)) {
    for (const allocation of view.allocationsByHandle.get(handleName(sanitiseHandle(handle)))) {
      wanted(allocation.address, [allocation]);
    }
  }
  for (const allocation of view.allocations) {
    if (isRecordedFor(view, allocation, target)) wanted(allocation.address, [allocation]);
  }
  for (const leak of leaked.addresses) {
    const holders = view.allocationsAt(parseIp(leak.address));
    const same = holders.filter(
      ({ handle, sequence }) => (handle ?? '') === (leak.handle ?? '') && sequence === leak.sequenceNumber,
    );
    if (same.length > 0) wanted(leak.address, same);
    else if (holders.length > 0) changed.push(leak.address);
    else alreadyFree.push(leak.address);
  }
  const handles: PlannedHandle[] = [];
  for (const { id, uid, revision } of leaked.handles) {
    const record = handleOfReport(view, id, uid, revision);
    if (record === undefined) continue;
    // Allocators write the handle first: this one may be an allocation in progress.
    if (view.isYounger(record.writtenAtMs, operationGuardMs)) young.push(record.name);
    else handles.push(plannedHandle(record));
  }
  const fromReport = target.reports.length > 0;
  const used = new Set(inUse.map(({ address }) => address));
  const nodeAffinities =
    target.node === undefined
      ? {}
      : { nodeAffinities: await affinitiesOfNode(ipamStoreOf(store), view, target.node, target.affinities ?? false) };
  return {
    ...nodeAffinities,
    requests: fromReport ? requests.filter(({ address }) => !used.has(address)) : requests,
    handles,
    inUse,
    unassigned,
    changed,
    alreadyFree,
    young,
    judged: snapshot,
  };
}

/**
 * True for an allocation of the pod or of the node. Of a node that is gone also what holds an address of its blocks
 * without naming a node: old tunnel addresses. What a Windows node keeps back goes with the block.
 */
function isRecordedFor(view: CheckView, allocation: Allocation, { node, pod }: ReleaseTarget): boolean {
  if (allocation.windowsReserved || allocation.cooling) return false;
  if (pod !== undefined) {
    const named = namedPod(allocation);
    return named?.namespace === pod.namespace && named.name === pod.name;
  }
  if (node === undefined) return false;
  const recorded = allocation.attributes['node'];
  if (recorded !== undefined) return recorded === node;
  return allocation.block.node === node && !view.nodesByName.has(node);
}

function refuseForeignReports(reports: readonly ReadReport[], { clusterInformation }: IpamSnapshot): void {
  const guid = clusterInformation?.spec?.clusterGUID;
  const foreign = reports.find(({ clusterGuid }) => clusterGuid !== guid);
  if (foreign !== undefined) {
    throw new RefusedError(
      `the report ${foreign.file} is of another cluster (${foreign.clusterGuid}; this one is ${guid ?? 'without a GUID'})`,
      'REPORT_OF_ANOTHER_CLUSTER',
      'write a new one with: calictl ipam check --report FILE',
    );
  }
}

/** Everything that has the address, or is about to: a live container's address counts even when its pod does not list it. */
function usersOf(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): string[] {
  const users = addressUsers.of(allocation.ip).map(objectOf);
  const holders = [view.podsByContainer.get(containerOf(allocation) ?? ''), startingPod(view, allocation)];
  for (const pod of holders)
    if (pod !== undefined) users.push({ kind: 'Pod', namespace: pod.namespace, name: pod.name });
  return [...new Set(users.map(described))];
}

/** The pod that the allocation names, when it lives and has no address yet: it may be getting this one. */
function startingPod(view: CheckView, allocation: Allocation): PodRecord | undefined {
  const named = namedPod(allocation);
  const pod = named && view.podNamed(named);
  return pod !== undefined && awaitsAddress(pod) ? pod : undefined;
}

/** The object that the attributes name, whatever else they say. */
function namedOwnerOf({ pod, namespace, node, type, service }: Allocation['attributes']): PlannedRelease['namedOwner'] {
  if (pod !== undefined && namespace !== undefined) return { kind: 'Pod', name: pod, namespace };
  if (service !== undefined && namespace !== undefined) return { kind: 'Service', name: service, namespace };
  return node !== undefined && type !== undefined ? { kind: 'Node', name: node } : undefined;
}

/** `Pod shop/cart-0`, `Node worker-1`. */
function described({ kind, namespace, name }: FoundObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

function requestOf(allocation: Allocation): PlannedRelease {
  const { node } = allocation.attributes;
  const namedOwner = namedOwnerOf(allocation.attributes);
  const place = namedOwner === undefined ? 'no recorded owner' : described(namedOwner);
  return {
    block: allocation.block.name,
    address: allocation.address,
    handle: allocation.handle,
    sequenceNumber: allocation.sequence,
    about: node === undefined ? `was for ${place}` : `was for ${place} on ${node}`,
    namedOwner,
  };
}

/** The stored handle, if it still is what the report saw. */
function handleOfReport(
  view: CheckView,
  id: string,
  uid: string | undefined,
  revision: string | undefined,
): HandleRecord | undefined {
  const record = view.handlesByName.get(handleName(id));
  const sameUid = uid === undefined || (record?.uid !== undefined && translateUid(record.uid) === uid);
  return record?.resourceVersion === revision && sameUid ? record : undefined;
}

function plannedHandle({ name, handleId, uid, resourceVersion, block }: HandleRecord): PlannedHandle {
  return { handle: name, handleId, uid, resourceVersion, blocks: Object.keys(block).map(blockName) };
}

export interface ApplyReleaseOptions {
  /** Release also what is in use. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Releases what the plan says; each address guarded by handle and sequence number, its owner looked up once more. */
export async function applyRelease(
  store: Datastore,
  plan: MadeReleasePlan,
  options: ApplyReleaseOptions,
): Promise<Released> {
  const ipam = repairStore(store);
  const preconditions = new LivePreconditions(store, plan.judged, options.signal);
  const checkPrecondition = async ({ namedOwner }: PlannedRelease): Promise<string | undefined> => {
    if (options.force || namedOwner === undefined) return undefined;
    return preconditions.changeOfObjects([namedOwner]);
  };
  const byBlock = new Map<string, PlannedRelease[]>();
  for (const request of plan.requests) {
    const batch = byBlock.get(request.block);
    if (batch === undefined) byBlock.set(request.block, [request]);
    else batch.push(request);
  }
  const outcomes: ReleaseOutcome[] = [];
  await pMap(
    byBlock,
    async ([block, requests]) => {
      const ends = await inBlock(ipam, block, requests, checkPrecondition, options.signal);
      for (const [index, { address }] of requests.entries()) {
        const end = ends[index];
        if (end !== undefined) outcomes.push({ ...end, subject: address });
      }
    },
    { concurrency: 16 },
  );
  const handles = await runInOrder(
    plan.handles,
    ({ handle }) => handle,
    (handle) => setHandleCount(ipam, { ...handle, lowers: true }, noPrecondition),
    options.signal,
  );
  return {
    plan,
    dryRun: false,
    outcomes: [...outcomes, ...handles, ...(await releaseNodeAffinities(ipam, plan.nodeAffinities, options.signal))],
  };
}

/** What came of the addresses of one block. Once the signal came nothing is begun; what was begun is told of. */
async function inBlock(
  ipam: IpamStore,
  block: string,
  requests: readonly PlannedRelease[],
  checkPrecondition: (request: PlannedRelease) => Promise<string | undefined>,
  signal: AbortSignal,
): Promise<Omit<ReleaseOutcome, 'subject'>[]> {
  const stopped = { outcome: 'skipped', detail: interrupted } as const;
  if (signal.aborted) return requests.map(() => stopped);
  try {
    return await releaseInBlock(ipam, block, requests, checkPrecondition);
  } catch (error) {
    // The proof reads with the signal, and nothing is written without it.
    if (signal.aborted && !(error instanceof CalictlError)) return requests.map(() => stopped);
    if (!(error instanceof CalictlError)) throw error;
    return requests.map(() => ({ outcome: 'failed', detail: error.message }));
  }
}
