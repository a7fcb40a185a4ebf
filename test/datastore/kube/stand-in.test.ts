// What the Kubernetes datastore makes of servers that are busy, forgetful, broken, slow or not what they seem.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore, ListOptions } from '../../../src/datastore/datastore.ts';
import { DatastoreError } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import { type IPPool, ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
import { pod } from '../../../src/resources/kinds/pod.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { TestClock, testWorld } from '../../support/program/world.ts';
import { makeAuthority, makeCertificate } from '../../support/servers/certificates.ts';
import {
  type Answer,
  failure,
  type StandIn,
  type StandInOptions,
  sendJson,
  startStandIn,
} from '../../support/servers/tls-stand-in.ts';

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.stop();
  standIn = undefined;
});

async function serving(answer: Answer, options?: StandInOptions): Promise<StandIn> {
  standIn = await startStandIn(answer, options);
  return standIn;
}

const pool = (name: string): IPPool => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name, resourceVersion: '1' },
  spec: { cidr: '10.0.0.0/16' },
});

function poolList(names: readonly string[], metadata: object = { resourceVersion: '10' }): object {
  return { apiVersion: 'crd.projectcalico.org/v1', items: names.map(pool), kind: 'IPPoolList', metadata };
}

interface Listed {
  readonly names: string[];
  readonly atomic: boolean;
  readonly resourceVersion: string;
}

async function listed<T extends KubeObject>(store: Datastore, kind: Kind<T>, options?: ListOptions): Promise<Listed> {
  const names: string[] = [];
  let atomic = true;
  let resourceVersion = '';
  for await (const page of store.list(kind, options)) {
    names.push(...page.items.map((item) => item.metadata.name));
    atomic &&= page.atomic;
    resourceVersion = page.resourceVersion;
  }
  return { names, atomic, resourceVersion };
}

async function errorOf(call: Promise<unknown>): Promise<DatastoreError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DatastoreError);
  return error as DatastoreError;
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `pool-${String(from + i).padStart(5, '0')}`);

const query = (path: string): Record<string, string> => Object.fromEntries(new URL(path, 'https://x').searchParams);

describe('pages of a list', () => {
  it('list requests pages of 500 and follows the token', async () => {
    const server = await serving(({ path }, response) => {
      const second = query(path)['continue'] === 'more';
      sendJson(
        response,
        200,
        second ? poolList(numbered(500, 600)) : poolList(numbered(0, 500), { resourceVersion: '10', continue: 'more' }),
      );
    });
    expect(await listed(await server.open(), ipPool)).toEqual({
      names: numbered(0, 600),
      atomic: true,
      resourceVersion: '10',
    });
    expect(server.requests.map(({ path }) => query(path))).toEqual([
      { limit: '500' },
      { limit: '500', continue: 'more' },
    ]);
  });

  it('scan uses one request to the watch cache, and follows a server that pages anyway', async () => {
    const server = await serving(({ path }, response) => {
      const second = query(path)['continue'] === 'more';
      sendJson(response, 200, second ? poolList(['b']) : poolList(['a'], { resourceVersion: '10', continue: 'more' }));
    });
    expect((await listed(await server.open(), ipPool, { mode: 'scan' })).names).toEqual(['a', 'b']);
    expect(server.requests.map(({ path }) => query(path))).toEqual([{ resourceVersion: '0' }, { continue: 'more' }]);
  });

  it('scan of what is stored now does not use the watch cache', async () => {
    const server = await serving((_, response) => sendJson(response, 200, poolList(['a'], { resourceVersion: '10' })));
    expect((await listed(await server.open(), ipPool, { mode: 'scan', current: true })).names).toEqual(['a']);
    expect(server.requests.map(({ path }) => query(path))).toEqual([{}]);
  });

  it('the first items are passed on before later ones have been sent', async () => {
    let finish = (): void => undefined;
    const body = JSON.stringify(poolList(numbered(0, 2000)));
    const middle = body.indexOf('pool-01500');
    const server = await serving((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write(body.slice(0, middle));
      finish = () => response.end(body.slice(middle));
    });
    const pages = (await server.open()).list(ipPool, { mode: 'scan' })[Symbol.asyncIterator]();
    const first = await pages.next();
    expect(first.value?.items.map((item: IPPool) => item.metadata.name)).toEqual(numbered(0, 500));
    finish();
    let count = 500;
    for (let page = await pages.next(); !page.done; page = await pages.next()) count += page.value.items.length;
    expect(count).toBe(2000);
  });

  it('a list closes the connection when the caller has seen enough', async () => {
    let closed: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await serving((_, response) => {
      response.on('close', closed);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write(JSON.stringify(poolList(numbered(0, 2000))).slice(0, -10));
    });
    for await (const page of (await server.open()).list(ipPool, { mode: 'scan' })) {
      expect(page.items).toHaveLength(500);
      break;
    }
    await left;
  });
});

describe('410 in the middle of a list', () => {
  const gone = failure(410, 'Expired', 'The provided continue parameter is too old');

  it('a list goes on with the token that the server offers, and is not of one moment', async () => {
    const server = await serving(({ path }, response) => {
      const token = query(path)['continue'];
      if (token === undefined)
        sendJson(response, 200, poolList(['a', 'b'], { resourceVersion: '10', continue: 'old' }));
      else if (token === 'old') sendJson(response, 410, { ...gone, metadata: { continue: 'fresh' } });
      else sendJson(response, 200, poolList(['c'], { resourceVersion: '20' }));
    });
    expect(await listed(await server.open(), ipPool)).toEqual({
      names: ['a', 'b', 'c'],
      atomic: false,
      resourceVersion: '20',
    });
  });

  it('a list starts again without a token, and returns no object twice', async () => {
    let begun = 0;
    const server = await serving(({ path }, response) => {
      if (query(path)['continue'] !== undefined) sendJson(response, 410, gone);
      else if (++begun === 1) sendJson(response, 200, poolList(['a', 'c'], { resourceVersion: '10', continue: 'old' }));
      else sendJson(response, 200, poolList(['a', 'b', 'c', 'd'], { resourceVersion: '20' }));
    });
    expect(await listed(await server.open(), ipPool)).toEqual({
      names: ['a', 'c', 'd'],
      atomic: false,
      resourceVersion: '20',
    });
  });

  it('a list gives up on a server that expires it again and again', async () => {
    const server = await serving(({ path }, response) => {
      if (query(path)['continue'] !== undefined) sendJson(response, 410, gone);
      else sendJson(response, 200, poolList(['a'], { resourceVersion: '10', continue: 'old' }));
    });
    const error = await errorOf(listed(await server.open(), ipPool));
    expect(error.reason).toBe('unavailable');
    expect(error.message).toBe('the list of ippools changes faster than it can be read');
  });
});

describe('a busy server', () => {
  it('429 delays a request as long as it says, for writes too', async () => {
    let asked = 0;
    const server = await serving((_, response) => {
      if (++asked < 3) sendJson(response, 429, failure(429, 'TooManyRequests', 'slow down'), { 'Retry-After': '7' });
      else sendJson(response, 201, pool('a'));
    });
    const world = testWorld({ clock: new TestClock('2025-01-01T00:00:00Z') });
    const waits: number[] = [];
    world.clock.onSleep = (ms) => waits.push(ms);
    const { metadata } = await (await server.open(undefined, world)).create(ipPool, pool('a'));
    expect(metadata.name).toBe('a');
    expect(waits).toEqual([7100, 7100]);
  });

  it('a server that answers 429 is not treated as silent', async () => {
    let asked = 0;
    const server = await serving((_, response) => {
      if (++asked < 2) sendJson(response, 429, failure(429, 'TooManyRequests', 'slow down'), { 'Retry-After': '7' });
      else sendJson(response, 200, pool('a'));
    });
    const timeoutMs = 2000;
    const world = testWorld();
    // Longer than the time that a call has for its answer.
    world.clock.sleep = (_, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        setTimeout(resolve, timeoutMs + 200);
      });
    const store = await server.open(undefined, world);
    expect((await store.get(ipPool, { name: 'a' }, { timeoutMs })).metadata.name).toBe('a');
  });

  it('429 does not delay for ever', async () => {
    const server = await serving((_, response) => {
      sendJson(response, 429, failure(429, 'TooManyRequests', 'slow down'), { 'Retry-After': '86400' });
    });
    const world = testWorld();
    const waits: number[] = [];
    world.clock.onSleep = (ms) => waits.push(ms);
    const error = await errorOf((await server.open(undefined, world)).get(ipPool, { name: 'a' }));
    expect(error.reason).toBe('unavailable');
    expect(error.storeText).toBe('slow down');
    expect(waits).toEqual(Array.from({ length: 10 }, () => 30_100));
  });

  it('a read is retried after a 5xx, a limited number of times', async () => {
    const server = await serving((_, response) =>
      sendJson(response, 503, failure(503, 'ServiceUnavailable', 'starting')),
    );
    const error = await errorOf((await server.open()).get(ipPool, { name: 'a' }));
    expect(error.reason).toBe('unavailable');
    expect(server.requests).toHaveLength(4);
  });

  it('a write is never sent twice', async () => {
    const server = await serving((_, response) =>
      sendJson(response, 500, failure(500, 'InternalError', 'etcd timed out')),
    );
    const error = await errorOf((await server.open()).update(ipPool, pool('a')));
    expect(error.reason).toBe('unavailable');
    expect(error.storeText).toBe('etcd timed out');
    expect(server.requests).toHaveLength(1);
  });

  it('a write whose answer was lost is reported as unavailable and not repeated', async () => {
    const server = await serving((_, response) => void response.destroy());
    const error = await errorOf((await server.open()).update(ipPool, pool('a')));
    expect(error.reason).toBe('unavailable');
    expect(error.message).toBe(`the API server ${server.url} closed the connection`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('broken answers', () => {
  const half = (response: ServerResponse, headers: Record<string, string | number> = {}): void => {
    const body = JSON.stringify(poolList(numbered(0, 50)));
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  };

  it('a list that stops is reported, with and without a length', async () => {
    let length = {};
    const server = await serving((_, response) => half(response, length));
    const store = await server.open();
    expect((await errorOf(listed(store, ipPool))).reason).toBe('unavailable');
    length = { 'Content-Length': JSON.stringify(poolList(numbered(0, 50))).length };
    expect((await errorOf(listed(store, ipPool))).reason).toBe('unavailable');
  });

  it('a list that never advances is reported', async () => {
    const server = await serving((_, response) =>
      sendJson(response, 200, poolList([], { resourceVersion: '10', continue: 'more' })),
    );
    const error = await errorOf(listed(await server.open(), ipPool));
    expect(error.message).toBe(`invalid response from ${server.url}: the list repeats a page`);
    expect(server.requests).toHaveLength(2);
  });

  it('a list that ends in the middle without an error is reported', async () => {
    const server = await serving((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"kind":"IPPoolList","items":[{"metadata":');
    });
    const error = await errorOf(listed(await server.open(), ipPool));
    expect(error.reason).toBe('unavailable');
    expect(error.message).toBe(`invalid response from ${server.url}: the list ends in the middle`);
  });

  it.each([['<html>welcome</html>'], ['{"kind":"IPPool"}'], [''], ['{"kind":"IPPoolList","items":[{}]}']])(
    '%j is refused as a list',
    async (body) => {
      const server = await serving((_, response) => void response.writeHead(200).end(body));
      const error = await errorOf(listed(await server.open(), ipPool));
      expect([error.reason, error.message.startsWith(`invalid response from ${server.url}: `)]).toEqual([
        'unavailable',
        true,
      ]);
    },
  );

  it('the text of a proxy that answers with a page is kept', async () => {
    const server = await serving((_, response) => void response.writeHead(400).end('<h1>No</h1>\n<p>such site</p>'));
    const error = await errorOf((await server.open()).create(ipPool, pool('a')));
    expect(error.storeText).toBe('No such site');
  });

  it('compressed answers are read, and reported when one stops', async () => {
    const body = gzipSync(JSON.stringify(poolList(numbered(0, 400))));
    let whole = true;
    const server = await serving((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      if (whole) response.end(body);
      else response.write(body.subarray(0, body.length / 2), () => response.destroy());
    });
    const world = testWorld();
    const connection = await kubeConnection({ k8sAPIEndpoint: server.url, k8sCAFile: server.caFile }, world);
    const store = await openKube({ ...connection, loopback: false }, world);
    expect((await listed(store, ipPool)).names).toEqual(numbered(0, 400));
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
    whole = false;
    expect((await errorOf(listed(store, ipPool))).reason).toBe('unavailable');
    await store.close();
  });

  it('redirects are not followed', async () => {
    const server = await serving((_, response) => {
      response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
    });
    const error = await errorOf((await server.open()).get(ipPool, { name: 'a' }));
    expect(error.message).toBe(`${server.url} redirects the request (HTTP status 302)`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('timeouts', () => {
  it('a silent server is given up', async () => {
    const server = await serving(() => new Promise(() => undefined));
    const error = await errorOf((await server.open()).get(ipPool, { name: 'a' }, { timeoutMs: 50 }));
    expect(error.message).toBe(`no response from ${server.url} within 0.05 seconds`);
  });

  it('a list that stalls in the middle is given up', async () => {
    const server = await serving((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"kind":"IPPoolList","items":[');
    });
    const error = await errorOf(listed(await server.open(), ipPool, { timeoutMs: 50 }));
    expect(error.message).toBe(`no response from ${server.url} within 0.05 seconds`);
  });

  it('a list that takes longer than the timeout but advances is read to its end', async () => {
    const server = await serving(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      for (const piece of JSON.stringify(poolList(['a', 'b'])).match(/.{1,10}/g) ?? []) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        response.write(piece);
      }
      response.end();
    });
    expect((await listed(await server.open(), ipPool, { timeoutMs: 800 })).names).toEqual(['a', 'b']);
  });

  it('a list of which a byte arrives now and then is given up', async () => {
    const server = await serving(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"kind":"IPPoolList","items":[');
      while (!response.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        response.write(' ');
      }
    });
    const error = await errorOf(listed(await server.open(), ipPool, { timeoutMs: 300 }));
    expect(error.message).toBe(`no response from ${server.url} within 0.3 seconds`);
  });

  it('--request-timeout ends any request, also one that advances and one that waits after 429', async () => {
    const server = await serving(async ({ path }, response) => {
      if (path.endsWith('/busy')) {
        return sendJson(response, 429, failure(429, 'TooManyRequests', 'slow down'), { 'Retry-After': '7' });
      }
      if (path.endsWith('/silent')) return;
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"kind":"IPPoolList","items":[');
      while (!response.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        response.write(`${JSON.stringify(pool('a'))},`);
      }
    });
    const world = testWorld();
    world.clock.sleep = (_, signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const settings = { k8sAPIEndpoint: server.url, k8sCAFile: server.caFile, requestTimeoutMs: 100 };
    const store = await server.open(settings, world);
    const calls = [
      store.get(ipPool, { name: 'silent' }),
      store.get(ipPool, { name: 'busy' }),
      store.create(ipPool, pool('new')),
      listed(store, ipPool),
    ];
    for (const error of await Promise.all(calls.map(errorOf))) {
      expect(error.message).toBe(`no complete response from ${server.url} within 0.1 seconds`);
      expect(error.hint).toContain('--request-timeout');
    }
  });

  it('a wait after 429 is announced, and its end too', async () => {
    let asked = 0;
    const server = await serving((_, response) => {
      if (++asked < 3) sendJson(response, 429, failure(429, 'TooManyRequests', 'slow down'), { 'Retry-After': '7' });
      else sendJson(response, 200, pool('a'));
    });
    const world = testWorld();
    const announced: (string | undefined)[] = [];
    const connection = await kubeConnection({ k8sAPIEndpoint: server.url, k8sCAFile: server.caFile }, world);
    const store = await openKube(connection, world, { waiting: (what) => announced.push(what) });
    await store.get(ipPool, { name: 'a' });
    await store.close();
    expect(announced).toEqual([
      'the API server is busy: try 1 of 10 in 7 s',
      undefined,
      'the API server is busy: try 2 of 10 in 7 s',
      undefined,
    ]);
  });

  it("an abort of the caller throws the caller's own reason", async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const server = await serving(() => controller.abort(reason));
    const { signal } = controller;
    await expect((await server.open()).get(ipPool, { name: 'a' }, { signal })).rejects.toBe(reason);
    await expect(listed(await server.open(), ipPool, { signal })).rejects.toBe(reason);
  });
});

describe('protobuf requests', () => {
  const podList = {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '3' },
    items: [{ metadata: { name: 'p', namespace: 'n' } }],
  };

  it('scans of pods and nodes ask for protobuf, with JSON as second choice', async () => {
    const server = await serving((_, response) => sendJson(response, 200, podList));
    const store = await server.open();
    for (const [kind, mode] of [
      [pod, 'scan'],
      [calicoNode, 'scan'],
      [pod, 'consistent'],
      [ipPool, 'scan'],
    ] as const) {
      await listed(store, kind as Kind, { mode });
    }
    const both = 'application/vnd.kubernetes.protobuf,application/json';
    expect(server.requests.map(({ headers }) => headers.accept)).toEqual([
      both,
      both,
      'application/json',
      'application/json',
    ]);
  });

  it.each([
    ['refused', (response: ServerResponse) => sendJson(response, 406, failure(406, 'NotAcceptable', 'only JSON'))],
    [
      'garbage',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'Content-Type': 'application/vnd.kubernetes.protobuf' }).end('k8s\0garbage'),
    ],
    [
      'cut short',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'Content-Type': 'application/vnd.kubernetes.protobuf' }).end('k8s\0'),
    ],
  ])('JSON is used when protobuf is %s', async (_, answer) => {
    const server = await serving(({ headers }, response) => {
      if (headers.accept?.includes('protobuf')) answer(response);
      else sendJson(response, 200, podList);
    });
    expect((await listed(await server.open(), pod, { mode: 'scan' })).names).toEqual(['p']);
    expect(server.requests).toHaveLength(2);
  });

  it('an error sent in protobuf is reported in words', async () => {
    const server = await serving(({ headers }, response) => {
      if (headers.accept?.includes('protobuf')) {
        response.writeHead(403, { 'Content-Type': 'application/vnd.kubernetes.protobuf' }).end('k8s\0\n\x02v1Status');
      } else sendJson(response, 403, failure(403, 'Forbidden', 'pods is forbidden'));
    });
    const error = await errorOf(listed(await server.open(), pod, { mode: 'scan' }));
    expect(error.message).toBe('not allowed to list pods: pods is forbidden');
  });
});

describe('server certificates', () => {
  const read = async (server: StandIn, caFile = server.caFile): Promise<DatastoreError> =>
    errorOf((await server.open({ k8sAPIEndpoint: server.url, k8sCAFile: caFile })).get(ipPool, { name: 'a' }));
  const never: Answer = () => {
    throw new Error('a request came through');
  };

  it('a certificate of an unknown authority is refused, and accepted with insecure-skip-tls-verify', async () => {
    const server = await serving((_, response) => sendJson(response, 200, pool('a')));
    const untrusting = await server.open({ k8sAPIEndpoint: server.url });
    const error = await errorOf(untrusting.get(ipPool, { name: 'a' }));
    expect(error.message).toBe(`the certificate of ${server.url} is signed by an unknown authority`);
    expect(server.requests).toEqual([]);
    const blind = await server.open({ k8sAPIEndpoint: server.url, k8sInsecureSkipTLSVerify: true });
    expect((await blind.get(ipPool, { name: 'a' })).metadata.name).toBe('a');
  });

  it('a certificate for another address is refused', async () => {
    const server = await serving(never, {
      certificate: (folder) => makeAuthority(folder, 'other', 'DNS:other.example'),
    });
    expect((await read(server)).message).toBe(`the certificate of ${server.url} is not valid for 127.0.0.1`);
  });

  it('an expired certificate is refused', async () => {
    let ca = '';
    const server = await serving(never, {
      certificate(folder) {
        const authority = makeAuthority(folder, 'ca');
        ca = authority.cert;
        return makeCertificate(folder, authority, {
          name: 'old',
          subject: '/CN=old',
          addresses: 'IP:127.0.0.1',
          days: -1,
        });
      },
    });
    expect((await read(server, ca)).message).toBe(`the certificate of ${server.url} is no longer valid`);
  });

  it('a closed port and an unknown host name are reported', async () => {
    const server = await serving(never);
    const { url } = server;
    await server.stop();
    standIn = undefined;
    const store = await server.open({ k8sAPIEndpoint: url });
    expect((await errorOf(store.get(ipPool, { name: 'a' }))).message).toBe(`nothing listens at ${url}`);
    const world = testWorld();
    const nowhere = await openKube(await kubeConnection({ k8sAPIEndpoint: 'https://nowhere.invalid' }, world), world);
    expect((await errorOf(nowhere.get(ipPool, { name: 'a' }))).message).toBe(
      'the name nowhere.invalid of the API server cannot be resolved',
    );
  });
});

describe('refusals of the server', () => {
  it.each([
    [
      404,
      failure(404, 'NotFound', 'ippools.crd.projectcalico.org "a" not found', { details: { name: 'a' } }),
      'not-found',
      false,
    ],
    [404, '404 page not found\n', 'not-found', true],
    [409, failure(409, 'AlreadyExists', 'it is there'), 'already-exists', false],
    [409, failure(409, 'Conflict', 'the object has been modified'), 'conflict', false],
    [
      409,
      failure(409, 'Conflict', 'Precondition failed: UID in precondition: x, UID in object meta: y'),
      'conflict',
      false,
    ],
    [422, failure(422, 'Invalid', 'bad', { details: { causes: [{ field: 'spec.cidr' }] } }), 'invalid', false],
    [422, failure(422, 'Invalid', 'uid', { details: { causes: [{ field: 'metadata.uid' }] } }), 'not-found', false],
    [
      422,
      failure(422, 'Invalid', 'rv', { details: { causes: [{ field: 'metadata.resourceVersion' }] } }),
      'conflict',
      false,
    ],
    [400, failure(400, 'BadRequest', 'bad'), 'invalid', false],
    [401, failure(401, 'Unauthorized', 'Unauthorized'), 'unauthorized', false],
    [403, failure(403, 'Forbidden', 'no'), 'unauthorized', false],
    [405, failure(405, 'MethodNotAllowed', 'no'), 'unsupported', false],
    [504, failure(504, 'Timeout', 'late'), 'unavailable', false],
  ] as const)('status %i with %j is reported as %s', async (status, body, reason, missingKind) => {
    const server = await serving((_, response) => {
      if (typeof body === 'string') response.writeHead(status, { 'Content-Type': 'text/plain' }).end(body);
      else sendJson(response, status, body);
    });
    const error = await errorOf((await server.open()).update(ipPool, pool('a')));
    expect([error.reason, error.missingKind]).toEqual([reason, missingKind]);
    expect(error.storeText).toBe(typeof body === 'string' ? body.trim() : (body as { message: string }).message);
  });

  it.each([
    'Precondition failed: UID in precondition: x, UID in object meta: y',
    'the UID in the precondition (x) does not match the UID in record (y). The object might have been deleted',
  ])('a delete answered with %j has nothing to delete', async (text) => {
    const server = await serving((_, response) => sendJson(response, 409, failure(409, 'Conflict', text)));
    const error = await errorOf((await server.open()).delete(ipPool, { name: 'a' }, { uid: 'x' }));
    expect(error.reason).toBe('not-found');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'x' },
    });
  });

  it('401 is retried once with fresh credentials', async () => {
    let asked = 0;
    const server = await serving((_, response) => {
      if (++asked === 1) sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized'));
      else sendJson(response, 200, pool('a'));
    });
    expect((await (await server.open()).get(ipPool, { name: 'a' })).metadata.name).toBe('a');
  });

  it.each(['', '.', '..', 'a/b'])('nothing is sent for the name %j', async (name) => {
    const server = await serving((_, response) => sendJson(response, 200, {}));
    const error = await errorOf((await server.open()).delete(ipPool, { name }, {}));
    expect(error.reason).toBe('invalid');
    expect(server.requests).toEqual([]);
  });
});
