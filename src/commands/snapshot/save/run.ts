// What calictl snapshot save does: writes the objects of a datastore, and with --nodes the answers of the nodes.
import { listAll } from '../../../datastore/datastore.ts';
import { outputPath } from '../../../files/output-path.ts';
import { allProbes } from '../../../node-state/probes.ts';
import { calicoNode } from '../../../resources/kinds/node.ts';
import { type NodeRecording, saveSnapshot } from '../../../snapshot/save.ts';
import type { SavedSnapshot } from '../../../snapshot/saved-snapshot.ts';
import { openTarget } from '../../../snapshot/target.ts';
import { exitCodes } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { birdFolder, nodeTargets } from '../../node/targets.ts';
import { noDeadlineMs } from '../../transport-flags.ts';
import type { SaveInput } from './command.ts';
import { savedJson, savedText } from './text.ts';

interface Saved extends SavedSnapshot {
  readonly path: string;
}

export async function run(ctx: Context, input: SaveInput): Promise<Saved> {
  const store = await ctx.datastore();
  const path = outputPath(ctx.world.cwd, input.path, store, 'the snapshot', 'another PATH');
  const recording = input.nodes ? await recordingOf(ctx, input) : undefined;
  const target = await openTarget(path, ctx.world.self);
  try {
    const { clock, signal } = ctx.world;
    const saved = await saveSnapshot(store, target, recording, {
      now: clock.now(),
      redact: input.redact,
      signal,
      progress: ctx.progress,
    });
    signal.throwIfAborted();
    await target.finish();
    return { ...saved, path };
  } catch (error) {
    await target.abandon();
    throw error;
  }
}

async function recordingOf(ctx: Context, input: SaveInput): Promise<NodeRecording> {
  const nodes = await listAll(await ctx.datastore(), calicoNode, { mode: 'scan', signal: ctx.world.signal });
  const usual = allProbes();
  return {
    exec: await ctx.nodeExec(input),
    targets: nodeTargets(nodes, []),
    timeoutMs: Math.min(input.timeout, noDeadlineMs),
    parallel: input.parallel,
    // Wherever the sockets are on the nodes, in the snapshot they are in the usual place.
    probesOf: (node) => allProbes(birdFolder(input, node)).map((run, i) => ({ run, recordedAs: usual[i] ?? run })),
  };
}

export const formats = { text: savedText, json: savedJson };

export function exit({ unread, nodes = [] }: Saved): number {
  return unread.length > 0 || nodes.some(({ lost }) => lost !== undefined) ? exitCodes.partial : exitCodes.ok;
}
