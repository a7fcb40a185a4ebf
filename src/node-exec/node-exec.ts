// Running programs on a node: one interface over the API server's exec, SSH, this machine, a network namespace, recordings.
// How a command failed on the node (its exit code) and how it was not reached (TransportError) are never confused.
import { CalictlError, type ErrorDetails, type ExitCode, exitCodes } from '../world/errors.ts';

/** A node as transports know it. */
export interface NodeTarget {
  readonly name: string;
  /** InternalIP first, then the other addresses of the Node object; without prefix lengths. */
  readonly addresses: readonly string[];
}

export interface RunOptions {
  /** Deadline of the whole call, in milliseconds; 30,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** Most bytes kept of each stream of a command; 16 MiB when absent. What is beyond is dropped and `truncated` set. */
  readonly maxBytes?: number | undefined;
  /** What the command reads; nothing when absent. */
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const defaultTimeoutMs = 30_000;
export const defaultMaxBytes = 16 * 1024 * 1024;

/** A command ran to its end. 126 and 127 say, as in a shell, that the program could not be started. */
export interface CommandResult {
  readonly exit: number;
  /** UTF-8; bytes that are none become U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** More was printed than may be kept. */
  readonly truncated: boolean;
}

/** One of several commands that are run one after the other in one connection. */
export interface Step {
  readonly argv: readonly string[];
  /** Run only when the step before ended with another exit code than 0 (or was itself left out for that reason). */
  readonly onlyIfFailed?: boolean;
}

/** What became of a step: its result, left out because the one before was well, or not reached any more. */
export type StepOutcome =
  | { readonly kind: 'ran'; readonly result: CommandResult }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'lost'; readonly error: TransportError };

export type TransportFailure =
  /** No connection: name, address, port, refused, no pod, no namespace. */
  | 'unreachable'
  /** The other side does not let us in: keys, rights (403), no sudo. */
  | 'unauthorized'
  /** The other side is not who it was: unknown, changed or revoked host key. */
  | 'host-key'
  /** The time was up. */
  | 'timeout'
  /** The connection broke while the command ran: whether it did its work is unknown. */
  | 'broken'
  /** The recordings do not have this command. */
  | 'not-recorded'
  /** Ctrl-C. */
  | 'cancelled';

/** The node was not asked, or did not answer: says nothing of the node's state. */
export class TransportError extends CalictlError {
  readonly reason: TransportFailure;

  constructor(reason: TransportFailure, message: string, details: Partial<ErrorDetails> & { exit?: ExitCode } = {}) {
    super(message, {
      code: `NODE_${reason.toUpperCase().replaceAll('-', '_')}`,
      exit: reason === 'cancelled' ? exitCodes.interrupted : exitCodes.failed,
      ...details,
    });
    this.reason = reason;
  }
}

/** Where the bytes of a running command go, as they come. */
export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Resolves when more may come. */
  onStdout(bytes: Uint8Array): Promise<void> | void;
  onStderr(bytes: Uint8Array): Promise<void> | void;
}

export interface NodeExec {
  readonly transport: 'kube' | 'ssh' | 'local' | 'netns' | 'replay';
  /** For people: `the API server's exec`, `SSH as root`. */
  readonly description: string;
  /**
   * Runs one program with these arguments; no shell of ours reads them.
   * Errors: TransportError when the node was not reached or the time was up.
   */
  run(node: NodeTarget, argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /**
   * Runs steps one after the other, in one round trip where the transport can. Never rejects because of the node: what
   * was not reached any more is `lost`. Outcomes are in the order of the steps.
   */
  runSteps(node: NodeTarget, steps: readonly Step[], options?: RunOptions): Promise<readonly StepOutcome[]>;
  /**
   * Runs a program whose output is passed on as it comes, until it ends or the signal is aborted; then it is ended on
   * the node too (SIGINT first). Answers its exit code. Errors: TransportError.
   */
  stream(node: NodeTarget, argv: readonly string[], options: StreamOptions): Promise<number>;
  /**
   * As `stream`, in a new container of this image, beside those of a pod and in its network; it ends with the program, but
   * stays in the pod's list. Only where the way goes through Kubernetes. Errors: TransportError.
   */
  streamInEphemeralContainer?(
    pod: { readonly namespace: string; readonly name: string },
    image: string,
    argv: readonly string[],
    options: StreamOptions,
  ): Promise<number>;
  close(): Promise<void>;
}
