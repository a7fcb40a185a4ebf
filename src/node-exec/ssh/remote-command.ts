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
 * say of a program that was killed goes nowhere. `$size` is the number of bytes of the command's input: the watcher hands them over
 * first, and says who it is, so that it can be ended after the command. `open` gives it the open end that is watched.
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
  /** By `sudo -n`. */
  readonly elevate: boolean;
  /**
   * Bytes that the command reads; `none`; or `open` for one that watches the input itself. The connection's input must
   * stay open behind them until the command has ended: closing it ends the command.
   */
  readonly input: number | 'none' | 'open';
}

/** Errors: UsageError for an argument with a NUL byte. */
export function remoteCommand(argv: readonly string[], { marker, elevate, input }: RemoteOptions): string {
  const words = ['sh', '-c', script, 'sh', marker, watch, String(input), ...argv];
  return `exec ${quoteArgv(elevate ? ['sudo', '-n', '--', ...words] : words)}`;
}

/** Who we are on the node, and what sudo lets us do. Prints one line that `rightsOf` reads; sudo's words go to stderr. */
export const rightsCommand = `exec ${quoteArgv([
  'sh',
  '-c',
  [
    'PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin LC_ALL=C',
    'export PATH LC_ALL',
    'if [ "$(id -u)" = 0 ]; then right=root',
    'elif ! command -v sudo >/dev/null; then right=no-sudo',
    'elif sudo -n -- sh -c : </dev/null; then right=sudo',
    'else right=refused',
    'fi',
    'printf "calictl: %s\\n" "$right"',
  ].join('\n'),
])}`;

export type Rights = 'root' | 'sudo' | 'no-sudo' | 'refused';

/** Undefined when the far side did not run the script: it has no POSIX shell. */
export function rightsOf(stdout: string): Rights | undefined {
  const found = /^calictl: (root|sudo|no-sudo|refused)$/m.exec(stdout)?.[1];
  return found as Rights | undefined;
}
