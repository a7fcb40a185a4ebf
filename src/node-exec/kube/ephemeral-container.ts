// A program in the network namespace of a pod whose own image lacks it: an ephemeral container is added to the pod, and ends
// with the program. Kubernetes keeps ended ephemeral containers in the pod spec.
import { setTimeout as after } from 'node:timers/promises';
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { type StreamOptions, TransportError } from '../node-exec.ts';
import type { PodRef } from './calico-pods.ts';
import { type SessionOutput, streamExecSession } from './exec-session.ts';
import { openSocket } from './exec-socket.ts';
import { messageOf, missingRight } from './exec-status.ts';
import { exitCodeMarkerArgv } from './exit-code-marker.ts';
import { type ApiResponse, callApi, isApiResponse } from './kube-api.ts';

/** Long, because the image may have to be pulled. */
const startTimeoutMs = 120_000;
const pollEveryMs = 500;
/** If nothing attaches to the container within this time, it ends by itself. */
const attachWithinSeconds = 30;

/**
 * The program starts with the first line of input, so that no output is lost before the attach. The timer is stopped by
 * SIGKILL, which cannot be ignored: later it would end the program itself.
 */
const waiting = `trap 'exit 1' TERM
{ sleep ${attachWithinSeconds}; kill -TERM $$; } >/dev/null 2>&1 &
clock=$!
read -r go
got=$?
kill -KILL "$clock"
[ "$got" = 0 ] || exit 1
exec "$@"
`;

/** The state of a container as the kubelet reports it. */
interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number };
}

/** Waiting reasons that do not resolve by themselves. */
const permanent = /^(Err|Invalid|.*(BackOff|Error)$)/;

export interface EphemeralContainerAccess {
  readonly connection: KubeConnection;
  readonly pingEveryMs: number;
  /** Letters and digits of a random UUID. */
  readonly marker: string;
}

/** As NodeExec.streamInEphemeralContainer; the image must contain a shell. Errors: TransportError. */
export function streamInEphemeralContainer(
  { connection, marker, pingEveryMs }: EphemeralContainerAccess,
  pod: PodRef,
  image: string,
  argv: readonly string[],
  options: StreamOptions,
): Promise<number> {
  const where = `pod ${pod.namespace}/${pod.name}`;
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
  const name = `calictl-${marker.slice(0, 10)}`;
  const command = ['sh', '-c', waiting, 'sh', ...exitCodeMarkerArgv(marker, argv, false)];
  return streamExecSession(where, marker, options, async (output: SessionOutput) => {
    const { signal } = output;
    const added = await callApi(connection, {
      method: 'PATCH',
      path: `${path}/ephemeralcontainers`,
      body: { type: 'application/strategic-merge-patch+json', text: JSON.stringify(patchWith(name, image, command)) },
      signal,
    });
    if (added.status !== 200) throw refused(where, 'patch pods/ephemeralcontainers', pod, added);
    await waitUntilRunning(connection, path, where, name, signal);
    const query = new URLSearchParams({ container: name, stdin: 'true', stdout: 'true', stderr: 'true' });
    const socket = await openSocket(connection, { ...output, pingEveryMs, path: `${path}/attach?${query}` });
    if (isApiResponse(socket)) throw refused(where, 'create pods/attach', pod, socket);
    socket.send('go\n');
    return socket;
  });
}

function patchWith(name: string, image: string, command: readonly string[]): object {
  const container = {
    name,
    image,
    command,
    stdin: true,
    // The connection's end ends the input, which ends the program.
    stdinOnce: true,
    securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
  };
  return { spec: { ephemeralContainers: [container] } };
}

/** Waits until the container runs. Errors: TransportError when it does not; the reason of the signal. */
async function waitUntilRunning(
  connection: KubeConnection,
  path: string,
  where: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.timeout(startTimeoutMs);
  for (let last = ''; ; await after(pollEveryMs, undefined, { signal })) {
    if (deadline.aborted) {
      throw new TransportError('timeout', `${where}: the ephemeral container does not start${last}`, {
        hint: 'Run kubectl describe pod: the image may take long to pull, or the node is not ready.',
      });
    }
    const response = await callApi(connection, { method: 'GET', path, signal });
    if (response.status !== 200) throw refused(where, 'get pods', undefined, response);
    const { status } = JSON.parse(response.body) as {
      status?: { ephemeralContainerStatuses?: readonly { name: string; state?: ContainerState }[] };
    };
    const state = status?.ephemeralContainerStatuses?.find((container) => container.name === name)?.state;
    if (state?.running !== undefined) return;
    const { reason = '', message = '' } = state?.terminated ?? state?.waiting ?? {};
    last = reason === '' ? '' : `: ${`${reason} ${message}`.trim()}`;
    if (state?.terminated !== undefined || permanent.test(reason)) {
      throw new TransportError('unreachable', `${where}: the ephemeral container does not run${last}`, {
        hint: 'Check the image name; the image must contain a shell.',
      });
    }
  }
}

function refused(where: string, right: string, pod: PodRef | undefined, { status, body }: ApiResponse): TransportError {
  const text = messageOf(body);
  if (status === 403 && / cannot \S+ resource /.test(text)) {
    const missing = missingRight(body, pod === undefined ? right : `${right} in namespace ${pod.namespace}`);
    return new TransportError('unauthorized', `${where}: missing permission to ${missing}`, {
      hint: 'The role calictl-capturer in docs/reference/rbac.md grants it.',
    });
  }
  // For example, pod security admission forbids the capabilities of the container.
  const reason = status === 401 || status === 403 ? 'unauthorized' : 'unreachable';
  return new TransportError(reason, `${where}: cannot add an ephemeral container: status ${status} ${text}`.trim(), {
    hint: 'Capture on the node instead: without --image, with --via ssh.',
  });
}
