// The processes of this machine.
import { readdirSync, readFileSync } from 'node:fs';

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended meanwhile.
    return '';
  }
}

/** True when a process other than this one has the text in its command line (words joined by spaces). */
export function isRunning(text: string): boolean {
  return readdirSync('/proc').some(
    (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && commandLine(pid).includes(text),
  );
}
