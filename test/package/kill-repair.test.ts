// kill -9 of a real `calictl ipam check --fix` in the middle of its writes, over a folder and over a kube-apiserver:
// the next run finishes the job. (Every single write is tried over the memory store, test/model/fix-crash.test.ts.)
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  exampleFaults,
  exampleFolder,
  exampleManualFaults,
  exampleObjects,
  faultLines,
} from '../support/clusters/example-cluster.ts';
import { run, TestClock } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));

/** Runs the repair and kills it as soon as the journal has `lines` lines; returns how many it had at the end. */
async function killAfter(lines: number, args: readonly string[], env: Record<string, string>): Promise<number> {
  const journal = join(mkdtempSync(join(tmpdir(), 'calictl-kill-')), 'journal.jsonl');
  const count = (): number => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0);
  const child = spawn(
    process.execPath,
    [calictl, ...args, 'ipam', 'check', '--fix', '--grace', '0', '--journal', journal],
    {
      env: { PATH: process.env['PATH'], ...env },
      stdio: 'ignore',
    },
  );
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  let over = false;
  ended.then(() => {
    over = true;
  });
  while (!over && count() < lines) await new Promise((resolve) => setTimeout(resolve, 1));
  child.kill('SIGKILL');
  await ended;
  return count();
}

describe('kill -9 of a repair of a directory', () => {
  it('a directory repair that was killed leaves a readable directory, and the next repair finishes', async () => {
    for (const lines of [1, 2, 3, 5, 8, 12, 16]) {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-kill-folder-'));
      cpSync(exampleFolder, folder, { recursive: true });
      await killAfter(lines, ['--datastore', folder], {});
      const next = spawnSync(
        process.execPath,
        [
          calictl,
          '--datastore',
          folder,
          'ipam',
          'check',
          '--fix',
          '-o',
          'json',
          '--journal',
          join(folder, '../next.jsonl'),
        ],
        { encoding: 'utf8' },
      );
      expect(next.stderr).toBe('');
      const report = JSON.parse(next.stdout);
      expect(faultLines(report), `killed after ${lines} journal lines`).toEqual(exampleManualFaults);
    }
  }, 120_000);
});

describeWithApiServer('kill -9 of a repair on a kube-apiserver', (server) => {
  it('a cluster repair that was killed is finished by the next one', async () => {
    const env = { KUBECONFIG: server().kubeconfig };
    // Ages are judged by the clock of the machine here; a locked datastore takes nothing for an operation in progress.
    const objects = exampleObjects().map((object) =>
      object.kind === 'ClusterInformation'
        ? { ...object, spec: { ...(object.spec as object), datastoreReady: false } }
        : object,
    );
    for (const lines of [2, 7, 13]) {
      await server().admin.reset();
      await server().admin.load(objects);
      const clock = (): TestClock => new TestClock(new Date());
      const before = await run('ipam check -o json', { env, clock: clock() });
      expect(faultLines(JSON.parse(before.stdout))).toEqual(exampleFaults);
      expect(await killAfter(lines, [], env)).toBeGreaterThanOrEqual(lines);
      const args = [
        'ipam',
        'check',
        '--fix',
        '-o',
        'json',
        '--journal',
        join(mkdtempSync(join(tmpdir(), 'calictl-kill-')), 'j'),
      ];
      const next = spawnSync(process.execPath, [calictl, ...args], {
        env: { PATH: process.env['PATH'], ...env },
        encoding: 'utf8',
      });
      const report = JSON.parse(next.stdout);
      expect(faultLines(report), `killed after ${lines} journal lines: ${next.stderr}`).toEqual(exampleManualFaults);
    }
  }, 180_000);
});
