// Which transport to the nodes a command takes: --via, else what goes with the datastore.
import type { TransportInput } from '../commands/transport-flags.ts';
import type { KubeConnection, Waiting } from '../connect/kube-connection.ts';
import type { ConnectionSettings } from '../connect/settings.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import type { SshSettings } from '../node-exec/ssh/settings.ts';
import { UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import type { OpenableLocation } from './datastore-location.ts';

const transports = 'kube, ssh, local, netns, netns:NAME or replay';

/**
 * Opens the transport; nothing is connected yet. `connect` is the connection that the datastore has too;
 * `waiting` is called when a busy API server lets requests wait.
 * Errors: UsageError for an unknown transport or one that does not fit the datastore; ConnectionError.
 */
export async function openNodeExec(
  input: TransportInput,
  location: OpenableLocation,
  world: World,
  connect: (settings: ConnectionSettings) => Promise<KubeConnection>,
  waiting?: Waiting,
): Promise<NodeExec> {
  const via = input.via ?? (location.type === 'folder' ? 'replay' : 'kube');
  if (via === 'local') return (await import('../node-exec/local.ts')).openLocal(world);
  const [, namespace] = /^netns(?::(.+))?$/s.exec(via) ?? [];
  if (via === 'netns' || namespace !== undefined) {
    return (await import('../node-exec/local.ts')).openNetns(namespace ?? '{node}', world);
  }
  if (via === 'ssh') return openSshOf(input, world);
  if (via === 'kube') {
    if (location.type !== 'kubernetes') {
      throw new UsageError('--via kube needs a cluster', 'specify it with --kubeconfig, or use --via ssh');
    }
    const { openKubeExec } = await import('../node-exec/kube/kube-exec.ts');
    return openKubeExec(await connect(location.connection), world, { waiting });
  }
  if (via === 'replay') {
    if (location.type === 'folder') return (await import('../node-exec/replay.ts')).openReplay(location.path);
    throw new UsageError('--via replay needs a snapshot', 'specify it with --datastore');
  }
  throw new UsageError(`invalid transport for --via: ${via}`, `use ${transports}`);
}

/** The built-in SSH client, or with --ssh-command a program of the system. */
async function openSshOf(input: TransportInput, world: World): Promise<NodeExec> {
  const settings: SshSettings = {
    user: input.sshUser,
    keys: input.sshKey,
    configFile: input.sshConfig,
    knownHostsFile: input.sshKnownHosts,
    hosts: new Map(input.sshHost),
    askPassword: input.sshAskPassword,
  };
  if (input.sshCommand === undefined) return (await import('../node-exec/ssh/open-ssh.ts')).openSsh(settings, world);
  return (await import('../node-exec/ssh/ssh-command.ts')).openSshCommand(input.sshCommand, settings, world);
}
