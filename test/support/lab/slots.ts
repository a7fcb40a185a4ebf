// The labs that exist: each has a numbered slot and a folder with its owner. Labs of ended processes are removed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess } from '../program/global-setup.ts';
import { runProgram } from '../program/run-program.ts';
import { until } from '../program/until.ts';
import { removeUnderlay } from './network.ts';

const stem = 'calictl-lab-';
const slots = 128;

export const holderPidFile = (folder: string, node: string): string => join(folder, node, 'holder.pid');

/** Takes a free slot, near the number of this test worker; labs of ended processes are removed first. */
export async function claimSlot(): Promise<{ slot: number; folder: string }> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(stem))) {
    const folder = join(tmpdir(), name);
    if (isAbandoned(folder)) await releaseSlot(folder);
  }
  const first = Number(process.env['VITEST_POOL_ID'] ?? '0');
  for (let tried = 0; tried < slots; tried += 1) {
    const slot = (first + tried) % slots;
    const folder = join(tmpdir(), `${stem}${slot}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    writeFileSync(join(folder, 'owner'), ourselves());
    return { slot, folder };
  }
  throw new Error(`all ${slots} slots for labs are taken: ${tmpdir()}/${stem}*`);
}

/** Ends a lab's processes, removes its namespaces and at last its folder, which frees the slot. */
export async function releaseSlot(folder: string): Promise<void> {
  const mark = join(folder, 'removing');
  try {
    if (existsSync(mark) && hasEnded(mark)) rmSync(mark, { force: true });
    // One at a time: a second process must not remove what a third has built in the slot since.
    writeFileSync(mark, ourselves(), { flag: 'wx' });
  } catch {
    return;
  }
  const pids = readdirSync(folder)
    .map((node) => holderPidFile(folder, node))
    .filter((file) => existsSync(file))
    .map((file) => Number(readFileSync(file, 'utf8')));
  for (const pid of pids) endProcess(pid, folder);
  await until(() => pids.every((pid) => !isOf(pid, folder)), 'the processes of the lab end');
  const prefix = `clab${folder.slice(folder.lastIndexOf('-') + 1)}`;
  await removeUnderlay(prefix);
  await until(
    async () => (await runProgram(['ip', 'link', 'show', prefix])).exit !== 0,
    `the device ${prefix} is gone`,
  );
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** True when its process has ended. One without an owner is new, or its process ended between two steps. */
function isAbandoned(folder: string): boolean {
  try {
    const owner = join(folder, 'owner');
    if (!existsSync(owner)) return Date.now() - statSync(folder).mtimeMs > 60_000;
    return hasEnded(owner);
  } catch {
    // Another process has just removed it.
    return false;
  }
}

/** Identifies this process uniquely. */
const ourselves = (): string => `${process.pid} ${startOf(process.pid)}`;

/** True when the process that is named in the file has ended. */
function hasEnded(file: string): boolean {
  const [pid, start] = readFileSync(file, 'utf8').split(' ');
  return startOf(Number(pid)) !== start;
}

function isOf(pid: number, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

/** When a process was started, in clock ticks since boot: unique together with the pid. Empty when it has ended. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent has not read its status.
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}
