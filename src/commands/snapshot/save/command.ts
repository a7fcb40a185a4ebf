// calictl snapshot save: the objects of a datastore, and with --nodes what the nodes answer, into a folder or a .tgz file.
import { resolve } from 'node:path';
import type { NodeRecording } from '../../../snapshot/save.ts';
import type { SavedSnapshot } from '../../../snapshot/saved-snapshot.ts';
import { type ExitCode, exitCodes, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { birdFolder, nodeTargets } from '../../node/targets.ts';
import { birdFlag, parallelOf, timeoutOf, transportFlags } from '../../node/transport-flags.ts';
import { outputFlag } from '../../shared-flags.ts';

interface Saved extends SavedSnapshot {
  readonly path: string;
}

async function recordingOf(ctx: Context, input: Input): Promise<NodeRecording | undefined> {
  if (!input.on('nodes')) return undefined;
  const [timeoutMs, parallel] = [await timeoutOf(input), parallelOf(input)];
  const store = await ctx.datastore();
  const [{ calicoNode }, { listAll }, { allProbes }] = await Promise.all([
    import('../../../resources/kinds/node.ts'),
    import('../../../datastore/datastore.ts'),
    import('../../../node-state/probes.ts'),
  ]);
  const nodes = await listAll(store, calicoNode, { mode: 'scan', signal: ctx.world.signal });
  const usual = allProbes();
  return {
    exec: await ctx.nodeExec(input),
    targets: nodeTargets(nodes, []),
    timeoutMs,
    parallel,
    // Wherever the sockets are on the nodes, in the snapshot they are in the usual place.
    probesOf: (node) => allProbes(birdFolder(input, node)).map((run, i) => ({ run, recordedAs: usual[i] ?? run })),
  };
}

async function run(ctx: Context, input: Input): Promise<Saved> {
  const [given = ''] = input.args;
  if (given === '') throw new UsageError('the path is empty', 'name a folder or a .tgz file');
  const path = resolve(ctx.world.cwd, given);
  const [{ openTarget }, { saveSnapshot }] = await Promise.all([
    import('../../../snapshot/target.ts'),
    import('../../../snapshot/save.ts'),
  ]);
  const [store, nodes] = [await ctx.datastore(), await recordingOf(ctx, input)];
  const target = await openTarget(path);
  try {
    const { clock, signal } = ctx.world;
    const options = {
      now: clock.now(),
      redact: input.on('redact'),
      signal,
      progress: (text: string) => ctx.progress(text),
    };
    const saved = await saveSnapshot(store, target, nodes, options);
    signal.throwIfAborted();
    await target.finish();
    return { ...saved, path };
  } catch (error) {
    await target.abandon();
    throw error;
  }
}

function exitOf({ unread, nodes = [] }: Saved): ExitCode {
  return unread.length > 0 || nodes.some(({ lost }) => lost !== undefined) ? exitCodes.partial : exitCodes.ok;
}

export const snapshotSave = defineCommand<Saved>({
  path: ['snapshot', 'save'],
  summary: 'Save the objects of a cluster, and what its nodes say, for a look at them elsewhere',
  description:
    'Writes a folder, or one file when PATH ends in .tgz, that every reading command takes with --datastore PATH. It ' +
    'holds no secrets: of pods, nodes, services and namespaces only the fields that calictl reads. With --nodes the ' +
    'answers of all nodes are recorded, and node commands work on them. The same state gives the same bytes, but for times.',
  examples: [
    { command: 'calictl snapshot save ./case-17', about: 'the objects into a folder' },
    { command: 'calictl snapshot save case-17.tgz --nodes', about: 'with what the nodes say, in one file' },
    { command: 'calictl snapshot save case-17.tgz --nodes --via ssh --ssh-user core', about: 'nodes by SSH' },
  ],
  args: [{ name: 'PATH', about: 'folder or .tgz file that does not exist yet', required: true }],
  flags: [
    { name: 'nodes', about: 'record the nodes too' },
    { name: 'redact', about: 'without labels, annotations and accounts that are not needed to judge' },
    ...transportFlags,
    birdFlag,
    outputFlag('text', 'json'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: async (saved, view) => (await import('./text.ts')).savedText(saved, view),
    json: async (saved) => (await import('./text.ts')).savedJson(saved),
  },
  exit: exitOf,
});
