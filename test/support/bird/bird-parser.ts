// The real BIRD as a judge of configurations: `bird -p -c FILE`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BirdFileName, birdFileNames } from '../../../src/bird-config/bird-files.ts';
import { forStockBird } from '../../../src/bird-config/stock-bird.ts';
import { programPath } from '../program/parts.ts';

/** What BIRD of both families says against the files; empty when it would load them. */
export function complaintsOfBird(files: Readonly<Record<BirdFileName, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-bird-check-'));
  try {
    for (const name of birdFileNames) writeFileSync(join(folder, name), forStockBird(files[name]));
    return ['bird', 'bird6'].flatMap((program) => {
      const { status, stderr } = spawnSync(programPath(program) ?? program, [
        '-p',
        '-c',
        join(folder, `${program}.cfg`),
      ]);
      return status === 0 ? [] : [stderr.toString().replaceAll(folder, '')];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
