// Builds dist/: main.js with its chunks, version-fast-path.cjs for bin/, and the licence texts of everything bundled.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { common, inChunks } from './build-options.mjs';
import { bundledInputs, licences } from './licences.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

const main = await build({
  ...inChunks,
  entryPoints: { main: 'src/main.ts' },
  metafile: true,
});
const versionAnswer = await build({
  ...common,
  entryPoints: { 'version-fast-path': 'src/cli/version-fast-path.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
});
/**
 * A CommonJS module that is imported dynamically becomes a chunk with `default` only: where names of it are used, the program
 * would fail, and only when it is built. A module of src/ that imports it statically is to be loaded instead.
 */
function refuseNamelessChunks(outputs) {
  const nameless = Object.values(outputs).flatMap(({ imports, inputs }) =>
    imports
      .filter(({ kind, path }) => kind === 'dynamic-import' && outputs[path]?.exports.join() === 'default')
      .map(({ path }) => `${outputs[path].entryPoint}, imported by one of ${Object.keys(inputs).join(', ')}`),
  );
  if (nameless.length > 0) throw new Error(`dynamic import of CommonJS:\n${nameless.join('\n')}`);
}
refuseNamelessChunks(main.metafile.outputs);

// The previous build stays until everything of the new one is ready to be written.
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'chunks'), { recursive: true });
for (const { path, contents } of [...main.outputFiles, ...versionAnswer.outputFiles]) writeFileSync(path, contents);
writeFileSync(join(dist, 'licenses.txt'), licences(bundledInputs(main.metafile)));
if (process.argv.includes('--metafile')) writeFileSync(join(dist, 'metafile.json'), JSON.stringify(main.metafile));
