// Sets the handles aside that agree with the blocks, block by block: nearly all do, each has addresses of one block, and no
// index of the whole cluster is needed to see it. What is left is judged in handles.ts.
import { isMisnamed } from './handle-names.ts';
import type { HandleRecord } from './snapshot.ts';
import { byHandle, type CheckView } from './view.ts';

/** What may be wrong with handles. */
export interface OpenHandles {
  readonly handles: ReadonlySet<HandleRecord>;
  /** Names that allocations have and that may be missing, miscounted, or stand for several handles. */
  readonly names: ReadonlySet<string>;
  /** Those of the names that no object has, tombstones aside. */
  readonly withoutObject: readonly string[];
}

/** Handles and names of handles that need a closer look. */
export function openHandles(view: CheckView): OpenHandles {
  const handles = new Set<HandleRecord>();
  const names = new Set<string>();
  const counted = new Map<string, HandleRecord[]>();
  for (const handle of view.snapshot.handles) {
    const cidr = handle.deleted || isMisnamed(handle) ? undefined : onlyKey(handle);
    const others = cidr === undefined ? undefined : counted.get(cidr);
    if (cidr === undefined) handles.add(handle);
    else if (others === undefined) counted.set(cidr, [handle]);
    else others.push(handle);
  }
  for (const block of view.blocks) {
    const held = byHandle([block]);
    for (const handle of (block.status === 'live' && counted.get(block.cidr)) || []) {
      const allocations = held.get(handle.name);
      const [first] = allocations;
      const settled =
        first !== undefined &&
        allocations.length === handle.block[block.cidr] &&
        allocations.every(({ handleId }) => handleId === first.handleId);
      if (settled) held.delete(handle.name);
      else handles.add(handle);
    }
    for (const name of held.keys()) names.add(name);
    if (block.status === 'live') counted.delete(block.cidr);
  }
  for (const elsewhere of counted.values()) for (const handle of elsewhere) handles.add(handle);
  // Addresses in further blocks, which the handle does not count.
  if (names.size > 0) for (const handle of view.snapshot.handles) if (names.has(handle.name)) handles.add(handle);
  const recorded = new Set<string>();
  for (const { name, deleted } of handles) if (!deleted) recorded.add(name);
  return { handles, names, withoutObject: [...names].filter((name) => !recorded.has(name)) };
}

/** The key of a handle's only count; undefined when it has none or several. */
function onlyKey({ block }: HandleRecord): string | undefined {
  let only: string | undefined;
  for (const key in block) {
    if (only !== undefined) return undefined;
    only = key;
  }
  return only;
}
