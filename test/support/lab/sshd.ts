// A real sshd on each node of a lab, in all of the node's namespaces, at the address that its Node object has.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { programPath } from '../program/parts.ts';
import { until } from '../program/until.ts';
import { makeKey, publicKey, sshFolder } from '../servers/sshd.ts';
import type { Lab } from './lab.ts';
import { nodeOf } from './plan.ts';

/** The programs that a suite needs for it on this machine, as root. */
export const labSshPrograms = ['sshd', 'ssh', 'ssh-keygen'];

export interface LabSshd {
  /** The flags for `--via ssh`; with a command, for that client. */
  flags(command?: string): readonly string[];
  /** Ends the sshd of a node with all its connections, if it runs. */
  stop(node: string): Promise<void>;
}

/** They end with the lab. */
export async function startLabSshd(lab: Lab): Promise<LabSshd> {
  const folder = sshFolder();
  const key = makeKey(folder, 'id');
  const knownHosts = join(folder, 'known_hosts');
  const authorized = join(folder, 'authorized_keys');
  writeFileSync(authorized, `${publicKey(key)}\n`);
  const hostKeys = new Map(lab.plan.nodes.map(({ name }) => [name, makeKey(folder, `host-${name}`)]));
  await Promise.all(lab.plan.nodes.map(({ name }) => startOne(lab, name, folder, hostKeys.get(name) ?? '')));
  writeFileSync(
    knownHosts,
    lab.plan.nodes.map(({ name, address }) => `${address[4]} ${publicKey(hostKeys.get(name) ?? '')}\n`).join(''),
  );
  return {
    flags: (command) => [
      ...['--via', 'ssh', '--ssh-user', 'root', '--ssh-key', key],
      ...['--ssh-config', 'none', '--ssh-known-hosts', knownHosts],
      ...(command === undefined ? [] : ['--ssh-command', command]),
    ],
    async stop(node) {
      if (!(await listens(nodeOf(lab.plan, node).address[4]))) return;
      const pid = readFileSync(join(folder, `${node}.sshd`), 'utf8').trim();
      await lab.exec(node, ['sh', '-c', 'kill -KILL "$1" $(cat "/proc/$1/task/$1/children")', 'sh', pid]);
      await until(async () => !(await listens(nodeOf(lab.plan, node).address[4])), `sshd of ${node} ends`);
    },
  };
}

async function startOne(lab: Lab, node: string, folder: string, hostKey: string): Promise<void> {
  const address = nodeOf(lab.plan, node).address[4];
  const config = join(folder, `${node}.conf`);
  writeFileSync(
    config,
    [
      `ListenAddress ${address}:22`,
      `HostKey ${hostKey}`,
      // Read as root: no other user can look into the folder.
      'AuthorizedKeysFile none',
      `AuthorizedKeysCommand ${programPath('cat')} ${join(folder, 'authorized_keys')}`,
      'AuthorizedKeysCommandUser root',
      // Not named .pid: its number counts on the node only.
      `PidFile ${join(folder, `${node}.sshd`)}`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      '',
    ].join('\n'),
  );
  const logFile = join(folder, `${node}.log`);
  const log = openSync(logFile, 'w');
  const [program = '', ...args] = [...lab.prefix(node), programPath('sshd') ?? 'sshd', '-D', '-e', '-f', config];
  spawn(program, args, { stdio: ['ignore', log, log], detached: true }).unref();
  await until(
    async () => existsSync(join(folder, `${node}.sshd`)) && (await listens(address)),
    () => `sshd of ${node}: ${readFileSync(logFile, 'utf8')}`,
  );
}

function listens(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(22, address);
    const is = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', is(true)).on('error', is(false));
  });
}
