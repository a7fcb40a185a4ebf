// Kubeconfigs with something wrong in them, as a tired hand or an attacker leaves them: every command answers with a sentence,
// in time, and prints no control characters. LONG=1 for 300 of them. A failure names the seed and the file's text.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { exampleObjects } from '../support/clusters/example-cluster.ts';
import { seeded } from '../support/clusters/seeded-cluster.ts';
import { run } from '../support/program/world.ts';
import { makeAuthority, makeCertificate } from '../support/servers/certificates.ts';
import { type StandInCluster, serveCluster } from '../support/servers/stand-in-cluster.ts';

const count = process.env['LONG'] ? 300 : 12;
const commands = ['version', 'get ippools', 'ipam check', 'node status', 'ipam assign --node worker-1'];

let folder: string;
let cluster: StandInCluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-mutated-'));
  const ca = makeAuthority(folder, 'ca');
  makeCertificate(folder, ca, { name: 'ann', subject: '/CN=ann' });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'token'), 'of-file');
  writeFileSync(join(folder, 'plugin.sh'), '#!/bin/sh\necho \'{"kind":"ExecCredential","status":{"token":"t"}}\'\n');
  chmodSync(join(folder, 'plugin.sh'), 0o755);
  cluster = await serveCluster(new MemoryDatastore(exampleObjects()));
});
afterAll(async () => {
  await cluster.standIn.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Draw = (below: number) => number;

function drawing(seed: number): Draw {
  const next = seeded(seed);
  return (below) => Math.floor(next() * below);
}

const users = (): object[] => [
  { token: 'secret-token' },
  { tokenFile: 'token', as: 'eve', 'as-groups': ['g'], 'as-uid': '7', 'as-user-extra': { k: ['v'] } },
  { 'client-certificate': 'ann.crt', 'client-key': 'ann.key' },
  { username: 'ann', password: 'secret-password' },
  {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.sh',
      args: [],
      env: [],
      installHint: 'x',
    },
  },
  {
    'auth-provider': {
      name: 'oidc',
      config: { 'client-id': 'c', 'id-token': 'a.b.c', 'refresh-token': 'r', 'idp-issuer-url': 'https://127.0.0.1:1' },
    },
  },
  {
    'auth-provider': {
      name: 'gcp',
      config: { 'cmd-path': './plugin.sh', 'token-key': '{.status.token}', 'expiry-key': '{.status.expiry}' },
    },
  },
];

const values = (): unknown[] => [
  null,
  0,
  -1,
  1e308,
  true,
  '',
  ' ',
  '\u001b[2J\u0007\u009b31m',
  'x'.repeat(1000),
  '..',
  'pipe',
  '/dev/zero',
  '/dev/null',
  '/nonexistent/file',
  'http://[::',
  'socks5://127.0.0.1:1',
  'ftp://127.0.0.1',
  '\u0000',
  '__proto__',
  [],
  [null],
  {},
  { a: { b: [] } },
  Array.from({ length: 50 }).reduce<unknown>((inner) => [inner], 1),
];

/** Every place of the tree: its owner and key. */
function places(value: unknown, found: [Record<string, unknown>, string][] = []): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    found.push([value as Record<string, unknown>, key]);
    places(inner, found);
  }
  return found;
}

function mutated(draw: Draw): string {
  const user = users()[draw(users().length)];
  const config: Record<string, unknown> = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [
      { name: 'c', cluster: { server: cluster.standIn.url, 'certificate-authority': cluster.standIn.caFile } },
    ],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
    users: [{ name: 'u', user }],
  };
  if (draw(4) === 0)
    Object.assign((config['clusters'] as { cluster: object }[])[0]?.cluster ?? {}, { 'proxy-url': '' });
  for (let changes = 1 + draw(3); changes > 0; changes--) {
    const [owner, key] = places(config)[draw(places(config).length)] ?? [config, 'users'];
    if (draw(4) === 0) delete owner[key];
    else owner[key] = values()[draw(values().length)];
  }
  const text = JSON.stringify(config, undefined, 1);
  const at = draw(text.length);
  switch (draw(8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return `${text.slice(0, at)}${['\t', '\u001b[31m', '"', '}', '&a ', '*a', '- ', '\ufeff', '%'][draw(9)]}${text.slice(at)}`;
    default:
      return text;
  }
}

/** Everything but line feeds and tabs. */
const control = /[^\P{Cc}\n\t]/u;

describe(`${commands.length} commands with ${count} mutated kubeconfigs`, () => {
  it.each(Array.from({ length: count }, (_, seed) => seed + 1))(
    `kubeconfig %i of ${count}, mutated, is used or reported in a sentence`,
    async (seed) => {
      const text = mutated(drawing(seed));
      const path = join(folder, 'config');
      writeFileSync(path, text);
      for (const command of commands) {
        const env = { KUBECONFIG: path, PATH: process.env['PATH'] ?? '', HOME: folder };
        const interruption = new AbortController();
        const timer = setTimeout(() => interruption.abort(new Error('too long')), 10_000);
        const { code, stdout, stderr } = await run(command, { env, signal: interruption.signal, cwd: folder });
        clearTimeout(timer);
        const about = `${command} with ${text.slice(0, 3000)}`;
        expect([0, 1, 2, 3, 4, 5], `${about}\n${stderr}`).toContain(code);
        expect(stdout + stderr, about).not.toMatch(/INTERNAL|secret-/);
        expect(stdout + stderr, about).not.toMatch(control);
        expect(stderr.length, about).toBeLessThan(5000);
      }
    },
    60_000,
  );
});
