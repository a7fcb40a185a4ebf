// The WebSocket of an exec (or attach): channels of bytes to and from a container, and one message at its end.
// What the messages mean is in exec-status.ts.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { type ApiAnswer, answerOf, credentials, noAnswer, untilAnswered } from './kube-api.ts';

/** The first can end a command's input. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;
/** Servers limit the size of a message. */
const pieceSize = 1 << 16;
/** A connection that leaves so many pings unanswered is dead. */
const deadAfter = 6;

export interface SocketOptions {
  /** With the query, escaped. */
  readonly path: string;
  /** Aborted: the connection is cut, whatever it does. */
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
   * The message of the server at the end, or undefined when the connection ended without one; all output was taken then.
   * Rejects with what `onStdout` or `onStderr` threw.
   */
  readonly ended: Promise<string | undefined>;
}

/**
 * Opens it, or answers what the server said instead (403, 404 …).
 * Errors: TransportError `unreachable`, `unauthorized` (no credentials); the reason of the signal.
 */
export async function openSocket(connection: KubeConnection, options: SocketOptions): Promise<ExecSocket | ApiAnswer> {
  const { WebSocket } = await import('ws');
  return untilAnswered(connection, options.signal, async () => {
    const { agent, headers } = await credentials(connection);
    options.signal.throwIfAborted();
    const { server } = connection;
    const scheme = server.protocol === 'http:' ? 'ws' : 'wss';
    const address = `${scheme}://${server.host}${server.pathname.replace(/\/$/, '')}${options.path}`;
    const socket = new WebSocket(address, protocols, {
      agent,
      headers: { ...headers, 'User-Agent': 'calictl' },
      perMessageDeflate: false,
      followRedirects: false,
    });
    const cut = (): void => socket.terminate();
    options.signal.addEventListener('abort', cut, { once: true });
    const letGo = (): void => options.signal.removeEventListener('abort', cut);
    return new Promise<ExecSocket | ApiAnswer>((resolve, reject) => {
      socket.on('open', () => resolve(exchange(socket, options, letGo)));
      socket.on('unexpected-response', (_, message) => {
        answerOf(message).then(resolve, (cause: unknown) => reject(noAnswer(server, cause)));
        letGo();
      });
      // Also the end of a connection that is given up: never left without an answer.
      socket.on('error', (cause) => reject(options.signal.aborted ? options.signal.reason : noAnswer(server, cause)));
      socket.on('close', () => reject(noAnswer(server, new Error('it broke off the connection'))));
    });
  });
}

type Socket = import('ws').WebSocket;

function exchange(socket: Socket, options: SocketOptions, letGo: () => void): ExecSocket {
  let status: string | undefined;
  /** What is being taken; the socket is not read meanwhile. */
  let taking: Promise<void> | undefined;
  let failure: unknown;
  const take = (deliver: () => Promise<void> | void): void => {
    const taken = taking === undefined ? deliver() : taking.then(deliver);
    if (taken === undefined) return;
    socket.pause();
    const mine = taken.then(
      () => {
        if (taking !== mine) return;
        taking = undefined;
        socket.resume();
      },
      (cause: unknown) => {
        failure ??= cause ?? new Error('output was not taken');
        socket.resume();
        socket.terminate();
      },
    );
    taking = mine;
  };
  const alive = keepAlive(socket, options.pingEveryMs, () => taking !== undefined);
  socket.on('message', (data: Buffer) => {
    const channel = data[0];
    const bytes = data.subarray(1);
    if (failure !== undefined) return;
    if (channel === channels.stdout && bytes.length > 0) take(() => options.onStdout(bytes));
    else if (channel === channels.stderr && bytes.length > 0) take(() => options.onStderr(bytes));
    else if (channel === channels.status) {
      status = bytes.toString('utf8');
      socket.close();
    }
  });
  const ended = new Promise<string | undefined>((resolve, reject) => {
    socket.on('close', () => {
      clearInterval(alive);
      letGo();
      Promise.resolve(taking).then(() => (failure === undefined ? resolve(status) : reject(failure)));
    });
  });
  // It may end before anybody waits for it.
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

/** A connection that breaks without a word is found out. While output waits to be taken, nobody hears answers. */
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
