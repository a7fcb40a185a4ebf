// Nodes through the API server: commands run by exec in the calico-node pod of each node, with the permissions of the
// kubeconfig. The pods are found in calico-pods.ts, the WebSocket is in exec-socket.ts.
import type { KubeConnection, Waiting } from '../../connect/kube-connection.ts';
import type { World } from '../../world/world.ts';
import { CapturedOutput } from '../captured-output.ts';
import { startDeadline } from '../deadline.ts';
import {
  type CommandResult,
  type NodeExec,
  type NodeTarget,
  type RunOptions,
  type Step,
  type StepOutcome,
  type StreamOptions,
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
import { type ApiResponse, credentialsRejected, isApiResponse } from './kube-api.ts';

export type KubeExecWorld = Pick<World, 'clock' | 'random'>;

export interface KubeExecOptions {
  /** Interval of pings, in milliseconds; 10,000 when absent. After six in a row without an answer the connection is cut. */
  readonly pingEveryMs?: number;
  /** Called with what a request waits for: the pause of a busy server. */
  readonly waiting?: Waiting | undefined;
}

/** Opens the API server's exec as a transport; nothing is sent before the first command. Closing it closes the connection. */
export function openKubeExec(
  connection: KubeConnection,
  world: KubeExecWorld,
  { pingEveryMs = 10_000, waiting }: KubeExecOptions = {},
): NodeExec {
  return new KubeExec({ ...connection, waiting }, world, pingEveryMs);
}

class KubeExec implements NodeExec {
  readonly transport = 'kube';
  readonly description = "the API server's exec";
  readonly #connection: KubeConnection;
  readonly #world: KubeExecWorld;
  readonly #pingEveryMs: number;
  readonly #pods: CalicoPods;

  constructor(connection: KubeConnection, world: KubeExecWorld, pingEveryMs: number) {
    this.#connection = connection;
    this.#world = world;
    this.#pingEveryMs = pingEveryMs;
    this.#pods = new CalicoPods(connection);
  }

  async run(node: NodeTarget, argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const { stdin } = options;
    const [began, marker, output] = [this.#now(), this.#newMarker(), new CapturedOutput(options.maxBytes)];
    const exit = await withDeadline(node, argv, options, (signal) =>
      runExecSession(node.name, marker, sessionOutput(output, signal), async (session) => {
        const socket = await this.#open(node, exitCodeMarkerArgv(marker, argv, stdin !== undefined), session);
        if (stdin !== undefined) sendInput(node, socket, stdin);
        return socket;
      }),
    );
    return output.result(exit, this.#now() - began);
  }

  async runSteps(node: NodeTarget, steps: readonly Step[], options: RunOptions = {}): Promise<StepOutcome[]> {
    const [began, marker, output] = [this.#now(), this.#newMarker(), new CapturedOutput(options.maxBytes)];
    const unfinished = await this.#runScript(node, supervisedArgv(stepsArgv(marker, steps)), output, options);
    return parseSteps(marker, steps, output.result(0, this.#now() - began), unfinished);
  }

  stream(node: NodeTarget, argv: readonly string[], options: StreamOptions): Promise<number> {
    const marker = this.#newMarker();
    const command = exitCodeMarkerArgv(marker, argv, false);
    return streamExecSession(node.name, marker, options, (session) => this.#open(node, command, session));
  }

  streamInEphemeralContainer(
    pod: PodRef,
    image: string,
    argv: readonly string[],
    options: StreamOptions,
  ): Promise<number> {
    const access = { connection: this.#connection, pingEveryMs: this.#pingEveryMs, marker: this.#newMarker() };
    return streamInEphemeralContainer(access, pod, image, argv, options);
  }

  async close(): Promise<void> {
    this.#pods.close();
    this.#connection.close();
  }

  #newMarker(): string {
    return this.#world.random.uuid().replaceAll('-', '');
  }

  #now(): number {
    return this.#world.clock.now().getTime();
  }

  /** The WebSocket of an exec on the node; in its new pod, when the one that was known has gone. Errors: TransportError. */
  async #open(node: NodeTarget, argv: readonly string[], session: SessionOutput): Promise<ExecSocket> {
    for (let again = false; ; again = true) {
      const pod = await this.#pods.find(node.name);
      const path = execPath(pod, argv);
      const result = await openSocket(this.#connection, { ...session, pingEveryMs: this.#pingEveryMs, path });
      if (!isApiResponse(result)) return result;
      if (result.status !== 404 || again) throw refused(node, pod, result);
      this.#pods.lookAgain(node.name);
    }
  }

  /** Runs the script of several steps; returns the error for steps whose end is missing in the output. */
  async #runScript(
    node: NodeTarget,
    argv: readonly string[],
    output: CapturedOutput,
    options: RunOptions,
  ): Promise<TransportError> {
    try {
      const message = await withDeadline(node, ['the steps'], options, async (signal) => {
        const socket = await this.#open(node, argv, sessionOutput(output, signal));
        return socket.ended;
      });
      const end = message === undefined ? undefined : execEnd(message);
      const text = end === undefined || end.kind === 'exit' ? undefined : end.text;
      return output.limitExceeded(node.name) ?? endedWithoutMarker(node.name, text);
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
  }
}

const sessionOutput = (output: CapturedOutput, signal: AbortSignal): SessionOutput => ({
  signal,
  onStdout: (bytes) => output.addStdout(bytes),
  onStderr: (bytes) => output.addStderr(bytes),
});

function sendInput(node: NodeTarget, socket: ExecSocket, stdin: string): void {
  if (socket.canEndInput) {
    socket.send(stdin);
    socket.endInput();
    return;
  }
  socket.cut();
  throw new TransportError('unreachable', `${node.name}: the API server cannot end the input of a command`, {
    hint: 'This needs Kubernetes 1.30 or newer; or use --via ssh.',
  });
}

/** Runs the work under the deadline and the signal of the options. Errors: TransportError for both; those of the work. */
async function withDeadline<T>(
  node: NodeTarget,
  argv: readonly string[],
  options: RunOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(options);
  try {
    return await untilAborted(work(deadline.signal), deadline.signal);
  } catch (error) {
    throw deadline.failure(node.name, argv) ?? error;
  }
}

function execPath({ namespace, name }: PodRef, argv: readonly string[]): string {
  const query = new URLSearchParams({ container: calicoContainer, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const word of argv) query.append('command', word);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec?${query}`;
}

function refused(node: NodeTarget, pod: PodRef, { status, body }: ApiResponse): TransportError {
  if (status === 403) {
    const right = missingRight(body, `create pods/exec in namespace ${pod.namespace}`);
    return new TransportError(
      'unauthorized',
      `${node.name}: cannot run commands in its calico-node pod: missing permission to ${right}`,
      { hint: 'The role calictl-node-reader in docs/reference/rbac.md grants it; --via ssh does not need it.' },
    );
  }
  if (status === 401) return credentialsRejected(`${node.name}: `);
  return new TransportError(
    'unreachable',
    `${node.name}: cannot exec in ${pod.namespace}/${pod.name}: status ${status} ${messageOf(body)}`.trim(),
    { hint: 'A proxy in front of the API server must allow WebSockets; or use --via ssh.' },
  );
}
