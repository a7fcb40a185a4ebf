// Verifies the key of a host against known_hosts. A host that is not listed is always refused.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { systemText } from '../../world/errors.ts';
import { quoteWord } from '../shell-quote.ts';
import { defaultSystemFolder, givenPath, homeOf, isAbsent, type SshWorld } from './config-files.ts';
import { type HostKeyProblem, hostKeyFailure } from './host-key-failure.ts';
import { appliesTo, type KnownKey, keyType, knownHostsName, parseKnownHosts } from './known-hosts.ts';
import { readLocalFile } from './local-file.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';
import { type SshHost, sshHostLabel } from './ssh-host.ts';

/** The signature algorithms of each type of host key, in the order of preference for a host without a known key. */
const algorithmsOf: Readonly<Record<string, readonly string[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
};

export interface HostKeyCheck {
  /** Signature algorithms to offer the host: those of the known keys first. */
  readonly algorithms: readonly string[];
  /** Why this key of the host is not accepted; undefined when it is. */
  refusal(key: Buffer): SshFailure | undefined;
}

/** Reads known_hosts files, each once: many hosts are looked up in the same files. */
export class KnownHostsReader {
  readonly #files = new Map<string, readonly KnownKey[]>();

  /** Errors: SshFailure for a file that exists but cannot be read. */
  read(file: string): readonly KnownKey[] {
    const keys = this.#files.get(file) ?? parseKnownHosts(textOf(file), file);
    this.#files.set(file, keys);
    return keys;
  }
}

/**
 * Prepares the check of one host: reads the known_hosts files that apply to it.
 * Errors: SshFailure for a file that exists but cannot be read.
 */
export function hostKeyCheck(
  host: SshHost,
  settings: SshSettings,
  world: SshWorld,
  knownHosts: KnownHostsReader,
): HostKeyCheck {
  const { hostName, port, hostKeyAlias } = host.config;
  const files = knownHostsFiles(host, settings, world);
  const lines = files.flatMap((file) => knownHosts.read(file));
  const linesFor = (name: string): readonly KnownKey[] => lines.filter((line) => appliesTo(line, name));
  const listed = linesFor(hostKeyAlias ?? knownHostsName(hostName, port));
  // As in ssh, a key that is listed for the host without its port is accepted too.
  const listedWithoutPort = hostKeyAlias === undefined && port !== 22 ? linesFor(hostName) : [];
  const known = [...listed, ...listedWithoutPort].filter(({ mark }) => mark === 'none').map(({ type }) => type);
  const types = [...new Set([...known, ...Object.keys(algorithmsOf)])];
  return {
    algorithms: types.flatMap((type) => algorithmsOf[type] ?? []),
    refusal: (key) => refusal(key, listed, listedWithoutPort, host, files[0]),
  };
}

function knownHostsFiles(host: SshHost, settings: SshSettings, world: SshWorld): readonly string[] {
  if (settings.knownHostsFile !== undefined) return [givenPath(settings.knownHostsFile, world)];
  const own = join(homeOf(world), '.ssh', 'known_hosts');
  const system = join(settings.systemFolder ?? defaultSystemFolder, 'ssh_known_hosts');
  return [
    ...(host.config.userKnownHosts ?? [own, `${own}2`]),
    ...(host.config.globalKnownHosts ?? [system, `${system}2`]),
  ];
}

function textOf(file: string): string {
  try {
    return readLocalFile(file).toString('utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw new SshFailure(
      'host-key',
      `cannot read ${file}: ${systemText(error)}`,
      'Host keys cannot be verified without it; to use another known_hosts file: --ssh-known-hosts.',
    );
  }
}

function refusal(
  key: Buffer,
  listed: readonly KnownKey[],
  listedWithoutPort: readonly KnownKey[],
  host: SshHost,
  file: string | undefined,
): SshFailure | undefined {
  const label = sshHostLabel(host);
  const type = keyType(key);
  const offered = `${typeName(type)} ${fingerprintOf(key)}`;
  const failure = (problem: HostKeyProblem, detail: string): SshFailure =>
    hostKeyFailure(problem, label, detail, {
      compare: `ssh-keygen -lf /etc/ssh/ssh_host_${typeName(type).toLowerCase()}_key.pub`,
      accept: acceptCommand(host, type, file),
    });

  const revoked = [...listed, ...listedWithoutPort].find((known) => known.mark === 'revoked' && known.key.equals(key));
  if (revoked !== undefined) return failure('revoked', `${offered}, ${lineOf(revoked)}`);

  const own = listed.filter(({ mark }) => mark === 'none');
  if ([...own, ...listedWithoutPort].some((known) => known.mark === 'none' && known.key.equals(key))) return undefined;

  const sameType = own.find((known) => known.type === type);
  if (sameType !== undefined) {
    return failure('changed', `offered ${offered}, expected ${fingerprintOf(sameType.key)}, ${lineOf(sameType)}`);
  }
  const authority = listed.find(({ mark }) => mark === 'cert-authority');
  if (authority !== undefined) {
    return new SshFailure(
      'host-key',
      `${label}: only a certificate authority is listed (${lineOf(authority)}), and calictl does not check host certificates`,
      "Add the host's own key to known_hosts, or use the system's ssh: --ssh-command ssh.",
    );
  }
  const [other] = own;
  const instead = other === undefined ? '' : `; listed is another type, ${typeName(other.type)}, ${lineOf(other)}`;
  return failure('unknown', `${offered}${instead}`);
}

const lineOf = ({ file, line }: KnownKey): string => `${file}:${line}`;

/** As ssh prints it: `SHA256:…`. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** `ED25519`, `ECDSA`, `RSA`. */
function typeName(type: string): string {
  return type
    .replace(/^ssh-/, '')
    .replace(/^ecdsa-.*/, 'ecdsa')
    .toUpperCase();
}

/** The command that adds the host to known_hosts: ssh-keyscan, or ssh itself behind a jump host or with an alias. */
function acceptCommand(host: SshHost, type: string, file: string | undefined): string {
  const { hostName, port, hostKeyAlias } = host.config;
  const portWords = port === 22 ? [] : ['-p', String(port)];
  if (host.via === undefined && hostKeyAlias === undefined && file !== undefined) {
    const words = ['ssh-keyscan', '-t', typeName(type).toLowerCase(), ...portWords, hostName];
    return `${words.map(quoteWord).join(' ')} >> ${quoteWord(file)}`;
  }
  const words = [
    'ssh',
    ...jumpWords(host.via),
    ...(hostKeyAlias === undefined ? [] : ['-o', `HostKeyAlias=${hostKeyAlias}`]),
    ...(file === undefined ? [] : ['-o', `UserKnownHostsFile=${file}`]),
    ...portWords,
    `${host.config.user}@${hostName}`,
    'true',
  ];
  return words.map(quoteWord).join(' ');
}

function jumpWords(via: SshHost | undefined): string[] {
  const hops: string[] = [];
  for (let hop = via; hop !== undefined; hop = hop.via) {
    const { user, hostName, port } = hop.config;
    hops.unshift(`${user}@${hostName.includes(':') ? `[${hostName}]` : hostName}:${port}`);
  }
  return hops.length === 0 ? [] : ['-J', hops.join(',')];
}
