// What a snapshot keeps of a node: each command with its exit code and its output, one folder a node (docs/reference/snapshot.md).
import { isObject } from '../text/plain-values.ts';
import { type Step, type StepOutcome, TransportError, type TransportFailure } from './node-exec.ts';

/** A command and what it printed; its standard output stands in a file of its own beside the list. */
export interface RecordedCommand {
  readonly argv: readonly string[];
  readonly exit: number;
  /** Name of the file; absent when nothing was printed. */
  readonly stdout?: string;
  readonly stderr?: string;
  readonly truncated?: boolean;
}

/** A command that nobody answered. */
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

/** Why a node may not have answered; what was not recorded, or stopped by Ctrl-C, is in no snapshot. */
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

/** Reads `commands.json`. Errors: TransportError when it is none. */
export function parseRecording(text: string, path: string): Recording {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (isObject(value) && 'node' in value && 'commands' in value) {
    const { node, commands } = value;
    if (isText(node) && Array.isArray(commands) && commands.every(isCommand)) return { node, commands };
  }
  throw new TransportError('broken', `${path} is no list of recorded commands`, {
    hint: 'Save the snapshot again, or ask the nodes themselves with --via.',
  });
}

/** The files of a node's folder, by name. */
export type RecordingFiles = ReadonlyMap<string, string>;

/** A step to record, and the name that its output has in the snapshot. */
export interface RecordedStep extends Step {
  /** What the replay will be asked for, where that is another command than the one that was run. */
  readonly recordedAs: readonly string[];
  readonly name: string;
}

type Lost = Extract<StepOutcome, { kind: 'lost' }>;

/** A command without an answer; one that a snapshot does not have is not there in a snapshot of it either. */
export function isLost(outcome: StepOutcome): outcome is Lost {
  return outcome.kind === 'lost' && outcome.error.reason !== 'not-recorded';
}

/** The folder of a node: what its steps came to. Without times: two recordings of one state are equal. */
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
