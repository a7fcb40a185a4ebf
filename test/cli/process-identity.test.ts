// Tells this process from one that had, or will have, its pid.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processIdentity } from '../../src/cli/process-identity.ts';

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const identity = (pid: number) =>
  processIdentity(
    pid,
    () => 'here',
    () => 1,
    exists,
  );

describe.skipIf(!existsSync('/proc/self/stat'))('processIdentity', () => {
  it('a running process has one identity and is alive', () => {
    const self = identity(process.pid);
    expect(identity(process.pid).incarnation).toBe(self.incarnation);
    expect(self.isAlive(process.pid, self.incarnation)).toBe(true);
  });

  it('a process that has ended is not alive', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    const { incarnation } = identity(pid);
    const self = identity(process.pid);
    expect(self.isAlive(pid, incarnation)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(self.isAlive(pid, incarnation)).toBe(false);
  });

  it('another process with a reused pid is not the same process', () => {
    const self = identity(process.pid);
    const [boot, pidNamespace, start] = self.incarnation.split(' ');
    expect(self.isAlive(process.pid, `${boot} ${pidNamespace} ${Number(start) - 1}`)).toBe(false);
  });

  it('no process survives a restart of the machine', () => {
    const self = identity(process.pid);
    const [, pidNamespace, start] = self.incarnation.split(' ');
    expect(self.isAlive(process.pid, `00000000-0000-0000-0000-000000000000 ${pidNamespace} ${start}`)).toBe(false);
  });

  it('processes of another container are unknown', () => {
    const self = identity(process.pid);
    const [boot, , start] = self.incarnation.split(' ');
    expect(self.isAlive(process.pid, `${boot} pid:[1] ${start}`)).toBeUndefined();
  });
});
