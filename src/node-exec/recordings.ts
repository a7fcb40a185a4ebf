// The recordings in a snapshot: each command with its exit code and output, one folder per node (docs/reference/snapshot.md).
import { isObject } from '../text/plain-values.ts';
import { type Step, type StepOutcome, TransportError, type TransportFailure } from './node-exec.ts';

/** A command and what it printed; its standard output is in its own file next to the list. */
export interface RecordedCommand {
  readonly argv: readonly string[];
  readonly exit: number;
  /** Name of the file; absent when nothing was printed. */
  readonly stdout?: string;
  readonly stderr?: string;
  readonly truncated?: boolean;
}

/** A command that was not run to its end: the node was not reached, or did not answer in time. */
export interface LostCommand {
  readonly argv: readonly string[];
  readonly lost: { readonly reason: TransportFailure; readonly message: string; readonly hint?: string };
}

/** `commands.json` of a node's folder. */
export interface Recording {
  readonly node: string;
  readonly commands: readonly (RecordedCommand | LostCommand)[];
}

export const recordingFile = 'commands.json';

/** The reasons that are recorded; a command that was itself missing from a snapshot, or that Ctrl-C ended, is not. */
const lostReasons: readonly unknown[] = [
  'unreachable',
  'unauthorized',
  'host-key',
  'timeout',
  'broken',
] satisfies TransportFailure[];

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

function isCommand(value: unknown): value is RecordedCommand | LostCommand {
  if (!isObject(value)) return false;
  const { argv, exit, stdout, stderr, truncated, lost } = value;
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every(isText)) return false;
  if (lost !== undefined) {
    return (
      isObject(lost) && lostReasons.includes(lost['reason']) && isText(lost['message']) && isTextOrAbsent(lost['hint'])
    );
  }
  return (
    Number.isInteger(exit) &&
    isTextOrAbsent(stdout) &&
    isTextOrAbsent(stderr) &&
    (truncated === undefined || typeof truncated === 'boolean')
  );
}

/** Reads `commands.json`. Errors: TransportError when it is malformed. */
export function parseRecording(text: string, path: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (isObject(value) && 'node' in value && 'commands' in value) {
    const { node, commands } = value;
    if (isText(node) && Array.isArray(commands) && commands.every(isCommand)) return { node, commands };
  }
  throw new TransportError('broken', `${path} is not a list of recorded commands`, {
    hint: 'Save the snapshot again, or query the nodes themselves with --via.',
  });
}

/** Text of the files in a node's folder, by name. */
export type RecordingFiles = ReadonlyMap<string, string>;

/** A step to record. */
export interface RecordedStep extends Step {
  /** The command that a replay will be asked for; it may differ from the one that was run. */
  readonly recordedAs: readonly string[];
  /** Name of the output file, without extension. */
  readonly name: string;
}

type Lost = Extract<StepOutcome, { kind: 'lost' }>;

/** True for a step to record as lost; a step that was missing from a snapshot stays missing in a snapshot of it. */
export function isLost(outcome: StepOutcome): outcome is Lost {
  return outcome.kind === 'lost' && outcome.error.reason !== 'not-recorded';
}

/** The files of a node's folder for the outcomes of its steps. They hold no times: the same state gives the same files. */
export function recordingFiles(
  node: string,
  steps: readonly RecordedStep[],
  outcomes: readonly StepOutcome[],
): RecordingFiles {
  const files = new Map<string, string>();
  const commands: (RecordedCommand | LostCommand)[] = [];
  steps.forEach(({ recordedAs: argv, name }, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) return;
    if (isLost(outcome)) {
      const { reason, message, hint } = outcome.error;
      commands.push({ argv, lost: { reason, message, ...(hint === undefined ? {} : { hint }) } });
    }
    if (outcome.kind !== 'ran') return;
    const { exit, stdout, stderr, truncated } = outcome.result;
    const file = `${name}.${/^\s*[[{]/.test(stdout) ? 'json' : 'txt'}`;
    if (stdout !== '') files.set(file, stdout);
    commands.push({
      argv,
      exit,
      ...(stdout === '' ? {} : { stdout: file }),
      ...(stderr === '' ? {} : { stderr }),
      ...(truncated ? { truncated } : {}),
    });
  });
  const recording: Recording = { node, commands };
  files.set(recordingFile, `${JSON.stringify(recording, undefined, 2)}\n`);
  return files;
}
