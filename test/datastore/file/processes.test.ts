// Real processes on one folder: nothing is lost, and a kill at any moment leaves it readable.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { handleYaml, total } from '../../support/clusters/counter-handles.ts';
import { realWorld, type TestFolder, testFolder } from '../../support/program/test-folder.ts';

let program: string;
let folder: TestFolder;
const bundles = mkdtempSync(join(tmpdir(), 'calictl-writer-'));

beforeAll(async () => {
  program = join(bundles, 'writer.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../../support/other-clients/folder-writer.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});

afterAll(() => rmSync(bundles, { recursive: true, force: true }));

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, folder.path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What it said until it ended, and what it complained of. */
async function endOf(child: ChildProcess): Promise<{ lines: string[]; stderr: string; code: number | null }> {
  const lines: string[] = [];
  let stderr = '';
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const [code] = await once(child, 'close');
  return { lines, stderr, code };
}

async function stored(): Promise<Map<string, number>> {
  const store = await openFolder(folder.path, realWorld);
  const found = new Map<string, number>();
  for await (const { items } of store.list(ipamHandle)) {
    for (const item of items) found.set(item.metadata.name, total(item));
  }
  return found;
}

describe('several processes on one directory', () => {
  it('several processes lose none of a hundred writes each', async () => {
    const comment = '# Nobody may touch this line.\n';
    folder = testFolder({ 'all.yaml': `${comment}${handleYaml('counter', 0)}---\n${handleYaml('other', 5)}` });
    try {
      const ends = await Promise.all([start('counter', '100'), start('counter', '100')].map(endOf));
      expect(ends.map(({ stderr, code }) => ({ stderr, code }))).toEqual([
        { stderr: '', code: 0 },
        { stderr: '', code: 0 },
      ]);
      expect(await stored()).toEqual(
        new Map([
          ['counter', 200],
          ['other', 5],
        ]),
      );
      // Every value was reached once: no two writers wrote over one state.
      const values = ends.flatMap(({ lines }) => lines.map((line) => Number(line.split(' ')[1])));
      expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
      const text = folder.read('all.yaml');
      expect(text.startsWith(comment)).toBe(true);
      expect(text.endsWith(`---\n${handleYaml('other', 5)}`)).toBe(true);
      expect(readdirSync(folder.path)).toEqual(['all.yaml']);
    } finally {
      folder.remove();
    }
  }, 120_000);

  it('a writer killed at any moment loses no completed write and blocks no other', async () => {
    folder = testFolder({ 'all.yaml': `${handleYaml('counter', 0)}---\n${handleYaml('other', 5)}` });
    try {
      let counted = 0;
      const made = new Set<string>();
      const perhaps = new Set<string>();
      for (let round = 0; round < 10; round++) {
        const child = start('counter', '100000', `round${round}`);
        let said = 0;
        child.stdout?.on('data', (data: Buffer) => {
          said += String(data).split('\n').length - 1;
          if (said > round * 2) child.kill('SIGKILL');
        });
        const { lines, stderr } = await endOf(child);
        expect(stderr).toBe('');
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) {
          const [what, value = ''] = line.split(' ');
          if (what === 'counted') counted = Number(value);
          if (what === 'made') made.add(value);
          if (what === 'deleting') perhaps.add(value);
          if (what === 'deleted') perhaps.delete(value);
          if (what === 'deleting' || what === 'deleted') made.delete(value);
        }
        // The write that was under way when it died is there or is not; all that were reported are.
        const found = await stored();
        expect([counted, counted + 1]).toContain(found.get('counter'));
        expect(found.get('other')).toBe(5);
        counted = found.get('counter') ?? 0;
        for (const name of made) expect(found.has(name), name).toBe(true);
        const more = [...found.keys()].filter((name) => name.startsWith('round') && !made.has(name));
        expect(more.filter((name) => !perhaps.has(name)).length).toBeLessThanOrEqual(1);
        for (const name of more) made.add(name);
        perhaps.clear();
      }
      // Whatever the killed ones left, the next writer is not held up.
      const store = await openFolder(folder.path, realWorld);
      const read = await store.get(ipamHandle, { name: 'counter' });
      await store.update(ipamHandle, { ...read, spec: { ...read.spec, deleted: true } }, { timeoutMs: 0 });
    } finally {
      folder.remove();
    }
  }, 120_000);
});
