// The check by calicoctl's rules compared with calicoctl itself, on the same objects of a real API server: the same lines
// (calicoctl prints some in hash order) and the same report file.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { calicoctlIpamCheckText } from '../../src/commands/ipam/check/calicoctl-text.ts';
import { kubeConnection } from '../../src/connect/kube-config.ts';
import { openKube } from '../../src/datastore/kube/kube-datastore.ts';
import { type CalicoctlCheck, calicoctlCheck } from '../../src/ipam-check/calicoctl-report/calicoctl-check.ts';
import { calicoctlReportText } from '../../src/ipam-check/calicoctl-report/calicoctl-report.ts';
import { observe } from '../../src/ipam-live/check/observe.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson } from '../../src/text/json.ts';
import { type BlockSpec, cluster } from '../support/clusters/seeded-cluster.ts';
import { testWorld } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const reference = process.env['CALICOCTL'];
const run = promisify(execFile);

const named = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);

function allocate(block: BlockSpec, handle: string | undefined, secondary: Record<string, string>): void {
  const ordinal = block.unallocated.shift() ?? 0;
  block.allocations[ordinal] = block.attributes.length;
  block.attributes.push({ ...(handle !== undefined && { handle_id: handle }), secondary });
  block.sequenceNumberForAllocation[String(ordinal)] = block.sequenceNumber;
  block.sequenceNumber += 1n;
}

/** A cluster with every class of problem that calicoctl knows, and none of those that it gets wrong. */
function broken(): KubeObject[] {
  const { objects } = cluster({ seed: 7, nodes: 5, podsPerNode: 6, borrowed: 0.2 });
  const blocks = named(objects, 'IPAMBlock');
  const [first, second, third] = blocks.map(({ spec }) => spec as BlockSpec);
  if (!first || !second || !third) throw new Error('the cluster is too small');
  allocate(first, 'k8s-pod-network.leaked', { namespace: 'shop', pod: 'gone', node: 'node-b', timestamp: 'long ago' });
  allocate(second, undefined, {});
  allocate(second, 'k8s-pod-network.old\r\neth0', { namespace: 'shop', pod: 'old', node: 'node-a' });
  delete (third as Partial<BlockSpec>).affinity;
  const template = blocks[0] as KubeObject;
  const base = first.cidr.slice(0, first.cidr.indexOf('/'));
  const wide: BlockSpec = {
    ...first,
    cidr: `${base}/25`,
    allocations: Array.from({ length: 128 }, (_, ordinal) => (ordinal === 1 ? 0 : null)),
    unallocated: [],
    attributes: [{ handle_id: 'twice', secondary: {} }],
    sequenceNumberForAllocation: {},
  };
  objects.push({ ...template, metadata: { name: `${base.replaceAll('.', '-')}-25` }, spec: wide });

  const handles = named(objects, 'IPAMHandle');
  objects.splice(objects.indexOf(handles[3] as KubeObject), 1);
  const stray = handles[0] as KubeObject;
  for (const name of ['stray-1', 'stray-2']) {
    objects.push({
      ...stray,
      metadata: { name },
      spec: { handleID: name.toUpperCase(), block: {}, deleted: name === 'stray-2' },
    });
  }

  const [ended, shares, abroad, unallocated] = named(objects, 'Pod') as (KubeObject & {
    status: Record<string, unknown>;
  })[];
  if (!ended || !shares || !abroad || !unallocated) throw new Error('the cluster is too small');
  ended.status['phase'] = 'Succeeded';
  const has = (pod: { status: Record<string, unknown> }, ...ips: unknown[]) => {
    Object.assign(pod.status, { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) });
  };
  has(shares, abroad.status['podIP']);
  has(abroad, abroad.status['podIP'], 'fd00::1');
  has(unallocated, '10.60.200.1');

  const [controllers] = named(objects, 'KubeControllersConfiguration');
  if (controllers) controllers.spec = { controllers: { loadBalancer: { assignIPs: 'AllServices' } } };
  const service = (name: string, spec: object, ip: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: { type: 'LoadBalancer', ...spec },
    status: { loadBalancer: { ingress: [{ ip }] } },
  });
  objects.push(
    service('edge', {}, '10.60.201.1'),
    service('ours', { loadBalancerClass: 'calico' }, '198.51.100.1'),
    service('theirs', { loadBalancerClass: 'other.example/lb' }, '198.51.100.2'),
  );
  return objects;
}

/** Lines that calicoctl prints in hash order, sorted within their group. */
function inOrder(text: string): string[] {
  const lines: string[] = [];
  let group: string[] = [];
  // One handle holds a line break.
  for (const line of text.replaceAll('\r\n', '\\r\\n').split('\n')) {
    if (line.startsWith('  ')) group.push(line);
    else {
      lines.push(...group.sort(), line);
      group = [];
    }
  }
  return [...lines, ...group];
}

/** Owners and handles are in hash order too. */
function report(text: string): unknown {
  const parsed = parseJson(text) as unknown as {
    allocations: Record<string, { owners: string[] | null }[]>;
    leakedHandles: { ID: string }[];
  };
  parsed.leakedHandles.sort((a, b) => (a.ID < b.ID ? -1 : 1));
  for (const list of Object.values(parsed.allocations)) for (const one of list) one.owners?.sort();
  return parsed;
}

async function checkedBy(server: ApiServer): Promise<CalicoctlCheck> {
  const world = testWorld({});
  const store = await openKube(await kubeConnection({ kubeconfig: server.kubeconfig }, world), world);
  try {
    return calicoctlCheck({ snapshot: await observe(store, { clock: world.clock }) });
  } finally {
    await store.close();
  }
}

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  describeWithApiServer('ipam check', (server) => {
    it('ipam check prints the same lines and writes the same report as calicoctl', async () => {
      const { admin, kubeconfig } = server();
      await admin.load(broken());
      const folder = mkdtempSync(join(tmpdir(), 'calictl-test-'));
      const file = join(folder, 'report.json');
      const env = { ...process.env, DATASTORE_TYPE: 'kubernetes', KUBECONFIG: kubeconfig };
      const ask = async (...flags: string[]) =>
        (await run(reference ?? '', ['ipam', 'check', ...flags], { env })).stdout;
      try {
        const check = await checkedBy(server());
        expect(check.problems).toBeGreaterThan(5);
        const flagSets = [
          { flags: [], view: { showAll: false, showProblems: false } },
          { flags: ['--show-problem-ips'], view: { showAll: false, showProblems: true } },
          { flags: ['--show-all-ips'], view: { showAll: true, showProblems: false } },
        ];
        for (const { flags, view } of flagSets) {
          expect(inOrder(calicoctlIpamCheckText(check, view))).toEqual(inOrder(await ask(...flags)));
        }
        await ask('-o', file);
        expect(report(calicoctlReportText(check, 'v3.31.4'))).toEqual(report(readFileSync(file, 'utf8')));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
});
