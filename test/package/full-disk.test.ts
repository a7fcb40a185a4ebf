// The packed program when what it writes to is full: a sentence and exit code 1, no stack trace.
import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exampleFolder } from '../support/clusters/example-cluster.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
const full = '/dev/full';

describe.skipIf(!existsSync(full))('a full disk (needs /dev/full)', () => {
  it.each([
    '--version',
    '--help',
    `--datastore ${exampleFolder} ipam check`,
    `--datastore ${exampleFolder} get ipamblocks -o json`,
  ])('a full disk under standard output is reported: %s', (line) => {
    const stdout = openSync(full, 'w');
    const { status, stderr } = spawnSync(process.execPath, [calictl, ...line.split(' ')], {
      stdio: ['ignore', stdout, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^calictl: standard output was not written: .*\n$/);
    expect(status).toBe(1);
  });

  it('a full disk under standard error changes neither output nor exit code', () => {
    const stderr = openSync(full, 'w');
    const line = [calictl, '--datastore', exampleFolder, 'ipam', 'check'];
    const { status, stdout } = spawnSync(process.execPath, line, {
      stdio: ['ignore', 'pipe', stderr],
      encoding: 'utf8',
    });
    expect(stdout).toContain('Found 2 errors');
    expect(status).toBe(3);
  });
});
