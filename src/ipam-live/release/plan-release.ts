// Plans the release that a person asks for: which allocations are meant, who uses them, and what is left alone.
// Which allocations a target means is release-targets.ts; the plan is carried out by apply-release.ts.
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import type { AddressInUse, PlannedRelease, ReleasePlan } from '../../ipam/release/release-plan.ts';
import { holdersOf, namedOwnerOf } from '../../ipam-check/addresses/holders.ts';
import { leakedInAll, type ReadReport } from '../../ipam-check/calicoctl-report/read-calicoctl-report.ts';
import type { FoundObject } from '../../ipam-check/finding.ts';
import type { IpamSnapshot } from '../../ipam-check/snapshot.ts';
import { type AddressUsers, addressUsersOf } from '../../ipam-check/view/address-users.ts';
import type { Allocation } from '../../ipam-check/view/block-view.ts';
import { CheckView } from '../../ipam-check/view/check-view.ts';
import { qualifiedName } from '../../resources/object.ts';
import { RefusedError } from '../../world/errors.ts';
import { type ObserveOptions, observe } from '../check/observe.ts';
import { affinitiesOfNode } from './node-affinities.ts';
import { leakedAddresses, leakedHandles, namedAllocations, type ReleaseTarget } from './release-targets.ts';

/** A plan with the snapshot that it was made from. */
export interface MadeReleasePlan extends ReleasePlan {
  readonly judged: IpamSnapshot;
}

/**
 * Looks up who holds and who uses what is to be released.
 * Errors: RefusedError for a report of another cluster; DatastoreError when users of addresses cannot be read.
 */
export async function planRelease(
  store: Datastore,
  target: ReleaseTarget,
  options: ObserveOptions,
): Promise<MadeReleasePlan> {
  const snapshot = await observe(store, options);
  requireUsers(store, snapshot);
  refuseForeignReports(target.reports, snapshot);
  const view = new CheckView(snapshot);
  const users = addressUsersOf(view);

  const leaked = leakedInAll(target.reports);
  const reported = leakedAddresses(view, leaked.addresses);
  const found = [...namedAllocations(view, target), ...reported.found];
  const allocations = found.flatMap((one) => one.allocations);
  const inUse = allocations.flatMap((allocation) => inUseBy(view, users, allocation) ?? []);
  // What a report calls leaked is released only while nothing uses it; a named address is refused as a whole.
  const used = new Set(target.reports.length > 0 ? inUse.map(({ address }) => address) : []);
  const { node, affinities = false } = target;
  const nodeAffinities =
    node === undefined ? {} : { nodeAffinities: await affinitiesOfNode(ipamStoreOf(store), view, node, affinities) };
  return {
    ...nodeAffinities,
    requests: allocations.filter(({ address }) => !used.has(address)).map(requestOf),
    ...leakedHandles(view, leaked.handles),
    inUse,
    unassigned: found.filter((one) => one.allocations.length === 0).map(({ address }) => address),
    changed: reported.changed,
    alreadyFree: reported.alreadyFree,
    judged: snapshot,
  };
}

/** A folder without services may be a dump without them: then only what names a service may be in use by one. */
function requireUsers({ type }: Datastore, { unread }: IpamSnapshot): void {
  const missing = unread.find(
    ({ kind }) => kind === 'WorkloadEndpoint' || (kind === 'Service' && type === 'kubernetes'),
  );
  if (missing === undefined) return;
  throw new DatastoreError('unauthorized', `cannot determine who uses the addresses: ${missing.reason}`, {
    hint:
      type === 'kubernetes'
        ? `the right to list ${missing.kind} objects is needed to release addresses safely`
        : 'make the files readable, or move them out of the directory if they are not manifests',
  });
}

function refuseForeignReports(reports: readonly ReadReport[], { clusterInformation }: IpamSnapshot): void {
  const guid = clusterInformation?.spec?.clusterGUID;
  const foreign = reports.find(({ clusterGuid }) => clusterGuid !== guid);
  if (foreign === undefined) return;
  throw new RefusedError(
    `the report ${foreign.file} is of another cluster (${foreign.clusterGuid}; this one ${guid === undefined ? 'has no GUID' : `is ${guid}`})`,
    'REPORT_OF_ANOTHER_CLUSTER',
    'write a new one with: calictl ipam check --report FILE',
  );
}

/** Undefined when nothing holds the address. */
function inUseBy(view: CheckView, users: AddressUsers, allocation: Allocation): AddressInUse | undefined {
  const holders = holdersOf(view, users, allocation).map(
    ({ object, isUnknown }) => described(object) + (isUnknown ? ', which cannot be looked up' : ''),
  );
  return holders.length === 0 ? undefined : { address: allocation.address, users: [...new Set(holders)] };
}

/** `Pod shop/cart-0`, `Node worker-1`. */
function described(object: FoundObject): string {
  return `${object.kind} ${qualifiedName(object)}`;
}

function requestOf(allocation: Allocation): PlannedRelease {
  const { node } = allocation.attributes;
  const namedOwner = namedOwnerOf(allocation.attributes);
  const owner = namedOwner === undefined ? 'no recorded owner' : described(namedOwner);
  return {
    block: allocation.block.name,
    address: allocation.address,
    handle: allocation.handle,
    sequenceNumber: allocation.sequence,
    about: node === undefined ? `was for ${owner}` : `was for ${owner} on ${node}`,
    namedOwner,
  };
}
