// The fields of a kubeconfig's users that client-node ignores. Loaded only for a kubeconfig that names one of them: the YAML
// package with positions in its errors is slow to load.
import { isAbsolute, join } from 'node:path';
import type { User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { isObject } from '../text/plain-values.ts';
import { type KubeHeaders, type KubeUser, tokenFileProvider } from './kube-user.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/**
 * The users with `tokenFile`, `as-groups`, `as-uid` and `as-user-extra` of the document `text`; what has a wrong type is
 * ignored. A path is relative to `folder`, unless that is empty. Errors: those of the YAML parser.
 */
export function withUncommonFields(users: readonly User[], text: string, folder: string): KubeUser[] {
  const document: unknown = parse(text);
  const listed = isObject(document) && Array.isArray(document['users']) ? document['users'].filter(isObject) : [];
  return users.map((user) => {
    const entry = listed.find(({ name }) => name === user.name)?.['user'];
    return isObject(entry) ? withFields(user, entry, folder) : user;
  });
}

function withFields(user: User, fields: Record<string, unknown>, folder: string): KubeUser {
  const impersonation = impersonationOf(fields);
  const path = textOf(fields['tokenFile']);
  if (path === undefined) return { ...user, impersonation };
  const { token: _, ...others } = user;
  const absolute = folder === '' || isAbsolute(path) ? path : join(folder, path);
  return { ...others, authProvider: tokenFileProvider(absolute), impersonation };
}

function impersonationOf(fields: Record<string, unknown>): KubeHeaders {
  const headers: Record<string, string | string[]> = {};
  const groups = textsOf(fields['as-groups']);
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  const uid = textOf(fields['as-uid']);
  if (uid !== undefined) headers['Impersonate-Uid'] = uid;
  const extra = fields['as-user-extra'];
  for (const [key, values] of Object.entries(isObject(extra) ? extra : {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = textsOf(values);
  }
  return headers;
}
