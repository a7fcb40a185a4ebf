// How src/ is bundled: for dist/ by build.mjs, and for the test run on bundled code by vitest.built.config.mjs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkPlugins } from './build-chunks.mjs';
import { packagePlugins } from './build-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function commit() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], options).trim();
  } catch {
    return 'unknown';
  }
}

/** What CommonJS packages require is part of Node, or optional and absent. */
const requireOfNode = `const require = (id) => {
  const found = process.getBuiltinModule(id);
  if (found === undefined) throw Object.assign(new Error("Cannot find module '" + id + "'"), { code: 'MODULE_NOT_FOUND' });
  return found;
};`;

/** What all bundles have in common. */
export const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  write: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { CALICTL_BUILD: JSON.stringify({ version, commit: commit() }) },
};

/** A program in chunks that are loaded when they are needed. */
export const inChunks = {
  ...common,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Parts that packages do without: cli-table3 needs @colors for borders only.
  external: ['encoding', 'bufferutil', 'utf-8-validate', 'supports-color', '@colors/colors/safe'],
  plugins: [...packagePlugins, ...chunkPlugins],
  banner: { js: requireOfNode },
};
