// What a person names to be released (addresses, handles, a node or a pod, reports), and the allocations that it means.
import type { PlannedHandle, ReleasePlan } from '../../ipam/release/release-plan.ts';
import { namedPod } from '../../ipam-check/addresses/pod-allocations.ts';
import type {
  LeakedAddress,
  LeakedHandle,
  ReadReport,
} from '../../ipam-check/calicoctl-report/read-calicoctl-report.ts';
import type { HandleRecord } from '../../ipam-check/snapshot.ts';
import { operationGuardMs } from '../../ipam-check/times.ts';
import type { Allocation } from '../../ipam-check/view/block-view.ts';
import type { CheckView } from '../../ipam-check/view/check-view.ts';
import { canonicalIp, parseIp } from '../../net/ip.ts';
import { blockName, handleName, sanitiseHandle, shownUid } from '../../resources/names.ts';

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

/** An address with the allocations to release; none for a named address that is not allocated. */
export interface TargetAddress {
  readonly address: string;
  readonly allocations: readonly Allocation[];
}

/** What the addresses, handles, and the node or pod of the target mean. */
export function namedAllocations(view: CheckView, target: ReleaseTarget): TargetAddress[] {
  const byAddress = [...new Set(target.addresses.map((text) => canonicalIp(text) ?? text))].map((address) => ({
    address,
    allocations: view.allocationsAt(parseIp(address)),
  }));
  const byHandle = [...new Set(target.handles)].flatMap((handle) =>
    view.allocationsByHandle.get(handleName(sanitiseHandle(handle))),
  );
  const byOwner = view.allocations.filter((allocation) => isRecordedFor(view, allocation, target));
  const single = (allocation: Allocation) => ({ address: allocation.address, allocations: [allocation] });
  return [...byAddress, ...byHandle.map(single), ...byOwner.map(single)];
}

/**
 * True for an allocation of the pod or the node. For a node that does not exist this includes addresses of its blocks that
 * name no node, as old tunnel addresses do. The Windows reserve is released with its block.
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
  return allocation.block.node === node && !view.nodeExists(node);
}

type LeakedAddresses = Pick<ReleasePlan, 'changed' | 'alreadyFree'> & { readonly found: readonly TargetAddress[] };

/** Of the addresses that reports call leaked, those that are still allocated as the report says, and the others. */
export function leakedAddresses(view: CheckView, leaks: readonly LeakedAddress[]): LeakedAddresses {
  const found: TargetAddress[] = [];
  const changed: string[] = [];
  const alreadyFree: string[] = [];
  for (const { address, handle = '', sequenceNumber } of leaks) {
    const holders = view.allocationsAt(parseIp(address));
    const allocations = holders.filter((one) => (one.handle ?? '') === handle && one.sequence === sequenceNumber);
    if (allocations.length > 0) found.push({ address, allocations });
    else if (holders.length > 0) changed.push(address);
    else alreadyFree.push(address);
  }
  return { found, changed, alreadyFree };
}

/** Of the handles that reports call leaked, those that are still at the revision of the report. */
export function leakedHandles(view: CheckView, leaks: readonly LeakedHandle[]): Pick<ReleasePlan, 'handles' | 'young'> {
  const handles: PlannedHandle[] = [];
  const young: string[] = [];
  for (const leak of leaks) {
    const record = handleOf(view, leak);
    if (record === undefined) continue;
    // Allocators write the handle first: this one may be an allocation in progress.
    if (view.isYounger(record.writtenAtMs, operationGuardMs)) young.push(record.name);
    else handles.push(plannedHandle(record));
  }
  return { handles, young };
}

/** The stored handle, if it is still what the report saw. */
function handleOf(view: CheckView, { id, uid, revision }: LeakedHandle): HandleRecord | undefined {
  const record = view.handlesByName.get(handleName(id));
  const sameUid =
    uid === undefined || (record?.uid !== undefined && shownUid(record.uid, view.snapshot.calicoApi) === uid);
  return record?.resourceVersion === revision && sameUid ? record : undefined;
}

function plannedHandle({ name, handleId, uid, resourceVersion, block }: HandleRecord): PlannedHandle {
  return { handle: name, handleId, uid, resourceVersion, blocks: Object.keys(block).map(blockName) };
}
