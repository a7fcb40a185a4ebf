// The SSH settings of the command line (docs/reference/ssh.md). Built by cli/.

/** An absent setting is taken from ssh_config, else it is ssh's default. */
export interface SshSettings {
  /** User to log in as on the nodes; not used for jump hosts. */
  readonly user?: string | undefined;
  /** Private key files, tried first. */
  readonly keys?: readonly string[] | undefined;
  /** Read instead of `~/.ssh/config` and `/etc/ssh/ssh_config`; `none`: read neither. */
  readonly configFile?: string | undefined;
  /** Read instead of all other known_hosts files. */
  readonly knownHostsFile?: string | undefined;
  /** Node name to `HOST`, `HOST:PORT` or `[HOST]:PORT`. */
  readonly hosts?: ReadonlyMap<string, string> | undefined;
  /** Log in with a password, the first line of standard input. */
  readonly askPassword?: boolean | undefined;
  /** Folder of the system-wide settings; `/etc/ssh` when absent. */
  readonly systemFolder?: string | undefined;
}
