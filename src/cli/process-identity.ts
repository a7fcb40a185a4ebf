// Tells a process from every other that had or will have its pid: boot, pid namespace and start time, from Linux's /proc.
import { readFileSync, readlinkSync } from 'node:fs';
import type { ProcessIdentity } from '../world/world.ts';

interface Origin {
  /** Of the running kernel. */
  readonly boot: string;
  /** Inside which the pid means something. */
  readonly pidNamespace: string;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function origin(): Origin | undefined {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pidNamespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return boot === undefined || pidNamespace === undefined ? undefined : { boot, pidNamespace };
}

/** Clock ticks since boot; the program's name before it may hold spaces and parentheses. */
function startTime(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended.
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

const incarnationOf = ({ boot, pidNamespace }: Origin, start: string): string => `${boot} ${pidNamespace} ${start}`;

/**
 * The identity of this process, read when it is first asked for. `startedAt` is used where there is no /proc, and
 * `exists` tells whether a pid is in use.
 */
export function processIdentity(
  pid: number,
  hostname: () => string,
  startedAt: () => number,
  exists: (pid: number) => boolean,
): ProcessIdentity {
  return {
    pid,
    get hostname() {
      return hostname();
    },
    get incarnation() {
      const here = origin();
      const start = startTime(pid);
      return here === undefined || start === undefined ? `started ${startedAt()}` : incarnationOf(here, start);
    },
    isAlive(other, incarnation) {
      const here = origin();
      const [boot, pidNamespace] = incarnation.split(' ');
      if (here === undefined || incarnation.startsWith('started ')) return exists(other) ? undefined : false;
      if (boot !== here.boot) return false;
      if (pidNamespace !== here.pidNamespace) return undefined;
      const start = startTime(other);
      return start !== undefined && incarnation === incarnationOf(here, start);
    },
  };
}
