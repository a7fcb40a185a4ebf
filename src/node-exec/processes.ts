// The processes of this machine by their command lines, and who we are.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The arguments of every process, the program's name first. Processes that end meanwhile are left out. */
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

/** True for the user with all rights. */
export function isRoot(): boolean {
  return statSync('/proc/self').uid === 0;
}
