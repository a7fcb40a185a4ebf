// Deletion in two writes: the object is marked by compare-and-swap, then removed. An object that stays marked after a crash
// is a tombstone. Rules: docs/reference/ipam.md#two-phase-delete.
import { type BlockAffinity, isDeletedAffinity } from '../resources/kinds/block-affinity.ts';
import type { IPAMBlock } from '../resources/kinds/ipam-block.ts';
import type { IPAMHandle } from '../resources/kinds/ipam-handle.ts';
import { isEmpty } from './block/block.ts';
import type { IpamObjects, Outcome } from './ipam-store.ts';
import { maxRetries, retriesExhausted } from './retries.ts';

/** The kinds that are deleted in two phases. */
export type Marked = IPAMBlock | BlockAffinity | IPAMHandle;

const gone: Outcome<undefined> = { ok: true, value: undefined };

/** True when a deletion of the object began and was not completed. */
export function isTombstone(object: Marked): boolean {
  return object.kind === 'BlockAffinity' ? isDeletedAffinity(object as BlockAffinity) : object.spec.deleted === true;
}

/** The object with its deletion mark: a string on affinities, a boolean on other kinds. */
function asTombstone<T extends Marked>(object: T): T {
  return { ...object, spec: { ...object.spec, deleted: object.kind === 'BlockAffinity' ? 'true' : true } };
}

/** True for a marked block with allocated addresses: only a person may decide that they are free. */
function holdsAddresses(object: Marked): boolean {
  return object.kind === 'IPAMBlock' && !isEmpty(object as IPAMBlock);
}

/** The message for such a block, which is left to a person. */
export const heldTombstone = 'is marked as deleted but still has allocated addresses';

/**
 * Deletes exactly this object at its revision, in two writes. `not-found`: it was gone before. `conflict`: it was changed,
 * and nothing was marked.
 */
export async function deleteInTwoPhases<T extends Marked>(
  objects: IpamObjects<T>,
  object: T,
): Promise<Outcome<undefined>> {
  const marked = await objects.update(asTombstone(object));
  return marked.ok ? finishDeletion(objects, marked.value) : marked;
}

/**
 * Removes a tombstone. If another client removes it at the same time, that is success. `conflict`: the object is not a
 * tombstone (any more), or it is a block with allocated addresses.
 */
export async function finishDeletion<T extends Marked>(
  objects: IpamObjects<T>,
  tombstone: T,
): Promise<Outcome<undefined>> {
  let current = tombstone;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (!isTombstone(current) || holdsAddresses(current)) return { ok: false, why: 'conflict' };
    const removed = await objects.remove(current);
    if (removed.ok || removed.why === 'not-found') return gone;
    const again = await objects.get(current.metadata.name);
    // A new object of the same name is not ours to delete.
    if (!again.ok || again.value.metadata.uid !== current.metadata.uid) return gone;
    current = again.value;
  }
  throw retriesExhausted();
}

/**
 * Reads an object as Calico does: a tombstone is removed first and then does not exist. `conflict`: a marked block with
 * allocated addresses.
 */
export async function getLive<T extends Marked>(objects: IpamObjects<T>, name: string): Promise<Outcome<T>> {
  const found = await objects.get(name);
  if (!found.ok || !isTombstone(found.value)) return found;
  const finished = await finishDeletion(objects, found.value);
  return finished.ok ? { ok: false, why: 'not-found' } : finished;
}
