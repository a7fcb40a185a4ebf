// An API server over a datastore in memory, for what a real one does too seldom: faults on demand, otherwise the store's
// answers.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatastoreError, listAll } from '../../../src/datastore/datastore.ts';
import type { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import { kinds } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';
import { failure, type SeenRequest, type StandIn, sendJson, startStandIn } from './tls-stand-in.ts';

/** `busy` and `broken`: nothing is done, with status 429 or 500; `no-answer`: it is done, and the answer is lost. */
export type Trouble = 'busy' | 'broken' | 'no-answer' | undefined;

export interface StandInCluster {
  readonly standIn: StandIn;
  readonly kubeconfig: string;
}

/** `trouble` is called before each request that is not for a lease, and may take any time. */
export async function serveCluster(
  store: MemoryDatastore,
  trouble: (request: SeenRequest) => Trouble | Promise<Trouble> = () => undefined,
): Promise<StandInCluster> {
  const standIn = await startStandIn(async (request, response) => {
    const place = placeOf(request);
    if (place === undefined) return sendJson(response, 404, failure(404, 'NotFound', 'not found'));
    const what = place.kind.kind === 'Lease' ? undefined : await trouble(request);
    if (what === 'busy') {
      return sendJson(response, 429, failure(429, 'TooManyRequests', 'too many'), { 'Retry-After': '1' });
    }
    if (what === 'broken') return sendJson(response, 500, failure(500, 'InternalError', 'leader changed'));
    let status = 200;
    let body = '';
    try {
      body = printJson(await answer(store, request, place));
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      const [code, reason] = codes[error.reason] ?? [500, 'InternalError'];
      status = code;
      body = printJson(failure(code, reason, error.storeText ?? error.message, { details: { name: place.name } }));
    }
    if (what === 'no-answer') response.destroy();
    else response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  const kubeconfig = join(dirname(standIn.caFile), 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'one',
      clusters: [{ name: 'c', cluster: { server: standIn.url, 'certificate-authority': standIn.caFile } }],
      contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: {} }],
    }),
  );
  return { standIn, kubeconfig };
}

const codes: Readonly<Record<string, readonly [number, string]>> = {
  'not-found': [404, 'NotFound'],
  'already-exists': [409, 'AlreadyExists'],
  conflict: [409, 'Conflict'],
  invalid: [422, 'Invalid'],
};

interface AskedPlace {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
}

function placeOf({ path }: SeenRequest): AskedPlace | undefined {
  const found = /^\/apis?\/(?:([^/]+)\/)?v\d\w*\/(?:namespaces\/([^/]+)\/)?([a-z]+)(?:\/([^/?]+))?(?:\?|$)/.exec(path);
  const [, group = '', namespace, plural, name = ''] = found ?? [];
  const kind = kinds.find(({ api }) => api.plural === plural && api.group === group);
  return kind === undefined ? undefined : { kind, namespace, name };
}

async function answer(store: MemoryDatastore, { method, body }: SeenRequest, place: AskedPlace): Promise<unknown> {
  const { kind, namespace, name } = place;
  const ref = namespace === undefined ? { name } : { name, namespace };
  switch (method) {
    case 'GET': {
      if (name !== '') return store.get(kind, ref);
      const items = await listAll(store, kind, { namespace });
      return { apiVersion: 'v1', kind: `${kind.kind}List`, metadata: { resourceVersion: '1' }, items };
    }
    case 'POST':
      return store.create(kind, parseJson(body) as unknown as KubeObject);
    case 'PUT':
      return store.update(kind, parseJson(body) as unknown as KubeObject);
    default: {
      const { preconditions } = parseJson(body) as { preconditions?: { uid?: string; resourceVersion?: string } };
      await store.delete(kind, ref, preconditions ?? {});
      return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
    }
  }
}
