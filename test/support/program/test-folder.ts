// The parts of the real world that a folder datastore needs, and folders for its tests.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from '../../../src/cli/process-identity.ts';
import type { FolderWorld } from '../../../src/datastore/file/folder-lock.ts';

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const realWorld: FolderWorld = {
  clock: {
    now: () => new Date(),
    nowNs: () => BigInt(Date.now()) * 1_000_000n,
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal });
    },
  },
  random: { uuid: () => randomUUID(), float: () => Math.random() },
  self: processIdentity(process.pid, hostname, () => Date.now() - process.uptime() * 1000, exists),
};

export interface TestFolder {
  readonly path: string;
  write(name: string, text: string): void;
  read(name: string): string;
  remove(): void;
}

export function testFolder(files: Readonly<Record<string, string>> = {}): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'calictl-folder-'));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    path,
    write,
    read: (name) => readFileSync(join(path, name), 'utf8'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
