// ipam check --fix when another repair makes its repairs first: the exit code is about what is left at the end.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { exampleFolder } from '../../support/clusters/example-cluster.ts';
import { run, TestClock, type TestWorld, testWorld } from '../../support/program/world.ts';

let top = '';
let folder = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-meanwhile-'));
  folder = join(top, 'store');
  cpSync(exampleFolder, folder, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const december = (): TestClock => new TestClock('2026-12-01T00:00:00Z');

/** Runs a repair on a terminal that is answered with yes once `meanwhile` has run. */
async function fixAfter(
  meanwhile: () => Promise<unknown>,
  flags: readonly string[],
): Promise<TestWorld & { code: number }> {
  const made = testWorld({ env: { DATASTORE_TYPE: folder }, cwd: top, clock: december(), terminal: true });
  const stdin = {
    ...made.io.stdin,
    async readLine() {
      await meanwhile();
      return 'y';
    },
  };
  const world = { ...made, io: { ...made.io, stdin } };
  const argv = ['ipam', 'check', '--fix', '--journal', join(top, 'slower.jsonl'), ...flags];
  return Object.assign(world, { code: await runCli(argv, world) });
}

const otherRepair = (flags: string): Promise<unknown> =>
  run(`ipam check --fix --journal ${join(top, 'faster.jsonl')} ${flags}`, { folder, cwd: top, clock: december() });

it('a repair whose findings another repair has resolved ends with 0, and says that nothing had to be done', async () => {
  const only = ['--only', 'INV-45,INV-53'];
  const { code, io } = await fixAfter(() => otherRepair(only.join(' ')), [...only, '-o', 'json']);
  const { fix, findings } = JSON.parse(io.stdout.text);
  expect(fix).toMatchObject({ planned: 4, applied: 0, left: 0 });
  expect(fix.items.map(({ outcome, resolved }: Record<string, unknown>) => ({ outcome, resolved }))).toEqual(
    Array.from({ length: 4 }, () => ({ outcome: 'skipped', resolved: true })),
  );
  expect({ code, findings }).toEqual({ code: 0, findings: [] });
});

it('a repair whose findings another repair has resolved ends with 3 when others are left', async () => {
  const { code, io } = await fixAfter(() => otherRepair(''), []);
  expect(io.stdout.text).toContain('0 of 6 applied, 6 no longer needed. Journal:');
  expect(io.stdout.text).toContain('no longer needed: another client was faster');
  expect(code).toBe(3);
});

it('a repair of which another repair has resolved a part applies the others', async () => {
  const { code, io } = await fixAfter(() => otherRepair('--only INV-53'), ['-o', 'json']);
  expect(JSON.parse(io.stdout.text).fix).toMatchObject({ planned: 6, applied: 5, left: 0 });
  expect(code).toBe(3);
});
