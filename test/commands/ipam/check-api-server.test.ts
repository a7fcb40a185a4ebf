// The main job on a real kube-apiserver: the example cluster is checked, repaired, and checked again.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  exampleFaults,
  exampleManualFaults,
  exampleObjects,
  faultLines,
} from '../../support/clusters/example-cluster.ts';
import { run, TestClock } from '../../support/program/world.ts';
import type { ApiServer } from '../../support/servers/api-server.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

/** An hour ahead: everything that was just loaded is old. */
const inAnHour = (): TestClock => new TestClock(new Date(Date.now() + 3_600_000));
const kinds = ['ippools', 'ipamblocks', 'blockaffinities', 'ipamhandles', 'ipamconfigs', 'clusterinformations'];

/** Revision of every object that a repair might touch, and of nodes and pods, by path. */
async function revisions(server: ApiServer): Promise<Map<string, string>> {
  const paths = [...kinds.map((plural) => `/apis/crd.projectcalico.org/v1/${plural}`), '/api/v1/nodes', '/api/v1/pods'];
  const found = new Map<string, string>();
  for (const path of paths) {
    const { body } = await server.admin.request('GET', path);
    for (const { metadata } of JSON.parse(body).items) {
      found.set(`${path} ${metadata.namespace ?? ''}/${metadata.name}`, metadata.resourceVersion);
    }
  }
  return found;
}

describeWithApiServer('ipam check on a kube-apiserver', (server) => {
  const env = (): Record<string, string> => ({ KUBECONFIG: server().kubeconfig });

  it('ipam check on a kube-apiserver finds the faults of the example, repairs the automatic ones, and touches nothing else', async () => {
    await server().admin.load(exampleObjects());
    const before = await revisions(server());
    const first = await run('ipam check -o json', { env: env(), clock: inAnHour() });
    expect(first.stderr).toBe('');
    expect(faultLines(JSON.parse(first.stdout))).toEqual(exampleFaults);
    expect(first.code).toBe(3);
    expect(await revisions(server())).toEqual(before);

    const journal = join(mkdtempSync(join(tmpdir(), 'calictl-journal-')), 'journal.jsonl');
    const fixed = await run(['ipam', 'check', '--fix', '-o', 'json', '--journal', journal], {
      env: env(),
      clock: inAnHour(),
    });
    const report = JSON.parse(fixed.stdout);
    expect(report.fix).toMatchObject({ planned: 6, applied: 6, conflicts: 0, failed: 0, skipped: 0 });
    expect(faultLines(report)).toEqual(exampleManualFaults);
    expect(fixed.code).toBe(3);

    const written = new Set(
      readFileSync(journal, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ kind, name }) => `${kind} ${name}`),
    );
    const after = await revisions(server());
    const changed = [...before]
      .filter(([path, revision]) => after.get(path) !== revision)
      .map(([path]) => path.replace(/.* \//, ''));
    expect(changed.sort()).toEqual(
      [
        '10-60-8-0-26',
        '10-61-0-0-26',
        'worker-2-10-61-0-0-26',
        'worker-9-10-60-8-0-26',
        ...exampleFaults.filter((fault) => fault.startsWith('INV-45')).map((fault) => fault.split(' ')[2]),
        ...changed.filter(
          (name) => name.startsWith('k8s-pod-network.') && !exampleFaults.some((fault) => fault.endsWith(name)),
        ),
      ].sort(),
    );
    for (const name of changed)
      expect(
        [...written].some((line) => line.endsWith(` ${name}`)),
        name,
      ).toBe(true);
    expect([...after.keys()].filter((path) => !before.has(path))).toEqual([]);

    const second = await run('ipam check -o json', { env: env(), clock: inAnHour() });
    expect(faultLines(JSON.parse(second.stdout))).toEqual(exampleManualFaults);
  });
});
