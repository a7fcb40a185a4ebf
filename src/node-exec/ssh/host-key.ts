// Is the host who it should be: its key against the lists of known ones. A host that is not listed is refused, always.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemText } from '../../world/errors.ts';
import { quoteWord } from '../shell-quote.ts';
import { defaultSystemFolder, givenPath, homeOf, isAbsent, type SshWorld } from './config-files.ts';
import { isAbout, type KnownKey, keyType, listedName, parseKnownHosts } from './known-hosts.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';
import { placeOf, type SshHost } from './ssh-host.ts';

/** How a host key was made out, in the order in which they are asked for when none is known. */
const algorithmsOf: Readonly<Record<string, readonly string[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
};

export interface HostKeyCheck {
  /** Signature algorithms to ask the host for: those of the keys that are known first. */
  readonly algorithms: readonly string[];
  /** Why the key is not accepted, or undefined when it is. */
  judge(key: Buffer): SshFailure | undefined;
}

/** Reads lists of host keys, each once: many nodes are looked up in the same ones. */
export class KnownHostsReader {
  readonly #lists = new Map<string, readonly KnownKey[]>();

  /** Errors: SshFailure for a list that is there and cannot be read. */
  read(file: string): readonly KnownKey[] {
    const list = this.#lists.get(file) ?? parseKnownHosts(textOf(file), file);
    this.#lists.set(file, list);
    return list;
  }
}

/**
 * Finds what the lists that count for the host say of it.
 * Errors: SshFailure for a list that is there and cannot be read.
 */
export function hostKeyCheck(
  host: SshHost,
  settings: SshSettings,
  world: SshWorld,
  lists: KnownHostsReader,
): HostKeyCheck {
  const files = listsOf(host, settings, world);
  const lines = files.flatMap((file) => lists.read(file));
  const name = host.config.hostKeyAlias ?? listedName(host.config.hostName, host.config.port);
  const about = lines.filter((line) => isAbout(line, name));
  // As ssh does: a key listed for the host without its port is as good.
  const plain = host.config.hostKeyAlias === undefined && host.config.port !== 22 ? host.config.hostName : undefined;
  const aboutPlain = plain === undefined ? [] : lines.filter((line) => isAbout(line, plain));
  const known = [...about, ...aboutPlain].filter(({ mark }) => mark === 'none').map(({ type }) => type);
  const types = [...new Set([...known, ...Object.keys(algorithmsOf)])];
  return {
    algorithms: types.flatMap((type) => algorithmsOf[type] ?? []),
    judge: (key) => judged(key, about, aboutPlain, host, files[0]),
  };
}

function listsOf(host: SshHost, settings: SshSettings, world: SshWorld): readonly string[] {
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
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw new SshFailure(
      'host-key',
      `the list of host keys ${file} cannot be read: ${systemText(error)}`,
      'Without it nothing tells the node from another: name another list with --ssh-known-hosts.',
    );
  }
}

function judged(
  key: Buffer,
  about: readonly KnownKey[],
  aboutPlain: readonly KnownKey[],
  host: SshHost,
  list: string | undefined,
): SshFailure | undefined {
  const place = placeOf(host);
  const type = keyType(key);
  const shown = `${nameOf(type)} ${fingerprintOf(key)}`;
  const failure = (message: string, hint: string): SshFailure => new SshFailure('host-key', message, hint);
  const at = ({ file, line }: KnownKey): string => `${file}:${line}`;

  const revoked = [...about, ...aboutPlain].find((known) => known.mark === 'revoked' && known.key.equals(key));
  if (revoked !== undefined) {
    return failure(
      `the host key of ${place} is revoked in ${at(revoked)}: ${shown}`,
      'Whoever has this key may be somebody else. Give the host a new one before anything is sent to it.',
    );
  }
  const listed = about.filter(({ mark }) => mark === 'none');
  if ([...listed, ...aboutPlain].some((known) => known.mark === 'none' && known.key.equals(key))) return undefined;

  const other = listed.find((known) => known.type === type);
  if (other !== undefined) {
    return failure(
      `the host key of ${place} has changed: it shows ${shown}, listed in ${at(other)} is ${fingerprintOf(other.key)}`,
      'Somebody may be in between. If the host was set up anew, compare the fingerprint on it ' +
        `(${fingerprintCommand(type)}), then correct the line.`,
    );
  }
  const authority = about.find(({ mark }) => mark === 'cert-authority');
  if (authority !== undefined) {
    return failure(
      `${place} is vouched for by a certificate authority (${at(authority)}), which is not checked here`,
      "List the host's own key, or use the system's own client: --ssh-command ssh.",
    );
  }
  const [first] = listed;
  const instead = first === undefined ? '' : `; listed is another kind (${nameOf(first.type)}, ${at(first)})`;
  return failure(
    `the host key of ${place} is not known: ${shown}${instead}`,
    `Compare it on the host (${fingerprintCommand(type)}), then accept it: ${acceptCommand(host, type, list)}`,
  );
}

/** As ssh prints it: `SHA256:…`. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** `ED25519`, `ECDSA`, `RSA`. */
function nameOf(type: string): string {
  return type
    .replace(/^ssh-/, '')
    .replace(/^ecdsa-.*/, 'ecdsa')
    .toUpperCase();
}

function fingerprintCommand(type: string): string {
  return `ssh-keygen -lf /etc/ssh/ssh_host_${nameOf(type).toLowerCase()}_key.pub`;
}

/** What adds the host to the list. Behind a jump host, or under another name, only ssh itself can. */
function acceptCommand(host: SshHost, type: string, list: string | undefined): string {
  const { hostName, port, hostKeyAlias } = host.config;
  const portWords = port === 22 ? [] : ['-p', String(port)];
  if (host.via === undefined && hostKeyAlias === undefined && list !== undefined) {
    const words = ['ssh-keyscan', '-t', nameOf(type).toLowerCase(), ...portWords, hostName];
    return `${words.map(quoteWord).join(' ')} >> ${quoteWord(list)}`;
  }
  const words = [
    'ssh',
    ...jumpWords(host.via),
    ...(hostKeyAlias === undefined ? [] : ['-o', `HostKeyAlias=${hostKeyAlias}`]),
    ...(list === undefined ? [] : ['-o', `UserKnownHostsFile=${list}`]),
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
