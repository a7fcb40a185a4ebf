// Nodes as a snapshot recorded them: answers what was asked then, and says of everything else that it was not.
import { readFile, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { systemText } from '../world/errors.ts';
import { type CommandResult, type NodeExec, type NodeTarget, TransportError } from './node-exec.ts';
import { parseRecording, type Recording, recordingFile } from './recordings.ts';
import { runSequentialSteps } from './sequential-steps.ts';

/** `folder` is the snapshot; the recordings of a node are in `nodes/<node>/` there. */
export function openReplay(folder: string): NodeExec {
  const recordings = new Map<string, Promise<Recording>>();
  const placeOf = (node: string): string => join(folder, 'nodes', node);

  /** A file of the snapshot. What a snapshot says is not to read other files of this machine: no link leads out of it. */
  async function textOf(path: string): Promise<string> {
    const [real, top] = await Promise.all([realpath(path), realpath(folder)]);
    if (!real.startsWith(`${top}${sep}`)) throw new Error(`${path} leads out of the snapshot`);
    return readFile(real, 'utf8');
  }

  async function read({ name }: NodeTarget): Promise<Recording> {
    if (name === '' || name.includes('/') || name.startsWith('.') || name.includes('\0')) throw notRecorded(name);
    const path = join(placeOf(name), recordingFile);
    let text: string;
    try {
      text = await textOf(path);
    } catch (cause) {
      throw notRecorded(name, cause);
    }
    return parseRecording(text, path);
  }

  function recordingOf(node: NodeTarget): Promise<Recording> {
    let recording = recordings.get(node.name);
    if (recording === undefined) {
      recording = read(node);
      recordings.set(node.name, recording);
    }
    return recording;
  }

  async function outputIn(path: string): Promise<string> {
    try {
      return await textOf(path);
    } catch (cause) {
      throw new TransportError('broken', `the output ${path} of the snapshot cannot be read: ${systemText(cause)}`, {
        cause,
      });
    }
  }

  async function run(node: NodeTarget, argv: readonly string[]): Promise<CommandResult> {
    const { commands } = await recordingOf(node);
    const found = commands.find((command) => sameWords(command.argv, argv));
    if (found === undefined) {
      throw new TransportError('not-recorded', `${node.name}: the snapshot has no record of ${argv.join(' ')}`, {
        hint: 'Ask the node itself with --via.',
      });
    }
    if ('lost' in found) {
      const { reason, message, hint } = found.lost;
      throw new TransportError(reason, `${message} (when the snapshot was saved)`, { hint });
    }
    const { exit, stdout, stderr = '', truncated = false } = found;
    // A name and never a path.
    const text = stdout === undefined ? '' : await outputIn(join(placeOf(node.name), basename(stdout)));
    return { exit, stdout: text, stderr, durationMs: 0, truncated };
  }

  return {
    transport: 'replay',
    description: `the recordings in ${folder}`,
    run,
    runSteps: (node, steps, options = {}) =>
      runSequentialSteps(
        steps,
        (argv) => run(node, argv),
        { ...options, timeoutMs: Number.MAX_SAFE_INTEGER },
        () => 0,
      ),
    async stream(node, argv, { onStdout, onStderr }) {
      const { exit, stdout, stderr } = await run(node, argv);
      if (stderr !== '') await onStderr(Buffer.from(stderr));
      if (stdout !== '') await onStdout(Buffer.from(stdout));
      return exit;
    },
    close: async () => undefined,
  };
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);

function notRecorded(node: string, cause?: unknown): TransportError {
  return new TransportError('unreachable', `${node}: the snapshot has no recordings of this node`, {
    hint: 'Save it with calictl snapshot save --nodes, or ask the node itself with --via.',
    cause,
  });
}
