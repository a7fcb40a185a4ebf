// Which way to the nodes a command takes: --via, else what goes with the datastore.
import type { Input } from '../commands/command.ts';
import type { KubeConnection } from '../connect/kube-connection.ts';
import type { ConnectionSettings } from '../connect/settings.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import type { SshSettings } from '../node-exec/ssh/settings.ts';
import { UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import type { OpenPlace } from './datastore-location.ts';

const ways = 'kube, ssh, local, netns, netns:NAME or replay';

/**
 * Opens the way; nothing is connected yet. `connect` is the connection that the datastore has too.
 * Errors: UsageError for a way that is none or does not fit the datastore; ConnectionError.
 */
export async function openNodeExec(
  input: Input,
  place: OpenPlace,
  world: World,
  connect: (settings: ConnectionSettings) => Promise<KubeConnection>,
): Promise<NodeExec> {
  const via = input.text('via') ?? (place.type === 'folder' ? 'replay' : 'kube');
  if (via === 'local') return (await import('../node-exec/local.ts')).openLocal(world);
  const [, namespace] = /^netns(?::(.+))?$/s.exec(via) ?? [];
  if (via === 'netns' || namespace !== undefined) {
    return (await import('../node-exec/local.ts')).openNetns(namespace ?? '{node}', world);
  }
  if (via === 'ssh') return openSshOf(input, world);
  if (via === 'kube') {
    if (place.type !== 'kubernetes') {
      throw new UsageError('--via kube needs a cluster', 'name it with --kubeconfig, or use --via ssh');
    }
    const { openKubeExec } = await import('../node-exec/kube/kube-exec.ts');
    return openKubeExec(await connect(place.connection), world);
  }
  if (via === 'replay') {
    if (place.type === 'folder') return (await import('../node-exec/replay.ts')).openReplay(place.path);
    throw new UsageError('--via replay needs a snapshot', 'name it with --datastore');
  }
  throw new UsageError(`--via does not take '${via}'`, `use ${ways}`);
}

/** SSH of our own, or with --ssh-command the program of the system. Errors: UsageError for a bad --ssh-host. */
async function openSshOf(input: Input, world: World): Promise<NodeExec> {
  const { pairsOf } = await import('../commands/shared-flags.ts');
  const settings: SshSettings = {
    user: input.text('ssh-user'),
    keys: input.texts('ssh-key'),
    configFile: input.text('ssh-config'),
    knownHostsFile: input.text('ssh-known-hosts'),
    hosts: new Map(pairsOf(input, 'ssh-host')),
    askPassword: input.on('ssh-ask-password'),
  };
  const command = input.text('ssh-command');
  if (command === undefined) return (await import('../node-exec/ssh/open-ssh.ts')).openSsh(settings, world);
  return (await import('../node-exec/ssh/ssh-command.ts')).openSshCommand(command, settings, world);
}
