// The packed program when the reader of its output goes away: what would go on for ever ends, and nothing stays behind.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { node } from '../support/clusters/ipam-state.ts';
import { isRunning } from '../support/program/processes.ts';
import { folderOf } from '../support/program/world.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));

it('node exec ends its program when its output pipe is closed', () => {
  const folder = folderOf([node('node-a')]);
  const text = `one-${process.pid}`;
  const line = '"$1" "$2" node exec node-a --datastore "$3" --via local -- yes "$4" | head -n 1';
  const { stdout, stderr, signal } = spawnSync('sh', ['-c', line, 'sh', process.execPath, calictl, folder, text], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  rmSync(folder, { recursive: true });
  expect({ stdout, stderr, signal }).toEqual({ stdout: `${text}\n`, stderr: '', signal: null });
  expect(isRunning(`yes ${text}`)).toBe(false);
}, 30_000);
