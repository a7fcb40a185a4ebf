// Several commands over one connection: a constant shell script that takes its data as positional arguments, and the
// parser of its output. For transports where a round trip costs (the API server's exec, SSH).
import type { CommandResult, Step, StepOutcome, TransportError } from './node-exec.ts';

/**
 * Arguments: a marker, then for each step a letter (`a`: always, `f`: only if the step before failed), the number of its
 * words, and the words. After each step a line with the marker is printed to both streams, on stdout with the exit code.
 * `eval` sees only references to positional arguments, never the data. After SIGINT or SIGTERM no further step is begun.
 */
const script = `trap 'exit 130' INT TERM
mark=$1
shift
failed=0
while [ $# -gt 0 ]; do
  when=$1 count=$2
  shift 2
  if [ "$when" = f ] && [ "$failed" = 0 ]; then
    code=skipped
  else
    words= i=1
    while [ "$i" -le "$count" ]; do
      words="$words \\"\\\${$i}\\""
      i=$((i + 1))
    done
    eval "$words </dev/null"
    code=$?
    failed=$code
  fi
  printf '\\n%s %s\\n' "$mark" "$code"
  printf '\\n%s\\n' "$mark" >&2
  shift "$count"
done
`;

/**
 * The command that runs the steps on the node; none of them has input. The marker must be text that no step prints: the
 * letters and digits of a random UUID.
 */
export function stepsArgv(marker: string, steps: readonly Step[]): string[] {
  const words = steps.flatMap(({ argv, onlyIfFailed }) => [onlyIfFailed ? 'f' : 'a', String(argv.length), ...argv]);
  return ['sh', '-c', script, 'sh', marker, ...words];
}

/** A stream, split at the markers: the output of each step that ended, and the exit code after each marker. */
function split(text: string, marker: string): { readonly part: string; readonly code: string }[] {
  const parts = text.split(`\n${marker}`);
  return parts.slice(0, -1).map((part, i) => ({
    part: i === 0 ? part : part.replace(/^[^\n]*\n/, ''),
    code: (/^ ?([^\n]*)\n/.exec(parts[i + 1] ?? '')?.[1] ?? '').trim(),
  }));
}

/**
 * The outcome of each step. `whole` is what the script printed; steps without a marker in it are lost, with the error
 * `unfinished`.
 */
export function parseSteps(
  marker: string,
  steps: readonly Step[],
  whole: Pick<CommandResult, 'stdout' | 'stderr' | 'durationMs' | 'truncated'>,
  unfinished: TransportError,
): StepOutcome[] {
  const out = split(whole.stdout, marker);
  const errors = split(whole.stderr, marker);
  return steps.map((_, i): StepOutcome => {
    const { part, code } = out[i] ?? {};
    if (part === undefined || code === undefined || code === '') return { kind: 'lost', error: unfinished };
    if (code === 'skipped') return { kind: 'skipped' };
    const stderr = errors[i]?.part ?? '';
    const { durationMs } = whole;
    return { kind: 'ran', result: { exit: Number(code), stdout: part, stderr, durationMs, truncated: false } };
  });
}
