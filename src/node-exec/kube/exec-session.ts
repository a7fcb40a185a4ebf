// A marked command over a WebSocket, to its end: what it prints is passed on, its exit code is the one of the mark, and it
// is ended when nobody wants it any more. How the WebSocket is opened is up to the caller.
import { cancelled } from '../child-program.ts';
import { type StreamOptions, TransportError } from '../node-exec.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ExecSocket } from './exec-socket.ts';
import { execEnd } from './exec-status.ts';
import { ExitCodeMarker } from './exit-code-marker.ts';

/** How long a stream that was told to end may take over it, in milliseconds; the node ends it by force before. */
const endingMs = 10_000;
const killed = 128 + 9;

export interface SessionOutput {
  /** Aborted: the connection is cut. */
  readonly signal: AbortSignal;
  onStdout(bytes: Buffer): Promise<void> | void;
  onStderr(bytes: Buffer): Promise<void> | void;
}

/** Opens the WebSocket of the command, with what takes its output. Errors: TransportError; the reason of the signal. */
export type OpenSession = (taking: SessionOutput) => Promise<ExecSocket>;

/**
 * The exit code of a command that was made with exitCodeMarkerArgv; 126 or 127, with the text on stderr, when the container has no
 * shell. `where` names the node.
 * Errors: TransportError; the reason of the signal; what `onStdout` and `onStderr` throw.
 */
export async function runExecSession(
  where: string,
  marker: string,
  taking: SessionOutput,
  open: OpenSession,
): Promise<number> {
  const mark = new ExitCodeMarker(marker);
  const onStderr = (bytes: Buffer): Promise<void> | void => {
    if (bytes.length > 0) return taking.onStderr(bytes);
  };
  const socket = await open({ ...taking, onStderr: (bytes) => onStderr(mark.pass(bytes)) });
  const message = await socket.ended;
  taking.signal.throwIfAborted();
  await onStderr(mark.rest());
  if (mark.exit !== undefined) return mark.exit;
  const end = message === undefined ? undefined : execEnd(message);
  if (end?.kind === 'not-started') {
    await taking.onStderr(Buffer.from(`${end.text}\n`));
    return end.code;
  }
  // A shell that was killed did not say the code, but the runtime does. A 0 without the mark is a lost connection.
  if (end?.kind === 'exit' && end.code !== 0) return end.code;
  throw endedWithoutMarker(where, end?.kind === 'failed' ? end.text : undefined);
}

/** The same for a command that ends when it is told to, with what it prints then. Errors: also TransportError cancelled. */
export async function streamExecSession(
  where: string,
  marker: string,
  options: StreamOptions,
  open: OpenSession,
): Promise<number> {
  const { signal } = options;
  if (signal?.aborted) throw cancelled(where);
  const cut = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let socket: ExecSocket | undefined;
  const stop = (): void => {
    // The end of its input ends the command; what it prints last still comes.
    if (socket?.canEndInput) socket.endInput();
    else cut.abort();
    timer = setTimeout(() => cut.abort(), endingMs);
  };
  signal?.addEventListener('abort', stop, { once: true });
  const taking: SessionOutput = {
    signal: cut.signal,
    onStdout: (bytes) => options.onStdout(bytes),
    onStderr: (bytes) => options.onStderr(bytes),
  };
  try {
    const running = runExecSession(where, marker, taking, async (told) => {
      socket = await open(told);
      return socket;
    });
    return await untilAborted(running, cut.signal);
  } catch (error) {
    if (cut.signal.aborted) throw cancelled(where);
    // Ended by force, the script says no mark; a kubelet tells no exit code of what was attached to.
    if (signal?.aborted && error instanceof TransportError && error.reason === 'broken') return killed;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** An exec that ended without the mark: the kubelet was not reached (`text` says why), or the connection broke. */
export function endedWithoutMarker(where: string, text: string | undefined): TransportError {
  if (text === undefined) {
    return new TransportError('broken', `${where}: the connection broke before the command ended`, {
      hint: 'Whether it did its work is unknown. Try again; look at the kubelet of the node if it stays so.',
    });
  }
  return new TransportError('unreachable', `${where}: the API server does not reach its container: ${text}`, {
    hint: 'See whether the node is Ready and its calico-node runs; with --via ssh the node is asked without them.',
  });
}
