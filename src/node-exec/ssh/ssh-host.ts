// Which hosts lead to a node: its own, and the jump hosts before it.
import type { NodeTarget } from '../node-exec.ts';
import { type ConfigEntry, givenPath, type SshWorld } from './config-files.ts';
import { type HostConfig, type HostOverrides, hostConfig, isNamed } from './host-config.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';

export interface SshHost {
  readonly config: HostConfig;
  /** The jump host that leads to it. */
  readonly via: SshHost | undefined;
}

/** A host as it is written on a command line or in ProxyJump. */
export interface HostSpec extends HostOverrides {
  readonly host: string;
}

/** A chain of jump hosts that is longer leads in a circle. */
const maxHops = 16;

/**
 * Reads `[user@]host[:port]`, with an IPv6 address in brackets when a port follows, or `ssh://` before it.
 * Answers undefined for what is no host.
 */
export function parseHostSpec(text: string): HostSpec | undefined {
  const [, user, bracketed, plain, port] =
    /^(?:ssh:\/\/)?(?:(.+)@)?(?:\[([^\]]+)\]|([^:@[\]]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.%\w]*))(?::(\d{1,5}))?\/?$/i.exec(
      text,
    ) ?? [];
  const host = bracketed ?? plain;
  if (
    host === undefined ||
    host.startsWith('-') ||
    (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
  ) {
    return undefined;
  }
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) };
}

/**
 * Where a node is: as --ssh-host says, else by its own name when a `Host` of ssh_config names it, else at its first
 * address.
 * Errors: SshFailure when nothing says where.
 */
export function hostSpecOf(node: NodeTarget, entries: readonly ConfigEntry[], settings: SshSettings): HostSpec {
  const given = settings.hosts?.get(node.name);
  if (given !== undefined) {
    const written = parseHostSpec(given);
    if (written !== undefined) return written;
    throw new SshFailure('unreachable', `'${given}' is no host`, 'Write it as --ssh-host NODE=HOST or NODE=HOST:PORT.');
  }
  if (isNamed(entries, node.name) && !node.name.startsWith('-')) return { host: node.name };
  const [address] = node.addresses;
  if (address !== undefined && !address.startsWith('-')) return { host: address };
  throw new SshFailure(
    'unreachable',
    'the node has no address, and no Host in ssh_config names it',
    'Say where it is: --ssh-host NODE=HOST.',
  );
}

/** The node's host with the jump hosts before it. Errors: SshFailure when the settings lead nowhere. */
export function sshHostOf(
  node: NodeTarget,
  entries: readonly ConfigEntry[],
  settings: SshSettings,
  world: SshWorld,
): SshHost {
  const { host, user, port } = hostSpecOf(node, entries, settings);
  const config = hostConfig(entries, host, { user: user ?? settings.user, port }, world);
  return { config: withGivenKeys(config, settings, world), via: jumpsTo(config, entries, settings, world, 0) };
}

function jumpsTo(
  config: HostConfig,
  entries: readonly ConfigEntry[],
  settings: SshSettings,
  world: SshWorld,
  depth: number,
): SshHost | undefined {
  if (config.proxyJump === undefined) return undefined;
  if (depth >= maxHops) {
    throw new SshFailure('unreachable', `ProxyJump ${config.proxyJump} leads in a circle`, 'Correct it in ssh_config.');
  }
  let via: SshHost | undefined;
  for (const [i, text] of config.proxyJump.split(',').entries()) {
    const written = parseHostSpec(text.trim());
    if (written === undefined) {
      throw new SshFailure('unreachable', `ProxyJump ${config.proxyJump} names no host`, 'Correct it in ssh_config.');
    }
    const jump = hostConfig(entries, written.host, written, world);
    // Only the first jump may have jump hosts of its own: the others are reached through the one before.
    if (i === 0) via = jumpsTo(jump, entries, settings, world, depth + 1);
    via = { config: withGivenKeys(jump, settings, world), via };
  }
  return via;
}

/** Keys of the command line come before those of the settings, on every host of the way. */
function withGivenKeys(config: HostConfig, { keys = [] }: SshSettings, world: SshWorld): HostConfig {
  if (keys.length === 0) return config;
  const given = keys.map((file) => givenPath(file, world));
  return { ...config, identityFiles: [...new Set([...given, ...(config.identityFiles ?? [])])] };
}

/** For people: `10.0.0.1`, `10.0.0.1 port 2222`. */
export function placeOf({ config: { hostName, port } }: SshHost): string {
  return port === 22 ? hostName : `${hostName} port ${port}`;
}

/** One connection serves all that is reached in the same way. */
export function keyOf(host: SshHost): string {
  const { user, hostName, port } = host.config;
  return JSON.stringify([user, hostName, port, host.via === undefined ? null : keyOf(host.via)]);
}
