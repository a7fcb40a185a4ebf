// calictl as Calico's pair of CNI plugins: the program bundled as for dist/, called by the names calico and calico-ipam, and by its own.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface PluginPair {
  /** The directory with the plugins, for CNI_PATH. */
  readonly directory: string;
  /** Program and arguments that start one of them. */
  command(name: 'calico' | 'calico-ipam' | 'calictl'): readonly string[];
  remove(): void;
}

/** Bundles src/ into a temporary directory. */
export async function ownPluginPair(): Promise<PluginPair> {
  const directory = mkdtempSync(join(tmpdir(), 'calictl-plugins-'));
  // Not typed: a module of the build.
  const path = '../../../.config/build-options.mjs';
  const { inChunks } = await import(path);
  const { outputFiles = [] } = await build({
    ...inChunks,
    entryPoints: { main: 'src/main.ts' },
    outdir: join(directory, 'program'),
  });
  mkdirSync(join(directory, 'program', 'chunks'), { recursive: true });
  writeFileSync(join(directory, 'program', 'package.json'), '{"type":"module"}');
  for (const { path: file, contents } of outputFiles) writeFileSync(file, contents);
  for (const name of ['calico', 'calico-ipam', 'calictl']) symlinkSync('program/main.js', join(directory, name));
  return {
    directory,
    command: (name) => [process.execPath, join(directory, name)],
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
