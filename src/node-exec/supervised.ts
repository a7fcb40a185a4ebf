// Commands on a far node that end when the connection does: a constant shell script runs them and watches its own input.
// What carries the connection keeps that input open for as long as the command may run, and closes it to end the command.

/**
 * `run WORDS` runs a command without input and leaves its exit code in $?. When the script's input ends, or on SIGTERM,
 * the command gets SIGTERM, and SIGKILL a second later. Nothing is left behind: the watcher only reads, and goes with us.
 * `$!` is known from the moment that there is a command; a variable of our own would be set too late for an early end.
 */
export const supervision = `
exec 3<&0
trap 'trap "" TERM; kill -TERM "$!" && sleep 1 && kill -KILL "$!"; exit 143' TERM
{ while read -r ignored; do :; done; kill -TERM $$; } <&3 >/dev/null 2>&1 3<&- &
watcher=$!
exec 3<&-
run() {
  "$@" </dev/null &
  wait "$!"
}
finish() {
  kill -KILL "$watcher" 2>/dev/null
  exit "$1"
}
`;

/**
 * The command that runs `argv` on a far node under supervision: same output, same exit code. Only with an open input!
 * The words are positional arguments of a constant script.
 */
export function supervisedArgv(argv: readonly string[]): string[] {
  return ['sh', '-c', `${supervision}run "$@"\nfinish $?\n`, 'sh', ...argv];
}
