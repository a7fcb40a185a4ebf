// `birdc show status` as data.
import type { Parsed } from '../parse-result.ts';
import { excerpt, notUnderstood, understood, wholeNumber } from '../parsing.ts';
import { birdAnswer, birdProblem } from './answer.ts';
import type { BirdStatus } from './bird.ts';

/** How the lines of a status begin; the rest of the line is the value. */
const starts = {
  version: 'BIRD ',
  routerId: 'Router ID is ',
  serverTime: 'Current server time is ',
  lastReboot: 'Last reboot on ',
  lastReconfiguration: 'Last reconfiguration on ',
} as const;

const recovery = 'Graceful restart recovery in progress';
const recoveryLines = [/^\s+Waiting for (\d+) protocols? to recover$/, /^\s+Wait timer is (\S+)$/] as const;

/** The last line: what the daemon is doing. */
const lastLine = /^(Daemon is|Shutdown in|Reconfiguration in) /;

/**
 * Reads the output of `birdc show status`. Only the line `BIRD <version>` below the banner is required.
 */
export function parseBirdStatus(text: string): Parsed<BirdStatus> {
  const problem = birdProblem(text);
  if (problem !== undefined) return notUnderstood(problem);
  const found = new Map<string, string>();
  const skipped: string[] = [];
  let inRecovery = false;
  let waitingFor: number | undefined;
  let timer: string | undefined;
  for (const line of birdAnswer(text).lines) {
    const field = Object.entries(starts).find(([name, start]) => line.startsWith(start) && !found.has(name));
    const waiting = recoveryLines[0].exec(line);
    const wait = recoveryLines[1].exec(line);
    if (field !== undefined) found.set(field[0], line.slice(field[1].length).trim());
    else if (line === recovery) inRecovery = true;
    else if (waiting !== null) waitingFor = wholeNumber(waiting[1]);
    else if (wait !== null) timer = wait[1];
    else if (lastLine.test(line)) found.set('message', line);
    else skipped.push(line);
  }
  const version = found.get('version');
  if (version === undefined || !/^v?\d\S*$/.test(version)) {
    return notUnderstood(`no line "BIRD <version>"${text.trim() === '' ? '' : `: ${excerpt(text)}`}`);
  }
  return understood(
    {
      version,
      routerId: found.get('routerId'),
      serverTime: found.get('serverTime'),
      lastReboot: found.get('lastReboot'),
      lastReconfiguration: found.get('lastReconfiguration'),
      gracefulRestart: inRecovery ? { waitingFor, timer } : undefined,
      message: found.get('message'),
    },
    skipped,
  );
}
