// The rules of docs/architecture.md that a program can check: floors, cycles, who may touch the process, which package where.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

/** Rooms without Node: everything comes in as an argument. */
const pureRooms = ['world', 'net', 'resources', 'ipam', 'ipam-check', 'datapath', 'output'];

/** What each room may import beside itself. */
const below: Readonly<Record<string, readonly string[]>> = {
  world: [],
  net: ['world'],
  resources: ['world', 'net'],
  ipam: ['world', 'net', 'resources'],
  'ipam-check': ['world', 'net', 'resources', 'ipam'],
  datapath: ['world', 'net', 'resources', 'ipam'],
  connect: ['world', 'net', 'resources'],
  'node-exec': ['world', 'net', 'resources', 'datapath', 'connect'],
  datastore: ['world', 'net', 'resources', 'ipam', 'ipam-check', 'connect'],
  'ipam-repair': ['world', 'net', 'resources', 'ipam', 'ipam-check', 'datastore'],
  snapshot: [...pureRooms.filter((room) => room !== 'output'), 'datastore', 'node-exec'],
  output: pureRooms.filter((room) => room !== 'output'),
  commands: [...pureRooms, 'datastore', 'connect', 'node-exec', 'ipam-repair', 'snapshot'],
  cli: [...pureRooms, 'datastore', 'connect', 'node-exec', 'ipam-repair', 'snapshot', 'commands'],
  'main.ts': ['world', 'cli'],
};

/** Where a package may be imported; `resources/yaml` stands for the files that begin so. */
const packages: Readonly<Record<string, readonly string[]>> = {
  commander: ['cli/'],
  'cli-progress': ['cli/'],
  'zod/mini': ['resources/', 'ipam-check/'],
  '@noble/hashes': ['resources/', 'datapath/'],
  yaml: ['datastore/', 'connect/', 'output/', 'resources/yaml'],
  '@kubernetes/client-node': ['connect/', 'node-exec/'],
  pbf: ['datastore/kube/'],
  chalk: ['output/'],
  'cli-table3': ['output/'],
  'p-map': ['datastore/', 'ipam-repair/', 'node-exec/', 'snapshot/', 'commands/'],
  ssh2: ['node-exec/'],
  ws: ['node-exec/'],
  'ssh-config': ['node-exec/'],
  'tar-stream': ['snapshot/'],
};

interface SourceFile {
  readonly path: string;
  readonly room: string;
  /** Without comments and the contents of texts. */
  readonly code: string;
  /** What is imported when the file is loaded, and later. */
  readonly imports: readonly string[];
  readonly staticImports: readonly string[];
}

function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\/.*$/gm, (found) => (found.startsWith('/') ? '' : "''"));
}

const files: SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const statics = [...text.matchAll(/^(?:import|export)\s(?:[^;]*?\sfrom\s)?'([^']+)'/gm)].map(
      ([, from]) => from ?? '',
    );
    const later = [...text.matchAll(/\bimport\(\s*'([^']+)'\s*,?\s*\)/g)].map(([, from]) => from ?? '');
    const resolved = (from: string): string => (from.startsWith('.') ? join(dirname(path), from) : from);
    return {
      path,
      room: path.split('/')[0] ?? '',
      code: codeOf(text),
      imports: [...statics, ...later].map(resolved),
      staticImports: statics.map(resolved),
    };
  });

const isOwn = (specifier: string): boolean => specifier.endsWith('.ts');

describe('architecture', () => {
  it('reads the sources', () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...new Set(files.map(({ room }) => room))].filter((room) => !(room in below))).toEqual([]);
  });

  it('imports go down the floors', () => {
    const wrong = files.flatMap(({ path, room, imports }) =>
      imports
        .filter(isOwn)
        .filter((target) => {
          const other = target.split('/')[0] ?? '';
          return other !== room && !below[room]?.includes(other);
        })
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no cycles', () => {
    const graph = new Map(files.map(({ path, staticImports }) => [path, staticImports.filter(isOwn)]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
      if (done.has(path) || above.includes(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...above, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('takes each package in its rooms only', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => !isOwn(specifier) && !specifier.startsWith('node:'))
        .filter((specifier) => {
          const name = Object.keys(packages).find((known) => specifier === known || specifier.startsWith(`${known}/`));
          return name === undefined || !packages[name]?.some((place) => path.startsWith(place));
        })
        .map((specifier) => `${path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no Node in the pure rooms', () => {
    const wrong = files.flatMap(({ path, room, imports }) =>
      imports
        .filter((from) => pureRooms.includes(room) && from.startsWith('node:'))
        .map((from) => `${path} -> ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  it('reads process, clock and randomness in main.ts only', () => {
    const outside =
      /\bprocess\s*[.[]|\bconsole\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\brandomUUID\b/;
    const wrong = files
      .filter(({ path, code }) => path !== 'main.ts' && outside.test(code))
      .map(({ path, code }) => `${path}: ${outside.exec(code)?.[0]}`);
    expect(wrong).toEqual([]);
  });

  it('names no file a cupboard', () => {
    const names = readdirSync(join(source, '..', 'src'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /(^|\/)(utils?|helpers?|common|misc|manager)(\.ts)?$/.test(name))).toEqual([]);
  });

  it('begins every file with what is in it', () => {
    const bare = files.filter(({ path }) => !readFileSync(join(source, path), 'utf8').startsWith('// '));
    expect(bare.map(({ path }) => relative('.', path))).toEqual([]);
  });
});
