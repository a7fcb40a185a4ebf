// The programs that suites talk to for real: where they are, and what happens when they are missing.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const { env } = process;
const partsFolder =
  env['KUBEBUILDER_ASSETS'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'calictl', 'parts');

export type Part = 'etcd' | 'kube-apiserver';

export function partPath(part: Part): string {
  return join(partsFolder, part);
}

/**
 * `describe` for suites that need the parts. Without them it is skipped, with the way to get them in its name; with CI
 * set it fails instead.
 */
export function describeWithParts(name: string, parts: readonly Part[], suite: () => void): void {
  const missing = parts.filter((part) => !existsSync(partPath(part)));
  if (missing.length === 0) {
    describe(name, suite);
    return;
  }
  const why = `${name}: ${missing.join(' and ')} missing in ${partsFolder}, get them with: npm run provision`;
  if (env['CI']) {
    it(why, () => expect(missing).toEqual([]));
  } else {
    describe.skip(why, suite);
  }
}
