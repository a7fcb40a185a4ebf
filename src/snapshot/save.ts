// Saves a snapshot: the objects of a datastore, one file per kind, and the output of the probes on each node.

import { pMapIterable } from 'p-map';
import { type Datastore, DatastoreError } from '../datastore/datastore.ts';
import type { NodeExec, NodeTarget } from '../node-exec/node-exec.ts';
import { isLost, type RecordedStep, recordingFiles } from '../node-exec/recordings.ts';
import { stepsOf } from '../node-live/read-nodes.ts';
import type { Probe } from '../node-state/probes.ts';
import { type Kind, v3ApiVersion } from '../resources/kind.ts';
import { distinctName, kinds } from '../resources/kinds.ts';
import { isObjectName } from '../resources/names.ts';
import { printJson } from '../text/json.ts';
import { counted } from '../text/wording.ts';
import type { Progress } from '../world/progress.ts';
import { keepFields } from './keep-fields.ts';
import type { SavedNode, SavedSnapshot } from './saved-snapshot.ts';
import type { SnapshotTarget } from './target.ts';

export interface SaveOptions {
  readonly now: Date;
  readonly redact: boolean;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** How the nodes are recorded. */
export interface NodeRecording {
  readonly exec: NodeExec;
  readonly targets: readonly NodeTarget[];
  readonly timeoutMs: number;
  readonly parallel: number;
  /** What runs on a node, and what a replay will look up: the same, except for the paths of BIRD's sockets. */
  probesOf(node: string): readonly { readonly run: Probe; readonly recordedAs: Probe }[];
}

/** The kinds that belong in a snapshot. Objects that a Kubernetes datastore derives from others are saved as those others. */
function savedKinds(store: Datastore): Kind[] {
  return kinds.filter(
    ({ inSnapshots = true, derived }) => inSnapshots && (derived === undefined || store.type !== 'kubernetes'),
  );
}

/** `ippools.json`; with the API group where two kinds have the same plural. */
function fileName(kind: Kind): string {
  const { plural, group } = kind.api;
  return distinctName(kind) === kind.kind ? `${plural}.json` : `${plural}.${group}.json`;
}

/** The objects of a kind as a List, one object per line. */
async function listOf(
  store: Datastore,
  kind: Kind,
  options: SaveOptions,
  onRead: (count: number) => void,
): Promise<{ text: string; count: number }> {
  const lines: string[] = [];
  // The core group is scanned: a snapshot keeps only the fields that a scan reads.
  const mode = kind.api.group === '' ? 'scan' : 'consistent';
  for await (const { items } of store.list(kind, { mode, current: true, signal: options.signal })) {
    for (const object of items) lines.push(printJson(keepFields(object, options.redact)));
    onRead(items.length);
  }
  // The server's storage is sorted by name; its cache may return another order.
  if (mode === 'scan') lines.sort();
  const text = `{"apiVersion":"v1","kind":"List","items":[\n${lines.join(',\n')}\n]}\n`;
  return { text, count: lines.length };
}

/**
 * Writes the snapshot to the target, which the caller finishes or abandons.
 * Errors: those of the target, and those of the datastore, except that kinds which may not be read or do not exist are `unread`.
 */
export async function saveSnapshot(
  store: Datastore,
  target: SnapshotTarget,
  nodes: NodeRecording | undefined,
  options: SaveOptions,
): Promise<SavedSnapshot> {
  const capturedAt = store.capturedAt ?? options.now;
  const objects: { kind: string; count: number }[] = [];
  const unread: { kind: string; reason: string }[] = [];
  const all = savedKinds(store);
  let read = 0;
  for (const [done, kind] of all.entries()) {
    const onRead = (count: number): void => {
      read += count;
      options.progress('saving', { done, total: all.length, unit: 'kinds', detail: counted(read, 'object') });
    };
    try {
      const { text, count } = await listOf(store, kind, options, onRead);
      if (count > 0) await target.write(fileName(kind), text);
      objects.push({ kind: distinctName(kind), count });
    } catch (error) {
      const unreadable = error instanceof DatastoreError && (error.reason === 'unauthorized' || error.missingKind);
      if (!unreadable) throw error;
      if (error.missingKind && kind.isRecent) {
        objects.push({ kind: distinctName(kind), count: 0 });
        continue;
      }
      unread.push({ kind: distinctName(kind), reason: error.message });
    }
  }
  // Of a store that is itself incomplete, a snapshot is no more complete.
  const holdings = await store.holdings?.({ signal: options.signal });
  const complete = objects.map(({ kind }) => kind).filter((kind) => holdings?.complete.has(kind) ?? true);
  const { calicoApi } = store;
  const info = { capturedAt: capturedAt.toISOString(), complete, ...(calicoApi === v3ApiVersion && { calicoApi }) };
  await target.write('snapshot.json', `${JSON.stringify(info)}\n`);
  const saved = nodes === undefined ? undefined : await saveNodes(target, nodes, options);
  return { capturedAt, objects, unread, nodes: saved };
}

function recordedSteps(probes: ReturnType<NodeRecording['probesOf']>): RecordedStep[] {
  return probes.flatMap(({ run, recordedAs }) =>
    stepsOf(run).map((step, i) => ({
      ...step,
      recordedAs: recordedAs.alternatives[i] ?? step.argv,
      name: i === 0 ? run.name : `${run.name}-${i + 1}`,
    })),
  );
}

async function saveNodes(
  target: SnapshotTarget,
  { exec, targets, timeoutMs, parallel, probesOf }: NodeRecording,
  { signal, progress }: SaveOptions,
): Promise<SavedNode[]> {
  // A name that is not valid for an object could be a path: such a node is not asked.
  const named = targets.filter(({ name }) => isObjectName(name));
  // In the order of the targets, whichever answers first, and never more in memory than are asked at the same time.
  const recordings = pMapIterable(
    named,
    async (node) => {
      const steps = recordedSteps(probesOf(node.name));
      const outcomes = await exec.runSteps(node, steps, { timeoutMs, signal });
      signal.throwIfAborted();
      return { node, outcomes, files: recordingFiles(node.name, steps, outcomes) };
    },
    { concurrency: parallel, backpressure: parallel },
  );
  const saved: SavedNode[] = [];
  for await (const { node, outcomes, files } of recordings) {
    for (const [name, text] of files) await target.write(`nodes/${node.name}/${name}`, text);
    const lost = outcomes.flatMap((outcome) => (isLost(outcome) ? [outcome.error] : []));
    saved.push({
      node: node.name,
      commands: outcomes.filter(({ kind }) => kind === 'ran').length,
      lost: lost[0] && { count: lost.length, message: lost[0].message },
    });
    progress('recording', { done: saved.length, total: named.length, unit: 'nodes' });
  }
  for (const { name } of targets.filter(({ name }) => !isObjectName(name))) {
    const lost = { count: recordedSteps(probesOf(name)).length, message: 'not a valid node name' };
    saved.push({ node: name, commands: 0, lost });
  }
  return saved;
}
