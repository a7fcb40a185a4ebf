// Builds dist/: main.js with its chunks, quick-answer.cjs for bin/, and the licence texts of everything bundled.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const resolveFromRoot = createRequire(join(root, 'package.json'));
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function commit() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], options).trim();
  } catch {
    return 'unknown';
  }
}

/** client-node says nothing about side effects and has none: only what is named is kept of its 967 files. */
const clientNodeWithoutSideEffects = {
  name: 'client-node',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async (args) => {
      if (args.pluginData === 'resolving') return undefined;
      const fromInside = args.importer.includes('@kubernetes/client-node');
      if (!fromInside && !args.path.startsWith('@kubernetes/client-node')) return undefined;
      const { kind, importer, namespace, resolveDir } = args;
      const found = await resolve(args.path, { kind, importer, namespace, resolveDir, pluginData: 'resolving' });
      if (found.errors.length > 0 || found.external) return found.external ? found : undefined;
      return found.path.includes('@kubernetes/client-node') ? { path: found.path, sideEffects: false } : undefined;
    });
  },
};

/** Node's own punycode prints a deprecation warning; the npm package of the name does not. */
const punycode = {
  name: 'punycode',
  setup({ onResolve }) {
    onResolve({ filter: /^punycode\/?$/ }, () => ({ path: resolveFromRoot.resolve('punycode/') }));
  },
};

/** commander needs it for commands that are programs of their own; loading it takes 3 ms. */
const lazyChildProcess = {
  name: 'lazy-child-process',
  setup({ onLoad }) {
    onLoad({ filter: /commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const eager = "const childProcess = require('node:child_process');";
      if (!text.includes(eager)) throw new Error(`${path} does not load child_process as expected`);
      const lazy = "const childProcess = { get spawn() { return require('node:child_process').spawn; } };";
      return { contents: text.replace(eager, lazy), loader: 'js' };
    });
  },
};

/** What CommonJS packages ask for is part of Node, or optional and absent. */
const requireOfNode = `const require = (id) => {
  const found = process.getBuiltinModule(id);
  if (found === undefined) throw Object.assign(new Error("Cannot find module '" + id + "'"), { code: 'MODULE_NOT_FOUND' });
  return found;
};`;

const common = {
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

function packageOf(input) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

/** Name, licence and licence text of each package that a part of is in the bundle. */
function licences(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  const texts = folders.map((folder) => {
    const { name, version: its, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
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
  ...common,
  entryPoints: { main: 'src/main.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  external: ['encoding', 'bufferutil', 'utf-8-validate', 'supports-color'],
  plugins: [clientNodeWithoutSideEffects, punycode, lazyChildProcess],
  banner: { js: requireOfNode },
  metafile: true,
});
const quickAnswer = await build({
  ...common,
  entryPoints: { 'quick-answer': 'src/cli/quick-answer.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
});
const bundled = Object.values(main.metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
);

// What was built before stays until everything new is there.
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'chunks'), { recursive: true });
for (const { path, contents } of [...main.outputFiles, ...quickAnswer.outputFiles]) writeFileSync(path, contents);
writeFileSync(join(dist, 'licenses.txt'), licences(bundled));
if (process.argv.includes('--metafile')) writeFileSync(join(dist, 'metafile.json'), JSON.stringify(main.metafile));
