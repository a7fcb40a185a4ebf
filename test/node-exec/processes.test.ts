// Command lines of processes, from a made-up /proc and from the real one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRoot, processArguments } from '../../src/node-exec/processes.ts';

it('reads the command line of every process, without kernel threads and ended processes', () => {
  const proc = mkdtempSync(join(tmpdir(), 'calictl-proc-'));
  const lines = { 1: 'calico-node\0-felix\0', 2: '', 30: 'bird\0-c\0/etc/a b.cfg\0' };
  for (const [pid, text] of Object.entries(lines)) {
    mkdirSync(join(proc, pid));
    writeFileSync(join(proc, pid, 'cmdline'), text);
  }
  mkdirSync(join(proc, '40'));
  mkdirSync(join(proc, 'self'));
  expect(processArguments(proc)).toEqual([
    ['calico-node', '-felix'],
    ['bird', '-c', '/etc/a b.cfg'],
  ]);
  rmSync(proc, { recursive: true });
});

it('finds the process of the test itself, and its user', () => {
  expect(processArguments().some(([program = '']) => program.includes('node'))).toBe(true);
  expect(isRoot()).toBe(userInfo().uid === 0);
});
