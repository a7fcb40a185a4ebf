// Nodes as a snapshot recorded them: returns what was recorded, and reports a command that was not.
import { realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { systemText } from '../world/errors.ts';
import { type CommandResult, type NodeExec, type NodeTarget, TransportError } from './node-exec.ts';
import { parseRecording, type Recording, recordingFile } from './recordings.ts';
import { runSequentialSteps } from './sequential-steps.ts';

/** Opens a snapshot as a transport. `folder` is the snapshot; the recordings of a node are in its `nodes/<node>/`. */
export function openReplay(folder: string): NodeExec {
  const snapshot = new RecordedNodes(folder);
  return {
    transport: 'replay',
    description: `the recordings in ${folder}`,
    run: (node, argv) => snapshot.resultOf(node, argv),
    runSteps: (node, steps, options = {}) =>
      runSequentialSteps(
        steps,
        (argv) => snapshot.resultOf(node, argv),
        options,
        // Nothing here takes time that a deadline could limit.
        () => 0,
      ),
    async stream(node, argv, { onStdout, onStderr }) {
      const { exit, stdout, stderr } = await snapshot.resultOf(node, argv);
      if (stderr !== '') await onStderr(Buffer.from(stderr));
      if (stdout !== '') await onStdout(Buffer.from(stdout));
      return exit;
    },
    close: async () => undefined,
  };
}

/** The recordings of a snapshot; the list of a node is read once. */
class RecordedNodes {
  readonly #folder: string;
  readonly #recordings = new Map<string, Promise<Recording>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Errors: TransportError when the node or the command was not recorded, or was lost when it was. */
  async resultOf(node: NodeTarget, argv: readonly string[]): Promise<CommandResult> {
    const { commands } = await this.#recordingOf(node.name);
    const found = commands.find((command) => sameWords(command.argv, argv));
    if (found === undefined) {
      throw new TransportError('not-recorded', `${node.name}: the snapshot has no record of ${argv.join(' ')}`, {
        hint: `Recorded commands: ${recordedText(commands)}. Query the node itself with --via.`,
      });
    }
    if ('lost' in found) {
      const { reason, message, hint } = found.lost;
      throw new TransportError(reason, `${message} (when the snapshot was saved)`, { hint });
    }
    const { exit, stdout, stderr = '', truncated = false } = found;
    return { exit, stdout: await this.#outputOf(node.name, stdout), stderr, durationMs: 0, truncated };
  }

  #recordingOf(node: string): Promise<Recording> {
    let recording = this.#recordings.get(node);
    if (recording === undefined) {
      recording = this.#read(node);
      this.#recordings.set(node, recording);
    }
    return recording;
  }

  async #read(node: string): Promise<Recording> {
    if (node === '' || node.includes('/') || node.startsWith('.') || node.includes('\0')) throw notRecorded(node);
    const path = join(this.#nodeFolder(node), recordingFile);
    let text: string;
    try {
      text = await this.#textOf(path);
    } catch (cause) {
      throw notRecorded(node, cause);
    }
    return parseRecording(text, path);
  }

  async #outputOf(node: string, file: string | undefined): Promise<string> {
    if (file === undefined) return '';
    // A recording names a file, never a path.
    const path = join(this.#nodeFolder(node), basename(file));
    try {
      return await this.#textOf(path);
    } catch (cause) {
      throw new TransportError('broken', `cannot read the recorded output ${path}: ${systemText(cause)}`, { cause });
    }
  }

  #nodeFolder(node: string): string {
    return join(this.#folder, 'nodes', node);
  }

  /** A file of the snapshot. A link out of it is not followed: a snapshot must not make us read files of this machine. */
  async #textOf(path: string): Promise<string> {
    const [real, top] = await Promise.all([realpath(path), realpath(this.#folder)]);
    if (!real.startsWith(`${top}${sep}`)) throw new Error(`${path} points outside the snapshot`);
    return (await readRegularFile(real)).toString('utf8');
  }
}

/** The commands of which there is an output, as one would type them. */
function recordedText(commands: Recording['commands']): string {
  const texts = commands.flatMap((command) => ('lost' in command ? [] : [command.argv.join(' ')]));
  return texts.length === 0 ? 'none' : texts.join('; ');
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);

function notRecorded(node: string, cause?: unknown): TransportError {
  return new TransportError('unreachable', `${node}: no recordings`, {
    hint: 'Save a snapshot of the cluster with calictl snapshot save --nodes, or query the nodes directly with --via.',
    cause,
  });
}
