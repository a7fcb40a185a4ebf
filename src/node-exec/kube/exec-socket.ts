// The WebSocket of an exec or attach: channels of bytes to and from a container, and a status message at the end, which
// exec-status.ts reads.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { type ApiResponse, credentials, noResponse, overLimit, readResponse, withRetries } from './kube-api.ts';

/** Only the first can signal the end of a command's input. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;
/** Bytes per message; servers limit the size. */
const pieceSize = 1 << 16;
/** After this many consecutive unanswered pings a connection counts as dead. */
const deadAfter = 6;

export interface SocketOptions {
  /** Including the query, escaped. */
  readonly path: string;
  /** Aborted: the connection is cut, whatever its state. */
  readonly signal: AbortSignal;
  readonly pingEveryMs: number;
  onStdout(bytes: Buffer): Promise<void> | void;
  onStderr(bytes: Buffer): Promise<void> | void;
}

export interface ExecSocket {
  /** False when the server is older than Kubernetes 1.30. */
  readonly canEndInput: boolean;
  send(text: string): void;
  endInput(): void;
  /** Cuts the connection. */
  cut(): void;
  /**
   * The server's status message, or undefined when the connection ended without one; by then all output has been received.
   * Rejects with what `onStdout` or `onStderr` threw.
   */
  readonly ended: Promise<string | undefined>;
}

/**
 * Opens it; returns the server's response when that refuses (403, 404, …).
 * Errors: TransportError `unreachable`, `unauthorized` (no credentials); the reason of the signal.
 */
export async function openSocket(
  connection: KubeConnection,
  options: SocketOptions,
): Promise<ExecSocket | ApiResponse> {
  const { WebSocket } = await import('ws');
  return withRetries(connection, options.signal, async () => {
    const { agent, headers } = await credentials(connection);
    options.signal.throwIfAborted();
    const { server, requestTimeoutMs } = connection;
    const scheme = server.protocol === 'http:' ? 'ws' : 'wss';
    const address = `${scheme}://${server.host}${server.pathname.replace(/\/$/, '')}${options.path}`;
    const socket = new WebSocket(address, protocols, {
      agent,
      headers: { ...headers, 'User-Agent': 'calictl' },
      perMessageDeflate: false,
      followRedirects: false,
      ...(requestTimeoutMs === undefined ? {} : { handshakeTimeout: requestTimeoutMs }),
    });
    const cut = (): void => socket.terminate();
    options.signal.addEventListener('abort', cut, { once: true });
    const letGo = (): void => options.signal.removeEventListener('abort', cut);
    return new Promise<ExecSocket | ApiResponse>((resolve, reject) => {
      socket.on('open', () => resolve(exchange(socket, options, letGo)));
      socket.on('unexpected-response', (_, message) => {
        readResponse(message).then(resolve, (cause: unknown) => reject(noResponse(server, cause)));
        letGo();
      });
      // Also emitted for a connection that was cut while opening, so the promise always settles.
      socket.on('error', (cause) => {
        const isLate = requestTimeoutMs !== undefined && cause.message === 'Opening handshake has timed out';
        const why = isLate ? overLimit(requestTimeoutMs) : cause;
        reject(options.signal.aborted ? options.signal.reason : noResponse(server, why));
      });
      socket.on('close', () => reject(noResponse(server, new Error('connection closed'))));
    });
  });
}

type Socket = import('ws').WebSocket;

function exchange(socket: Socket, options: SocketOptions, letGo: () => void): ExecSocket {
  let status: string | undefined;
  /** The delivery under way; the socket is paused meanwhile. */
  let receiving: Promise<void> | undefined;
  let failure: unknown;
  const receive = (deliver: () => Promise<void> | void): void => {
    const delivered = receiving === undefined ? deliver() : receiving.then(deliver);
    if (delivered === undefined) return;
    socket.pause();
    const mine = delivered.then(
      () => {
        if (receiving !== mine) return;
        receiving = undefined;
        socket.resume();
      },
      (cause: unknown) => {
        failure ??= cause ?? new Error('output was not received');
        socket.resume();
        socket.terminate();
      },
    );
    receiving = mine;
  };
  const alive = keepAlive(socket, options.pingEveryMs, () => receiving !== undefined);
  socket.on('message', (data: Buffer) => {
    const channel = data[0];
    const bytes = data.subarray(1);
    if (failure !== undefined) return;
    if (channel === channels.stdout && bytes.length > 0) receive(() => options.onStdout(bytes));
    else if (channel === channels.stderr && bytes.length > 0) receive(() => options.onStderr(bytes));
    else if (channel === channels.status) {
      status = bytes.toString('utf8');
      socket.close();
    }
  });
  const ended = new Promise<string | undefined>((resolve, reject) => {
    socket.on('close', () => {
      clearInterval(alive);
      letGo();
      Promise.resolve(receiving).then(() => (failure === undefined ? resolve(status) : reject(failure)));
    });
  });
  // It may be rejected before the caller waits for it.
  ended.catch(() => undefined);
  const send = (channel: number, bytes: Buffer): void => socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  return {
    get canEndInput() {
      return socket.protocol === protocols[0];
    },
    send(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += pieceSize) send(channels.stdin, bytes.subarray(at, at + pieceSize));
    },
    endInput: () => send(channels.close, Buffer.of(channels.stdin)),
    cut: () => socket.terminate(),
    ended,
  };
}

/** Detects a dead connection. While the socket is paused for the receiver, pongs are not read and do not count. */
function keepAlive(socket: Socket, everyMs: number, isBusy: () => boolean): NodeJS.Timeout {
  let unanswered = 0;
  socket.on('pong', () => {
    unanswered = 0;
  });
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN || isBusy()) return;
    if (unanswered >= deadAfter) socket.terminate();
    unanswered += 1;
    socket.ping();
  }, everyMs);
  return timer.unref();
}
