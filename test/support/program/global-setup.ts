// vitest's globalSetup: creates a folder for the processes that suites start during a run, and ends them all afterwards.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Processes leave their pid files (`*.pid`) and their data here. */
    partsRunFolder: string;
  }
}

const prefix = 'calictl-parts-';

/** Returns a function that ends the processes of this run. Those of runs that were killed are ended first. */
export function setup(project: TestProject): () => void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const abandoned = join(tmpdir(), name);
    if (existsSync(join(abandoned, 'owner')) && !isAlive(numberIn(join(abandoned, 'owner')))) endRun(abandoned);
  }
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(folder, 'owner'), String(process.pid));
  project.provide('partsRunFolder', folder);
  return () => endRun(folder);
}

function endRun(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.pid')) endProcess(numberIn(join(folder, file)), folder);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Ends a process whose command line contains the folder; any other with that pid belongs to another program. */
export function endProcess(pid: number, folder: string): void {
  const commandLine = `/proc/${pid}/cmdline`;
  if (
    existsSync('/proc/self/cmdline') &&
    !(existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(folder))
  ) {
    return;
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const numberIn = (path: string): number => Number(readFileSync(path, 'utf8'));
