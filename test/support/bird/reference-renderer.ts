// Calico's own renderer, from the folder that CALICO_CONFD names: `render-bird --node NODE --out DIR`.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BirdFileName, birdFileNames } from '../../../src/bird-config/bird-files.ts';
import type { BirdEnvironment } from '../../../src/bird-config/objects.ts';

const folder = process.env['CALICO_CONFD'];

/** True if the reference renderer is available. */
export const hasReferenceRenderer = folder !== undefined && existsSync(join(folder, 'render-bird'));

/** The six files that it makes for a node of a cluster. */
export async function referenceFiles(
  node: string,
  environment: BirdEnvironment,
  kubeconfig: string,
): Promise<Record<BirdFileName, string>> {
  const out = mkdtempSync(join(tmpdir(), 'calictl-reference-bird-'));
  try {
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATASTORE_TYPE: 'kubernetes',
      KUBECONFIG: kubeconfig,
      ...environment,
    };
    const child = spawn(join(folder ?? '', 'render-bird'), ['--node', node, '--out', out], { env, stdio: 'pipe' });
    let log = '';
    child.stdout.on('data', (text) => (log += text));
    child.stderr.on('data', (text) => (log += text));
    const exit = await new Promise<number | null>((resolve) => child.on('close', resolve));
    if (exit !== 0) throw new Error(`render-bird ended with ${exit}:\n${log}`);
    return Object.fromEntries(birdFileNames.map((file) => [file, readFileSync(join(out, file), 'utf8')])) as Record<
      BirdFileName,
      string
    >;
  } finally {
    rmSync(out, { recursive: true });
  }
}
