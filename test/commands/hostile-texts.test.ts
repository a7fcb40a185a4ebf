// Texts that a terminal would obey, in everything that calictl reads: names, fields of all kinds, recordings, kubeconfigs and
// answers of servers. No command prints them raw, in any format, and documents stay valid.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isOnCommandLine } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { exampleObjects } from '../support/clusters/example-cluster.ts';
import { filledObject } from '../support/clusters/kind-filled.ts';
import { type CommandLine, everyCommandLine, writeNamedFiles } from '../support/program/every-command.ts';
import { readMarkup } from '../support/program/well-formed.ts';
import { type Ran, type RunOptions, run } from '../support/program/world.ts';
import { failure, type StandIn, sendJson, startStandIn } from '../support/servers/tls-stand-in.ts';

/** A title, a cleared screen, both again in C1 controls, a line that overwrites itself, and reversed text. */
const hostile = '\u001b]0;t\u0007\u001b[2J\u009b2J\u009d0;t\u009c\r\b\u007f\u202eZ\u2066\u2028';
const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const ownColour = /\u001b\[(?:[0-2]|22|3[0-79]|9[0-7])m/g;
const ownProgress = /\r\u001b\[K/g;

const modes: Readonly<Record<string, RunOptions>> = {
  'in a pipe': {},
  'on a terminal': { terminal: true },
  'as calicoctl on a terminal': { terminal: true, programName: 'calicoctl' },
};

const isDocument: Readonly<Record<string, (text: string) => void>> = {
  json: (text) => void JSON.parse(text),
  yaml: (text) => {
    for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
  },
  svg: (text) => void readMarkup(text),
  html: (text) => void readMarkup(text),
  junit: (text) => void readMarkup(text),
};

/** Checks what a command printed; what it prints with exit 0 or 3 is a document of the format. */
function expectTame({ code, stdout, stderr, world }: Ran, line: string, format: string | undefined): void {
  const own = (text: string): string => (world.io.stdout.isTerminal ? text.replace(ownColour, '') : text);
  expect(raw.exec(own(stdout))?.index, `${line}\n${JSON.stringify(stdout)}`).toBeUndefined();
  expect(raw.exec(own(stderr).replace(ownProgress, ''))?.index, `${line}\n${JSON.stringify(stderr)}`).toBeUndefined();
  expect(stderr, line).not.toMatch(/INTERNAL|unexpected error/);
  const check = format === undefined ? undefined : isDocument[format];
  if ((code === 0 || code === 3) && stdout !== '' && world.programName === 'calictl') check?.(own(stdout));
}

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-hostile-'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Names of the example cluster, which its objects and the examples of the commands have. */
const names = /\b(worker-|default-pool|legacy-pool|shop\b|k8s-pod-network\.|cart\b)/g;
const renamed = (text: string): string => text.replace(names, `$1${hostile}`);
const renamedObjects = (objects: readonly KubeObject[]): string =>
  printJson({ apiVersion: 'v1', kind: 'List', items: objects }).replace(
    names,
    (name) => `${name}${JSON.stringify(hostile).slice(1, -1)}`,
  );

async function runLine(line: CommandLine, options: RunOptions): Promise<Ran> {
  const signal = AbortSignal.timeout(line.isEndless ? 300 : 20_000);
  const env = { XDG_STATE_HOME: join(top, 'state'), EDITOR: 'true' };
  return run(line.argv, { cwd: join(top, 'work'), signal, ...options, env: { ...env, ...options.env } });
}

describe.each(Object.entries(modes))('hostile texts %s', (_, mode) => {
  it('every command prints hostile names tame', async () => {
    const lines = await everyCommandLine();
    expect(lines.length).toBeGreaterThan(60);
    const work = join(top, 'work');
    let shown = 0;
    for (const { argv, ...line } of lines) {
      rmSync(work, { recursive: true, force: true });
      mkdirSync(work);
      const folder = join(work, 'store');
      mkdirSync(folder);
      const text = renamedObjects(exampleObjects());
      writeFileSync(join(folder, 'objects.json'), text);
      const hostileLine = { ...line, argv: argv.map(renamed) };
      writeNamedFiles(work, [hostileLine], text);
      const ran = await runLine(hostileLine, { folder, ...mode });
      expectTame(ran, argv.join(' '), line.format);
      if (/\\(?:u009b|x9B)/.test(ran.stdout)) shown++;
    }
    // Calicoctl has fewer commands.
    expect(shown).toBeGreaterThan(mode.programName === undefined ? 25 : 3);
  }, 300_000);

  const named = kinds.filter(isOnCommandLine);
  it.each(named.map((kind) => [kind.kind, kind] as const))('every field of %s is printed tame', async (_kind, kind) => {
    const [alias = ''] = kind.aliases;
    // Once with texts that no field can have, once with fields that have the values they need.
    const formats: Readonly<Record<string, string>> = {
      CIDR: '10.60.0.0/24',
      'IP address': '10.60.0.1',
      duration: '1m0s',
    };
    for (const usable of [{}, formats] as Readonly<Record<string, string>>[]) {
      const objects = ['default', `x${hostile}`].map((name) =>
        filledObject(kind, name, (format) => usable[format ?? ''] ?? `v${hostile}`),
      );
      for (const format of ['ps', 'wide', 'yaml', 'json', 'name', 'custom-columns=NAME']) {
        for (const argv of [
          ['get', alias],
          ['get', alias, `x${hostile}`],
        ]) {
          const line = [...argv, '-o', format];
          const ran = await run(line, { objects, ...mode });
          expectTame(ran, line.join(' '), format);
        }
      }
      for (const line of [
        'ipam check -o json',
        'ipam check -o junit',
        'ipam show --show-blocks',
        'node bgp --desired',
      ]) {
        expectTame(await run(line, { objects, ...mode }), line, line.split('-o ')[1]);
      }
    }
  });

  it('every node command prints hostile answers of nodes tame', async () => {
    const folder = join(top, 'snapshot');
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(import.meta.dirname, '..', '..', 'docs', 'examples', 'bgp-faults', 'filtered'), folder, {
      recursive: true,
    });
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      if (!name.endsWith('.txt')) continue;
      let word = 0;
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace(/[a-z]{4,}/gi, (found) => (++word % 9 === 0 ? found + hostile : found)),
      );
    }
    const lines = await everyCommandLine(({ path }) => path[0] === 'node');
    expect(lines.length).toBeGreaterThan(15);
    mkdirSync(join(top, 'work'), { recursive: true });
    for (const line of lines) expectTame(await runLine(line, { folder, ...mode }), line.argv.join(' '), line.format);
  }, 60_000);
});

it('JSON and YAML keep the exact value of hostile texts', async () => {
  const pool = kinds.find(({ kind }) => kind === 'IPPool');
  const objects = pool === undefined ? [] : [filledObject(pool, 'p', () => hostile)];
  const json = await run('get ippool p -o json', { objects });
  expect(JSON.parse(json.stdout)).toMatchObject({ spec: { nodeSelector: hostile } });
  const yaml = await run('get ippool p -o yaml', { objects });
  expect(parseAllDocuments(yaml.stdout)[0]?.toJS()).toMatchObject({ spec: { nodeSelector: hostile } });
});

it("as calicoctl in a pipe, JSON has calicoctl's bytes: C1 controls are not escaped", async () => {
  const pool = kinds.find(({ kind }) => kind === 'IPPool');
  const objects = pool === undefined ? [] : [filledObject(pool, 'p', () => 'a\u009bb')];
  const { stdout } = await run('get ippool p -o json', { objects, programName: 'calicoctl' });
  expect(stdout).toContain('"nodeSelector": "a\u009bb"');
});

describe('hostile texts of servers and kubeconfigs', () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn((_, response) => sendJson(response, 403, failure(403, 'Forbidden', `no${hostile}`)));
  });
  afterAll(() => server.stop());

  const lines = [
    'version',
    'get ippools',
    'get ippool x',
    'ipam check',
    'ipam check -o json',
    'ipam show',
    'node status',
  ];

  it.each(lines)('`calictl %s` prints the message of an API server tame', async (line) => {
    const env = { DATASTORE_TYPE: 'kubernetes', K8S_API_ENDPOINT: server.url, K8S_CA_FILE: server.caFile };
    for (const mode of Object.values(modes)) {
      const ran = await run(line, { env, ...mode });
      expectTame(ran, line, undefined);
      expect(ran.code).not.toBe(0);
    }
  });

  it.each(lines)('`calictl %s` prints the names of a kubeconfig tame', async (line) => {
    const path = join(top, 'kubeconfig');
    const cluster = { server: 'https://127.0.0.1:1' };
    const context = { cluster: `c${hostile}`, user: `u${hostile}` };
    const config = (current: string): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': current,
        clusters: [{ name: `c${hostile}`, cluster }],
        contexts: [{ name: `x${hostile}`, context }],
        users: [{ name: `u${hostile}`, user: { exec: { apiVersion: `v${hostile}`, command: `/no/${hostile}` } } }],
      });
    for (const current of [`x${hostile}`, `y${hostile}`]) {
      writeFileSync(path, config(current));
      for (const mode of Object.values(modes)) {
        const ran = await run(line, { env: { KUBECONFIG: path }, ...mode });
        expectTame(ran, line, undefined);
        if (mode.programName === undefined) expect(ran.stderr).not.toBe('');
      }
    }
  });
});
