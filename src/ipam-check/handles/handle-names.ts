// Judges the names of handles (INV-49): an object is named by its ID in lower case, and stands for one ID only.
import { handleName, sanitiseHandle } from '../../resources/names.ts';
import type { Judgement } from '../finding.ts';
import { blockObject, handleObject, judge } from '../judgement.ts';
import type { HandleRecord } from '../snapshot.ts';
import type { Allocation } from '../view/block-view.ts';

/** True when Calico does not look for the ID that the object holds under the name of the object. */
export function isMisnamed({ name, handleId }: HandleRecord): boolean {
  return handleId !== '' && handleId !== name && handleName(sanitiseHandle(handleId)) !== name;
}

/** INV-49 for a misnamed object whose name is the handle of some addresses. */
export function misnamedHandle(handle: HandleRecord): Judgement {
  const { name, handleId } = handle;
  return judge({
    id: 'INV-49',
    object: handleObject(name),
    handle: handleId,
    part: 'name',
    evidence: [`spec.handleID is ${handleId}, which belongs in the object ${handleName(sanitiseHandle(handleId))}`],
    fingerprint: `${handle.uid} ${handle.resourceVersion}`,
  });
}

/** INV-49 for IDs that differ only in case and so share an object; undefined for a name that stands for one ID. */
export function sharedName(name: string, allocations: readonly Allocation[]): Judgement | undefined {
  const [first] = allocations;
  return allocations.some(({ handleId }) => handleId !== first?.handleId) ? shared(name, allocations) : undefined;
}

function shared(name: string, allocations: readonly Allocation[]): Judgement {
  const blocks = [...new Set(allocations.map(({ block }) => block.name))].sort().map(blockObject);
  const byId = new Map<string, string[]>();
  for (const { handleId = '', address } of allocations) {
    const addresses = byId.get(handleId);
    if (addresses) addresses.push(address);
    else byId.set(handleId, [address]);
  }
  return judge({
    id: 'INV-49',
    object: handleObject(name),
    related: blocks,
    dependencies: blocks,
    part: 'case',
    evidence: [...byId].map(([handleId, addresses]) => `${handleId} has ${addresses.join(', ')}`),
    fingerprint: [...byId.keys()].sort().join(' '),
  });
}
