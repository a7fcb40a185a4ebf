// Lists of host keys as sshd(8) describes known_hosts: plain, hashed, with ports, patterns, revoked keys and authorities.
// Reading and judging only; what is asked of a host is in host-key.ts.
import { createHmac } from 'node:crypto';
import { matchesPatterns } from './config-files.ts';

export interface KnownKey {
  readonly mark: 'none' | 'revoked' | 'cert-authority';
  /** The first field, which says whose key it is. */
  readonly hosts: string;
  /** `ssh-ed25519` … as the key itself says. */
  readonly type: string;
  readonly key: Buffer;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Lines that are none of a key are passed over, as ssh does. */
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

/** The type that stands at the beginning of a public key as SSH sends it; empty when there is none. */
export function keyType(key: Buffer): string {
  if (key.length < 4) return '';
  const end = 4 + key.readUInt32BE(0);
  return end > key.length ? '' : key.toString('latin1', 4, end);
}

/** `host`, or `[host]:port` for another port than 22: how lists name a host. */
export function listedName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${port}`;
}

/** True when the line is about the host. */
export function isAbout({ hosts }: KnownKey, name: string): boolean {
  if (!hosts.startsWith('|')) return matchesPatterns(name, hosts.toLowerCase().split(','));
  const [, method, salt, hash] = hosts.split('|');
  if (method !== '1' || salt === undefined || hash === undefined) return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
