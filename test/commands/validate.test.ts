// calictl validate and what it shares with all commands that read manifests: every problem with its place, exit 2.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadManifests } from '../../src/commands/load-manifests.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { run, testWorld } from '../support/program/world.ts';

const pool = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: pool-1
spec:
  cidr: 10.0.0.0/16
`;

let folder: TestFolder | undefined;
afterEach(() => folder?.remove());

describe('validate', () => {
  it('validate counts the objects of valid manifests, lists included', async () => {
    const list = `- ${pool.trimEnd().replaceAll('\n', '\n  ')}\n- kind: List\n  apiVersion: v1\n  items: []\n`;
    const { code, stdout, stderr } = await run('validate -f -', { stdin: `${pool}---\n# nothing\n---\n${list}` });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '2 objects valid\n', stderr: '' });
  });

  it('validate prints one line per problem with file, line, column, field and hint, and ends with 2', async () => {
    folder = testFolder({ 'a.yaml': `${pool}  natOutgoin: true\n  blockSize: "26"\n` });
    const path = join(folder.path, 'a.yaml');
    const { code, stdout } = await run(['validate', '-f', path]);
    expect(stdout).toBe(
      `${path}:7:3: IPPool pool-1: spec.natOutgoin is not a field (did you mean natOutgoing?)\n` +
        `${path}:8:14: IPPool pool-1: spec.blockSize must be an integer (write 26 without quotes)\n\n2 problems\n`,
    );
    expect(code).toBe(2);
  });

  it('validate -o json has the problems as data', async () => {
    const { code, stdout } = await run('validate -f - -o json', { stdin: `${pool}  natOutgoin: true\n` });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'ManifestValidation',
      valid: false,
      objects: 0,
      problems: [
        {
          file: '-',
          line: 7,
          column: 3,
          object: 'IPPool pool-1',
          path: 'spec.natOutgoin',
          message: 'is not a field',
          hint: 'did you mean natOutgoing?',
        },
      ],
    });
  });

  it('validate without -f is wrong usage', async () => {
    const { code, stderr } = await run('validate');
    expect(code).toBe(2);
    expect(stderr).toContain('no manifests given');
  });

  it('validate fails for a file and a directory without objects, but not with --skip-empty', async () => {
    folder = testFolder({ 'empty.yaml': '# nothing\n', 'none/readme.txt': '' });
    for (const name of ['empty.yaml', 'none']) {
      const path = join(folder.path, name);
      const { code, stderr } = await run(['validate', '-f', path]);
      expect(code).toBe(2);
      expect(stderr).toContain(`no objects in ${name === 'none' ? 'directory' : 'file'} ${path} `);
      expect((await run(['validate', '--skip-empty', '-f', path])).code).toBe(0);
    }
  });

  it.each([
    [
      'an alias bomb',
      `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n${'bcdefghi'.replace(/./g, (one) => `${one}: &${one} [${Array.from({ length: 10 }, () => `*${String.fromCharCode(one.charCodeAt(0) - 1)}`)}]\n`)}${pool}`,
    ],
    [
      'an alias bomb in a field',
      `${pool}  allowedUses: &a [${'[x,x],'.repeat(1000)}]\n  nodeSelector: [${'*a,'.repeat(9000)}]\n`,
    ],
    ['an alias of itself', `${pool}  allowedUses: &a [*a]\n`],
    ['nesting that is too deep', `${pool}  nodeSelector: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['nested mappings of one line', `${'{a: '.repeat(20_000)}`],
    ['a merge of itself', `${pool}  <<: &a\n    <<: *a\n`],
    ['a document of 11 MiB', `${pool}  nodeSelector: "${'x'.repeat(11 * 1024 ** 2)}"\n`],
  ])('validate refuses %s at once', async (_, text) => {
    const before = performance.now();
    const { code, stdout, stderr } = await run('validate -f -', { stdin: text });
    expect(code, stderr).toBe(2);
    expect(stdout).toMatch(/^-:\d+:\d+: /);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe('loadManifests', () => {
  const load = (stdin: string) =>
    loadManifests({ world: testWorld({ stdin }) }, { filename: ['-'], recursive: false, skipEmpty: false });

  it('loadManifests gives objects in v3 form as they are written, each with its place', async () => {
    const [first, second] = await load(`# one\n${pool}---\n${pool.replace('pool-1', 'pool-2')}  natoutgoing: on\n`);
    expect(first).toMatchObject({ file: '-', line: 2, column: 1 });
    expect(first?.object).toEqual({
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: { name: 'pool-1' },
      spec: { cidr: '10.0.0.0/16' },
    });
    expect(second?.object.spec).toEqual({ cidr: '10.0.0.0/16', natOutgoing: true });
    expect(second?.kind.kind).toBe('IPPool');
    expect(second?.positionOf(['spec', 'natOutgoing'])).toEqual({ line: 15, column: 3 });
    expect(second?.positionOf(['spec', 'blockSize'])).toEqual({ line: 13, column: 1 });
  });

  it('loadManifests reads custom resources of crd.projectcalico.org/v1 as their v3 objects', async () => {
    const [only] = await load(
      `apiVersion: crd.projectcalico.org/v1
kind: BGPPeer
metadata:
  name: rack-1
  annotations:
    projectcalico.org/metadata: '{"labels":{"a":"b"},"creationTimestamp":"2025-06-15T15:00:00Z"}'
spec:
  peerIP: 192.0.2.1
`,
    );
    expect(only?.object).toMatchObject({
      apiVersion: 'projectcalico.org/v3',
      metadata: { name: 'rack-1', labels: { a: 'b' }, creationTimestamp: '2025-06-15T15:00:00Z' },
      spec: { peerIP: '192.0.2.1' },
    });
  });

  it('loadManifests fails with every problem, and exit 2', async () => {
    await expect(load(`${pool}  a: 1\n  b: 2\n`)).rejects.toMatchObject({
      exit: 2,
      code: 'INVALID_MANIFEST',
      message: expect.stringMatching(/^2 problems in the manifests\n-:7:3: .* spec\.a .*\n-:8:3: .* spec\.b /),
    });
  });

  it.each([
    ['asNumber: 64512', 64512],
    ['asNumber: "64512"', 64512],
    ["asNumber: '1.10'", 65546],
    ['asNumber: 4294967295', 4294967295],
  ])('loadManifests takes the AS number of %s', async (line, expected) => {
    const [only] = await load(
      `apiVersion: projectcalico.org/v3\nkind: BGPPeer\nmetadata: {name: a}\nspec:\n  peerIP: 192.0.2.1\n  ${line}\n`,
    );
    expect(only?.object.spec).toEqual({ peerIP: '192.0.2.1', asNumber: expected });
  });

  it('loadManifests merges << and follows aliases', async () => {
    const [first, second] = await load(
      `- &a\n  apiVersion: projectcalico.org/v3\n  kind: IPPool\n  metadata: {name: a}\n  spec: &s {cidr: 10.0.0.0/16, disabled: true}\n` +
        '- <<: *a\n  metadata: {name: b}\n  spec:\n    <<: *s\n    cidr: 10.1.0.0/16\n',
    );
    expect(first?.object.metadata.name).toBe('a');
    expect(second?.object).toMatchObject({ metadata: { name: 'b' }, spec: { cidr: '10.1.0.0/16', disabled: true } });
  });
});

describe('manifests that only cost time and memory', () => {
  const head = 'apiVersion: projectcalico.org/v3\nkind: GlobalNetworkSet\nmetadata: {name: a}\nspec:\n';

  it.skipIf(process.env['LONG'] === undefined)(
    '200,000 unknown fields are 200,000 problems',
    async () => {
      const fields = Array.from({ length: 200_000 }, (_, at) => `  k${at}: ${at}\n`).join('');
      const { code, stdout, stderr } = await run('validate -f -', { stdin: head + fields });
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
      expect(stdout).toMatch(/\n200000 problems\n$/);
    },
    120_000,
  );

  it.each(['calictl', 'calicoctl'])('a million open brackets are refused at once by %s', async (programName) => {
    const brackets = `  nets: ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}\n`;
    const { code, stdout, stderr } = await run('validate -f -', { stdin: head + brackets, programName });
    expect(code).toBe(programName === 'calictl' ? 2 : 1);
    expect(stdout + stderr).toMatch(/nested deeper than 200|exceeded max depth of 10000/);
  });
});
