// The command line that a node's login shell is given: constant scripts, with the command as positional arguments.
// It finds the administration's programs, prints as parsers expect, and ends with the connection.
import { quoteArgv } from '../shell-quote.ts';

/**
 * sshd leaves a program running when the connection is gone. So its input stays open as long as it may run, and whoever
 * watches it ends the whole process group at its end: SIGINT, two seconds later SIGTERM, at last SIGKILL for whatever is
 * left. `$1` is the process that tells whether it has ended; the watcher itself minds only the last signal.
 */
const watch = [
  "trap '' INT TERM HUP",
  'while read -r line; do :; done',
  'kill -0 "$1" || exit 0',
  'for signal in INT TERM; do',
  'kill -s "$signal" 0',
  'for wait in 1 2; do kill -0 "$1" && sleep 1; done',
  'done',
  'kill -s KILL 0',
].join('\n');

/**
 * The first line of both streams is the marker: what the login shell printed before is none of the command's. Then the
 * command runs in a shell of its own, and the first waits for it through all signals and gives its exit code. What shells
 * say of a program that was killed goes nowhere. `$size` is the number of bytes of the command's input: the watcher hands
 * them over first, and says who it is, so that it can be ended after the command. `open` gives the command the same end
 * of the input that is watched.
 */
const script = [
  'PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin LC_ALL=C',
  'export PATH LC_ALL',
  'mark=$1 watch=$2 size=$3',
  'shift 3',
  'printf "%s\\n" "$mark"',
  'printf "%s\\n" "$mark" >&2',
  'exec 3<&0 4>&2 2>/dev/null',
  'trap : INT TERM',
  'case $size in none|open)',
  'sh -c "$watch" sh "$$" <&3 3<&- 4>&- >/dev/null &',
  '[ "$size" = open ] || exec 3</dev/null',
  '(exec "$@" <&3 2>&4 3<&- 4>&-)',
  'exit $?',
  'esac',
  `sh -c 'echo "$$"; head -c "$1"; exec >/dev/null; shift; eval "$2"' sh "$size" "$$" "$watch" <&3 3<&- 4>&- | {`,
  'read -r watcher',
  '(exec "$@" 2>&4 3<&- 4>&-)',
  'code=$?',
  'kill -s PIPE "$watcher"',
  'exit "$code"',
  '}',
].join('\n');

export interface RemoteOptions {
  /** A line that nothing else prints. */
  readonly marker: string;
  /**
   * Bytes that the command reads; `none`; or `open` for one that watches the input itself. The connection's input must
   * stay open behind them until the command has ended: closing it ends the command.
   */
  readonly input: number | 'none' | 'open';
}

/** What `sudo -n` is needed for is decided there: who we are on the node is known only there. */
const asRoot = [
  'PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin LC_ALL=C',
  'export PATH LC_ALL',
  '[ "$(id -u)" != 0 ] || exec "$@"',
  'command -v sudo >/dev/null || { echo "the user is not root, and there is no sudo" >&2; exit 1; }',
  'exec sudo -n -- "$@"',
].join('\n');

/** Errors: UsageError for an argument with a NUL byte. */
export function remoteCommand(argv: readonly string[], { marker, input }: RemoteOptions): string {
  const supervised = ['sh', '-c', script, 'sh', marker, watch, String(input), ...argv];
  return `exec ${quoteArgv(['sh', '-c', asRoot, 'sh', ...supervised])}`;
}
