// Whether Felix is alive on a node, by its own check, runit or the list of processes.

import { excerpt, linesOf, wordsOf } from './parsing.ts';
import type { Observed, ProbeOutcome } from './probes.ts';

/** `live` by its own check; `running` when only its process was seen, which may hang. */
export type FelixState = 'live' | 'not live' | 'running' | 'not running';

type Answered = Extract<ProbeOutcome, { kind: 'answered' }>;

/** `calico-node -felix-live` exits with 0 when Felix answers its liveness check, otherwise with 1. */
function ownCheck({ exit }: Answered): FelixState | undefined {
  if (exit === 0) return 'live';
  return exit === 1 ? 'not live' : undefined;
}

/** `sv status` of runit: `run: …: (pid 42) 7s`, `down: …`; with `fail:` and `warning:` it does not know. */
function service({ stdout }: Answered): FelixState | undefined {
  if (stdout.startsWith('run:')) return 'running';
  return stdout.startsWith('down:') ? 'not running' : undefined;
}

/** True when the program or its first argument is Felix's. */
function isFelix([program, argument]: readonly string[]): boolean {
  return program === 'calico-felix' || program === 'calico-node' || argument === '-felix';
}

/** Process IDs and command lines; pgrep exits with 1 when there are none. */
function processes({ exit, stdout, stderr }: Answered): FelixState | undefined {
  if (exit === 1 && stdout === '' && stderr === '') return 'not running';
  if (exit !== 0) return undefined;
  return linesOf(stdout).some((line) => isFelix(wordsOf(line).slice(1))) ? 'running' : 'not running';
}

const readers: ReadonlyMap<string, (outcome: Answered) => FelixState | undefined> = new Map([
  ['calico-node', ownCheck],
  ['sv', service],
  ['pgrep', processes],
]);

/** Reads the outcome of the probe `felix` or `felix-process`. A missing program (126, 127) says nothing about Felix. */
export function parseFelix(outcome: ProbeOutcome): Observed<FelixState> {
  const { argv } = outcome;
  if (outcome.kind === 'unanswered') return { seen: false, why: outcome.reason, argv };
  const value = readers.get(argv[0] ?? '')?.(outcome);
  if (value !== undefined) return { seen: true, value, argv };
  const said = excerpt(outcome.stderr) || excerpt(outcome.stdout);
  const why = `${argv[0] ?? 'nothing'} exited with code ${outcome.exit}${said === '' ? '' : `: ${said}`}`;
  return { seen: false, why, argv };
}
