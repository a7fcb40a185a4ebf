// The contract of transports over SSH to a real sshd: with the built-in client, and with the system's ssh.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openSsh } from '../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../src/node-exec/ssh/settings.ts';
import { openSshCommand } from '../../src/node-exec/ssh/ssh-command.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { isRunning } from '../support/program/processes.ts';
import { testWorld } from '../support/program/world.ts';
import { makeKey, type Sshd, sshFolder, startSshd } from '../support/servers/sshd.ts';
import { nodeExecContract } from './node-exec-contract.ts';

describeWithPrograms('nodes over SSH', ['sshd', 'ssh', 'ssh-keygen', 'unshare'], () => {
  let sshd: Sshd;
  let settings: SshSettings;
  const node = { name: 'node-a', addresses: ['127.0.0.1'] };

  beforeAll(async () => {
    const folder = sshFolder();
    const key = makeKey(folder, 'id');
    sshd = await startSshd({ authorized: [key] });
    const knownHostsFile = join(folder, 'known_hosts');
    writeFileSync(knownHostsFile, sshd.knownHosts);
    settings = {
      user: 'root',
      keys: [key],
      configFile: 'none',
      knownHostsFile,
      hosts: new Map([['node-a', `127.0.0.1:${sshd.port}`]]),
    };
  });
  afterAll(() => sshd?.stop());

  const world = () => ({
    ...testWorld({ env: { PATH: process.env['PATH'] ?? '' }, cwd: '/' }),
    random: { uuid: () => randomUUID(), float: () => 0 },
  });

  nodeExecContract('built-in SSH', async () => ({ exec: openSsh(settings, world()), node, isRunning, beginMs: 5000 }));
  nodeExecContract("the system's ssh", async () => ({
    exec: openSshCommand('ssh', settings, world()),
    node,
    isRunning,
    beginMs: 5000,
  }));
});
