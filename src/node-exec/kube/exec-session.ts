// One command over a WebSocket, from its start to its end: its output is passed on, its exit code is the one that the node
// printed behind the marker, and it is ended when the caller aborts. The caller decides how the WebSocket is opened.
import { cancelled } from '../deadline.ts';
import { type StreamOptions, TransportError } from '../node-exec.ts';
import { endOnAbort } from '../supervised.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ExecSocket } from './exec-socket.ts';
import { execEnd } from './exec-status.ts';
import { ExitCodeMarker } from './exit-code-marker.ts';

/** Exit code of a command that was ended by SIGKILL. */
const killed = 128 + 9;

export interface SessionOutput {
  /** Aborted: the connection is cut. */
  readonly signal: AbortSignal;
  onStdout(bytes: Buffer): Promise<void> | void;
  onStderr(bytes: Buffer): Promise<void> | void;
}

/** Opens the WebSocket of the command; its output goes to `output`. Errors: TransportError; the reason of the signal. */
export type OpenSession = (output: SessionOutput) => Promise<ExecSocket>;

/**
 * Returns the exit code of a command made by exitCodeMarkerArgv; 126 or 127, with the reason on stderr, when the container
 * has no shell. `where` names the node.
 * Errors: TransportError; the reason of the signal; what `onStdout` and `onStderr` throw.
 */
export async function runExecSession(
  where: string,
  marker: string,
  output: SessionOutput,
  open: OpenSession,
): Promise<number> {
  const exitCode = new ExitCodeMarker(marker);
  const onStderr = (bytes: Buffer): Promise<void> | void => {
    if (bytes.length > 0) return output.onStderr(bytes);
  };
  const socket = await open({
    signal: output.signal,
    onStdout: (bytes) => output.onStdout(bytes),
    onStderr: (bytes) => onStderr(exitCode.pass(bytes)),
  });
  const message = await socket.ended;
  output.signal.throwIfAborted();
  await onStderr(exitCode.rest());
  if (exitCode.exit !== undefined) return exitCode.exit;
  const end = message === undefined ? undefined : execEnd(message);
  if (end?.kind === 'not-started') {
    await output.onStderr(Buffer.from(`${end.text}\n`));
    return end.code;
  }
  // The shell was killed before it could print the marker, but the runtime reports its exit code. A success without the
  // marker is a lost connection.
  if (end?.kind === 'exit' && end.code !== 0) return end.code;
  throw endedWithoutMarker(where, end?.kind === 'failed' ? end.text : undefined);
}

/** As runExecSession; the command is ended when the caller aborts, and its last output still passed on. */
export async function streamExecSession(
  where: string,
  marker: string,
  options: StreamOptions,
  open: OpenSession,
): Promise<number> {
  const { signal = new AbortController().signal } = options;
  if (signal.aborted) throw cancelled(where);
  const cut = new AbortController();
  let socket: ExecSocket | undefined;
  const endInput = (): void => {
    if (socket?.canEndInput) socket.endInput();
    else cut.abort();
  };
  const release = endOnAbort(signal, endInput, () => cut.abort());
  const output: SessionOutput = {
    signal: cut.signal,
    onStdout: (bytes) => options.onStdout(bytes),
    onStderr: (bytes) => options.onStderr(bytes),
  };
  try {
    const running = runExecSession(where, marker, output, async (sessionOutput) => {
      socket = await open(sessionOutput);
      return socket;
    });
    return await untilAborted(running, cut.signal);
  } catch (error) {
    if (cut.signal.aborted) throw cancelled(where);
    // Killed, the shell prints no marker; and for an attached container the kubelet reports no exit code.
    if (signal.aborted && error instanceof TransportError && error.reason === 'broken') return killed;
    throw error;
  } finally {
    release();
  }
}

/** For a session that ended without the marker: the kubelet was not reached (`text` is the reason), or the connection broke. */
export function endedWithoutMarker(where: string, text: string | undefined): TransportError {
  if (text === undefined) {
    return new TransportError('broken', `${where}: the connection broke before the command ended`, {
      hint: 'The command may or may not have taken effect. Try again; if it keeps failing, check the kubelet of the node.',
    });
  }
  return new TransportError('unreachable', `${where}: the API server cannot reach its container: ${text}`, {
    hint: 'Check that the node is Ready and its calico-node pod is running; --via ssh works without either.',
  });
}
