// Builds dist/: main.js with its chunks, version-fast-path.cjs for bin/, and the licence texts of everything bundled.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { common, inChunks } from './build-options.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

function packageOf(input) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

/** Name, licence and licence text of each package of which the bundle contains a part. */
function licences(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  const texts = folders.map((folder) => {
    const {
      name,
      version: its,
      licenses: old,
      license = old?.[0]?.type,
    } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined
        ? `(no licence file; package.json says ${license})`
        : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${its} (${license})\n\n${text.trim()}\n`;
  });
  return `calictl contains code of these packages.\n\n${[...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`)}`;
}

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
const bundled = Object.values(main.metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
);

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
writeFileSync(join(dist, 'licenses.txt'), licences(bundled));
if (process.argv.includes('--metafile')) writeFileSync(join(dist, 'metafile.json'), JSON.stringify(main.metafile));
