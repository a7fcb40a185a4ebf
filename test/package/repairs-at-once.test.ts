// Six repairs at the same time, as processes: each reports the state that it leaves, or that another repair is running.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleFolder, exampleObjects } from '../support/clusters/example-cluster.ts';
import { type BuiltResult, runBuilt } from '../support/program/built-program.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

let top = '';
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-at-once-'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Six repairs of what can be repaired, begun 100 ms after each other so that some find others at work and some do not. */
function sixRepairs(flags: readonly string[], env: Record<string, string>): Promise<BuiltResult[]> {
  const repair = (index: number): Promise<BuiltResult> =>
    runBuilt(['ipam', 'check', '--fix', '-o', 'json', '--journal', join(top, `${index}.jsonl`), ...flags], { env });
  return Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      await new Promise((wait) => setTimeout(wait, index * 100));
      return repair(index);
    }),
  );
}

/** Each repair ended as it should; returns how many repairs were applied by all together. */
function appliedBy(results: readonly BuiltResult[], left: number): number {
  let applied = 0;
  for (const { exit, stdout, stderr } of results) {
    if (exit === 4) {
      expect(stderr).toContain('another repair of');
      continue;
    }
    expect({ exit, stderr }).toEqual({ exit: left === 0 ? 0 : 3, stderr: '' });
    const { summary, fix } = JSON.parse(stdout);
    expect(summary.errors + summary.warnings).toBe(left);
    expect(fix.left).toBe(0);
    applied += fix.applied;
  }
  expect(results.map(({ exit }) => exit)).toContain(left === 0 ? 0 : 3);
  return applied;
}

it('six repairs of a directory at once end with 3 when something is left, or with 4, and leave no lock', async () => {
  const folder = join(top, 'store');
  cpSync(exampleFolder, folder, { recursive: true });
  const results = await sixRepairs(['--datastore', folder], { HOME: top });
  expect(appliedBy(results, 2)).toBe(6);
  expect(readdirSync(folder).sort()).toEqual(readdirSync(exampleFolder).sort());
}, 60_000);

describeWithApiServer('repairs of a cluster at once', (server) => {
  it('six repairs of a cluster at once end with 0 when nothing is left, or with 4', async () => {
    const { admin, kubeconfig } = server();
    // The objects are new, but a locked datastore has no operations in progress.
    const objects = exampleObjects().map((object) =>
      object.kind === 'ClusterInformation'
        ? { ...object, spec: { ...(object['spec'] as object), datastoreReady: false } }
        : object,
    );
    await admin.load(objects);
    const results = await sixRepairs(['--only', 'INV-32,INV-36,INV-45,INV-53'], { KUBECONFIG: kubeconfig, HOME: top });
    expect(appliedBy(results, 0)).toBe(6);
  }, 120_000);
});
