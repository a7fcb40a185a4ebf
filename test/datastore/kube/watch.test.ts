// Watching a kind on an API server: a real one, and one that forgets, breaks off and ends watches.
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore, WatchBatch } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { type IPPool, ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { testWorld } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';
import { failure, type StandIn, sendJson, startStandIn } from '../../support/servers/tls-stand-in.ts';

const pool = (name: string, revision: number): IPPool => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name, resourceVersion: String(revision) },
  spec: { cidr: '10.0.0.0/16' },
});

const shown = ({ events }: WatchBatch<IPPool>): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);

/** Takes batches until there are so many events, or the watch fails. */
async function eventsOf(store: Datastore, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of store.watch?.(ipPool) ?? []) {
    found.push(...shown(batch));
    if (found.length >= count) break;
  }
  return found;
}

describe('a watch of a server that is played', () => {
  let standIn: StandIn | undefined;
  afterEach(async () => {
    await standIn?.stop();
    standIn = undefined;
  });

  /** `lists` and `watches` answer one request after the other. */
  async function serving(
    lists: readonly object[],
    watches: readonly ((response: ServerResponse) => void)[],
  ): Promise<StandIn> {
    const [nextLists, nextWatches] = [[...lists], [...watches]];
    standIn = await startStandIn((request, response) => {
      if (!request.path.includes('watch=true')) sendJson(response, 200, nextLists.shift() ?? {});
      else (nextWatches.shift() ?? ((last) => last.writeHead(500).end()))(response);
    });
    return standIn;
  }
  const list = (revision: number, ...pools: IPPool[]): object => ({
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPPoolList',
    metadata: { resourceVersion: String(revision) },
    items: pools,
  });
  const lines = (...events: object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const event = (type: string, object: object): object => ({ type, object });
  const revisionsAsked = ({ requests }: StandIn): (string | null)[] =>
    requests
      .filter(({ path }) => path.includes('watch=true'))
      .map(({ path }) => new URL(path, 'https://x').searchParams.get('resourceVersion'));

  it('a watch continues after the last event or bookmark when the server ends it', async () => {
    const server = await serving(
      [list(10, pool('a', 5))],
      [
        (response) => response.end(lines(event('ADDED', pool('b', 11)), event('BOOKMARK', pool('', 15)))),
        (response) => response.end(lines(event('MODIFIED', pool('a', 16)), event('DELETED', pool('b', 17)))),
      ],
    );
    expect(await eventsOf(await server.open(), 4)).toEqual([
      'added a@5',
      'added b@11',
      'modified a@16',
      'deleted b@17',
    ]);
    expect(revisionsAsked(server)).toEqual(['10', '15']);
  });

  it('a watch joins events that arrive in pieces', async () => {
    const text = Buffer.from(lines(event('ADDED', { ...pool('b', 11), note: 'é' })));
    const server = await serving(
      [list(10)],
      [
        (response) => {
          // In the middle of a character.
          const at = text.indexOf(0xc3) + 1;
          response.write(text.subarray(0, at));
          setTimeout(() => response.write(text.subarray(at)), 20);
        },
      ],
    );
    expect(await eventsOf(await server.open(), 1)).toEqual(['added b@11']);
  });

  it.each([
    [
      'as an event',
      (response: ServerResponse) => response.end(lines(event('ERROR', failure(410, 'Expired', 'too old')))),
    ],
    ['as a response', (response: ServerResponse) => sendJson(response, 410, failure(410, 'Expired', 'too old'))],
  ])('a watch whose revision is forgotten (410 %s) lists again and reports the difference', async (_, forgets) => {
    const server = await serving(
      [list(10, pool('a', 5), pool('b', 6), pool('c', 7)), list(30, pool('a', 5), pool('c', 25), pool('d', 26))],
      [forgets, (response) => response.end(lines(event('MODIFIED', pool('d', 31))))],
    );
    expect(await eventsOf(await server.open(), 7)).toEqual([
      'added a@5',
      'added b@6',
      'added c@7',
      'deleted b@6',
      'modified c@25',
      'added d@26',
      'modified d@31',
    ]);
    expect(revisionsAsked(server)).toEqual(['10', '30']);
  });

  it('a watch resumes when the connection breaks', async () => {
    const server = await serving(
      [list(10)],
      [
        (response) => {
          response.write(lines(event('ADDED', pool('a', 11))));
          setTimeout(() => response.destroy(), 20);
        },
        (response) => response.end(lines(event('ADDED', pool('b', 12)))),
      ],
    );
    expect(await eventsOf(await server.open(), 2)).toEqual(['added a@11', 'added b@12']);
    expect(revisionsAsked(server)).toEqual(['10', '11']);
  });

  it('a watch ends in an error when the server refuses it', async () => {
    const server = await serving(
      [list(10)],
      [(response) => sendJson(response, 403, failure(403, 'Forbidden', 'ippools is forbidden'))],
    );
    await expect(eventsOf(await server.open(), 1)).rejects.toMatchObject({ reason: 'unauthorized' });
  });

  it('a watch ends in an error when the server keeps breaking it', async () => {
    const broken = (response: ServerResponse): unknown => response.end('no JSON\n');
    const server = await serving(
      [list(10)],
      Array.from({ length: 20 }, () => broken),
    );
    await expect(eventsOf(await server.open(), 1)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(revisionsAsked(server)).toHaveLength(10);
  });
});

describeWithApiServer('a watch of an API server', (server) => {
  it('a watch reports what other clients create, change and delete', async () => {
    const { admin, kubeconfig } = server();
    const world = testWorld();
    const store = await openKube(await kubeConnection({ kubeconfig }, world), world);
    const path = '/apis/crd.projectcalico.org/v1/ippools';
    const stored = (name: string, spec: object): object => ({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPPool',
      metadata: { name },
      spec: { cidr: '10.0.0.0/16', ...spec },
    });
    await admin.request('POST', path, stored('a', {}));
    const seen: string[] = [];
    try {
      for await (const { events } of store.watch?.(ipPool) ?? []) {
        seen.push(...events.map(({ type, object }) => `${type} ${object.metadata.name}`));
        if (seen.length === 1) await admin.request('POST', path, stored('b', {}));
        if (seen.length === 2) {
          const { body } = await admin.request('GET', `${path}/a`);
          await admin.request('PUT', `${path}/a`, {
            ...JSON.parse(body),
            spec: { cidr: '10.0.0.0/16', disabled: true },
          });
        }
        if (seen.length === 3) await admin.request('DELETE', `${path}/b`);
        if (seen.length === 4) break;
      }
    } finally {
      await store.close();
    }
    expect(seen).toEqual(['added a', 'added b', 'modified a', 'deleted b']);
  });
});
