// Commands on a remote node that end when the connection does: a constant shell script runs them and watches its input.
// A transport keeps that input open for as long as the command may run, and closes it to end the command.

/**
 * Neither sshd nor a kubelet ends a program when the connection is gone. So the watcher, at the end of the input, ends the
 * whole process group: SIGINT, two seconds later SIGTERM, finally SIGKILL for whatever is left. `$1` is the process whose
 * end means that the command has ended; the watcher itself ignores all but the last signal. The last second lets the
 * other processes in the group report how the command ended.
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
 * The command runs in its own shell; the outer shell waits for it through all signals and returns its exit code. Shells'
 * messages about a killed program are discarded. `$size` is the length of the command's input in bytes: the watcher first
 * passes that on, and prints its process ID. The watcher is killed after a command that ended by itself; after a command
 * that received SIGINT or SIGTERM it goes on until everything left in the background has ended too.
 */
const script = [
  'watch=$1 size=$2 ending=',
  'shift 2',
  'exec 3<&0 4>&2 2>/dev/null',
  'trap ending=yes INT TERM',
  'if [ "$size" = none ]; then',
  'sh -c "$watch" sh "$$" <&3 3<&- 4>&- >/dev/null &',
  '(exec "$@" </dev/null 2>&4 3<&- 4>&-)',
  'code=$?',
  '[ -n "$ending" ] || kill -s KILL "$!"',
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
 * The command that runs `argv` on a remote node under supervision: same output, same exit code. It must lead its process
 * group, or share it only with processes that wait for it, as with sshd and the container runtimes: the whole group is
 * ended. `input` is the length of the command's input in bytes; the connection's input must stay open after it until the
 * command has ended. The words are positional arguments of a constant script.
 */
export function supervisedArgv(argv: readonly string[], input: number | 'none' = 'none'): string[] {
  return ['sh', '-c', script, 'sh', watch, String(input), ...argv];
}

/** How long a command may take to end after its input was closed, in milliseconds; the script above is faster. */
const endMs = 10_000;

/**
 * Ends a supervised command when the signal is aborted: `endInput` at once, so that its last output still arrives, and
 * `cut` if it has not ended 10 seconds later. Returns what must be called when the command has ended.
 */
export function endOnAbort(signal: AbortSignal, endInput: () => void, cut: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    endInput();
    timer = setTimeout(cut, endMs);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  };
}
