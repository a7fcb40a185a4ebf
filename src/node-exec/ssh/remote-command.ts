// The command line for a node's login shell: constant scripts that take the command as positional arguments. They become
// root, find administration programs, set the C locale for parsers, and end with the connection.
import { quoteArgv } from '../shell-quote.ts';
import { supervisedArgv } from '../supervised.ts';

/** Set again after sudo, which resets the environment. */
const environment = ['PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin LC_ALL=C', 'export PATH LC_ALL'];

/** Whether `sudo -n` is needed is decided on the node: only there is it known who logged in. */
const asRoot = [
  ...environment,
  '[ "$(id -u)" != 0 ] || exec "$@"',
  'command -v sudo >/dev/null || { echo "the user is not root and sudo is not installed" >&2; exit 1; }',
  'exec sudo -n -- "$@"',
].join('\n');

/** Prints the marker line to both streams: what the login shell or sudo printed before it is not output of the command. */
const marked = [...environment, 'printf "%s\\n" "$1"', 'printf "%s\\n" "$1" >&2', 'shift', 'exec "$@"'].join('\n');

export interface RemoteOptions {
  /** A line that nothing else prints. */
  readonly marker: string;
  /** Length of the command's input in bytes. The connection's input must stay open after it until the command has ended. */
  readonly input: number | 'none';
}

/** The command line that runs `argv` as root, supervised. Errors: UsageError for an argument with a NUL byte. */
export function remoteCommandLine(argv: readonly string[], { marker, input }: RemoteOptions): string {
  const supervised = supervisedArgv(argv, input);
  return `exec ${quoteArgv(['sh', '-c', asRoot, 'sh', 'sh', '-c', marked, 'sh', marker, ...supervised])}`;
}
