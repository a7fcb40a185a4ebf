// Separate processes that assign and release addresses with the command line, and a check for addresses held twice.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Held, Plan } from './allocating-process.ts';

/** Bundles the program before the tests of a file; returns a function that runs a process and resolves to what it held. */
export function allocatingProcesses(): (plan: Plan) => Promise<Held[]> {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'calictl-allocating-'));
    await build({
      entryPoints: [fileURLToPath(new URL('./allocating-process.ts', import.meta.url))],
      bundle: true,
      splitting: true,
      outdir: folder,
      format: 'esm',
      platform: 'node',
      // Compiled parts of packages may be installed; nothing here needs them.
      external: ['node:*', '*.node'],
      outExtension: { '.js': '.mjs' },
      // CommonJS packages in the bundle ask for Node's modules by require.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (plan) => start(join(folder, 'allocating-process.mjs'), plan);
}

function start(program: string, plan: Plan): Promise<Held[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('close', (code) => {
      if (code !== 0 || stderr !== '') reject(new Error(`${plan.name} ended with ${code}: ${stderr}`));
      else {
        const lines = stdout.split('\n').filter((line) => line !== '');
        resolve(lines.map((line) => JSON.parse(line)));
      }
    });
  });
}

/** Pairs of holders of the same address at the same time. */
export function heldTwice(held: readonly Held[]): string[] {
  const byAddress = new Map<string, Held[]>();
  for (const span of held) byAddress.set(span.address, [...(byAddress.get(span.address) ?? []), span]);
  return [...byAddress.values()].flatMap((spans) => {
    const sorted = [...spans].sort((a, b) => Number(BigInt(a.from) - BigInt(b.from)));
    return sorted.flatMap((span, index) => {
      const before = sorted[index - 1];
      const overlaps = before !== undefined && BigInt(span.from) < BigInt(before.to);
      return overlaps ? [`${span.address} from ${span.from} while held until ${before.to}`] : [];
    });
  });
}
