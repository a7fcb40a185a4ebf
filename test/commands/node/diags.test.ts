// calictl node diags: what an interrupted one leaves behind. What a whole one collects is compared with calicoctl's.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isRoot } from '../../../src/node-exec/processes.ts';
import { run } from '../../support/program/world.ts';

it.skipIf(!isRoot())('an interrupted node diags leaves nothing behind (needs root)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-diags-'));
  vi.stubEnv('TMPDIR', folder);
  const { code, stdout } = await run('node diags', { signal: AbortSignal.abort() });
  vi.unstubAllEnvs();
  expect({ code, left: readdirSync(folder) }).toEqual({ code: 130, left: [] });
  expect(stdout).toContain(`Using temp dir: ${folder}/calico`);
  rmSync(folder, { recursive: true });
});
