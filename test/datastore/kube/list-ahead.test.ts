// The pages of a list: the next one is requested while the caller uses the one before, and no more than that one.
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { DatastoreError, ListPage } from '../../../src/datastore/datastore.ts';
import { networkSet } from '../../../src/resources/kinds/network-set.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { until } from '../../support/program/until.ts';
import { failure, type StandIn, sendJson, startStandIn } from '../../support/servers/tls-stand-in.ts';

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.stop();
  standIn = undefined;
});

const requests = (): number => standIn?.requests.length ?? 0;

function sendPage(response: ServerResponse, page: number, next: string): void {
  const metadata = { resourceVersion: '7', continue: next };
  const items = [{ metadata: { name: `set-${page}`, namespace: 'shop', resourceVersion: '3' }, spec: {} }];
  sendJson(response, 200, { apiVersion: 'crd.projectcalico.org/v1', kind: 'NetworkSetList', metadata, items });
}

/** The pages of a list of four, of which the second is answered by `second`. */
async function pagesOf(
  second: (response: ServerResponse) => void = (response) => sendPage(response, 2, '3'),
): Promise<AsyncIterator<ListPage<KubeObject>>> {
  standIn = await startStandIn(({ path }, response) => {
    const page = Number(new URL(path, 'http://server').searchParams.get('continue') ?? '1');
    if (page === 2) second(response);
    else sendPage(response, page, page === 4 ? '' : String(page + 1));
  });
  const store = await standIn.open();
  return store.list(networkSet)[Symbol.asyncIterator]();
}

const namesIn = ({ value }: IteratorResult<ListPage<KubeObject>>): string[] =>
  (value as ListPage<KubeObject>).items.map(({ metadata }) => metadata.name);

it('the second page is requested before the caller asks for it, and the third is not', async () => {
  const pages = await pagesOf();
  expect(namesIn(await pages.next())).toEqual(['set-1']);
  await until(() => requests() === 2, 'the second page is requested');
  expect(namesIn(await pages.next())).toEqual(['set-2']);
  await until(() => requests() === 3, 'the third page is requested');
  expect(namesIn(await pages.next())).toEqual(['set-3']);
  expect(namesIn(await pages.next())).toEqual(['set-4']);
  expect(await pages.next()).toEqual({ done: true, value: undefined });
  expect(requests()).toBe(4);
});

it('a page that the server refuses is an error for the caller that comes to it, after all pages before', async () => {
  const pages = await pagesOf((response) => sendJson(response, 403, failure(403, 'Forbidden', 'no more')));
  expect(namesIn(await pages.next())).toEqual(['set-1']);
  await until(() => requests() === 2, 'the second page is requested');
  const error = await pages.next().catch((cause: DatastoreError) => cause);
  expect(error).toMatchObject({ reason: 'unauthorized', storeText: 'no more' });
});

it('a caller that stops leaves the page that is on its way behind', async () => {
  const pages = await pagesOf((response) => void setImmediate(() => response.destroy()));
  expect(namesIn(await pages.next())).toEqual(['set-1']);
  expect(await pages.return?.()).toEqual({ done: true, value: undefined });
  await until(() => requests() >= 2, 'the second page is requested');
});
