// Command lines as pages and help write them: read into words as a shell would, run in process on copies of the examples.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputOf } from '../../../src/cli/input.ts';
import { parse } from '../../../src/cli/parser.ts';
import type { Command } from '../../../src/commands/command.ts';
import { commands, groups } from '../../../src/commands/tree.ts';
import { type Ran, run, TestClock } from '../program/world.ts';

export const root = join(import.meta.dirname, '..', '..', '..');

/**
 * The arguments of the calictl call that a line begins with, up to a pipe, a redirection, a list or a comment; undefined
 * when the line does not call calictl. `node bin/calictl.js` is calictl too. Quotes group words and are removed.
 */
export function argumentsOf(line: string): string[] | undefined {
  const call = /^(?:calictl|node bin\/calictl\.js)(?= |$)/.exec(line);
  if (call === null) return undefined;
  const words: string[] = [];
  for (const [, single, double, other, end] of line
    .slice(call[0].length)
    .matchAll(/\s+(?:'([^']*)'|"([^"]*)"|([^\s|>;&#]\S*)|([|>;&#]))/g)) {
    if (end !== undefined) break;
    words.push(single ?? double ?? other?.replace(/;$/, '') ?? '');
    if (other?.endsWith(';')) break;
  }
  return words;
}

export interface CodeBlock {
  /** The word after the opening fence; empty when there is none. */
  readonly language: string;
  readonly text: string;
  /** Where `text` begins in the page. */
  readonly index: number;
}

/** The fenced blocks of a page, in order. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: text = '' }) => ({
    language,
    text,
    index: index + '```\n'.length + language.length,
  }));
}

export const readme: string = readFileSync(join(root, 'README.md'), 'utf8');

/** The lines of the README that a reader types, without comments. */
export const readmeLines: readonly string[] = codeBlocks(readme)
  .filter(({ language }) => language === '')
  .flatMap(({ text }) => text.split('\n'))
  .map((line) => line.replace(/ +# .*$/, ''))
  .filter((line) => line !== '');

/** Parses the line and checks the values of its flags. Errors: UsageError, as for a person who types the line. */
export async function parsedCommand(line: string): Promise<Command> {
  const parsed = parse(argumentsOf(line) ?? [], commands, groups, 80);
  if (parsed.type === 'text') throw new Error(`${line} prints a text instead of running a command`);
  await inputOf(parsed.command, parsed.flags, parsed.args);
  return parsed.command;
}

/** The time at which the examples are looked at: three days after they were written. */
export const exampleTime = '2026-03-05T10:00:00Z';

/** A folder like the root of the repository with what command lines of pages refer to; removed by the caller. */
export function scratchRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-docs-'));
  cpSync(join(root, 'docs', 'examples'), join(folder, 'docs', 'examples'), { recursive: true });
  return folder;
}

/** What must hold before a line can be run, and how it ends. */
export interface Setup {
  /** Command lines that come first. */
  readonly before?: readonly string[];
  /** The cluster is changed in this way first. */
  readonly cluster?: 'locked' | 'with IPv6';
  /** 0 when absent. */
  readonly exit?: number;
  /** Part of what it writes to stderr; nothing when absent. */
  readonly stderr?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command runs until it is interrupted, which happens at its first sleep. */
  readonly isEndless?: true;
}

const ipv6Pool = `apiVersion: crd.projectcalico.org/v1
kind: IPPool
metadata:
  name: ipv6-pool
spec:
  cidr: fd00:60::/64
  blockSize: 122
`;

/** The manifests that command lines apply. */
const newPool = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: new-pool
spec:
  cidr: 10.250.0.0/24
  ipipMode: Never
`;

/** What they convert. */
const toConvert: Readonly<Record<string, string>> = {
  'old-policies.yaml':
    'apiVersion: v1\nkind: policy\nmetadata: {name: allow-dns}\nspec: {selector: all(), ingress: [{action: allow}]}\n',
  'networkpolicies.yaml':
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed}\nspec: {podSelector: {}}\n',
};

function change(cluster: string, how: Setup['cluster']): void {
  if (how === 'with IPv6') writeFileSync(join(cluster, 'ipv6-pool.yaml'), ipv6Pool);
  if (how !== 'locked') return;
  const file = join(cluster, 'cluster.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('datastoreReady: true', 'datastoreReady: false'));
}

/** The cluster on which lines are run, by the first word of the command. */
const clusterOf: Readonly<Record<string, string>> = {
  bird: 'snapshot',
  node: 'snapshot',
  snapshot: 'snapshot',
  policy: 'docs/examples/shop-policies',
};

/**
 * Runs the line in a scratch copy in which `./dump` is the leaky cluster and `./snapshot` is case 17. Where the line names
 * no datastore, commands about nodes, BIRD and snapshots are run on case 17, those about policies on the shop's policies, and all
 * others on the leaky cluster.
 */
export async function runLine(line: string, { before = [], cluster, env, isEndless }: Setup): Promise<Ran> {
  const cwd = scratchRoot();
  const examples = join(cwd, 'docs', 'examples');
  cpSync(join(examples, 'leaky-cluster'), join(cwd, 'dump'), { recursive: true });
  cpSync(join(examples, 'case-17'), join(cwd, 'snapshot'), { recursive: true });
  writeFileSync(join(cwd, 'config-6.1.0'), 'CONFIG_IP_SET=m\n');
  writeFileSync(join(cwd, 'pool.yaml'), newPool);
  for (const [name, text] of Object.entries(toConvert)) writeFileSync(join(cwd, name), text);
  mkdirSync(join(cwd, 'policies'));
  writeFileSync(join(cwd, 'policies', 'pool.yaml'), newPool);
  change(join(cwd, 'dump'), cluster);
  const clock = new TestClock(exampleTime);
  const stop = new AbortController();
  if (isEndless) clock.onSleep = () => stop.abort();
  const runOne = (one: string): Promise<Ran> => {
    const words = (argumentsOf(one) ?? []).map((word) => word.replace('/boot/', `${cwd}/`));
    const datastore = join(cwd, clusterOf[words[0] ?? ''] ?? 'dump');
    return run(words, {
      env: { HOME: cwd, DATASTORE_TYPE: datastore, ...env },
      cwd,
      clock,
      columns: 80,
      signal: stop.signal,
    });
  };
  try {
    for (const one of before) {
      const { code, stderr } = await runOne(one);
      if (code !== 0 && code !== 3) throw new Error(`${one} ended with ${code}: ${stderr}`);
    }
    return await runOne(line);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
