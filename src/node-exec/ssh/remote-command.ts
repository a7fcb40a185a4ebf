// The command line that a node's login shell is given: constant scripts, with the command as positional arguments.
// It becomes root, finds the administration's programs, prints as parsers expect, and ends with the connection.
import { quoteArgv } from '../shell-quote.ts';
import { supervisedArgv } from '../supervised.ts';

/** Needed again behind sudo, which has an environment of its own. */
const environment = ['PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin LC_ALL=C', 'export PATH LC_ALL'];

/** What `sudo -n` is needed for is decided there: who we are on the node is known only there. */
const asRoot = [
  ...environment,
  '[ "$(id -u)" != 0 ] || exec "$@"',
  'command -v sudo >/dev/null || { echo "the user is not root, and there is no sudo" >&2; exit 1; }',
  'exec sudo -n -- "$@"',
].join('\n');

/** The first line of both streams is the marker: what the login shell or sudo printed before is none of the command's. */
const marked = [...environment, 'printf "%s\\n" "$1"', 'printf "%s\\n" "$1" >&2', 'shift', 'exec "$@"'].join('\n');

export interface RemoteOptions {
  /** A line that nothing else prints. */
  readonly marker: string;
  /** Bytes that the command reads. The connection's input must stay open behind them until the command has ended. */
  readonly input: number | 'none';
}

/** The command line that runs `argv` as root, supervised. Errors: UsageError for an argument with a NUL byte. */
export function remoteCommand(argv: readonly string[], { marker, input }: RemoteOptions): string {
  const supervised = supervisedArgv(argv, input);
  return `exec ${quoteArgv(['sh', '-c', asRoot, 'sh', 'sh', '-c', marked, 'sh', marker, ...supervised])}`;
}
