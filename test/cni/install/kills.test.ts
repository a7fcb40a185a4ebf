// An installation or a removal that is killed between any two of its steps: every file is the former one or the new one, and
// the next run finishes the work.
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../../src/cni/install/apply.ts';
import { markAt, type WantedFile } from '../../../src/cni/install/installed-file.ts';
import { planInstall, planUninstall } from '../../../src/cni/install/plan.ts';
import { readRecord } from '../../../src/cni/install/record.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';

let files: TestFolder;
beforeEach(() => {
  files = testFolder();
});
afterEach(() => files.remove());

const file = (name: string, text: string, mode = 0o644): WantedFile => ({
  path: join(files.path, name),
  content: { type: 'file', bytes: Buffer.from(text), mode },
});

/** A release: the program, a link to it, the credentials, and the configuration that needs all of them. */
const release = (number: number): readonly WantedFile[] => [
  { ...file('bin/calictl', `program ${number}`, 0o755), isProgram: true },
  { path: join(files.path, 'bin/calico'), content: { type: 'link', target: 'calictl' } },
  file('net.d/calico-kubeconfig', `credentials ${number}`, 0o600),
  file('net.d/10-calico.conflist', `configuration ${number}`),
];

/** The same as it is listed. */
const installed = (number: number): Record<string, string> => ({
  'bin/calico': '-> calictl',
  'bin/calictl': `program ${number}`,
  'net.d/10-calico.conflist': `configuration ${number}`,
  'net.d/calico-kubeconfig': `credentials ${number}`,
});

const foreign = { 'bin/calico': 'program of Calico', 'net.d/10-calico.conflist': 'configuration of Calico' };
const backups = {
  'bin/calico.before-calictl': foreign['bin/calico'],
  'net.d/10-calico.conflist.before-calictl': foreign['net.d/10-calico.conflist'],
};

function start(present: Readonly<Record<string, string>>): void {
  for (const folder of ['bin', 'net.d']) {
    rmSync(join(files.path, folder), { recursive: true, force: true });
    mkdirSync(join(files.path, folder));
  }
  for (const [name, text] of Object.entries(present)) writeFileSync(join(files.path, name), text);
}

/** What is in both directories, without the record and the drafts of killed runs. */
function listing(): Record<string, string> {
  const names = ['bin', 'net.d'].flatMap((folder) =>
    readdirSync(join(files.path, folder)).map((name) => join(folder, name)),
  );
  const shown = names.filter((name) => !/\.(record|draft)$/.test(name));
  return Object.fromEntries(shown.map((name) => [name, contentOf(join(files.path, name))]));
}

const contentOf = (path: string): string =>
  lstatSync(path).isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');

const drafts = (): readonly string[] =>
  ['bin', 'net.d'].flatMap((folder) => readdirSync(join(files.path, folder)).filter((name) => name.endsWith('.draft')));

const killed = new Error('killed');
let runs = 0;

/** Does the work up to a step. Returns false when it was killed there, true when it came to its end before. */
async function untilStep(work: 'uninstall' | readonly WantedFile[], last = Number.POSITIVE_INFINITY): Promise<boolean> {
  const record = await readRecord(join(files.path, 'net.d'));
  const plan = work === 'uninstall' ? await planUninstall(record, markAt) : await planInstall(work, record, markAt);
  let step = 0;
  runs += 1;
  try {
    await applyPlan(plan, {
      draftName: `run-${runs}`,
      tryProgram: async () => undefined,
      signal: new AbortController().signal,
      between: () => {
        step += 1;
        if (step === last) throw killed;
      },
    });
    return true;
  } catch (error) {
    if (error === killed) return false;
    throw error;
  }
}

/** Kills the work at each of its steps, each time from the same start, and hands over to `after`. Returns how many there were. */
async function atEachStep(
  prepare: () => Promise<void>,
  work: () => 'uninstall' | readonly WantedFile[],
  after: (step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; ; step++) {
    await prepare();
    if (await untilStep(work(), step)) return step - 1;
    await after(step);
  }
}

/** Each path has one of these, whole. */
function expectOneOf(...states: readonly Readonly<Record<string, string>>[]): void {
  for (const [name, text] of Object.entries(listing())) expect(states.map((state) => state[name])).toContain(text);
}

describe('an installation that is killed at each of its steps', () => {
  it('over the files of another plugin: each path has the former file or the new one, and the next run completes it', async () => {
    const steps = await atEachStep(
      async () => start(foreign),
      () => release(1),
      async () => {
        expectOneOf(foreign, installed(1), backups);
        // The configuration never comes before what it needs.
        const { 'net.d/10-calico.conflist': conflist, ...others } = listing();
        if (conflist === 'configuration 1')
          expect(others).toMatchObject({ 'bin/calictl': 'program 1', 'bin/calico': '-> calictl' });
        expect(await untilStep(release(1))).toBe(true);
        expect(listing()).toEqual({ ...installed(1), ...backups });
        expect(drafts()).toEqual([]);
        expect(await untilStep('uninstall')).toBe(true);
        expect(listing()).toEqual(foreign);
      },
    );
    // The record twice and four files, each drafted and renamed; two backups.
    expect(steps).toBe(14);
  });

  it('over its own former release: the next run completes it, or the removal takes all of it away', async () => {
    const prepare = async (): Promise<void> => {
      start({});
      await untilStep(release(1));
    };
    const steps = await atEachStep(
      prepare,
      () => release(2),
      async () => {
        expectOneOf(installed(1), installed(2));
        expect(await untilStep(release(2))).toBe(true);
        expect(listing()).toEqual(installed(2));
      },
    );
    expect(steps).toBe(10);
    await atEachStep(
      prepare,
      () => release(2),
      async () => {
        expect(await untilStep('uninstall')).toBe(true);
        expect(listing()).toEqual({});
      },
    );
  });
});

describe('a removal that is killed at each of its steps', () => {
  it('is completed by the next run, and the former files are back', async () => {
    const steps = await atEachStep(
      async () => {
        start(foreign);
        await untilStep(release(1));
      },
      () => 'uninstall',
      async () => {
        expectOneOf(foreign, installed(1), backups);
        expect(await untilStep('uninstall')).toBe(true);
        expect(listing()).toEqual(foreign);
        expect(readdirSync(join(files.path, 'net.d'))).toEqual(['10-calico.conflist']);
      },
    );
    // Two files removed, two restored, and the record.
    expect(steps).toBe(5);
  });
});
