// Real processes that assign and release from one small pool at once: no address is assigned twice, and the cluster has no
// finding at the end.
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { node, pool } from '../support/clusters/ipam-state.ts';
import type { Held, Plan } from '../support/other-clients/allocating-process.ts';
import { allocatingProcesses, heldTwice } from '../support/other-clients/allocating-processes.ts';
import { folderOf, run } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const [processes, assignments] = process.env['LONG'] ? [8, 200] : [4, 10];
/** Addresses per process; together they nearly fill the eight blocks, so the four nodes claim, borrow and have conflicts. */
const most = 7;
const nodes = ['node-a', 'node-b', 'node-c', 'node-d'];
const objects: KubeObject[] = [pool('pool-1', '10.60.0.0/26', 29), ...nodes.map((name) => node(name))];

const allocating = allocatingProcesses();

async function race(env: Readonly<Record<string, string>>): Promise<void> {
  const plans = Array.from({ length: processes }, (_, index): Plan => {
    return { env, node: nodes[index % nodes.length] as string, name: `race-${index}`, assignments, most };
  });
  const held = (await Promise.all(plans.map(allocating))).flat();
  expect(held).toHaveLength(processes * assignments);
  expect(heldTwice(held)).toEqual([]);

  const checked = await run('ipam check -o json', { env });
  const { summary, findings } = JSON.parse(checked.stdout);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ allocations: 0, handles: 0 });
  expect(checked.code).toBe(0);
}

it('heldTwice finds two holders of one address at the same time', () => {
  const span = (from: number, to: number): Held => ({ address: '10.60.0.1', from: String(from), to: String(to) });
  expect(heldTwice([span(5, 9), span(1, 5)])).toEqual([]);
  expect(heldTwice([span(4, 9), span(1, 5)])).toHaveLength(1);
});

describe('processes on a directory', () => {
  it(`${processes} processes with ${assignments} assignments each on a directory never hold one address twice`, async () => {
    const datastore = folderOf(objects);
    await race({ HOME: '/nonexistent', DATASTORE_TYPE: datastore });
    rmSync(datastore, { recursive: true });
  }, 1_800_000);
});

describeWithApiServer('on a kube-apiserver', (server) => {
  it(`${processes} processes with ${assignments} assignments each on a kube-apiserver never hold one address twice`, async () => {
    await server().admin.load(objects);
    await race({ HOME: '/nonexistent', KUBECONFIG: server().kubeconfig });
  }, 1_800_000);
});
