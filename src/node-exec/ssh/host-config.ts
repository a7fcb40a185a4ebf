// What ssh_config means for one host: the first value of each setting, with its tokens expanded.
import { hostname, userInfo } from 'node:os';
import { type ConfigEntry, expandHome, homeOf, type SshWorld } from './config-files.ts';
import { matchesPatterns } from './patterns.ts';
import { SshFailure } from './ssh-failure.ts';

/** The settings of a host that are used here. */
export interface HostConfig {
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** Undefined when the settings name none. */
  readonly identityFiles: readonly string[] | undefined;
  /** Only the keys of those files are offered to the host. */
  readonly identitiesOnly: boolean;
  /** Socket of the agent; undefined when there is none. */
  readonly agent: string | undefined;
  readonly proxyJump: string | undefined;
  readonly userKnownHosts: readonly string[] | undefined;
  readonly globalKnownHosts: readonly string[] | undefined;
  /** Looked up in known_hosts instead of the host's own name. */
  readonly hostKeyAlias: string | undefined;
  readonly connectTimeoutMs: number | undefined;
}

const useSystemSsh = "Use the system's ssh, which supports it: --ssh-command ssh.";

/** Settings of the command line, which precede ssh_config. */
export interface HostOverrides {
  readonly user?: string | undefined;
  readonly port?: number | undefined;
}

/** True when a `Host` line matches the host by a pattern other than `*`. */
export function isNamed(entries: readonly ConfigEntry[], host: string): boolean {
  return entries.some((entry) => {
    if (entry.kind === 'file') return isNamed(entry.entries, host);
    if (entry.kind !== 'host' || !matchesPatterns(host, entry.patterns)) return false;
    const narrower = entry.patterns.filter((pattern) => pattern !== '*');
    return matchesPatterns(host, narrower) || isNamed(entry.entries, host);
  });
}

/**
 * Returns the settings of a host.
 * Errors: SshFailure for settings that are not supported here (`Match exec`, `ProxyCommand`) or invalid.
 */
export function hostConfig(
  entries: readonly ConfigEntry[],
  host: string,
  overrides: HostOverrides,
  world: SshWorld,
): HostConfig {
  const reader = new ConfigReader(host, overrides, world);
  reader.read(entries, false);
  if (reader.needsFinalPass) {
    reader.fixHostName();
    reader.read(entries, true);
  }
  return reader.result();
}

/** Reads the entries in one pass, or two when `Match final` asks for it; the first value of a setting counts. */
class ConfigReader {
  readonly #host: string;
  readonly #overrides: HostOverrides;
  readonly #world: SshWorld;
  readonly #localUser: string;
  readonly #values = new Map<string, readonly string[]>();
  readonly #identityFiles: string[] = [];
  needsFinalPass = false;

  constructor(host: string, overrides: HostOverrides, world: SshWorld) {
    this.#host = host;
    this.#overrides = overrides;
    this.#world = world;
    this.#localUser = localUser(world);
  }

  fixHostName(): void {
    this.#values.set('hostname', [this.#hostName.toLowerCase().replaceAll('%', '%%')]);
  }

  read(entries: readonly ConfigEntry[], final: boolean): void {
    // The second pass matches the host name that the first one found.
    const host = final ? this.#hostName : this.#host;
    for (const entry of entries) {
      if (entry.kind === 'set') this.#set(entry.key, entry.values);
      else if (entry.kind === 'file') this.read(entry.entries, final);
      else if (entry.kind === 'host' ? matchesPatterns(host, entry.patterns) : this.#matches(entry.words, final)) {
        this.read(entry.entries, final);
      }
    }
  }

  #set(key: string, values: readonly string[]): void {
    // Of ProxyJump and ProxyCommand, whichever comes first counts.
    const isProxy = key === 'proxyjump' || key === 'proxycommand';
    if (isProxy && (this.#values.has('proxyjump') || this.#values.has('proxycommand'))) return;
    // ssh cannot tell this value from an absent one: a later value still counts.
    if (key === 'connecttimeout' && values[0] === 'none') return;
    if (key === 'identityfile') {
      for (const value of values) if (!this.#identityFiles.includes(value)) this.#identityFiles.push(value);
    } else if (!this.#values.has(key)) {
      this.#values.set(key, values);
    }
  }

  #first(key: string): string | undefined {
    return this.#values.get(key)?.[0];
  }

  get #hostName(): string {
    const name = this.#first('hostname');
    return name === undefined ? this.#host : expandTokens(name, { '%': '%', h: this.#host });
  }

  get #user(): string {
    return this.#overrides.user ?? this.#first('user') ?? this.#localUser;
  }

  /** `Match`: all criteria must hold; they are evaluated in order, up to the first that does not. */
  #matches(words: readonly string[], final: boolean): boolean {
    const left = [...words];
    for (let word = left.shift(); word !== undefined; word = left.shift()) {
      // The argument may be written as the next word or after `=`.
      const [, not, criterion = '', argument] = /^(!?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
      const holds = this.#holds(criterion.toLowerCase(), final, () => argument ?? left.shift() ?? '');
      if (holds === (not === '!')) return false;
    }
    return true;
  }

  #holds(criterion: string, final: boolean, argument: () => string): boolean {
    const matches = (text: string): boolean => matchesPatterns(text, argument().split(','));
    // Unlike in a Host line, the case of a host name does not matter.
    const matchesHost = (host: string): boolean =>
      matchesPatterns(host.toLowerCase(), argument().toLowerCase().split(','));
    switch (criterion) {
      case 'all':
        return true;
      case 'final':
        this.needsFinalPass = true;
        return final;
      case 'canonical':
        // True in any second pass, but does not ask for one.
        return final;
      case 'host':
        return matchesHost(this.#hostName);
      case 'originalhost':
        return matchesHost(this.#host);
      case 'user':
        return matches(this.#user);
      case 'localuser':
        return matches(this.#localUser);
      default:
        throw new SshFailure(
          'unreachable',
          `ssh_config uses Match ${criterion}, which calictl does not evaluate`,
          `Use another file with --ssh-config, or the system's ssh, which supports it: --ssh-command ssh.`,
        );
    }
  }

  result(): HostConfig {
    const [user, hostName, port] = [this.#user, this.#hostName.toLowerCase(), this.#port()];
    this.#refuseProxyCommand();
    const home = homeOf(this.#world);
    const alias = this.#first('hostkeyalias')?.toLowerCase();
    const tokens: Readonly<Record<string, string>> = {
      '%': '%',
      d: home,
      h: hostName,
      k: alias ?? this.#host,
      L: hostname().split('.')[0] ?? '',
      l: hostname(),
      n: this.#host,
      p: String(port),
      r: user,
      u: this.#localUser,
    };
    const path = (text: string): string => expandHome(expandTokens(this.#expandEnv(text), tokens), this.#world);
    const paths = (values: readonly string[] | undefined): readonly string[] | undefined =>
      values?.filter((file) => !isNone(file)).map(path);
    const jump = this.#first('proxyjump');
    return {
      hostName,
      port,
      user,
      identityFiles: this.#identityFiles.length === 0 ? undefined : paths(this.#identityFiles),
      identitiesOnly: ['yes', 'true'].includes(this.#first('identitiesonly')?.toLowerCase() ?? ''),
      agent: this.#agent(path),
      proxyJump: jump === undefined || isNone(jump) ? undefined : jump,
      userKnownHosts: paths(this.#values.get('userknownhostsfile')),
      globalKnownHosts: paths(this.#values.get('globalknownhostsfile')),
      hostKeyAlias: alias,
      connectTimeoutMs: timeMsOf(this.#first('connecttimeout') ?? 'none'),
    };
  }

  #port(): number {
    const written = this.#first('port') ?? '22';
    const port = this.#overrides.port ?? Number(written);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    throw new SshFailure(
      'unreachable',
      `invalid port in ssh_config for ${this.#host}: ${written}`,
      'Correct the Port line.',
    );
  }

  #refuseProxyCommand(): void {
    const command = this.#values.get('proxycommand')?.join(' ');
    if (command === undefined || isNone(command)) return;
    throw new SshFailure(
      'unreachable',
      `ssh_config sets a ProxyCommand for ${this.#host}, which calictl does not run`,
      useSystemSsh,
    );
  }

  #agent(path: (text: string) => string): string | undefined {
    const given = this.#first('identityagent');
    const fromEnv = this.#world.env['SSH_AUTH_SOCK'] || undefined;
    if (given === undefined || given === 'SSH_AUTH_SOCK') return fromEnv;
    if (given === 'none') return undefined;
    return given.startsWith('$') && !given.startsWith('${') ? this.#world.env[given.slice(1)] : path(given);
  }

  #expandEnv(text: string): string {
    return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
      const value = this.#world.env[name];
      if (value !== undefined) return value;
      throw new SshFailure('unreachable', `ssh_config uses ${text}, but ${name} is not set`, `Set ${name}.`);
    });
  }
}

/** Replaces the `%` tokens. Errors: SshFailure for an unknown one. */
function expandTokens(text: string, tokens: Readonly<Record<string, string>>): string {
  return text.replace(/%(.?)/g, (token, letter: string) => {
    const value = tokens[letter];
    if (value !== undefined) return value;
    throw new SshFailure('unreachable', `unknown token ${token} in ssh_config: ${text}`, useSystemSsh);
  });
}

const isNone = (value: string): boolean => value.toLowerCase() === 'none';

const unitSeconds: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Milliseconds of a time as in sshd_config(5) TIME FORMATS, `90` or `1m30s`; undefined for `none` and for no time. */
function timeMsOf(text: string): number | undefined {
  if (!/^(?:\d+[smhdw]?)+$/i.test(text)) return undefined;
  const parts = [...text.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitSeconds[unit] ?? 0) * 1000, 0);
}

/** The user that ssh logs in as by default. */
function localUser({ env }: SshWorld): string {
  try {
    return userInfo().username;
  } catch {
    // The user database has no entry for this user, as in some containers.
    return env['USER'] || env['USERNAME'] || 'root';
  }
}
