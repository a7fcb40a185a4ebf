// A program in the network namespace of a pod whose own image does not have it: an ephemeral container is added to the pod,
// and ended with the program. Kubernetes keeps ended ones in the pod's list.
import { setTimeout as after } from 'node:timers/promises';
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { type StreamOptions, TransportError } from '../node-exec.ts';
import type { PodRef } from './calico-pods.ts';
import { type SessionOutput, streamExecSession } from './exec-session.ts';
import { openSocket } from './exec-socket.ts';
import { messageOf, missingRight } from './exec-status.ts';
import { exitCodeMarkerArgv } from './exit-code-marker.ts';
import { type ApiAnswer, callApi, isAnswer } from './kube-api.ts';

/** An image may have to be pulled. */
const startTimeoutMs = 120_000;
const pollEveryMs = 500;
/** Seconds in which somebody must attach, else the container ends by itself. */
const attachWithin = 30;

/**
 * Nothing is printed before somebody listens: the program begins with the first line of input. The clock is stopped by a
 * signal that nothing can swallow, for what it would end later is the program.
 */
const waiting = `trap 'exit 1' TERM
{ sleep ${attachWithin}; kill -TERM $$; } >/dev/null 2>&1 &
clock=$!
read -r go
got=$?
kill -KILL "$clock"
[ "$got" = 0 ] || exit 1
exec "$@"
`;

/** What a kubelet says of a container. */
interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode?: number };
}

/** Reasons to wait that do not go away by themselves. */
const hopeless = /^(Err|Invalid|.*(BackOff|Error)$)/;

export interface Beside {
  readonly connection: KubeConnection;
  readonly pingEveryMs: number;
  /** Letters and digits of a random UUID. */
  readonly marker: string;
}

/** As NodeExec.streamInEphemeralContainer; the image must have a shell. Errors: TransportError. */
export function streamInEphemeralContainer(
  beside: Beside,
  pod: PodRef,
  image: string,
  argv: readonly string[],
  options: StreamOptions,
): Promise<number> {
  const { connection, marker, pingEveryMs } = beside;
  const where = `pod ${pod.namespace}/${pod.name}`;
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
  const name = `calictl-${marker.slice(0, 10)}`;
  const command = ['sh', '-c', waiting, 'sh', ...exitCodeMarkerArgv(marker, argv, false)];
  return streamExecSession(where, marker, options, async (taking: SessionOutput) => {
    const { signal } = taking;
    const added = await callApi(connection, {
      method: 'PATCH',
      path: `${path}/ephemeralcontainers`,
      body: { type: 'application/strategic-merge-patch+json', text: JSON.stringify(patchWith(name, image, command)) },
      signal,
    });
    if (added.status !== 200) throw refused(where, 'patch pods/ephemeralcontainers', pod, added);
    await started(connection, path, where, name, signal);
    const query = new URLSearchParams({ container: name, stdin: 'true', stdout: 'true', stderr: 'true' });
    const socket = await openSocket(connection, { ...taking, pingEveryMs, path: `${path}/attach?${query}` });
    if (isAnswer(socket)) throw refused(where, 'create pods/attach', pod, socket);
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
    // The end of the connection is the end of the input, and that ends the program.
    stdinOnce: true,
    securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
  };
  return { spec: { ephemeralContainers: [container] } };
}

/** Waits until the container runs. Errors: TransportError when it does not come to that; the reason of the signal. */
async function started(
  connection: KubeConnection,
  path: string,
  where: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const late = AbortSignal.timeout(startTimeoutMs);
  for (let last = ''; ; await after(pollEveryMs, undefined, { signal })) {
    if (late.aborted) {
      throw new TransportError('timeout', `${where}: the new container does not start${last}`, {
        hint: 'See kubectl describe pod: its image may take long to pull, or its node is not ready.',
      });
    }
    const answer = await callApi(connection, { method: 'GET', path, signal });
    if (answer.status !== 200) throw refused(where, 'get pods', undefined, answer);
    const { status } = JSON.parse(answer.body) as {
      status?: { ephemeralContainerStatuses?: readonly { name: string; state?: ContainerState }[] };
    };
    const state = status?.ephemeralContainerStatuses?.find((container) => container.name === name)?.state;
    if (state?.running !== undefined) return;
    const { reason = '', message = '' } = state?.terminated ?? state?.waiting ?? {};
    last = reason === '' ? '' : `: ${`${reason} ${message}`.trim()}`;
    if (state?.terminated !== undefined || hopeless.test(reason)) {
      throw new TransportError('unreachable', `${where}: the new container does not run${last}`, {
        hint: 'Check the name of the image; it must have a shell.',
      });
    }
  }
}

function refused(where: string, right: string, pod: PodRef | undefined, { status, body }: ApiAnswer): TransportError {
  const text = messageOf(body);
  if (status === 403 && / cannot \S+ resource /.test(text)) {
    const missing = missingRight(body, pod === undefined ? right : `${right} in namespace ${pod.namespace}`);
    return new TransportError('unauthorized', `${where}: the right to ${missing} is missing`, {
      hint: 'The role calictl-capturer of docs/reference/rbac.md has it.',
    });
  }
  // Pod security, for one, forbids the rights that the container asks for.
  const reason = status === 401 || status === 403 ? 'unauthorized' : 'unreachable';
  return new TransportError(reason, `${where}: no container can be added: status ${status} ${text}`.trim(), {
    hint: 'Capture on the node instead: leave --image out, with --via ssh.',
  });
}
