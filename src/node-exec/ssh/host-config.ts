// What the entries of ssh_config mean for one host: the first value of each setting, with its `%` expanded.
import { hostname, userInfo } from 'node:os';
import { type ConfigEntry, expandHome, homeOf, matchesPatterns, type SshWorld } from './config-files.ts';
import { SshFailure } from './ssh-failure.ts';

/** The settings of a host that count here. */
export interface HostConfig {
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** Named by the settings; none named: undefined. */
  readonly identityFiles: readonly string[] | undefined;
  /** Only the keys of those files are shown to the host. */
  readonly identitiesOnly: boolean;
  /** Socket of the agent; undefined when there is none. */
  readonly agent: string | undefined;
  readonly proxyJump: string | undefined;
  readonly userKnownHosts: readonly string[] | undefined;
  readonly globalKnownHosts: readonly string[] | undefined;
  /** The name that the host is listed under, in place of its own. */
  readonly hostKeyAlias: string | undefined;
  readonly connectTimeoutMs: number | undefined;
}

const otherWay = "Use the system's own client, which knows more: --ssh-command ssh.";

/** What the command line says of a host before its settings are looked at. */
export interface HostOverrides {
  readonly user?: string | undefined;
  readonly port?: number | undefined;
}

/** True when a `Host` line names the host by more than `*`. */
export function isNamed(entries: readonly ConfigEntry[], host: string): boolean {
  return entries.some((entry) => {
    if (entry.kind === 'file') return isNamed(entry.entries, host);
    if (entry.kind !== 'host' || !matchesPatterns(host, entry.patterns)) return false;
    const narrower = entry.patterns.filter((pattern) => pattern !== '*');
    return matchesPatterns(host, narrower) || isNamed(entry.entries, host);
  });
}

/**
 * Errors: SshFailure for settings that cannot be followed here (`Match exec`, `ProxyCommand`) or that make no sense.
 */
export function hostConfig(
  entries: readonly ConfigEntry[],
  host: string,
  given: HostOverrides,
  world: SshWorld,
): HostConfig {
  const found = new Reading(host, given, world);
  found.read(entries, false);
  if (found.needsFinal) {
    found.settleHostName();
    found.read(entries, true);
  }
  return found.result();
}

/** One pass or two over the entries; the first value of a setting stays. */
class Reading {
  readonly #host: string;
  readonly #given: HostOverrides;
  readonly #world: SshWorld;
  readonly #localUser: string;
  readonly #values = new Map<string, readonly string[]>();
  readonly #identityFiles: string[] = [];
  needsFinal = false;

  constructor(host: string, given: HostOverrides, world: SshWorld) {
    this.#host = host;
    this.#given = given;
    this.#world = world;
    this.#localUser = localUser(world);
  }

  settleHostName(): void {
    this.#values.set('hostname', [this.#hostName.toLowerCase().replaceAll('%', '%%')]);
  }

  read(entries: readonly ConfigEntry[], final: boolean): void {
    // The second pass looks for the host that the first has found.
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
    // The way to the host is whichever of the two comes first.
    const way = key === 'proxyjump' || key === 'proxycommand';
    if (way && (this.#values.has('proxyjump') || this.#values.has('proxycommand'))) return;
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
    return name === undefined ? this.#host : expanded(name, { '%': '%', h: this.#host });
  }

  get #user(): string {
    return this.#given.user ?? this.#first('user') ?? this.#localUser;
  }

  /** `Match`: all of the criteria, judged in order; the first that fails settles it. */
  #matches(words: readonly string[], final: boolean): boolean {
    const left = [...words];
    while (left.length > 0) {
      const word = (left.shift() ?? '').toLowerCase();
      const negated = word.startsWith('!');
      const criterion = negated ? word.slice(1) : word;
      if (this.#holds(criterion, final, () => left.shift() ?? '') === negated) return false;
    }
    return true;
  }

  #holds(criterion: string, final: boolean, argument: () => string): boolean {
    const oneOf = (text: string): boolean => matchesPatterns(text, argument().split(','));
    switch (criterion) {
      case 'all':
        return true;
      case 'final':
        this.needsFinal = true;
        return final;
      case 'canonical':
        return false;
      case 'host':
        return oneOf(this.#hostName);
      case 'originalhost':
        return oneOf(this.#host);
      case 'user':
        return oneOf(this.#user);
      case 'localuser':
        return oneOf(this.#localUser);
      default:
        throw new SshFailure(
          'unreachable',
          `ssh_config asks for Match ${criterion}, which is not judged here`,
          `Name another file with --ssh-config. ${otherWay}`,
        );
    }
  }

  result(): HostConfig {
    const [user, hostName] = [this.#user, this.#hostName.toLowerCase()];
    const port = this.#given.port ?? Number(this.#first('port') ?? 22);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new SshFailure(
        'unreachable',
        `ssh_config gives ${this.#host} the port ${this.#first('port')}`,
        'Correct it.',
      );
    }
    const proxyCommand = this.#values.get('proxycommand')?.join(' ');
    if (proxyCommand !== undefined && proxyCommand !== 'none') {
      throw new SshFailure(
        'unreachable',
        `ssh_config reaches ${this.#host} by a ProxyCommand, which is not run here`,
        otherWay,
      );
    }
    const home = homeOf(this.#world);
    const alias = this.#first('hostkeyalias');
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
    const path = (text: string): string => expandHome(expanded(this.#withEnv(text), tokens), this.#world);
    const listed = (key: string): readonly string[] | undefined =>
      this.#values
        .get(key)
        ?.filter((file) => file !== 'none')
        .map(path);
    const jump = this.#first('proxyjump');
    const timeout = /^\d+$/.exec(this.#first('connecttimeout') ?? '');
    return {
      hostName,
      port,
      user,
      identityFiles:
        this.#identityFiles.length === 0 ? undefined : this.#identityFiles.filter((file) => file !== 'none').map(path),
      identitiesOnly: this.#first('identitiesonly')?.toLowerCase() === 'yes',
      agent: this.#agent(path),
      proxyJump: jump === undefined || jump === 'none' ? undefined : jump,
      userKnownHosts: listed('userknownhostsfile'),
      globalKnownHosts: listed('globalknownhostsfile'),
      hostKeyAlias: alias?.toLowerCase(),
      connectTimeoutMs: timeout === null ? undefined : Number(timeout[0]) * 1000,
    };
  }

  #agent(path: (text: string) => string): string | undefined {
    const given = this.#first('identityagent');
    const usual = this.#world.env['SSH_AUTH_SOCK'] || undefined;
    if (given === undefined || given === 'SSH_AUTH_SOCK') return usual;
    if (given === 'none') return undefined;
    return given.startsWith('$') && !given.startsWith('${') ? this.#world.env[given.slice(1)] : path(given);
  }

  #withEnv(text: string): string {
    return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
      const value = this.#world.env[name];
      if (value === undefined) {
        throw new SshFailure('unreachable', `ssh_config names ${text}, and ${name} is not set`, `Set ${name}.`);
      }
      return value;
    });
  }
}

/** Errors: SshFailure for a `%` that is not known. */
function expanded(text: string, tokens: Readonly<Record<string, string>>): string {
  return text.replace(/%(.?)/g, (token, letter: string) => {
    const value = tokens[letter];
    if (value === undefined) throw new SshFailure('unreachable', `ssh_config has ${token} in ${text}`, otherWay);
    return value;
  });
}

/** Who ssh would log in as when nothing is said. */
function localUser({ env }: SshWorld): string {
  try {
    return userInfo().username;
  } catch {
    // The user has no entry in the user database, as in containers.
    return env['USER'] || env['USERNAME'] || 'root';
  }
}
