// What the four commands that judge nodes find in a cluster: id, node and message, and the exit code of each.

import { nodeCommands } from '../lab/transports.ts';
import { run } from '../program/world.ts';
import { recordedFolder } from '../recorded/nodes.ts';
import { answersOf, type HealthyCluster, objectsOf } from './healthy-clusters.ts';

export interface CommandFindings {
  readonly command: string;
  readonly code: number;
  /** `F60 node-b`. */
  readonly problems: readonly string[];
  /** The messages and hints, for what must and must not be in them. */
  readonly texts: readonly string[];
}

/** Runs the commands on the recorded cluster. Nodes in `unrecorded` are left out of the recordings. */
export async function commandFindings(
  cluster: HealthyCluster,
  unrecorded: readonly string[] = [],
): Promise<CommandFindings[]> {
  const recorded = cluster.nodes.filter(({ name }) => !unrecorded.includes(name));
  const answers = Object.fromEntries(recorded.map((node) => [node.name, answersOf(cluster, node)]));
  const { folder, remove } = recordedFolder(objectsOf(cluster), answers);
  try {
    const found: CommandFindings[] = [];
    for (const command of nodeCommands) {
      const { code, stdout } = await run(['node', command, '-o', 'json', '--datastore', folder], {});
      const { problems } = JSON.parse(stdout) as {
        problems: { id: string; node: string; message: string; hint: string }[];
      };
      found.push({
        command,
        code,
        problems: problems.map(({ id, node }) => `${id} ${node}`),
        texts: problems.map(({ message, hint }) => `${message} (${hint})`),
      });
    }
    return found;
  } finally {
    remove();
  }
}

/** The same without texts: what a cluster without faults gives. */
export const nothingFound = nodeCommands.map((command) => ({ command, code: 0, problems: [], texts: [] }));
