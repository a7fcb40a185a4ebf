// Finds the handles that do not agree with the blocks; nearly all do. Those that do not are judged in handles.ts.
import { windowsHandle } from '../../resources/names.ts';
import type { HandleRecord } from '../snapshot.ts';
import type { CheckView } from '../view/check-view.ts';
import { isMisnamed } from './handle-names.ts';

/** Handles, and names of handles, that need a closer look. */
export interface UnmatchedHandles {
  readonly handles: ReadonlySet<HandleRecord>;
  /** Names of handles of allocations that may be missing, miscounted, or stand for several IDs. */
  readonly names: ReadonlySet<string>;
  /** Those of the names that no object has, apart from tombstones. */
  readonly withoutObject: readonly string[];
}

/** Sorts out the handles whose counts are those of the blocks. */
export function unmatchedHandles(view: CheckView): UnmatchedHandles {
  const records = view.snapshot.handles;
  const { allocatedHandles } = view;
  const places = allocatedHandles.lastPlaces(records);
  const settled = new Uint8Array(allocatedHandles.size);
  const handles = new Set<HandleRecord>();
  for (let at = 0; at < records.length; at++) {
    const handle = records[at] as HandleRecord;
    const place = places[at] as number;
    const agrees = place >= 0 && settled[place] === 0 && isPlain(handle) && allocatedHandles.agree(place, handle.block);
    if (!agrees) handles.add(handle);
    else for (let same = place; same >= 0; same = allocatedHandles.previous(same)) settled[same] = 1;
  }
  const names = unsettledNames(view, settled);
  // Some have more addresses, whose handle is spelled differently.
  if (names.size > 0) for (const handle of records) if (names.has(handle.name)) handles.add(handle);
  const recorded = new Set<string>();
  for (const { name, deleted } of handles) if (!deleted) recorded.add(name);
  return { handles, names, withoutObject: [...names].filter((name) => !recorded.has(name)) };
}

/** Characters that the name of a handle object never has; and the empty name. */
const unusual = /[A-Z\r]|^$/;

/** True when the allocations of the handle are exactly those whose handle is spelled like its name. */
function isPlain(handle: HandleRecord): boolean {
  return !handle.deleted && !isMisnamed(handle) && handle.name !== windowsHandle && !unusual.test(handle.name);
}

/** Names of the handles of the allocations whose places are not settled. */
function unsettledNames({ blocks }: CheckView, settled: Uint8Array): Set<string> {
  const names = new Set<string>();
  let place = 0;
  for (const { allocations } of blocks) {
    for (const allocation of allocations) {
      if (settled[place++] === 1 || allocation.windowsReserved) continue;
      if (allocation.handleName !== undefined) names.add(allocation.handleName);
    }
  }
  return names;
}
