// The processes of this machine by their command lines, and whether this one runs as root.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The command line of every process, as words. A process that ends meanwhile is left out. */
export function processArguments(proc = '/proc'): string[][] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const text = readFileSync(join(proc, pid, 'cmdline'), 'utf8');
        return text === '' ? [] : [text.replace(/\0$/, '').split('\0')];
      } catch {
        return [];
      }
    });
}

/** True when this process runs as root. */
export function isRoot(): boolean {
  return statSync('/proc/self').uid === 0;
}
