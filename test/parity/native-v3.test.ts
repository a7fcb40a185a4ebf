// `get` and `ipam` compared with calicoctl v3.32.1 on a cluster with Calico's objects in projectcalico.org/v3: exit code and
// both streams, byte for byte. CALICOCTL_332 names the program.
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { cluster } from '../support/clusters/seeded-cluster.ts';
import { runReference, withoutListRevision } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const program = process.env['CALICOCTL_332'];

const lines = [
  'get ippool',
  'get ippool -o wide',
  'get ippool -o yaml',
  'get ippool pool-1 -o yaml',
  'get ippool -o json',
  'get node',
  'get node node-a -o yaml',
  'get wep -A',
  'get clusterinfo -o yaml',
  'get ippool nosuch',
  'ipam show',
  'ipam show --show-blocks',
  'ipam show --ip=10.60.0.1',
  'ipam show --ip=10.60.1.77',
  'ipam show --ip=192.0.2.1',
  'ipam show --show-borrowed',
  'ipam check',
  'ipam check --show-all-ips',
];

/** A cluster of release v3.32.1. */
function objects(): KubeObject[] {
  const { objects: all } = cluster({ seed: 8, nodes: 3, podsPerNode: 4, namespaces: ['default', 'shop'] });
  return all.map((object) =>
    object.kind === 'ClusterInformation'
      ? { ...object, spec: { ...(object.spec as object), calicoVersion: 'v3.32.1' } }
      : object,
  );
}

const environment = (server: ApiServer): Record<string, string> => ({
  DATASTORE_TYPE: 'kubernetes',
  KUBECONFIG: server.kubeconfig,
  HOME: '/nonexistent',
});

/**
 * Without what differs on purpose: the revision of a list, the order of nodes with as many allocations, which calicoctl
 * prints at random, and the end of JSON, which has no newline there.
 */
function comparable(stdout: string): string {
  const lines = withoutListRevision(stdout).trimEnd().split('\n');
  const isRank = (line: string): boolean => / has \d+ allocations$/.test(line);
  const ranks = lines.filter(isRank).sort();
  return lines.map((line) => (isRank(line) ? ranks.shift() : line)).join('\n');
}

describe.skipIf(program === undefined)('next to calicoctl v3.32.1', () => {
  describeWithApiServer(
    'on a cluster with projectcalico.org/v3',
    (server) => {
      beforeAll(() => server().admin.load(objects()));

      it.each(lines)('calicoctl v3.32.1 gives the same answer: %s', async (line) => {
        const env = environment(server());
        const theirs = await runReference(line.split(' '), env, program);
        const { code, stdout, stderr } = await run(line, { env, programName: 'calicoctl' });
        expect({ code, stdout: comparable(stdout), stderr }).toEqual({
          code: theirs.code,
          stdout: comparable(theirs.stdout),
          stderr: theirs.stderr,
        });
      });
    },
    'projectcalico.org/v3',
  );
});
