// Whose addresses a report of ipam check never calls leaked, and a release by any report leaves alone.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';
import { blockWith, handleWith, node, pool } from '../../support/clusters/ipam-state.ts';
import { folderOf, type Ran, run } from '../../support/program/world.ts';

const cidr = '10.60.0.0/29';
const machine = 'k8s-pod-network.vmi.vms.db1';
const container = 'c0de'.repeat(16);
const starting = `k8s-pod-network.${'5ad0'.repeat(16)}`;

const podNamed = (name: string, containerId: string | undefined, addresses: readonly string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    ...(containerId && { annotations: { 'cni.projectcalico.org/containerID': containerId } }),
  },
  spec: { nodeName: 'node-a' },
  status: { phase: 'Running', podIPs: addresses.map((ip) => ({ ip })) },
});

const clusterInformation: KubeObject = {
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'ClusterInformation',
  metadata: { name: 'default', resourceVersion: '7' },
  spec: { clusterGUID: 'beef', calicoVersion: 'v3.31.4', datastoreReady: false },
};

/** A stopped machine at .0, a live container that its pod does not list at .1, a starting pod at .2, a leak at .3. */
function objects(): KubeObject[] {
  const handles: [string, number][] = [
    [machine, 1],
    [`k8s-pod-network.${container}`, 1],
    [starting, 1],
    ['k8s-pod-network.gone', 1],
  ];
  const block = structuredClone(blockWith(cidr, 'host:node-a', ...handles));
  const { attributes = [] } = block.spec as { attributes?: { handle_id?: string; secondary?: unknown }[] };
  for (const attribute of attributes) {
    if (attribute.handle_id === machine) delete attribute.secondary;
    if (attribute.handle_id === starting) attribute.secondary = { namespace: 'shop', pod: 'web-0', node: 'node-a' };
  }
  return [
    node('node-a'),
    pool('pool-1', '10.60.0.0/24', 29),
    clusterInformation,
    block,
    ...handles.map(([id, count]) => handleWith(id, { [cidr]: count })),
    podNamed('cart-0', container, ['10.60.0.77']),
    podNamed('web-0', undefined, []),
  ];
}

let folder = '';
let top = '';
beforeEach(() => {
  folder = folderOf(objects());
  top = mkdtempSync(join(tmpdir(), 'calictl-holders-'));
});
afterEach(() => {
  for (const path of [folder, top]) rmSync(path, { recursive: true, force: true });
});

const command = (line: string, compat = false): Promise<Ran> =>
  run(line, { folder, cwd: top, ...(compat && { env: { CALICTL_COMPAT: '1' } }) });

type Entry = { ip: string; inUse: boolean; owners: string[] | null };
const report = (): Record<string, Entry[]> =>
  (JSON.parse(readFileSync(join(top, 'report.json'), 'utf8')) as { allocations: Record<string, Entry[]> }).allocations;

/** As calicoctl writes it: none of the addresses is in use. */
function callAllLeaked(): void {
  const path = join(top, 'report.json');
  const value = parseJson(readFileSync(path, 'utf8')) as { allocations: Record<string, { inUse: boolean }[]> };
  for (const entry of Object.values(value.allocations).flat()) entry.inUse = false;
  writeFileSync(path, printJson(value));
}

async function allocated(): Promise<string[]> {
  const { stdout } = await command('ipam show --map -o json');
  return ['10.60.0.0', '10.60.0.1', '10.60.0.2', '10.60.0.3'].filter((address) => stdout.includes(`"${address}"`));
}

it('ipam check --report calls in use what ipam release would refuse: a stopped machine, a live container, a starting pod', async () => {
  await command('ipam check --report report.json');
  expect(
    Object.values(report()).flatMap((list) => list.map(({ ip, inUse, owners }) => ({ ip, inUse, owners }))),
  ).toEqual([
    { ip: '10.60.0.0', inUse: true, owners: ['VirtualMachine(vms/db1)'] },
    { ip: '10.60.0.1', inUse: true, owners: ['Pod(shop/cart-0)'] },
    { ip: '10.60.0.2', inUse: true, owners: ['Pod(shop/web-0)'] },
    { ip: '10.60.0.3', inUse: false, owners: null },
  ]);
});

it('calicoctl ipam check calls a stopped machine in use too, and nothing else that calicoctl calls leaked', async () => {
  const { stdout } = await command('ipam check --show-problem-ips --output=report.json', true);
  expect(stdout).not.toContain('10.60.0.0 leaked');
  expect(Object.values(report()).flatMap((list) => list.filter(({ inUse }) => inUse).map(({ ip }) => ip))).toEqual([
    '10.60.0.0',
  ]);
});

it('release --from-report leaves all of them alone although a report of calicoctl calls them leaked', async () => {
  await command('ipam check --report report.json');
  callAllLeaked();
  const { stdout } = await command('ipam release --from-report report.json');
  expect(stdout).toContain('10.60.0.0 is in use by VirtualMachine vms/db1\n');
  expect(stdout).toContain('Successfully released 10.60.0.3\n');
  expect(await allocated()).toEqual(['10.60.0.0', '10.60.0.1', '10.60.0.2']);
});

it('calicoctl release --from-report keeps the address of a machine that a report calls leaked', async () => {
  await command('ipam check --output=report.json', true);
  callAllLeaked();
  const { code, stdout } = await command('ipam release --from-report=report.json', true);
  expect(stdout).toContain('Keeping 1 IPs of virtual machines, which use them when they are started.\n');
  expect(stdout).toContain('Released 3 IPs successfully\n');
  expect(code).toBe(0);
  expect(await allocated()).toEqual(['10.60.0.0']);
});
