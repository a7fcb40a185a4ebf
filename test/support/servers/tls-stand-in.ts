// A TLS server that gives the answers of a test: for everything that a healthy API server never does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { ConnectionSettings } from '../../../src/connect/settings.ts';
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { type TestWorld, testWorld } from '../program/world.ts';
import { type CertificatePaths, makeAuthority } from './certificates.ts';

export interface SeenRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export interface StandIn {
  readonly url: string;
  readonly caFile: string;
  /** All requests so far. */
  readonly requests: SeenRequest[];
  /** A datastore on it, closed with it. */
  open(settings?: ConnectionSettings, world?: TestWorld): Promise<Datastore>;
  stop(): Promise<void>;
}

export interface StandInOptions {
  readonly certificate?: (folder: string) => CertificatePaths;
  readonly tls?: ServerOptions;
  /** True when `answer` gets requests for the list of API groups too; else the list has crd.projectcalico.org only. */
  readonly answersGroups?: boolean;
}

export async function startStandIn(answer: Answer, options: StandInOptions = {}): Promise<StandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-stand-in-'));
  const made = options.certificate?.(folder) ?? makeAuthority(folder, 'stand-in', 'IP:127.0.0.1');
  const requests: SeenRequest[] = [];
  const stores: Datastore[] = [];
  const server = createServer(
    { cert: readFileSync(made.cert), key: readFileSync(made.key), ...options.tls },
    async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk as Buffer);
      const { method = '', url = '', headers } = message;
      const seen = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      if (url === '/apis' && !options.answersGroups) {
        return sendJson(response, 200, { groups: [{ name: 'crd.projectcalico.org' }] });
      }
      requests.push(seen);
      await answer(seen, response);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    caFile: made.cert,
    requests,
    async open(settings = { k8sAPIEndpoint: url, k8sCAFile: made.cert }, world = testWorld()) {
      const store = await openKube(await kubeConnection(settings, world), world);
      stores.push(store);
      return store;
    },
    async stop() {
      for (const store of stores) await store.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A meta/v1 Status. */
export function failure(code: number, reason: string, message: string, more: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, ...more };
}
