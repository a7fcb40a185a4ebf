// The rules of docs/architecture.md that a program can check: layers, cycles, who may touch the process, which package where.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

interface Module {
  readonly layer: number;
  readonly name: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

const words = (text: string | undefined): string[] => (text ?? '').split(' ').filter((word) => word !== '');

/** The table of docs/architecture.md: the one place that says which module stands where and what it may import. */
const modules: readonly Module[] = readFileSync(join(source, '..', 'docs', 'architecture.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, layer]) => /^\d+$/.test(layer ?? ''))
  .map(([, layer, name, , imports, packages]) => ({
    layer: Number(layer),
    name: (name ?? '').replaceAll('`', ''),
    imports: words(imports),
    packages: words(packages),
  }));

const moduleOf = new Map(modules.map((module) => [module.name, module]));
const highestPureLayer = 4;
const isRenderer = (path: string): boolean => /^commands\/.*(text|svg|junit)\.ts$/.test(path);

/** Whether everything that a file needs comes in as an argument. */
const isPure = ({ path, module }: SourceFile): boolean =>
  ['bird-config', 'output'].includes(module) ||
  isRenderer(path) ||
  (moduleOf.get(module)?.layer ?? Number.POSITIVE_INFINITY) <= highestPureLayer;

interface SourceFile {
  readonly path: string;
  readonly module: string;
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
      module: path.split('/')[0] ?? '',
      code: codeOf(text),
      imports: [...statics, ...later].map(resolved),
      staticImports: statics.map(resolved),
    };
  });

const isOwn = (specifier: string): boolean => specifier.endsWith('.ts');

describe('architecture', () => {
  it('the table of docs/architecture.md names every module and no other', () => {
    expect(files.length).toBeGreaterThan(50);
    expect([...new Set(files.map(({ module }) => module))].filter((name) => name !== 'main.ts').sort()).toEqual(
      modules.map(({ name }) => name).sort(),
    );
  });

  it('the table lets no module import one of its own layer or of a higher one', () => {
    const upward = modules.flatMap(({ name, layer, imports }) =>
      imports
        .filter((other) => other !== name && !((moduleOf.get(other)?.layer ?? Number.POSITIVE_INFINITY) < layer))
        .map((other) => `${name} -> ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('modules import only what the table allows', () => {
    const wrong = files.flatMap(({ path, module, imports }) =>
      imports
        .filter(isOwn)
        .filter((target) => {
          const other = target.split('/')[0] ?? '';
          const allowed = module === 'main.ts' ? ['world', 'cli'] : (moduleOf.get(module)?.imports ?? []);
          return other !== module && !allowed.includes(other);
        })
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('files import each other without cycles', () => {
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

  it('npm packages are imported only by the modules that the table names them for', () => {
    const wrong = files.flatMap(({ path, module, imports }) =>
      imports
        .filter((specifier) => !isOwn(specifier) && !specifier.startsWith('node:'))
        .filter(
          (specifier) =>
            !moduleOf.get(module)?.packages.some((known) => specifier === known || specifier.startsWith(`${known}/`)),
        )
        .map((specifier) => `${path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('pure modules and renderers import no Node module', () => {
    const wrong = files
      .filter(isPure)
      .flatMap(({ path, imports }) =>
        imports.filter((from) => from.startsWith('node:')).map((from) => `${path} -> ${from}`),
      );
    expect(wrong).toEqual([]);
  });

  it('renderers of commands import neither a datastore nor a transport', () => {
    const live = ['datastore', 'connect', 'node-exec', 'ipam-live', 'node-live', 'cli'];
    const wrong = files
      .filter(({ path }) => isRenderer(path))
      .flatMap(({ path, imports }) =>
        imports.filter((target) => live.includes(target.split('/')[0] ?? '')).map((target) => `${path} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('only main.ts reads process, clock and randomness', () => {
    const outside =
      /\bprocess\s*[.[]|\bconsole\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\brandomUUID\b/;
    const wrong = files
      .filter(({ path, code }) => path !== 'main.ts' && outside.test(code))
      .map(({ path, code }) => `${path}: ${outside.exec(code)?.[0]}`);
    expect(wrong).toEqual([]);
  });

  it('no file is named utils, helpers, common, misc or manager', () => {
    const names = readdirSync(join(source, '..', 'src'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /(^|\/)(utils?|helpers?|common|misc|manager)(\.ts)?$/.test(name))).toEqual([]);
  });

  it('every file begins with a comment that says what is in it', () => {
    const bare = files.filter(({ path }) => !readFileSync(join(source, path), 'utf8').startsWith('// '));
    expect(bare.map(({ path }) => relative('.', path))).toEqual([]);
  });
});
