// Which hosts lead to a node: its own, and the jump hosts on the way to it.
import type { NodeTarget } from '../node-exec.ts';
import { type ConfigEntry, givenPath, type SshWorld } from './config-files.ts';
import { type HostConfig, type HostOverrides, hostConfig, isNamed } from './host-config.ts';
import type { SshSettings } from './settings.ts';
import { SshFailure } from './ssh-failure.ts';

export interface SshHost {
  readonly config: HostConfig;
  /** The jump host through which it is reached. */
  readonly via: SshHost | undefined;
}

/** A host as written on a command line or in ProxyJump. */
export interface HostSpec extends HostOverrides {
  readonly host: string;
}

/** A longer chain of jump hosts is a loop. */
const maxHops = 16;

/**
 * Parses `[user@]host[:port]`, with an IPv6 address in brackets when a port follows, or `ssh://` before it.
 * Returns undefined for anything else.
 */
export function parseHostSpec(text: string): HostSpec | undefined {
  const [, user, bracketed, plain, port] =
    /^(?:ssh:\/\/)?(?:(.+)@)?(?:\[([^\]]+)\]|([^:@[\]]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.%\w]*))(?::(\d{1,5}))?\/?$/i.exec(
      text,
    ) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || host.startsWith('-')) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) };
}

/**
 * The host of a node: the one of --ssh-host, else the node's name when a `Host` of ssh_config names it, else the node's
 * first address.
 * Errors: SshFailure when there is none.
 */
export function hostSpecOf(node: NodeTarget, entries: readonly ConfigEntry[], settings: SshSettings): HostSpec {
  const given = settings.hosts?.get(node.name);
  if (given !== undefined) {
    const spec = parseHostSpec(given);
    if (spec !== undefined) return spec;
    throw new SshFailure('unreachable', `invalid host '${given}'`, 'Use --ssh-host NODE=HOST or NODE=HOST:PORT.');
  }
  // What begins with a dash would be an option of ssh.
  if (isNamed(entries, node.name) && !node.name.startsWith('-')) return { host: node.name };
  const [address] = node.addresses;
  if (address !== undefined && !address.startsWith('-')) return { host: address };
  throw new SshFailure(
    'unreachable',
    'the node has no address, and no Host line of ssh_config names it',
    'Set its host with --ssh-host NODE=HOST.',
  );
}

/** The node's host with its jump hosts. Errors: SshFailure when the settings name no usable host. */
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
  const { proxyJump } = config;
  if (proxyJump === undefined) return undefined;
  if (depth >= maxHops) throw new SshFailure('unreachable', `ProxyJump ${proxyJump} is a loop`, correctConfig);
  let via: SshHost | undefined;
  for (const [i, text] of proxyJump.split(',').entries()) {
    const spec = parseHostSpec(text.trim());
    if (spec === undefined)
      throw new SshFailure('unreachable', `invalid host in ProxyJump ${proxyJump}`, correctConfig);
    const jump = hostConfig(entries, spec.host, spec, world);
    // Only the first jump host may have jump hosts of its own: the others are reached through the one before.
    if (i === 0) via = jumpsTo(jump, entries, settings, world, depth + 1);
    via = { config: withGivenKeys(jump, settings, world), via };
  }
  return via;
}

const correctConfig = 'Correct the ProxyJump line in ssh_config.';

/** Keys of the command line precede those of the settings, on every host of the chain. */
function withGivenKeys(config: HostConfig, { keys = [] }: SshSettings, world: SshWorld): HostConfig {
  if (keys.length === 0) return config;
  const given = keys.map((file) => givenPath(file, world));
  return { ...config, identityFiles: [...new Set([...given, ...(config.identityFiles ?? [])])] };
}

/** For messages: `10.0.0.1`, `10.0.0.1 port 2222`. */
export function hostLabel(hostName: string, port: number | undefined): string {
  return port === undefined || port === 22 ? hostName : `${hostName} port ${port}`;
}

/** As hostLabel, for a host with its settings. */
export function sshHostLabel({ config: { hostName, port } }: SshHost): string {
  return hostLabel(hostName, port);
}

/** Equal for hosts that one connection serves. */
export function connectionKey(host: SshHost): string {
  const { user, hostName, port } = host.config;
  return JSON.stringify([user, hostName, port, host.via === undefined ? null : connectionKey(host.via)]);
}
