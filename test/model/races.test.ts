// Real processes that assign and release from one small pool at once: nobody gets an address that another holds, and
// what is left at the end is clean.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import type { Held, Plan } from '../support/allocating-process.ts';
import { describeWithApiServer } from '../support/api-server.ts';
import { node, pool } from '../support/ipam-state.ts';
import { folderOf, run } from '../support/world.ts';

const [processes, assignments] = process.env['LONG'] ? [8, 200] : [4, 10];
/** Eight blocks for four nodes, nearly full when every process holds all that it may: claims, borrowing, contention. */
const most = 7;
const nodes = ['node-a', 'node-b', 'node-c', 'node-d'];
const objects: KubeObject[] = [pool('pool-1', '10.60.0.0/26', 29), ...nodes.map((name) => node(name))];

let folder = '';
let program = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-races-'));
  program = join(folder, 'allocating-process.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../support/allocating-process.ts', import.meta.url))],
    bundle: true,
    splitting: true,
    outdir: folder,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    // CommonJS packages in the bundle ask for Node's modules by require.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function allocating(plan: Plan): Promise<Held[]> {
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
      else
        resolve(
          stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        );
    });
  });
}

/** Pairs of holders of one address at one time. */
function heldTwice(held: readonly Held[]): string[] {
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

async function race(env: Readonly<Record<string, string>>): Promise<void> {
  const plans = Array.from({ length: processes }, (_, index): Plan => {
    return { env, node: nodes[index % nodes.length] as string, name: `race-${index}`, assignments, most };
  });
  const held = (await Promise.all(plans.map(allocating))).flat();
  expect(held).toHaveLength(processes * assignments);
  expect(heldTwice(held)).toEqual([]);

  const checked = await run('ipam check -o json', { env });
  const { summary, findings } = JSON.parse(checked.stdout);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ allocations: 0, handles: 0 });
  expect(checked.code).toBe(0);
}

test('two holders of one address are told', () => {
  const span = (from: number, to: number): Held => ({ address: '10.60.0.1', from: String(from), to: String(to) });
  expect(heldTwice([span(5, 9), span(1, 5)])).toEqual([]);
  expect(heldTwice([span(4, 9), span(1, 5)])).toHaveLength(1);
});

describe('in a folder', () => {
  test(`${processes} processes × ${assignments} assignments`, async () => {
    const datastore = folderOf(objects);
    await race({ HOME: '/nonexistent', DATASTORE_TYPE: datastore });
    rmSync(datastore, { recursive: true });
  }, 1_800_000);
});

describeWithApiServer('on a kube-apiserver', (server) => {
  test(`${processes} processes × ${assignments} assignments`, async () => {
    await server().admin.load(objects);
    await race({ HOME: '/nonexistent', KUBECONFIG: server().kubeconfig });
  }, 1_800_000);
});
