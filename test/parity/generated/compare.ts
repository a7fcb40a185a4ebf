// One scenario run by calicoctl and by calictl, each on a cluster of its own, and what differs.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../../support/program/reference-calicoctl.ts';
import { run } from '../../support/program/world.ts';
import { masked, type ScenarioCluster } from './cluster.ts';
import { type Scenario, type Step, withRevisions } from './scenario.ts';

/** Runs a command line in a folder. */
export type Program = (step: Step, folder: string, env: Readonly<Record<string, string>>) => Promise<Answer>;

/** A program of this machine with its first arguments. */
export function processOf([program = '', ...first]: readonly string[]): Program {
  return ({ argv, stdin }, cwd, env) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, [...first, ...argv], { cwd, env });
      const out = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (text: string) => {
          out[name] += text;
        });
      }
      child.on('error', reject).on('close', (code) => resolve({ code: code ?? -1, ...out }));
      // A program that does not read its input may have ended before it is written.
      child.stdin.on('error', () => undefined).end(stdin);
    });
}

/** The whole of calictl, called as calicoctl, in this process. */
export const inProcess: Program = async ({ argv, stdin }, cwd, env) => {
  const { code, stdout, stderr } = await run(argv, { programName: 'calicoctl', env, cwd, stdin });
  return { code, stdout, stderr };
};

/** The built program in compat mode. */
export const builtCalictl: Program = (step, cwd, env) =>
  processOf([process.execPath, fileURLToPath(new URL('../../../bin/calictl.js', import.meta.url))])(step, cwd, {
    ...env,
    CALICTL_COMPAT: '1',
  });

export interface Side {
  readonly cluster: ScenarioCluster;
  readonly program: Program;
}

/** Something that is not the same: the command line and what either of them made of it. */
export interface Difference {
  readonly seed: number;
  readonly step: number;
  /** The command line, or `stored objects` after all steps. */
  readonly command: string;
  readonly inputs: string;
  readonly expected: string;
  readonly actual: string;
}

/** Without the addresses in memory and the log lines of calicoctl, and without what differs between clusters. */
function comparable({ code, stdout, stderr }: Answer): string {
  const log = /^[IWE]\d{4} [\d:.]+ +\d+ \w+\.go:\d+\] .*\n/gm;
  const text = `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr.replace(log, '')}`;
  return sortedManagers(masked(text))
    .replace(/0x[0-9a-f]{6,}/g, '0xADDRESS')
    .replace(/(?<=is invalid: \[)spec\..*(?=\])/g, sorted);
}

/** The API server lists what is wrong with a custom resource in random order. */
const sorted = (problems: string): string =>
  problems
    .split(/, (?=spec\.)/)
    .sort()
    .join(', ');

/**
 * The API server returns the entries of `managedFields` that were made in one second in an order of its own. Sorts them, in
 * YAML and in indented JSON, when their times are masked.
 */
function sortedManagers(text: string): string {
  return text
    .replace(/^( *)managedFields:\n((?:\1- .*\n(?:\1 {2}.*\n)*)+)/gm, (_, indent: string, entries: string) => {
      const each = entries.split(new RegExp(`^(?=${indent}- )`, 'm'));
      return `${indent}managedFields:\n${each.sort().join('')}`;
    })
    .replace(/^( *)"managedFields": \[\n([\s\S]*?)\n\1\]/gm, (_, indent: string, entries: string) => {
      const each = entries.split(new RegExp(`,\\n(?=${indent} {2}\\{)`));
      return `${indent}"managedFields": [\n${each.sort().join(',\n')}\n${indent}]`;
    });
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether the answers are the same, any value being the same as an address in memory. */
function sameAnswer(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  if (!expected.includes('0xADDRESS')) return false;
  const pattern = expected.split('0xADDRESS').map(quoted).join('[^\\n]*?');
  return new RegExp(`^${pattern}$`).test(actual);
}

function filled(step: Step, cluster: ScenarioCluster): Promise<Step> {
  const text = (one: string): Promise<string> =>
    withRevisions(one, (kind, namespace, name) => cluster.revision(kind, namespace, name));
  const files = Object.entries(step.files).map(async ([path, one]) => [path, await text(one)] as const);
  return Promise.all([Promise.all(step.argv.map(text)), Promise.all(files), text(step.stdin)]).then(
    ([argv, written, stdin]) => ({ argv, files: Object.fromEntries(written), stdin }),
  );
}

/** What a side answers, with the revisions that it was given replaced. */
async function answerOf(step: Step, { cluster, program }: Side): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-scenario-'));
  try {
    const { argv, files, stdin } = await filled(step, cluster);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const env = { DATASTORE_TYPE: 'kubernetes', KUBECONFIG: cluster.server.kubeconfig, HOME: '/nonexistent' };
    const answer = await program({ argv, files, stdin }, folder, env);
    return comparable(answer).replaceAll(folder, 'FOLDER');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const shown = ({ argv, files, stdin }: Step): string =>
  [
    ...Object.entries(files).map(([path, text]) => `--- ${path}\n${text}`),
    ...(stdin === '' ? [] : [`--- standard input\n${stdin}`]),
  ].join('\n') || argv.join(' ');

/** Both as lines of the objects that are not the same. */
async function storedDifference(theirs: Side, ours: Side): Promise<readonly [string, string] | undefined> {
  const [expected, actual] = await Promise.all([theirs.cluster.contents(), ours.cluster.contents()]);
  const ids = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  const differing = ids.filter((id) => expected.get(id) !== actual.get(id));
  if (differing.length === 0) return undefined;
  const lines = (contents: ReadonlyMap<string, string>): string =>
    differing.map((id) => `${id}: ${contents.get(id) ?? 'absent'}`).join('\n');
  return [lines(expected), lines(actual)];
}

export interface Outcome {
  /** Commands that were compared. */
  readonly cases: number;
  readonly difference?: Difference;
}

/**
 * Runs a scenario to its first difference, and restores both clusters. After a difference that `accepts` the rest is left
 * out too: the clusters may no longer be the same.
 */
export async function compare(
  { seed, steps }: Scenario,
  { theirs, ours }: { readonly theirs: Side; readonly ours: Side },
): Promise<Outcome> {
  let cases = 0;
  try {
    for (const [at, step] of steps.entries()) {
      const [expected, actual] = await Promise.all([answerOf(step, theirs), answerOf(step, ours)]);
      cases++;
      if (sameAnswer(expected, actual)) continue;
      const command = step.argv.map((word) => (/^[\w./:=@,-]+$/.test(word) ? word : `'${word}'`)).join(' ');
      return { cases, difference: { seed, step: at + 1, command, inputs: shown(step), expected, actual } };
    }
    const stored = await storedDifference(theirs, ours);
    if (stored === undefined) return { cases };
    const [expected, actual] = stored;
    const inputs = steps.map((step) => `$ ${step.argv.join(' ')}\n${shown(step)}`).join('\n');
    return { cases, difference: { seed, step: 0, command: 'stored objects', inputs, expected, actual } };
  } finally {
    await Promise.all([theirs.cluster.restore(), ours.cluster.restore()]);
  }
}
