// Files of host keys in the known_hosts format of sshd(8): plain and hashed names, ports, patterns, revoked keys,
// certificate authorities. The decision about a host's key is in host-key.ts.
import { createHmac } from 'node:crypto';
import { matchesPatterns } from './patterns.ts';

export interface KnownKey {
  readonly mark: 'none' | 'revoked' | 'cert-authority';
  /** The field with the host names: whose key it is. */
  readonly hosts: string;
  /** `ssh-ed25519` …, read from the key itself. */
  readonly type: string;
  readonly key: Buffer;
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Reads the lines of a file; malformed lines are skipped, as ssh does. */
export function parseKnownHosts(text: string, file: string): KnownKey[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const fields = line.trim().split(/[ \t]+/);
    const mark = fields[0]?.startsWith('@') ? fields.shift()?.slice(1) : 'none';
    const [hosts, named, encoded] = fields;
    if (hosts === undefined || named === undefined || encoded === undefined || hosts.startsWith('#')) return [];
    if (mark !== 'none' && mark !== 'revoked' && mark !== 'cert-authority') return [];
    const key = Buffer.from(encoded, 'base64');
    const type = keyType(key);
    return type === named ? [{ mark, hosts, type, key, file, line: i + 1 }] : [];
  });
}

/** The type at the beginning of a public key in SSH's wire format; empty when malformed. */
export function keyType(key: Buffer): string {
  if (key.length < 4) return '';
  const end = 4 + key.readUInt32BE(0);
  return end > key.length ? '' : key.toString('latin1', 4, end);
}

/** The name of a host in known_hosts: `host`, or `[host]:port` for a port other than 22. */
export function knownHostsName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** True when the line applies to the host of this name. */
export function appliesTo({ hosts }: KnownKey, name: string): boolean {
  if (!hosts.startsWith('|')) return matchesPatterns(name, hosts.toLowerCase().split(','));
  const [, method, salt, hash] = hosts.split('|');
  if (method !== '1' || salt === undefined || hash === undefined) return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
