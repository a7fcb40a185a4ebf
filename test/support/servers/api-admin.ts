// What a test does to an API server as its administrator: loads objects (status too), empties it, sends any request.
// It has its own few lines of HTTP, so that tests do not set up their data with the code under test.
import { Agent, request } from 'node:https';
import { inStoredForm } from '../../../src/resources/convert/v3.ts';
import { type CalicoApi, customResourceApi, storedIn } from '../../../src/resources/kind.ts';
import { namespace } from '../../../src/resources/kinds/namespace.ts';
import { distinctName, kindOf, kinds } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

/** Kinds that tests load and calictl has no Kind for. */
const others: Readonly<Record<string, Resource>> = {
  Namespace: { base: '/api/v1', plural: 'namespaces', namespaced: false },
  CustomResourceDefinition: {
    base: '/apis/apiextensions.k8s.io/v1',
    plural: 'customresourcedefinitions',
    namespaced: false,
  },
  DatastoreMigration: {
    base: '/apis/migration.projectcalico.org/v1beta1',
    plural: 'datastoremigrations',
    namespaced: false,
  },
  ClusterRole: { base: '/apis/rbac.authorization.k8s.io/v1', plural: 'clusterroles', namespaced: false },
  ClusterRoleBinding: { base: '/apis/rbac.authorization.k8s.io/v1', plural: 'clusterrolebindings', namespaced: false },
  Role: { base: '/apis/rbac.authorization.k8s.io/v1', plural: 'roles', namespaced: true },
  RoleBinding: { base: '/apis/rbac.authorization.k8s.io/v1', plural: 'rolebindings', namespaced: true },
};

interface Resource {
  readonly base: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** `kind` is what distinctName returns. */
function resourceOf(kind: string, calicoApi: CalicoApi): Resource {
  const known = kinds.find((candidate) => distinctName(candidate) === kind);
  if (known === undefined) {
    const other = others[kind];
    if (other === undefined) throw new Error(`no way to load a ${kind}`);
    return other;
  }
  const { group, version, plural } = storedIn(known, calicoApi).api;
  return { base: group === '' ? `/api/${version}` : `/apis/${group}/${version}`, plural, namespaced: known.namespaced };
}

function nameOfKind({ apiVersion, kind }: KubeObject): string {
  const known = kindOf(apiVersion, kind);
  return known === undefined ? kind : distinctName(known);
}

/** Their status is written through the subresource of the same object. */
const withStatus = new Set(['Pod', 'Node', 'Service', 'DatastoreMigration']);

export class ApiAdmin {
  readonly #url: URL;
  readonly #agent: Agent;
  /** Calico's objects are loaded into this API, and removed from it. */
  readonly #calicoApi: CalicoApi;

  constructor(url: string, ca: Buffer, cert: Buffer, key: Buffer, calicoApi: CalicoApi = customResourceApi) {
    this.#calicoApi = calicoApi;
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca, cert, key });
  }

  request(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#url;
      const text = body === undefined ? '' : printJson(body);
      // Without a length Node sends the body of a DELETE in a way that no server can tell from the next request.
      const length = { 'Content-Length': Buffer.byteLength(text) };
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json', ...length };
      const sent = request({ agent: this.#agent, hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      sent.on('error', reject).end(text);
    });
  }

  /**
   * Creates all objects, with their status, and missing namespaces. When it resolves, lists from the server's watch
   * cache, which may lag behind, show them too.
   */
  async load(objects: readonly KubeObject[]): Promise<void> {
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace).filter((name) => name !== undefined));
    for (const name of namespaces) {
      await this.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    const revisions = new Map<string, bigint>();
    await this.#inParallel(
      objects.filter(({ kind }) => kind !== 'Namespace'),
      (object) => this.#create(inApi(object, this.#calicoApi), revisions),
    );
    await this.#inParallel([...revisions], async ([kind, revision]) => {
      while (BigInt((await this.#cached(kind)).metadata.resourceVersion) < revision);
    });
  }

  /** All objects of a kind as the watch cache has them. */
  async #cached(kind: string): Promise<{ metadata: { resourceVersion: string }; items: KubeObject[] }> {
    const { base, plural } = resourceOf(kind, this.#calicoApi);
    const { body } = await this.request('GET', `${base}/${plural}?resourceVersion=0`);
    return parseJson(body) as never;
  }

  async #create(object: KubeObject, revisions: Map<string, bigint>): Promise<void> {
    const seen = (body: string): void => {
      const revision = BigInt((JSON.parse(body) as KubeObject).metadata.resourceVersion ?? 0);
      const kind = nameOfKind(object);
      if (revision > (revisions.get(kind) ?? 0n)) revisions.set(kind, revision);
    };
    const path = collectionPath(object, this.#calicoApi);
    const made = await this.request('POST', path, forCreation(object));
    if (made.status !== 201) throw new Error(`POST ${path} ${object.metadata.name}: ${made.status} ${made.body}`);
    seen(made.body);
    if (object.status === undefined || !withStatus.has(object.kind)) return;
    const stored = parseJson(made.body) as unknown as KubeObject;
    // A node must not appear before its addresses are known; everything else in it is kept.
    const status = { ...(stored.status as object | undefined), ...(object.status as object) };
    const written = await this.request('PUT', `${path}/${object.metadata.name}/status`, { ...stored, status });
    if (written.status !== 200)
      throw new Error(`PUT ${path} ${object.metadata.name}: ${written.status} ${written.body}`);
    seen(written.body);
  }

  /** Removes everything that load may have made, except namespaces and CRDs. */
  async reset(): Promise<void> {
    for (const kind of kinds)
      if (kind !== namespace && kind.derived === undefined) await this.deleteAll(distinctName(kind));
  }

  async deleteAll(kind: string): Promise<void> {
    const { base, plural, namespaced } = resourceOf(kind, this.#calicoApi);
    for (let left: KubeObject[] = []; ; ) {
      const listed = await this.request('GET', `${base}/${plural}?limit=500`);
      if (listed.status === 404) return;
      left = (parseJson(listed.body) as unknown as { items: KubeObject[] }).items.filter(
        (item) => !isServersOwn(kind, item),
      );
      if (left.length === 0) break;
      await this.#inParallel(left, async (item) => {
        const { name, namespace, finalizers } = item.metadata;
        const within = namespaced ? `/namespaces/${namespace}` : '';
        if (finalizers !== undefined) {
          const metadata = { ...item.metadata, finalizers: [] };
          await this.request('PUT', `${base}${within}/${plural}/${name}`, { ...item, metadata });
        }
        const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
        await this.request('DELETE', `${base}${within}/${plural}/${name}`, body);
      });
    }
    while (!(await this.#cached(kind)).items.every((item) => isServersOwn(kind, item)));
  }

  async #inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < items.length) await work(items[next++] as T);
    };
    await Promise.all(Array.from({ length: Math.min(32, items.length) }, worker));
  }
}

/** The service `kubernetes` with its endpoints and the leases of the API servers come back at once. */
function isServersOwn(kind: string, { metadata }: KubeObject): boolean {
  if (kind === 'Service' || kind === 'EndpointSlice') return metadata.name === 'kubernetes';
  return kind === 'Lease' && metadata.name.startsWith('apiserver-');
}

function inApi(object: KubeObject, calicoApi: CalicoApi): KubeObject {
  const kind = kindOf(object.apiVersion, object.kind);
  return kind === undefined ? object : inStoredForm(kind, object, calicoApi);
}

function collectionPath(object: KubeObject, calicoApi: CalicoApi): string {
  const { base, plural, namespaced } = resourceOf(nameOfKind(object), calicoApi);
  return namespaced ? `${base}/namespaces/${object.metadata.namespace}/${plural}` : `${base}/${plural}`;
}

/** The server sets these itself; a pod must have a container, a service a port. */
function forCreation(object: KubeObject): KubeObject {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, ...metadata } = object.metadata;
  const { status: _____, ...created } = { ...object, metadata };
  const spec = object.spec as Record<string, unknown> | undefined;
  if (object.kind === 'Pod') return { ...created, spec: { containers: [{ name: 'main', image: 'none' }], ...spec } };
  if (object.kind === 'Service') return { ...created, spec: { ports: [{ port: 80 }], ...spec } };
  return created;
}
