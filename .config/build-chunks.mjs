// esbuild plugins that decide what ends up in one chunk.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Loading a chunk costs more than the code of small files in it, and esbuild makes a chunk for each combination of importers.
 * Importing a file of such a group loads the whole group: one chunk.
 */
function oneChunk(name, members) {
  const paths = members.map((path) => join(root, 'src', path));
  const every = `every-${name}`;
  const plugin = {
    name: every,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${every}$`) }, () => ({ path: every, namespace: every }));
      onLoad({ filter: /./, namespace: every }, () => ({
        contents: paths.map((path) => `import ${JSON.stringify(path)};`).join('\n'),
        resolveDir: root,
      }));
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const target = join(resolveDir, path);
        if (kind !== 'dynamic-import' || !paths.includes(target)) return undefined;
        return { path: target, namespace: `part-of-${name}` };
      });
      onLoad({ filter: /./, namespace: `part-of-${name}` }, ({ path }) => ({
        contents: `export * from ${JSON.stringify(path)};\nimport '${every}';`,
        resolveDir: root,
      }));
    },
  };
  /** What to append to a source file: an import of the group, if the file imports a part of it. */
  const additionTo = (path, text) => {
    if (paths.includes(path)) return '';
    const imports = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']*)'/gm);
    return [...imports].some(([, from]) => paths.includes(join(dirname(path), from))) ? `import '${every}';\n` : '';
  };
  return { plugin, additionTo };
}

function filesOf(module) {
  const names = readdirSync(join(root, 'src', module), { recursive: true }).filter((name) => name.endsWith('.ts'));
  // These packages are large: files that need them stay in chunks of their own.
  return names
    .map((name) => join(module, name))
    .filter((path) => !/ from '(?:yaml|zod\/mini)'/.test(readFileSync(join(root, 'src', path), 'utf8')));
}

const groups = [
  oneChunk('core', [
    'world/errors.ts',
    'datastore/datastore.ts',
    'connect/connection-error.ts',
    'output/columns.ts',
    'commands/calicoctl-errors.ts',
    'commands/command.ts',
    'cli/build-info.ts',
    'cli/calicoctl/mode.ts',
    'cli/global-flags.ts',
    'cli/input.ts',
    'cli/parsed.ts',
    'cli/version-fast-path.ts',
    'cli/version-warning.ts',
  ]),
  oneChunk('resource', [...filesOf('net'), ...filesOf('text'), ...filesOf('resources')]),
];

const groupsOfFiles = {
  name: 'groups-of-files',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/, namespace: 'file' }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const additions = groups.map((group) => group.additionTo(path, text)).join('');
      return additions === '' ? undefined : { contents: `${text}\n${additions}`, loader: 'ts' };
    });
  },
};

export const chunkPlugins = [...groups.map(({ plugin }) => plugin), groupsOfFiles];
