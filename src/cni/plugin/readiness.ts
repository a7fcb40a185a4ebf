// Whether Calico is ready for the plugin to work: the datastore's own flag, and URLs that the configuration names.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Datastore } from '../../datastore/datastore.ts';
import { DatastoreError } from '../../datastore/datastore.ts';
import { storedIn } from '../../resources/kind.ts';
import { clusterInformation } from '../../resources/kinds/cluster-information.ts';
import type { World } from '../../world/world.ts';
import { calicoText } from '../error-text.ts';
import { CniError } from '../protocol/cni-error.ts';

/** Errors: CniError when the datastore is locked, or its state cannot be read. */
export async function requireReady(datastore: Datastore, signal: AbortSignal): Promise<void> {
  let ready: unknown;
  try {
    const { spec } = await datastore.get(clusterInformation, { name: 'default' }, { signal });
    ready = spec?.datastoreReady;
  } catch (error) {
    throw new CniError(`error getting ClusterInformation: ${informationText(error, datastore)}`);
  }
  if (ready !== true) throw new CniError('Calico is currently not ready to process requests');
}

/** A server that does not listen, in the words of Go's HTTP client. */
function informationText(error: unknown, datastore: Datastore): string {
  const cause = error instanceof DatastoreError ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') {
    const server = datastore.description.replace(/^kubernetes at /, '');
    const { plural } = storedIn(clusterInformation, datastore.calicoApi).api;
    const url = `${server}/apis/${datastore.calicoApi}/${plural}/default`;
    return `Get ${JSON.stringify(url)}: dial tcp ${new URL(server).host}: connect: connection refused`;
  }
  return calicoText(error, 'ClusterInformation(default)');
}

const pollMs = 5_000;
const limitMs = 30_000;

/** Waits until every URL answers with a success. Errors: CniError for an invalid URL, and when the time is over. */
export async function passReadinessGates(urls: readonly string[], { clock, signal }: World): Promise<void> {
  for (const url of urls) {
    if (!URL.canParse(url)) {
      const why = `parse ${JSON.stringify(url)}: invalid URI for request`;
      throw new CniError(`invalid URL set for ReadinessGates:${url} Error:${why}`);
    }
  }
  const end = clock.now().getTime() + limitMs;
  for (const url of urls) {
    while (!(await answers(new URL(url)))) {
      if (clock.now().getTime() + pollMs > end)
        throw new CniError(`readiness gate ${url} did not answer in 30 seconds`);
      await clock.sleep(pollMs, signal);
    }
  }
}

function answers(url: URL): Promise<boolean> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    send(url, { timeout: pollMs }, (response) => {
      response.resume();
      const { statusCode = 500 } = response;
      resolve(statusCode >= 200 && statusCode < 300);
    })
      .on('timeout', () => resolve(false))
      .on('error', () => resolve(false))
      .end();
  });
}
