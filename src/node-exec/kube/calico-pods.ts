// Finds the calico-node pod of a node: with one list of all pods when many nodes are needed, else node by node.
import type { KubeConnection } from '../../connect/kube-connection.ts';
import { TransportError } from '../node-exec.ts';
import { messageOf, missingRight } from './exec-status.ts';
import { callApi, credentialsRejected } from './kube-api.ts';

/** The label of the DaemonSet is the same however Calico was installed; the namespace is not. */
const selector = 'k8s-app=calico-node';
export const calicoContainer = 'calico-node';
/** Up to this many nodes are looked up individually. */
const few = 3;
const pageSize = 500;
const listTimeoutMs = 30_000;

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

/** The fields of a pod that are used here. */
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

/** Remembers the pods of each node; `lookAgain` reads them again for one node. */
export class CalicoPods {
  readonly #connection: KubeConnection;
  /** The pods of a node, or the request for them. */
  readonly #known = new Map<string, Promise<readonly Pod[]>>();
  /** How many nodes wait for the current batch, and the end of the batch. */
  #waiting = 0;
  #batch: Promise<void> | undefined;
  #all: Promise<PodsByNode> | undefined;
  readonly #closed = new AbortController();

  constructor(connection: KubeConnection) {
    this.#connection = connection;
  }

  /**
   * The pod to exec in: a running one, preferably ready.
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
      `${node}: no running calico-node pod${there.length === 0 ? '' : ` (${there.join(', ')})`}`,
      { hint: `Run kubectl get pods -A -o wide -l ${selector}; --via ssh works without the pod.` },
    );
  }

  /** For a node whose pod has gone: looks it up again. */
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
    return this.#known.get(node) ?? this.#remember(node, this.#lookUp(node));
  }

  #remember(node: string, pods: Promise<readonly Pod[]>): Promise<readonly Pod[]> {
    this.#known.set(node, pods);
    // A failed lookup is repeated the next time.
    pods.catch(() => this.#known.delete(node));
    return pods;
  }

  /** Nodes that are needed at the same moment share one list of all pods. */
  async #lookUp(node: string): Promise<readonly Pod[]> {
    this.#waiting += 1;
    this.#batch ??= new Promise((resolve) => {
      setImmediate(() => {
        if (this.#waiting > few) this.#listAll();
        this.#waiting = 0;
        this.#batch = undefined;
        resolve();
      });
    });
    await this.#batch;
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
      const response = await callApi(this.#connection, { method: 'GET', path: `/api/v1/pods?${query}`, signal }).catch(
        (cause: unknown) => {
          throw cause instanceof TransportError ? cause : listTimedOut(cause);
        },
      );
      if (response.status !== 200) throw listRefused(response.status, response.body);
      const { items, metadata } = JSON.parse(response.body) as PodList;
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

/** Escapes the three special characters of a field selector. */
const fieldValue = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

function listTimedOut(cause: unknown): TransportError {
  return new TransportError('timeout', `the API server did not list the pods within ${listTimeoutMs / 1000} seconds`, {
    hint: 'Try again; --via ssh works without the API server.',
    cause,
  });
}

function listRefused(status: number, body: string): TransportError {
  if (status === 403) {
    const right = missingRight(body, 'list pods in all namespaces');
    return new TransportError('unauthorized', `cannot find the calico-node pods: missing permission to ${right}`, {
      hint: 'The role calictl-reader in docs/reference/rbac.md grants it; --via ssh does not need it.',
    });
  }
  if (status === 401) return credentialsRejected();
  const text = messageOf(body);
  return new TransportError('unreachable', `the API server did not list the pods: status ${status} ${text}`.trim(), {
    hint: 'Try again; if it keeps failing, check the API server.',
  });
}
