// vitest's globalSetup: a folder for the processes that suites start during a run, and the end of all of them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Processes leave their pid files (`*.pid`) and their data here. */
    partsRunFolder: string;
  }
}

/** Answers what ends the processes of this run, and nothing else: their pid files are in its own folder. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-parts-'));
  project.provide('partsRunFolder', folder);
  return () => {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.pid')) endProcess(Number(readFileSync(join(folder, file), 'utf8')));
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
