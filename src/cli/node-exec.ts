// Which way to the nodes a command takes: --via, else what goes with the datastore.
import type { Input } from '../commands/command.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import { UsageError } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import type { OpenPlace } from './settings.ts';

const ways = 'kube, ssh, local, netns, netns:NAME or replay';

/** Opens the way; nothing is connected yet. Errors: UsageError for a way that is none or does not fit the datastore. */
export async function openNodeExec(input: Input, place: OpenPlace, world: World): Promise<NodeExec> {
  const via = input.text('via') ?? (place.type === 'folder' ? 'replay' : 'kube');
  if (via === 'local') return (await import('../node-exec/local.ts')).openLocal(world);
  const [, namespace] = /^netns(?::(.+))?$/s.exec(via) ?? [];
  if (via === 'netns' || namespace !== undefined) {
    return (await import('../node-exec/local.ts')).openNetns(namespace ?? '{node}', world);
  }
  if (via === 'replay') {
    if (place.type === 'folder') return (await import('../node-exec/replay.ts')).openReplay(place.path);
    throw new UsageError('--via replay needs a snapshot', 'name it with --datastore');
  }
  throw new UsageError(`--via does not take '${via}'`, `use ${ways}`);
}
