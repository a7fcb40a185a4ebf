// How nodes are reached by SSH, as the command line says it (docs/reference/ssh.md). Built by cli/.

/** Absent means: as ssh_config says, else as ssh does by itself. */
export interface SshSettings {
  /** Who to log in as on the nodes; jump hosts have their own. */
  readonly user?: string | undefined;
  /** Files of private keys, tried first. */
  readonly keys?: readonly string[] | undefined;
  /** Read in place of `~/.ssh/config` and `/etc/ssh/ssh_config`. */
  readonly configFile?: string | undefined;
  /** Read in place of all other lists of host keys. */
  readonly knownHostsFile?: string | undefined;
  /** Node name to `HOST`, `HOST:PORT` or `[HOST]:PORT`. */
  readonly hosts?: ReadonlyMap<string, string> | undefined;
  /** Log in by password; it is the first line of standard input. */
  readonly askPassword?: boolean | undefined;
  /** Where the machine's own settings are; `/etc/ssh` when absent. */
  readonly systemFolder?: string | undefined;
}
