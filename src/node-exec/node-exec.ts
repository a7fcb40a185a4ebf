// Running programs on a node: one interface over the API server's exec, SSH, this machine, network namespaces, recordings.
// A command that failed on the node (its exit code) and a node that was not reached (TransportError) are never confused.
import { CalictlError, type ErrorDetails, type ExitCode, exitCodes } from '../world/errors.ts';

/** A node as the transports see it. */
export interface NodeTarget {
  readonly name: string;
  /** The InternalIP first, then the other addresses of the Node object; without prefix lengths. */
  readonly addresses: readonly string[];
}

export interface RunOptions {
  /** Deadline of the whole call, in milliseconds; 30,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** Limit of each output stream of a command, in bytes; 16 MiB when absent. The rest is dropped and `truncated` set. */
  readonly maxBytes?: number | undefined;
  /** Standard input of the command; empty when absent. */
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const defaultTimeoutMs = 30_000;
export const defaultMaxBytes = 16 * 1024 * 1024;

/** A command that ran to its end. As in a shell, 126 and 127 mean that the program could not be started. */
export interface CommandResult {
  readonly exit: number;
  /** Decoded as UTF-8; invalid bytes become U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** The output exceeded the limit. */
  readonly truncated: boolean;
}

/** One of several commands that run one after another over one connection. */
export interface Step {
  readonly argv: readonly string[];
  /** Run only when the step before exited with a code other than 0 (or was itself skipped for that reason). */
  readonly onlyIfFailed?: boolean;
}

/** The outcome of a step: its result; skipped because the step before succeeded; or lost with the connection. */
export type StepOutcome =
  | { readonly kind: 'ran'; readonly result: CommandResult }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'lost'; readonly error: TransportError };

export type TransportFailure =
  /** No connection: unknown name or address, connection refused, no pod, no namespace. */
  | 'unreachable'
  /** Access denied: keys, RBAC (403), no sudo. */
  | 'unauthorized'
  /** The host cannot be verified: its host key is unknown, has changed or is revoked. */
  | 'host-key'
  /** The deadline passed. */
  | 'timeout'
  /** The connection broke while the command ran: whether the command took effect is unknown. */
  | 'broken'
  /** The snapshot has no recording of this command. */
  | 'not-recorded'
  /** Ctrl-C. */
  | 'cancelled';

/** The node was not reached, or did not answer: this says nothing about the state of the node. */
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

/** Receives the output of a running command as it arrives. */
export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Resolves when it is ready for more. */
  onStdout(bytes: Uint8Array): Promise<void> | void;
  onStderr(bytes: Uint8Array): Promise<void> | void;
}

export interface NodeExec {
  readonly transport: 'kube' | 'ssh' | 'local' | 'netns' | 'replay';
  /** For messages: `the API server's exec`, `SSH as root`. */
  readonly description: string;
  /**
   * Runs one program with these arguments, which no shell interprets.
   * Errors: TransportError when the node was not reached or the deadline passed.
   */
  run(node: NodeTarget, argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /**
   * Runs steps one after another, in one round trip where the transport can. Never rejects because of the node: a step
   * that could not be run is `lost`. Outcomes are in the order of the steps.
   */
  runSteps(node: NodeTarget, steps: readonly Step[], options?: RunOptions): Promise<readonly StepOutcome[]>;
  /**
   * Runs a program and passes its output on as it comes, until the program ends or the signal is aborted; then it is
   * ended on the node too (SIGINT first). Returns its exit code. Errors: TransportError.
   */
  stream(node: NodeTarget, argv: readonly string[], options: StreamOptions): Promise<number>;
  /**
   * As `stream`, but in an ephemeral container with this image, added to a pod and sharing its network. The container
   * ends with the program and cannot be removed from the pod spec. Only for transports that go through Kubernetes.
   * Errors: TransportError.
   */
  streamInEphemeralContainer?(
    pod: { readonly namespace: string; readonly name: string },
    image: string,
    argv: readonly string[],
    options: StreamOptions,
  ): Promise<number>;
  close(): Promise<void>;
}
