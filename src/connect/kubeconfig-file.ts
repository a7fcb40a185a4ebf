// Reads kubeconfig documents: several files are merged as kubectl does it, and the few fields that client-node ignores are added.
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { firstLine } from '../text/wording.ts';
import { ConnectionError, unreadableFile } from './connection-error.ts';
import type { KubeUser } from './kube-user.ts';
import { readText } from './read-text.ts';

/**
 * Reads one file, or several joined as in PATH: the first file that defines a name wins, and of several files missing ones
 * are skipped. Returns undefined when there is none. Errors: ConnectionError.
 */
export async function fromFiles(setting: string, signal: AbortSignal): Promise<KubeConfig | undefined> {
  const files = setting.split(delimiter).filter((file) => file !== '');
  let merged: KubeConfig | undefined;
  for (const file of files) {
    let text: string;
    try {
      text = await readText(file, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && files.length > 1) continue;
      throw unreadableFile('the kubeconfig', file, cause);
    }
    const config = await fromText(text, file, dirname(file));
    if (merged === undefined) {
      merged = config;
      continue;
    }
    if (!merged.currentContext && config.currentContext) merged.setCurrentContext(config.currentContext);
    merged.clusters.push(...unlisted(config.clusters, merged.clusters));
    merged.users.push(...unlisted(config.users, merged.users));
    merged.contexts.push(...unlisted(config.contexts, merged.contexts));
  }
  return merged;
}

const unlisted = <T extends { readonly name: string }>(from: readonly T[], known: readonly T[]): T[] =>
  from.filter((item) => !known.some(({ name }) => name === item.name));

/** Reads one document. Paths in it are relative to `folder`, unless that is empty. Errors: ConnectionError. */
export async function fromText(text: string, where: string, folder: string): Promise<KubeConfig> {
  const config = new KubeConfig();
  try {
    // An incomplete entry must not make the others unusable.
    config.loadFromString(text.trim() === '' ? '{}' : text, { onInvalidEntry: 'filter' });
    if (folder !== '') config.makePathsAbsolute(folder);
  } catch (cause) {
    throw noKubeconfig(where, cause);
  }
  config.users = config.users.map((user) => pluginFromFile(user, folder));
  if (/\b(?:as-groups|as-uid|as-user-extra|tokenFile)\b/.test(text)) {
    const { withUncommonFields } = await import('./uncommon-user-fields.ts');
    try {
      config.users = withUncommonFields(config.users, text, folder);
    } catch (cause) {
      // client-node's parser of YAML accepted it.
      throw noKubeconfig(where, cause);
    }
  }
  return config;
}

function noKubeconfig(where: string, cause: unknown): ConnectionError {
  const detail = firstLine(cause instanceof Error ? cause.message : String(cause));
  return new ConnectionError(`${where} is not a valid kubeconfig: ${detail}`, {
    storeText: `error loading config file "${where}": ${detail}`,
    hint: 'Correct it, or specify another with --kubeconfig or KUBECONFIG.',
    // Without the cause: its further lines quote the file, and may show a secret.
  });
}

/** The path of a plugin is relative to the folder of the kubeconfig. */
function pluginFromFile(user: KubeUser, folder: string): KubeUser {
  const command: unknown = user.exec?.command;
  if (folder === '' || typeof command !== 'string' || !/[/\\]/.test(command) || isAbsolute(command)) return user;
  const path = join(folder, command);
  // Without a separator it would be looked for on the PATH: `./plugin` next to the kubeconfig in the working directory.
  return { ...user, exec: { ...user.exec, command: path.includes(sep) ? path : `.${sep}${path}` } };
}
