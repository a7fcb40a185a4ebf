// The built run: the suites of connections, datastores and commands on bundled code. src/ is bundled exactly as for dist/ (the
// adapted packages, the syntax, modules that are loaded on first use), except that every file of it can be imported, and what
// the tests import from src/ is taken from there. The chunks differ: test/package runs dist/ itself.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { defineConfig } from 'vitest/config';
import { inChunks } from './build-options.mjs';
import everything from './vitest.config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, 'src');
// Vitest takes what is below node_modules/ as it is.
const bundled = join(root, 'node_modules', '.calictl-built');

/** @type {import('vite').Plugin} */
const fromBundle = {
  name: 'from-bundle',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return undefined;
    const path = join(dirname(importer), id);
    if (!path.startsWith(`${sources}/`) || importer.startsWith(`${sources}/`)) return undefined;
    const file = join(bundled, relative(sources, path).replace(/\.ts$/, '.js'));
    if (!existsSync(file)) throw new Error(`${path} is not in the bundle`);
    return file;
  },
};

rmSync(bundled, { recursive: true, force: true });
await build({
  ...inChunks,
  entryPoints: readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'main.ts')
    .map((name) => `src/${name}`),
  outbase: 'src',
  outdir: bundled,
  write: true,
});

export default defineConfig({
  plugins: [fromBundle],
  test: {
    ...everything.test,
    include: ['test/{cli,commands,connect,contract,datastore}/**/*.test.ts'],
  },
});
