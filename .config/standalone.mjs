// Builds standalone/calictl: one executable that contains Node, the plugins and all commands. Reasons: docs/decisions/0021-standalone.md.
// Options: --output DIR (standalone).
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { inject } from 'postject';
import { common, inChunks } from './build-options.mjs';
import { packagePlugins } from './build-packages.mjs';
import { bundledInputs, licences } from './licences.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { output } = parseArgs({ options: { output: { type: 'string', default: join(root, 'standalone') } } }).values;
const directory = resolve(output);

/** An executable runs CommonJS, and nothing in it may be loaded by import(). */
const inOneFile = {
  ...common,
  format: 'cjs',
  supported: { 'dynamic-import': false },
  external: inChunks.external,
  metafile: true,
};

/** The commands as a script of its own, which the plugins never read. */
const commandsLater = {
  name: 'commands-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/run-cli\.ts$/ }, ({ path, importer }) =>
      importer.endsWith('/src/main.ts') ? { path, namespace: 'commands-later' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'commands-later' }, () => ({
      contents: `
        const { getRawAsset } = require('node:sea');
        const { Script } = require('node:vm');
        const source = Buffer.from(getRawAsset('commands')).latin1Slice();
        const script = new Script(source, { filename: 'calictl', cachedData: Buffer.from(getRawAsset('cache')) });
        const module = { exports: {} };
        script.runInThisContext()(module.exports, require, module);
        export const runCli = module.exports.runCli;`,
    }));
  },
};

async function bundled(entry, plugins) {
  const { metafile, outputFiles } = await build({
    ...inOneFile,
    entryPoints: { [entry]: `src/${entry}.ts` },
    plugins: [...plugins, ...packagePlugins],
  });
  return { metafile, text: outputFiles[0].text };
}

/** The Node that runs this, with the files in it. */
async function executable(folder, files) {
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return [name, path];
  });
  const { main, ...assets } = Object.fromEntries(paths);
  const blob = join(folder, 'blob');
  const config = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets };
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', join(folder, 'sea.json')], { stdio: 'pipe' });
  const program = join(folder, 'calictl');
  copyFileSync(process.execPath, program);
  chmodSync(program, 0o755);
  const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
  await inject(program, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse });
  return program;
}

const plugins = await bundled('main', [commandsLater]);
const commands = await bundled('cli/run-cli', []);
// esbuild leaves characters beyond ASCII in regular expressions. Without them the script is read as bytes, in half the time.
const ascii = commands.text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const script = `(function (exports, require, module) {${ascii}\n})`;

const folder = mkdtempSync(join(tmpdir(), 'calictl-standalone-'));
try {
  const cache = new Script(script, { filename: 'calictl' }).createCachedData();
  const program = await executable(folder, { main: plugins.text, commands: script, cache });
  mkdirSync(directory, { recursive: true });
  // A running program is replaced, not written to.
  copyFileSync(program, join(directory, 'calictl.new'));
  renameSync(join(directory, 'calictl.new'), join(directory, 'calictl'));
  const inputs = [plugins, commands].flatMap(({ metafile }) => bundledInputs(metafile));
  const node = `Node.js ${process.version} and what it contains: https://github.com/nodejs/node/blob/${process.version}/LICENSE\n`;
  writeFileSync(join(directory, 'licenses.txt'), `${licences(inputs)}\n${node}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
