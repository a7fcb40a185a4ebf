// The tables of get, for all kinds and every set of columns: what is at their line ends, and that no column repeats another.
// The line ends of all other commands.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInCalicoctl, isOnCommandLine, type Kind } from '../../../src/resources/kind.ts';
import { kinds } from '../../../src/resources/kinds.ts';
import { type KubeObject, qualifiedName } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import { commonKinds, everyKind } from '../../support/clusters/every-kind.ts';
import { exampleObjects } from '../../support/clusters/example-cluster.ts';
import { filledObject } from '../../support/clusters/kind-filled.ts';
import { everyCommandLine, writeNamedFiles } from '../../support/program/every-command.ts';
import { run } from '../../support/program/world.ts';

const named = kinds.filter(isOnCommandLine);
const blankEnd = /[^\S\n]$/m;

/** One with a value in every field, and for each field of its spec one without it. */
function filledObjects(kind: Kind): KubeObject[] {
  const whole = filledObject(kind, 'filled', () => 'text');
  const fields = Object.keys((whole['spec'] as object | undefined) ?? {});
  const without = fields.map((field, at) => {
    const { [field]: _, ...spec } = filledObject(kind, `filled-${at}`, () => `text-${at}`)['spec'] as KubeObject;
    return { ...whole, metadata: { ...whole.metadata, name: `filled-${at}` }, spec };
  });
  return [whole, ...without];
}

/** A cluster with many objects of this kind, each once. */
function clusterWith(kind: Kind): KubeObject[] {
  const all = [
    ...exampleObjects(),
    ...[...everyKind, ...commonKinds].filter((object) => object.kind === kind.kind),
    ...filledObjects(kind),
  ];
  return [...new Map(all.map((object) => [`${object.kind} ${qualifiedName(object.metadata)}`, object])).values()];
}

/** The cells of an aligned table by its headings. */
function columnsOf(text: string): Map<string, string[]> {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const starts = [...head.matchAll(/\S+/g)];
  return new Map(
    starts.map((heading, at) => {
      const end = starts[at + 1]?.index;
      return [heading[0], rows.map((row) => row.slice(heading.index, end).trim())];
    }),
  );
}

const sortedLines = (text: string): string[] => text.split('\n').sort();

describe.each(named.map((kind) => [kind.kind, kind] as const))('tables of %s', (name, kind) => {
  const objects = clusterWith(kind);
  const get = `get ${kind.aliases[0]}${kind.namespaced ? ' -A' : ''}`;

  it(`no line of a table of ${name} ends with a blank on a terminal`, async () => {
    for (const output of [
      'ps',
      'wide',
      'wide --show-labels',
      'wide --no-headers',
      'custom-columns=NAME -L app',
      'custom-columns=NAME:.metadata.name,LABELS:.metadata.labels',
    ]) {
      const line = `${get} -o ${output}`;
      const { code, stdout } = await run(line, { objects, terminal: true });
      expect({ line, code }).toEqual({ line, code: 0 });
      expect(stdout.split('\n').length, line).toBeGreaterThan(2);
      expect(stdout, line).not.toMatch(blankEnd);
    }
  });

  it(`tables of ${name} in a pipe have calicoctl's lines if calicoctl has the kind, else no blanks at line ends`, async () => {
    for (const output of ['ps', 'wide']) {
      const line = `${get} -o ${output}`;
      const { stdout } = await run(line, { objects });
      expect(stdout.split('\n').length, line).toBeGreaterThan(2);
      if (isInCalicoctl(kind)) {
        const calicoctl = await run(line, { objects, programName: 'calicoctl' });
        expect(sortedLines(stdout), line).toEqual(sortedLines(calicoctl.stdout));
      } else {
        expect(stdout, line).not.toMatch(blankEnd);
      }
    }
  });

  it(`no two columns of ${name} have the same heading, or the same values for all objects`, async () => {
    for (const output of ['ps', 'wide']) {
      const { stdout } = await run(`${get} -o ${output}`, { objects });
      const columns = columnsOf(stdout);
      const headings = stdout.slice(0, stdout.indexOf('\n')).trim().split(/ +/);
      expect(headings).toEqual([...columns.keys()]);
      const values = [...columns.values()].map((cells) => cells.join('\n'));
      expect(new Set(values).size, stdout).toBe(values.length);
    }
  });
});

it('no line of text that a command prints on a terminal ends with a blank', async () => {
  const top = mkdtempSync(join(tmpdir(), 'calictl-line-ends-'));
  try {
    const lines = await everyCommandLine();
    const texts = lines.filter(
      ({ argv, format, isEndless }) =>
        !isEndless && /^(?:table|wide|ps)?$/.test(format ?? '') && (format !== undefined || !argv.includes('-o')),
    );
    expect(texts.length).toBeGreaterThan(50);
    for (const { argv } of texts) {
      const work = join(top, 'work');
      const folder = join(work, 'store');
      rmSync(work, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'objects.json'),
        printJson({ apiVersion: 'v1', kind: 'List', items: exampleObjects() }),
      );
      writeNamedFiles(
        work,
        lines,
        'apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: p}\nspec: {cidr: 10.99.0.0/24}\n',
      );
      const env = { XDG_STATE_HOME: join(top, 'state'), EDITOR: 'true' };
      for (const terminal of [true, false]) {
        const { stdout } = await run(argv, { folder, cwd: work, env, terminal, signal: AbortSignal.timeout(20_000) });
        const isOfCalicoctl = argv[0] === 'get' && !terminal;
        if (!isOfCalicoctl) expect(stdout.replaceAll(/\u001b\[\d+m/g, ''), argv.join(' ')).not.toMatch(blankEnd);
      }
    }
  } finally {
    rmSync(top, { recursive: true });
  }
}, 120_000);
