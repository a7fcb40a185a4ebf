// What suites over SSH share: a world with its own home folder, settings for a server, and the errors of failed promises.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TransportError } from '../../../src/node-exec/node-exec.ts';
import type { SshExecWorld } from '../../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { testWorld } from '../program/world.ts';
import { type Sshd, sshFolder } from './sshd.ts';

export const nodeA = { name: 'node-a', addresses: ['127.0.0.1'] };

export interface SshHome {
  readonly path: string;
  readonly world: SshExecWorld;
  /** Writes a file below it and returns its path. */
  write(name: string, text: string): string;
}

/** A home folder with an empty `.ssh`, and a world in it. */
export function sshHome(env: Readonly<Record<string, string>> = {}, stdin = ''): SshHome {
  const path = sshFolder();
  mkdirSync(join(path, '.ssh'));
  const world = testWorld({ env: { PATH: process.env['PATH'] ?? '', HOME: path, ...env }, cwd: path, stdin });
  return {
    path,
    world: { ...world, random: { uuid: () => randomUUID(), float: () => 0 } },
    write(name, text) {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
  };
}

/** Settings with this server as node-a and this key for root, and without the machine's own settings. */
export function settingsFor(sshd: Sshd, key: string | undefined, more: SshSettings = {}): SshSettings {
  const { address, port } = sshd;
  return {
    user: 'root',
    ...(key === undefined ? {} : { keys: [key] }),
    hosts: new Map([['node-a', `${address.includes(':') ? `[${address}]` : address}:${port}`]]),
    systemFolder: '/dev/null/nowhere',
    ...more,
  };
}

/** The TransportError that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<TransportError> {
  const error = await promise.then(
    (value) => new Error(`it worked: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof TransportError) return error;
  throw error;
}
