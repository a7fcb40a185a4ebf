// Commands on a far node that end when the connection does: a constant shell script runs them and watches its own input.
// What carries the connection keeps that input open for as long as the command may run, and closes it to end the command.

/**
 * Neither sshd nor a kubelet ends a program when the connection is gone. So whoever watches the input ends the whole
 * process group at its end: SIGINT, two seconds later SIGTERM, at last SIGKILL for whatever is left. `$1` is the process
 * that tells whether it has ended; the watcher itself minds only the last signal. The last second is for those in the group
 * who still have to say how it ended.
 */
const watch = [
  "trap '' INT TERM HUP",
  'while read -r line; do :; done',
  'kill -0 "$1" || exit 0',
  'for signal in INT TERM; do',
  'kill -s "$signal" 0',
  'for wait in 1 2; do kill -0 "$1" && sleep 1; done',
  'done',
  'sleep 1',
  'kill -s KILL 0',
].join('\n');

/**
 * The command runs in a shell of its own; the first waits for it through all signals and gives its exit code. What shells
 * say of a program that was killed goes nowhere. `$size` is the number of bytes of the command's input: the watcher hands
 * them over first, and says who it is. It is ended after a command that ended by itself; after one that was told to end it
 * goes on until all that was left in the background has ended too.
 */
const script = [
  'watch=$1 size=$2 told=',
  'shift 2',
  'exec 3<&0 4>&2 2>/dev/null',
  'trap told=yes INT TERM',
  'if [ "$size" = none ]; then',
  'sh -c "$watch" sh "$$" <&3 3<&- 4>&- >/dev/null &',
  '(exec "$@" </dev/null 2>&4 3<&- 4>&-)',
  'code=$?',
  '[ -n "$told" ] || kill -s KILL "$!"',
  'exit "$code"',
  'fi',
  `sh -c 'echo "$$"; head -c "$1"; exec >/dev/null; shift; eval "$2"' sh "$size" "$$" "$watch" <&3 3<&- 4>&- | {`,
  'read -r watcher',
  '(exec "$@" 2>&4 3<&- 4>&-)',
  'code=$?',
  'kill -s PIPE "$watcher"',
  'exit "$code"',
  '}',
].join('\n');

/**
 * The command that runs `argv` on a far node under supervision: same output, same exit code. It must lead its process
 * group or be alone in it with what waits for it, as with sshd and the container runtimes: the group is what is ended.
 * `input` is the number of bytes that the command reads; the connection's input must stay open behind them until the
 * command has ended. The words are positional arguments of a constant script.
 */
export function supervisedArgv(argv: readonly string[], input: number | 'none' = 'none'): string[] {
  return ['sh', '-c', script, 'sh', watch, String(input), ...argv];
}
