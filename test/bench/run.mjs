// npm run bench -- [BENCH…] [--pods N] …: bundles run.ts, which is TypeScript, into a temporary folder and runs it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { packagePlugins } from '../../.config/build-packages.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** The supports of the test suites register hooks with vitest when they are used in one; here they are not. */
const withoutVitest = {
  name: 'without-vitest',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: 'vitest', namespace: 'absent' }));
    onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
  },
};

/** Files that are found from the place of a source file are found from there in the bundle too. */
const inPlace = {
  name: 'in-place',
  setup({ onLoad }) {
    onLoad({ filter: /\/test\/.*\.ts$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

const folder = mkdtempSync(join(tmpdir(), 'calictl-bench-code-'));
const outfile = join(folder, 'run.mjs');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await build({
  entryPoints: [join(here, 'run.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'error',
  plugins: [withoutVitest, inPlace, ...packagePlugins],
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
});
await import(pathToFileURL(outfile).href);
