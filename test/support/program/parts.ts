// The real programs that suites use: where they are, and what happens when they are missing.
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const { env } = process;
const partsFolder =
  env['KUBEBUILDER_ASSETS'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'calictl', 'parts');

export type Part = 'etcd' | 'kube-apiserver' | 'kubectl' | 'kubelet-stand-in' | 'host-local';

export function partPath(part: Part): string {
  return join(partsFolder, part);
}

/**
 * `describe` for suites that need the parts. Without them it is skipped, and its name says how to get them; with CI set
 * it fails instead.
 */
export function describeWithParts(name: string, parts: readonly Part[], suite: () => void): void {
  const missing = parts.filter((part) => !existsSync(partPath(part)));
  describeUnless(missing.length === 0 ? undefined : `${missing.join(' and ')} missing in ${partsFolder}`, name, suite);
}

/** The path of a program on this machine, also in the administrator's folders; undefined if it is not installed. */
export function programPath(program: string): string | undefined {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `describe` for suites that run these programs as root; otherwise like describeWithParts. */
export function describeWithPrograms(name: string, programs: readonly string[], suite: () => void): void {
  const missing = programs.filter((program) => programPath(program) === undefined);
  const lacks = [
    ...(process.getuid?.() === 0 ? [] : ['it needs root']),
    ...(missing.length === 0 ? [] : [`${missing.join(' and ')} missing`]),
  ];
  describeUnless(lacks.length === 0 ? undefined : lacks.join(', '), name, suite);
}

function describeUnless(lack: string | undefined, name: string, suite: () => void): void {
  if (lack === undefined) {
    describe(name, suite);
    return;
  }
  const why = `${name}: ${lack}, get what is missing with: npm run provision (as root)`;
  if (env['CI']) {
    it(why, () => expect.fail(why));
  } else {
    describe.skip(why, suite);
  }
}
