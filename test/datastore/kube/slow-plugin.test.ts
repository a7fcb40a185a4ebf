// A credential plugin that is slower than a request may be: the time is its own, and the server is not blamed for it.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { testWorld } from '../../support/program/world.ts';
import { sendJson, startStandIn } from '../../support/servers/tls-stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'calictl-slow-plugin-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the time of a credential plugin does not count as the time of the response', async () => {
  const server = await startStandIn((_, response) =>
    sendJson(response, 200, {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPPool',
      metadata: { name: 'a', resourceVersion: '1' },
      spec: { cidr: '10.0.0.0/16' },
    }),
  );
  const plugin = join(folder, 'plugin.sh');
  writeFileSync(plugin, `#!/bin/sh\nsleep 3; echo '{"kind":"ExecCredential","status":{"token":"t"}}'\n`);
  chmodSync(plugin, 0o755);
  const authority = readFileSync(server.caFile).toString('base64');
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { exec } }],
  };
  const world = testWorld({ env: { PATH: process.env['PATH'] ?? '' } });
  const store = await server.open({ kubeconfigInline: JSON.stringify(kubeconfig) }, world);
  const found = await store.get(ipPool, { name: 'a' }, { timeoutMs: 2000 });
  expect(found.metadata.name).toBe('a');
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t']);
  await server.stop();
}, 30_000);
