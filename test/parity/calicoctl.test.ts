// calictl in compat mode compared with the calicoctl that CALICOCTL names, on equal clusters of a real kube-apiserver.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { type Damage, type DamageName, damageNames, damageRandomly } from '../support/clusters/damage.ts';
import { cluster, seeded } from '../support/clusters/seeded-cluster.ts';
import { reference, runReference, withoutListRevision } from '../support/program/reference-calicoctl.ts';
import { run, TestClock } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const clusters = process.env['LONG'] ? 200 : 10;

/** The reference prints some lists in an order of chance: runs of indented lines are compared as sets. */
function sortedLists(text: string): string[] {
  const lines = withoutListRevision(text).split('\n');
  const result: string[] = [];
  let list: string[] = [];
  for (const line of lines) {
    if (/^ {2}\S/.test(line)) list.push(line);
    else {
      result.push(...list.sort(), line);
      list = [];
    }
  }
  return [...result, ...list.sort()];
}

const commands: readonly string[] = [
  'ipam check --show-all-ips',
  'ipam check --show-problem-ips',
  'ipam check',
  'ipam show',
  'ipam show --show-blocks',
  'ipam show --show-borrowed',
  'get ippool -o wide',
  'get ippools',
  'get nodes -o wide',
  'get wep -A',
  'get ippool -o yaml',
  'get ippool -o json',
  'get clusterinfo -o yaml',
  'get kubecontrollersconfig -o json',
  'get nodes -o yaml',
];

function damagedCluster(seed: number): { objects: KubeObject[]; damages: Damage[] } {
  const random = seeded(seed * 31);
  const whole = cluster({
    seed,
    nodes: 1 + Math.floor(random() * 4),
    podsPerNode: Math.floor(random() * 8),
    borrowed: random() < 0.5 ? 0.3 : 0,
    pools: [
      { name: 'pool-1', cidr: '10.60.0.0/16' },
      ...(random() < 0.5 ? [{ name: 'pool-2', cidr: '10.61.0.0/20', blockSize: 28 }] : []),
      ...(random() < 0.3 ? [{ name: 'pool-off', cidr: '10.62.0.0/24', disabled: true }] : []),
    ],
  });
  // One cluster in four is healthy.
  return {
    objects: whole.objects,
    damages: seed % 4 === 0 ? [] : damageRandomly(whole, seed, 8, damageNames as readonly DamageName[]),
  };
}

/** The report file with what an order of chance decides put in order. */
function comparableReport(text: string): unknown {
  return JSON.parse(text, (key, value) => {
    if (key === 'owners' && Array.isArray(value)) return value.sort();
    if (key === 'leakedHandles' && Array.isArray(value)) return value.sort((a, b) => (a.ID < b.ID ? -1 : 1));
    return value;
  });
}

interface Entry {
  readonly inUse: boolean;
  readonly handle?: string;
}

/** Their addresses are in use whatever the pod's status says: docs/reference/parity.md. */
function liveContainers(objects: readonly KubeObject[]): Set<string> {
  const running = objects.filter(
    ({ kind, status }) => kind === 'Pod' && (status as { phase?: string }).phase === 'Running',
  );
  return new Set(running.map(({ metadata }) => metadata.annotations?.['cni.projectcalico.org/containerID'] ?? ''));
}

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  describeWithApiServer('on Kubernetes', (server) => {
    it(`calicoctl mode prints the same text on ${clusters} healthy and damaged clusters, and ipam check finds everything it finds`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-parity-'));
      const { kubeconfig, admin } = server();
      const env = { KUBECONFIG: kubeconfig };
      const theirEnv = { DATASTORE_TYPE: 'kubernetes', ...env };
      for (let seed = 1; seed <= clusters; seed += 1) {
        await admin.reset();
        const { objects, damages } = damagedCluster(seed);
        await admin.load(objects);
        const about = `cluster ${seed}: ${damages.map(({ name, where }) => `${name} ${where}`).join(', ') || 'healthy'}`;
        for (const line of commands) {
          const args = line.split(' ');
          const [theirs, ours] = await Promise.all([
            runReference(args, theirEnv),
            run(args, { env, programName: 'calicoctl' }),
          ]);
          expect(sortedLists(ours.stdout), `${line} on ${about}`).toEqual(sortedLists(theirs.stdout));
          expect([ours.code, ours.stderr], `${line} on ${about}`).toEqual([theirs.code, theirs.stderr]);
        }
        const file = (name: string): string => join(folder, `${name}-${seed}.json`);
        await runReference(['ipam', 'check', '-o', file('theirs')], theirEnv);
        await run(['ipam', 'check', '-o', file('ours')], { env, programName: 'calicoctl' });
        const theirs = readFileSync(file('theirs'), 'utf8');
        expect(comparableReport(readFileSync(file('ours'), 'utf8')), about).toEqual(comparableReport(theirs));

        // What calicoctl found is in calictl's own report: addresses by address, handles by name.
        const clock = new TestClock(new Date(Date.now() + 3_600_000));
        const own = await run('ipam check -o json --grace 0', { env, clock });
        const found = JSON.stringify(JSON.parse(own.stdout).findings);
        const report = JSON.parse(theirs);
        const alive = liveContainers(objects);
        for (const [address, entries] of Object.entries(report.allocations as Record<string, Entry[]>)) {
          const leaked = entries.some(
            ({ inUse, handle }) => !inUse && !alive.has(handle?.replace(/^k8s-pod-network\./, '') ?? ''),
          );
          if (leaked) expect(found, `${address} on ${about}`).toContain(`"${address}"`);
        }
        for (const { ID } of report.leakedHandles ?? [])
          expect(found, `${ID} on ${about}`).toContain(String(ID).toLowerCase());
      }
    }, 3_600_000);
  });
});
