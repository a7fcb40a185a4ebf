// Nodes through the API server: commands are run by exec in the calico-node pod of each, with the rights of the kubeconfig.
// The pods are found in calico-pods.ts, the WebSocket is in exec-socket.ts.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import type { World } from '../../world/world.ts';
import { ByteCap } from '../byte-cap.ts';
import { cancelled, timedOut } from '../child-program.ts';
import {
  defaultMaxBytes,
  defaultTimeoutMs,
  type NodeExec,
  type NodeTarget,
  type RunOptions,
  TransportError,
} from '../node-exec.ts';
import { parseSteps, stepsArgv } from '../steps-script.ts';
import { supervisedArgv } from '../supervised.ts';
import { untilAborted } from '../until-aborted.ts';
import { CalicoPods, calicoContainer, type PodRef } from './calico-pods.ts';
import { streamInEphemeralContainer } from './ephemeral-container.ts';
import { endedWithoutMarker, runExecSession, type SessionOutput, streamExecSession } from './exec-session.ts';
import { type ExecSocket, openSocket } from './exec-socket.ts';
import { execEnd, messageOf, missingRight } from './exec-status.ts';
import { exitCodeMarkerArgv } from './exit-code-marker.ts';
import { type ApiAnswer, isAnswer } from './kube-api.ts';

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

  /** The WebSocket of an exec on the node, in another pod when the one that was known is gone. Errors: TransportError. */
  const open = async (node: NodeTarget, argv: readonly string[], taking: SessionOutput): Promise<ExecSocket> => {
    for (let again = false; ; again = true) {
      const pod = await pods.find(node.name);
      const result = await openSocket(connection, { ...taking, pingEveryMs, path: execPath(pod, argv) });
      if (!isAnswer(result)) return result;
      if (result.status !== 404 || again) throw refused(node, pod, result);
      pods.lookAgain(node.name);
    }
  };

  return {
    transport: 'kube',
    description: "the API server's exec",

    async run(node, argv, options = {}) {
      const { maxBytes = defaultMaxBytes, stdin } = options;
      const began = now();
      const marker = newMarker();
      const [stdout, stderr] = [new ByteCap(maxBytes), new ByteCap(maxBytes)];
      const exit = await within(node, argv, options, (signal) =>
        runExecSession(node.name, marker, taken(signal, stdout, stderr), async (taking) => {
          const socket = await open(node, exitCodeMarkerArgv(marker, argv, stdin !== undefined), taking);
          if (stdin !== undefined) sendAll(node, socket, stdin);
          return socket;
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
        const message = await within(node, ['the steps'], options, async (signal) => {
          const socket = await open(node, supervisedArgv(stepsArgv(marker, steps)), taken(signal, stdout, stderr));
          return socket.ended;
        });
        const end = message === undefined ? undefined : execEnd(message);
        unfinished = stdout.truncated
          ? new TransportError('broken', `${node.name}: printed more than ${maxBytes} bytes`)
          : endedWithoutMarker(node.name, end === undefined || end.kind === 'exit' ? undefined : end.text);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        unfinished = error;
      }
      const truncated = stdout.truncated || stderr.truncated;
      const whole = { stdout: stdout.text(), stderr: stderr.text(), durationMs: now() - began, truncated };
      return parseSteps(marker, steps, whole, unfinished);
    },

    stream(node, argv, options) {
      const marker = newMarker();
      return streamExecSession(node.name, marker, options, (taking) =>
        open(node, exitCodeMarkerArgv(marker, argv, false), taking),
      );
    },

    streamInEphemeralContainer: (pod, image, argv, options) =>
      streamInEphemeralContainer({ connection, pingEveryMs, marker: newMarker() }, pod, image, argv, options),

    async close() {
      pods.close();
      connection.close();
    },
  };
}

const taken = (signal: AbortSignal, stdout: ByteCap, stderr: ByteCap): SessionOutput => ({
  signal,
  onStdout: (bytes) => stdout.add(bytes),
  onStderr: (bytes) => stderr.add(bytes),
});

function sendAll(node: NodeTarget, socket: ExecSocket, stdin: string): void {
  if (socket.canEndInput) {
    socket.send(stdin);
    socket.endInput();
    return;
  }
  socket.cut();
  throw new TransportError('unreachable', `${node.name}: the API server cannot end the input of a command`, {
    hint: 'Kubernetes 1.30 and newer can; else use --via ssh.',
  });
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
  try {
    return await untilAborted(work(either), either);
  } catch (error) {
    if (signal?.aborted) throw cancelled(node.name);
    throw deadline.aborted ? timedOut(node.name, argv, timeoutMs) : error;
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
