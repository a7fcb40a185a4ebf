// Objects without a spec, or with one of the wrong type: get shows them and all others, and every command that meets one says
// which it is. LONG=1 for all shapes with every command.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOnCommandLine, type Kind, storedApiVersion } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { exampleObjects } from '../support/clusters/example-cluster.ts';
import { type CommandLine, everyCommandLine, writeNamedFiles } from '../support/program/every-command.ts';
import { run } from '../support/program/world.ts';

const shapes: readonly (readonly [string, (object: Record<string, unknown>) => void])[] = [
  ['no spec', (object) => void delete object['spec']],
  ['a spec that is null', (object) => Object.assign(object, { spec: null })],
  ['a spec that is a text', (object) => Object.assign(object, { spec: 'x' })],
  ['a spec that is a number', (object) => Object.assign(object, { spec: 5 })],
  ['a spec that is a list', (object) => Object.assign(object, { spec: [] })],
  ['an empty spec', (object) => Object.assign(object, { spec: {} })],
  ['a status that is a text', (object) => Object.assign(object, { status: 'x' })],
  [
    'fields of the wrong type',
    (object) => {
      const { spec } = object;
      const fields = typeof spec === 'object' && spec !== null ? Object.keys(spec) : ['cidr', 'node', 'ports'];
      Object.assign(object, { spec: Object.fromEntries(fields.map((name) => [name, name.length % 2 ? 5 : [null]])) });
    },
  ],
];
const everyShape = Boolean(process.env['LONG']);
/** Of the other kinds every command is tried with LONG=1 only: it takes minutes. */
const triedWithAll: readonly string[] = ['IPPool', 'IPAMBlock', 'Node', 'BGPPeer'];
const shapesOfGet = everyShape ? shapes : shapes.filter((_, at) => at % 2 === 0);
const shapesOfEvery = (kind: Kind) => (everyShape ? shapes : shapes.slice(0, triedWithAll.includes(kind.kind) ? 1 : 0));
const internal =
  /INTERNAL|unexpected error|Cannot (?:read|destructure)|is not (?:a function|iterable)|\[object|\bundefined\b/;

/** Kinds whose derived objects are made from others have no object of their own in the examples. */
function firstOf(kind: Kind, objects: readonly KubeObject[]): KubeObject {
  const own = objects.find((object) => object.kind === kind.kind);
  if (own !== undefined) return own;
  const namespace = kind.namespaced ? { namespace: 'default' } : {};
  return { apiVersion: storedApiVersion(kind), kind: kind.kind, metadata: { name: 'default', ...namespace } };
}

/** The example cluster, in which the first object of the kind (or a new one) is changed. */
function damaged(
  kind: Kind,
  change: (object: Record<string, unknown>) => void,
): { objects: KubeObject[]; name: string } {
  const objects = exampleObjects();
  const object = structuredClone(firstOf(kind, objects));
  change(object as unknown as Record<string, unknown>);
  const same = ({ kind: other, metadata }: KubeObject): boolean =>
    other === object.kind && metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace;
  return { objects: [...objects.filter((other) => !same(other)), object], name: object.metadata.name };
}

let work: string;
let lines: readonly CommandLine[];
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'calictl-malformed-'));
  lines = await everyCommandLine();
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const shown = kinds.filter(isOnCommandLine);

describe.each(shown.map((kind) => [kind.kind, kind] as const))('a malformed %s', (_, kind) => {
  it.each(shapesOfGet)(`get shows a ${kind.kind} with %s`, async (_shape, change) => {
    const { objects, name } = damaged(kind, change);
    const [alias = ''] = kind.aliases;
    const list = ['get', alias, ...(kind.namespaced ? ['-A'] : [])];
    const one = ['get', alias, name, ...(kind.namespaced ? ['-n', 'default'] : [])];
    for (const programName of ['calictl', 'calicoctl']) {
      for (const format of ['ps', 'wide', 'yaml', 'json', 'name', 'custom-columns=NAME']) {
        for (const argv of [list, one]) {
          const ran = await run([...argv, '-o', format], { objects, programName });
          const about = `${programName} ${argv.join(' ')} -o ${format}\n${ran.stdout}${ran.stderr}`;
          expect(`${ran.stdout}${ran.stderr}`, about).not.toMatch(internal);
          // Endpoints are made from pods: a malformed pod has none, and names differ.
          if (programName === 'calicoctl' || kind.derived !== undefined) continue;
          if (argv === list) expect(ran.code, about).toBe(0);
          // Blocks are shown by CIDR there.
          if (ran.code === 0 && format !== 'wide') expect(ran.stdout, about).toContain(name);
        }
      }
    }
  });

  it.each(shapesOfEvery(kind))(
    `every command ends with a sentence when a ${kind.kind} has %s`,
    async (_shape, change) => {
      const { objects } = damaged(kind, change);
      const text = printJson({ apiVersion: 'v1', kind: 'List', items: objects });
      for (const line of lines) {
        rmSync(work, { recursive: true, force: true });
        mkdirSync(join(work, 'store'), { recursive: true });
        writeFileSync(join(work, 'store', 'objects.json'), text);
        writeNamedFiles(work, [line], text);
        const signal = AbortSignal.timeout(line.isEndless ? 100 : 20_000);
        const env = { XDG_STATE_HOME: join(work, 'state'), EDITOR: 'true' };
        const { stdout, stderr } = await run(line.argv, { folder: join(work, 'store'), cwd: work, env, signal });
        // Programs of this machine may print anything.
        const printed = line.argv[1] === 'exec' ? stderr : `${stdout}${stderr}`;
        expect(printed, `${line.argv.join(' ')}\n${stderr}`).not.toMatch(internal);
      }
    },
    120_000,
  );
});
