// Which pod is calico-node on a node: asked for all nodes at once, or for the few that are asked about.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { TransportError } from '../node-exec.ts';
import { messageOf, missingRight } from './exec-status.ts';
import { callApi } from './kube-api.ts';

/** The DaemonSet's label is the same in every way to install Calico; its namespace is not. */
const selector = 'k8s-app=calico-node';
export const calicoContainer = 'calico-node';
/** Up to so many nodes are looked up one by one. */
const few = 3;
const pageSize = 500;
const listTimeoutMs = 30_000;

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

/** A pod of the API, as far as it is used. */
interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
}

interface PodList {
  readonly items: readonly Pod[] | null;
  readonly metadata: { readonly continue?: string };
}

type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Remembers what it was told; `lookAgain` forgets a node. */
export class CalicoPods {
  readonly #connection: KubeConnection;
  /** What is known of a node, or under way. */
  readonly #known = new Map<string, Promise<readonly Pod[]>>();
  /** How many are asked about in this moment, and the end of the moment. */
  #asking = 0;
  #moment: Promise<void> | undefined;
  #all: Promise<PodsByNode> | undefined;
  readonly #closed = new AbortController();

  constructor(connection: KubeConnection) {
    this.#connection = connection;
  }

  /**
   * The pod to exec in: running, the ready one first.
   * Errors: TransportError `unreachable` (there is none), `unauthorized`.
   */
  async find(node: string): Promise<PodRef> {
    const pods = await this.#podsOf(node);
    const running = pods.filter(
      ({ metadata, status }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined,
    );
    const pod = running.find(isReady) ?? running[0];
    if (pod !== undefined) return { namespace: pod.metadata.namespace, name: pod.metadata.name };
    const there = pods.map(({ metadata, status }) => {
      const state = metadata.deletionTimestamp === undefined ? (status?.phase ?? 'not started') : 'being deleted';
      return `${metadata.namespace}/${metadata.name} is ${state}`;
    });
    throw new TransportError(
      'unreachable',
      `${node}: no calico-node pod runs on it${there.length === 0 ? '' : ` (${there.join(', ')})`}`,
      { hint: `See kubectl get pods -A -o wide -l ${selector}; with --via ssh the node is asked without the pod.` },
    );
  }

  /** The pod that was found is not there any more: asks again about this node. */
  lookAgain(node: string): void {
    this.#remember(
      node,
      this.#list(node).then((found) => found.get(node) ?? []),
    );
  }

  close(): void {
    this.#closed.abort();
  }

  #podsOf(node: string): Promise<readonly Pod[]> {
    return this.#known.get(node) ?? this.#remember(node, this.#ask(node));
  }

  #remember(node: string, pods: Promise<readonly Pod[]>): Promise<readonly Pod[]> {
    this.#known.set(node, pods);
    // What failed is asked again next time.
    pods.catch(() => this.#known.delete(node));
    return pods;
  }

  /** Many nodes that are asked about in the same moment share one list of all. */
  async #ask(node: string): Promise<readonly Pod[]> {
    this.#asking += 1;
    this.#moment ??= new Promise((resolve) => {
      setImmediate(() => {
        if (this.#asking > few) this.#listAll();
        this.#asking = 0;
        this.#moment = undefined;
        resolve();
      });
    });
    await this.#moment;
    return (await (this.#all ?? this.#list(node))).get(node) ?? [];
  }

  #listAll(): void {
    this.#all ??= this.#list();
    this.#all.catch(() => {
      this.#all = undefined;
    });
  }

  /** Errors: TransportError. */
  async #list(node?: string): Promise<PodsByNode> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(listTimeoutMs)]);
    const found = new Map<string, Pod[]>();
    let next = '';
    do {
      const query = new URLSearchParams({ labelSelector: selector, limit: String(pageSize) });
      if (node !== undefined) query.set('fieldSelector', `spec.nodeName=${fieldValue(node)}`);
      if (next !== '') query.set('continue', next);
      const answer = await callApi(this.#connection, { method: 'GET', path: `/api/v1/pods?${query}`, signal }).catch(
        (cause: unknown) => {
          throw cause instanceof TransportError ? cause : tooLate(cause);
        },
      );
      if (answer.status !== 200) throw refusedList(answer.status, answer.body);
      const { items, metadata } = JSON.parse(answer.body) as PodList;
      for (const pod of items ?? []) {
        const { nodeName } = pod.spec;
        if (nodeName !== undefined) found.set(nodeName, [...(found.get(nodeName) ?? []), pod]);
      }
      next = metadata.continue ?? '';
    } while (next !== '');
    return found;
  }
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false;

/** In a field selector these three mean something. */
const fieldValue = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

function tooLate(cause: unknown): TransportError {
  return new TransportError('timeout', `the API server did not list the pods in ${listTimeoutMs / 1000} seconds`, {
    hint: 'Try again; with --via ssh the nodes are asked without the API server.',
    cause,
  });
}

function refusedList(status: number, body: string): TransportError {
  if (status === 403) {
    const right = missingRight(body, 'list pods in all namespaces');
    return new TransportError(
      'unauthorized',
      `not allowed to find the calico-node pods: the right to ${right} is missing`,
      {
        hint: 'The role calictl-reader of docs/reference/rbac.md has it; with --via ssh it is not needed.',
      },
    );
  }
  if (status === 401) {
    return new TransportError('unauthorized', 'the API server does not accept the credentials', {
      hint: 'Sign in again, or choose another context.',
    });
  }
  const text = messageOf(body);
  return new TransportError('unreachable', `the API server did not list the pods: status ${status} ${text}`.trim(), {
    hint: 'Try again; if it stays so, look at the API server.',
  });
}
