// The kubeconfig of the plugin: copied as it is, after a look at whether it can work where it will be.
import { isAbsolute } from 'node:path';
import { fromText } from '../../connect/kubeconfig-file.ts';
import { UsageError } from '../../world/errors.ts';

/** Errors: UsageError when it names no server, or a file by a path that is relative to its own place; ConnectionError. */
export async function requireCredentials(text: string, where: string): Promise<void> {
  const { clusters, users } = await fromText(text, where, '');
  const wrong = (why: string, hint: string): UsageError => new UsageError(`${where}: ${why}`, hint, 'CNI_CREDENTIALS');
  if (!clusters.some(({ server }) => server !== '')) {
    throw wrong('it is not a kubeconfig with a server', 'name a kubeconfig for the service account of the plugin');
  }
  const files = [
    ...clusters.map(({ caFile }) => caFile),
    ...users.flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
  ];
  const relative = files.find((file) => file !== undefined && !isAbsolute(file));
  if (relative === undefined) return;
  throw wrong(`${relative} is relative to the file`, 'write the whole path on the node, or put the data into the file');
}
