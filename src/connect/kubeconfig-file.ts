// Reads kubeconfig documents: several files are merged as kubectl does it, and the few fields that client-node ignores are added.
import { readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { firstLine } from '../text/wording.ts';
import { ConnectionError, unreadableFile } from './connection-error.ts';

/** A credential plugin as a kubeconfig describes it. */
export interface ExecPlugin {
  readonly command?: string;
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
  readonly installHint?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | null;
}

/** client-node's user, with the headers for impersonated groups, uid and extra fields. */
export type KubeUser = User & { readonly exec?: ExecPlugin | null; readonly impersonation?: KubeHeaders };

export type KubeHeaders = Readonly<Record<string, string | string[]>>;

/**
 * Reads one file, or several joined as in PATH: the first file that defines a name wins, and of several files missing ones
 * are skipped. Returns undefined when there is none. Errors: ConnectionError.
 */
export async function fromFiles(setting: string): Promise<KubeConfig | undefined> {
  const files = setting.split(delimiter).filter((file) => file !== '');
  let merged: KubeConfig | undefined;
  for (const file of files) {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (cause) {
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
  } catch (cause) {
    throw noKubeconfig(where, cause);
  }
  if (folder !== '') config.makePathsAbsolute(folder);
  config.users = config.users.map((user) => pluginFromFile(user, folder));
  if (/\b(?:as-groups|as-uid|as-user-extra|tokenFile)\b/.test(text)) {
    const { parse } = await import('yaml');
    config.users = withUncommonFields(config.users, parse(text) as KubeconfigDocument | null, folder);
  }
  return config;
}

function noKubeconfig(where: string, cause: unknown): ConnectionError {
  const detail = firstLine(cause instanceof Error ? cause.message : String(cause));
  return new ConnectionError(`${where} is not a valid kubeconfig: ${detail}`, {
    storeText: `error loading config file "${where}": ${detail}`,
    hint: 'Correct it, or name another with --kubeconfig or KUBECONFIG.',
    // Without the cause: its further lines quote the file, and may show a secret.
  });
}

/** The path of a plugin is relative to the folder of the kubeconfig. */
function pluginFromFile(user: KubeUser, folder: string): KubeUser {
  const command = user.exec?.command;
  if (folder === '' || command === undefined || !/[/\\]/.test(command) || isAbsolute(command)) return user;
  return { ...user, exec: { ...user.exec, command: join(folder, command) } };
}

interface KubeconfigDocument {
  readonly users?: readonly { readonly name?: string; readonly user?: UncommonFields | null }[] | null;
}

interface UncommonFields {
  readonly tokenFile?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-uid'?: string;
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
}

function withUncommonFields(users: readonly User[], document: KubeconfigDocument | null, folder: string): KubeUser[] {
  return users.map((user) => {
    const fields = document?.users?.find(({ name }) => name === user.name)?.user ?? {};
    const { tokenFile } = fields;
    const absolute =
      tokenFile === undefined || folder === '' || isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile);
    const { token: _, ...others } = user;
    const read = absolute ? { ...others, authProvider: tokenFileProvider(absolute) } : user;
    return { ...read, impersonation: impersonation(fields) };
  });
}

function impersonation(fields: UncommonFields): KubeHeaders {
  const headers: Record<string, string | string[]> = {};
  if (fields['as-groups']?.length) headers['Impersonate-Group'] = [...fields['as-groups']];
  if (fields['as-uid']) headers['Impersonate-Uid'] = fields['as-uid'];
  for (const [key, values] of Object.entries(fields['as-user-extra'] ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = [...values];
  }
  return headers;
}

/** A token that is read from its file repeatedly, because Kubernetes renews the file. */
export function tokenFileProvider(tokenFile: string): { name: string; config: { tokenFile: string } } {
  return { name: 'tokenFile', config: { tokenFile } };
}
