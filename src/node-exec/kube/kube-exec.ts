// Nodes through the API server: commands are run by exec in the calico-node pod of each, with the rights of the kubeconfig.
// The pods are found in calico-pods.ts, the WebSocket is in exec-socket.ts.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import type { World } from '../../world/world.ts';
import { ByteCap } from '../byte-cap.ts';
import { cancelled, timedOut } from '../child-process.ts';
import {
  defaultMaxBytes,
  defaultTimeoutMs,
  type NodeExec,
  type NodeTarget,
  type RunOptions,
  type StreamOptions,
  TransportError,
} from '../node-exec.ts';
import { parseSteps, stepsArgv } from '../steps-script.ts';
import { CalicoPods, calicoContainer, type PodRef } from './calico-pods.ts';
import { type ExecSocket, openSocket } from './exec-socket.ts';
import { execEnd, messageOf, missingRight } from './exec-status.ts';
import { ExitMark, markedArgv } from './exit-mark.ts';
import { type ApiAnswer, isAnswer } from './kube-api.ts';

/** How long a stream that was told to end may take over it, in milliseconds. */
const endingMs = 4000;

export type KubeExecWorld = Pick<World, 'clock' | 'random'>;

export interface KubeExecOptions {
  /** A connection that leaves six pings in a row unanswered is taken for broken; 10,000 when absent. */
  readonly pingEveryMs?: number;
}

/** Opens the way; nothing is sent before the first command. Closing it closes the connection. */
export function openKubeExec(
  connection: KubeConnection,
  world: KubeExecWorld,
  { pingEveryMs = 10_000 }: KubeExecOptions = {},
): NodeExec {
  const pods = new CalicoPods(connection);
  const newMarker = (): string => world.random.uuid().replaceAll('-', '');
  const now = (): number => world.clock.now().getTime();

  /** Errors: TransportError. The exit code, or undefined when the node did not say that the command ended. */
  const exchange = async (node: NodeTarget, argv: readonly string[], options: ExchangeOptions) => {
    const socket = await opened(connection, pods, node, argv, { ...options, pingEveryMs });
    options.onOpen?.(socket);
    if (options.stdin !== undefined) {
      if (!socket.canEndInput) {
        socket.cut();
        throw new TransportError('unreachable', `${node.name}: the API server cannot end the input of a command`, {
          hint: 'Kubernetes 1.30 and newer can; else use --via ssh.',
        });
      }
      socket.sendAll(options.stdin);
    }
    const message = await socket.ended;
    options.signal.throwIfAborted();
    return message;
  };

  const runMarked = async (
    node: NodeTarget,
    argv: readonly string[],
    options: Omit<ExchangeOptions, 'onStderr'> & Pick<StreamOptions, 'onStderr'>,
  ): Promise<number> => {
    const marker = newMarker();
    const mark = new ExitMark(marker);
    const passed = (bytes: Buffer): Promise<void> | void => {
      if (bytes.length > 0) return options.onStderr(bytes);
    };
    const message = await exchange(node, markedArgv(marker, argv, options.stdin !== undefined), {
      ...options,
      onStderr: (bytes) => passed(mark.pass(bytes)),
    });
    await passed(mark.rest());
    if (mark.exit !== undefined) return mark.exit;
    const end = message === undefined ? undefined : execEnd(message);
    if (end?.kind === 'not-started') {
      await options.onStderr(Buffer.from(`${end.text}\n`));
      return end.code;
    }
    // A shell that was killed did not say the code, but the runtime does. A 0 without the mark is a lost connection.
    if (end?.kind === 'exit' && end.code !== 0) return end.code;
    throw ofEnd(node, end?.kind === 'failed' ? end.text : undefined);
  };

  const exec: NodeExec = {
    transport: 'kube',
    description: "the API server's exec",

    async run(node, argv, options = {}) {
      const { maxBytes = defaultMaxBytes, stdin } = options;
      const began = now();
      const [stdout, stderr] = [new ByteCap(maxBytes), new ByteCap(maxBytes)];
      const exit = await within(node, argv, options, (signal) =>
        runMarked(node, argv, {
          signal,
          ...(stdin === undefined ? {} : { stdin }),
          onStdout: (bytes) => stdout.add(bytes),
          onStderr: (bytes) => stderr.add(bytes),
        }),
      );
      return {
        exit,
        stdout: stdout.text(),
        stderr: stderr.text(),
        durationMs: now() - began,
        truncated: stdout.truncated || stderr.truncated,
      };
    },

    async runSteps(node, steps, options = {}) {
      const { maxBytes = defaultMaxBytes } = options;
      const began = now();
      const marker = newMarker();
      const [stdout, stderr] = [new ByteCap(maxBytes), new ByteCap(maxBytes)];
      let unfinished: TransportError;
      try {
        const message = await within(node, ['the steps'], options, (signal) =>
          exchange(node, stepsArgv(marker, steps), {
            signal,
            onStdout: (bytes) => stdout.add(bytes),
            onStderr: (bytes) => stderr.add(bytes),
          }),
        );
        const end = message === undefined ? undefined : execEnd(message);
        unfinished = stdout.truncated
          ? new TransportError('broken', `${node.name}: printed more than ${maxBytes} bytes`)
          : ofEnd(node, end === undefined || end.kind === 'exit' ? undefined : end.text);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        unfinished = error;
      }
      const truncated = stdout.truncated || stderr.truncated;
      const whole = { stdout: stdout.text(), stderr: stderr.text(), durationMs: now() - began, truncated };
      return parseSteps(marker, steps, whole, unfinished);
    },

    async stream(node, argv, options) {
      if (options.signal?.aborted) throw cancelled(node.name);
      const cut = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      let socket: ExecSocket | undefined;
      // The end of its input ends the command; what it prints then still comes.
      const stop = (): void => {
        if (socket?.canEndInput) socket.endInput();
        else cut.abort();
        timer = setTimeout(() => cut.abort(), endingMs);
      };
      options.signal?.addEventListener('abort', stop, { once: true });
      try {
        const running = runMarked(node, argv, {
          signal: cut.signal,
          onOpen: (open) => {
            socket = open;
          },
          onStdout: (bytes) => options.onStdout(bytes),
          onStderr: (bytes) => options.onStderr(bytes),
        });
        return await untilAborted(running, cut.signal);
      } catch (error) {
        throw cut.signal.aborted ? cancelled(node.name) : error;
      } finally {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', stop);
      }
    },

    async close() {
      pods.close();
      connection.close();
    },
  };
  return exec;
}

interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly stdin?: string;
  onOpen?(socket: ExecSocket): void;
  onStdout(bytes: Buffer): Promise<void> | void;
  onStderr(bytes: Buffer): Promise<void> | void;
}

/** Gives the work a signal of the deadline and of the caller. Errors: TransportError for both; those of the work. */
async function within<T>(
  node: NodeTarget,
  argv: readonly string[],
  { timeoutMs = defaultTimeoutMs, signal }: RunOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  const failed = (): TransportError | undefined =>
    signal?.aborted ? cancelled(node.name) : deadline.aborted ? timedOut(node.name, argv, timeoutMs) : undefined;
  try {
    return await untilAborted(work(either), either);
  } catch (error) {
    throw failed() ?? error;
  }
}

/** The answer of the work, or the reason of the signal as soon as it is aborted, whatever the work waits for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** The WebSocket of an exec on the node, in another pod when the one that was known is gone. Errors: TransportError. */
async function opened(
  connection: KubeConnection,
  pods: CalicoPods,
  node: NodeTarget,
  argv: readonly string[],
  options: ExchangeOptions & { readonly pingEveryMs: number },
): Promise<ExecSocket> {
  for (let again = false; ; again = true) {
    const pod = await pods.find(node.name);
    const result = await openSocket(connection, { ...options, path: execPath(pod, argv) });
    if (!isAnswer(result)) return result;
    if (result.status !== 404 || again) throw refused(node, pod, result);
    pods.lookAgain(node.name);
  }
}

function execPath({ namespace, name }: PodRef, argv: readonly string[]): string {
  const query = new URLSearchParams({ container: calicoContainer, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const word of argv) query.append('command', word);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec?${query}`;
}

function refused(node: NodeTarget, pod: PodRef, { status, body }: ApiAnswer): TransportError {
  if (status === 403) {
    const right = missingRight(body, `create pods/exec in namespace ${pod.namespace}`);
    return new TransportError(
      'unauthorized',
      `${node.name}: not allowed to run commands in its calico-node pod: the right to ${right} is missing`,
      { hint: 'The role calictl-node-reader of docs/reference/rbac.md has it; with --via ssh it is not needed.' },
    );
  }
  if (status === 401) {
    return new TransportError('unauthorized', `${node.name}: the API server does not accept the credentials`, {
      hint: 'Sign in again, or choose another context.',
    });
  }
  return new TransportError(
    'unreachable',
    `${node.name}: no exec in ${pod.namespace}/${pod.name}: status ${status} ${messageOf(body)}`.trim(),
    { hint: 'If a proxy stands before the API server, it must let WebSockets through; else use --via ssh.' },
  );
}

/** An exec that ended without the mark: the kubelet was not reached, or the connection broke. */
function ofEnd(node: NodeTarget, text: string | undefined): TransportError {
  if (text === undefined) {
    return new TransportError('broken', `${node.name}: the connection broke before the command ended`, {
      hint: 'Whether it did its work is unknown. Try again; look at the kubelet of the node if it stays so.',
    });
  }
  return new TransportError('unreachable', `${node.name}: the API server does not reach its calico-node: ${text}`, {
    hint: 'See whether the node is Ready and its calico-node runs; with --via ssh the node is asked without them.',
  });
}
