// label and patch compared with calicoctl v3.31.4: the same command lines, each on an API server of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { describeWithParts } from '../support/program/parts.ts';
import { reference, runReference } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { type ApiServer, startApiServer } from '../support/servers/api-server.ts';

const objects: readonly KubeObject[] = [
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a', labels: { zone: 'a' } }, spec: {} },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPPool',
    metadata: {
      name: 'pool-1',
      uid: '11111111-2222-4333-8444-555555555555',
      annotations: {
        'projectcalico.org/metadata': '{"creationTimestamp":"2025-06-15T15:00:00Z","labels":{"team":"shop"}}',
      },
    },
    spec: { cidr: '10.60.0.0/16', blockSize: 26, ipipMode: 'Never', vxlanMode: 'Always', nodeSelector: 'all()' },
  },
  { apiVersion: 'crd.projectcalico.org/v1', kind: 'Tier', metadata: { name: 'default' }, spec: { order: 1000000 } },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'GlobalNetworkPolicy',
    metadata: { name: 'default.allow-dns' },
    spec: { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Allow', protocol: 'UDP' }], tier: 'default' },
  },
];

/** A step after the other on both clusters. */
const lines: readonly (readonly string[])[] = [
  ['label', 'ippool', 'pool-1', 'rack=r1'],
  ['label', 'ippools', 'pool-1', 'rack=r1'],
  ['label', 'ippool', 'pool-1', 'rack=r2'],
  ['label', 'ippool', 'pool-1', 'rack=r2', '--overwrite'],
  ['label', 'ippool', 'pool-1', 'team', '--remove'],
  ['label', 'ippool', 'pool-1', 'team', '--remove'],
  ['label', 'ippool', 'pool-1', 'a=b=c'],
  ['label', 'ippool', 'pool-1', 'novalue'],
  ['label', 'ippool', 'pool-1', 'empty='],
  ['label', 'ippool', 'pool-1', 'bad key=x'],
  ['label', 'ippool', 'nosuch', 'a=b'],
  ['label', 'nosuchkind', 'x', 'a=b'],
  ['label', 'ippool', '', 'a=b'],
  ['label', 'ippool', 'pool-1', 'a=b', '-n', 'shop'],
  ['label', 'node', 'node-a', 'rack=r1'],
  ['label', 'node', 'node-a', 'zone', '--remove'],
  ['label', 'node', 'node-a', 'rack', '--remove'],
  ['label', 'clusterinformation', 'default', 'a=b'],
  ['label', 'networkpolicy', 'nosuch', 'a=b', '-n', 'shop'],
  ['label', 'globalnetworkpolicy', 'allow-dns', 'a=b'],
  ['label', 'profile', 'kns.default', 'a=b'],
  ['label', 'ippool', 'pool-1', 'a=b', '--remove', '--overwrite'],
  ['label', 'ippool', 'pool-1'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"natOutgoing":true}}'],
  ['patch', 'ippool', 'pool-1', '--patch={"spec":{"disabled":true}}', '-t', 'json'],
  ['patch', 'ippool', 'pool-1', '-p', '{"metadata":{"labels":{"x":"y","rack":null}}}'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"cidr":"10.61.0.0/16"}}'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"nosuch":1}}'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"natOutgoing":"perhaps"}}'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"nodeSelector":"has("}}'],
  ['patch', 'ippool', 'pool-1', '-p', 'spec: {}'],
  ['patch', 'ippool', 'pool-1', '-p', '[]'],
  ['patch', 'ippool', 'pool-1', '-p', '{'],
  ['patch', 'ippool', 'pool-1', '-p', ''],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"$patch":"replace","cidr":"10.60.0.0/16"}}'],
  ['patch', 'ippool', 'pool-1', '-p', '{"spec":{"nodeSelector":null}}'],
  ['patch', 'ippool', 'nosuch', '-p', '{}'],
  ['patch', 'ippool', '', '-p', '{}'],
  ['patch', 'nosuchkind', 'x', '-p', '{}'],
  ['patch', 'ippool', 'pool-1', '-p', '{}', '-n', 'shop'],
  [
    'patch',
    'globalnetworkpolicy',
    'allow-dns',
    '-p',
    '{"spec":{"order":7,"types":["Egress"],"egress":[{"action":"Deny"}],"ingress":null}}',
  ],
  ['patch', 'networkpolicy', 'nosuch', '-n', 'shop', '-p', '{}'],
  ['patch', 'node', 'node-a', '-p', '{"spec":{"bgp":{"asNumber":64513,"ipv4Address":"192.0.2.1/24"}}}'],
  ['patch', 'clusterinformation', 'default', '-p', '{"spec":{"clusterType":"x"}}'],
  ['patch', 'ippool', 'pool-1'],
];

const environment = (server: ApiServer): Record<string, string> => ({
  DATASTORE_TYPE: 'kubernetes',
  KUBECONFIG: server.kubeconfig,
  HOME: '/nonexistent',
});

/** What a user sees of the objects afterwards, without what differs between two clusters. */
const masked = (text: string): string => text.replace(/(uid|resourceVersion|creationTimestamp|time): .*/g, '$1: X');

describeWithParts('label and patch as calicoctl', ['etcd', 'kube-apiserver'], () => {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-changes-'));
  let theirs: ApiServer;
  let ours: ApiServer;

  beforeAll(async () => {
    if (reference === undefined) return;
    [theirs, ours] = await Promise.all([startApiServer(join(folder, 'a')), startApiServer(join(folder, 'b'))]);
    for (const { admin } of [theirs, ours]) await admin.load(objects);
  });

  afterAll(() => {
    theirs?.stop();
    ours?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function both(argv: readonly string[]): Promise<readonly [unknown, unknown]> {
    const [expected, actual] = await Promise.all([
      runReference(argv, environment(theirs)),
      run(argv, { env: { ...environment(ours), CALICTL_COMPAT: '1' } }),
    ]);
    const pick = ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout: masked(stdout),
      stderr: masked(stderr),
    });
    return [pick(expected), pick(actual)];
  }

  describe.skipIf(reference === undefined)('the same command lines', () => {
    it.each(lines.map((line) => [line.join(' '), line] as const))('%s', async (_, line) => {
      const [expected, actual] = await both(line);
      expect(actual).toEqual(expected);
      for (const kind of ['ippool', 'node', 'globalnetworkpolicy']) {
        const [theirObjects, ourObjects] = await both(['get', kind, '-o', 'yaml']);
        expect(ourObjects).toEqual(theirObjects);
      }
    });
  });
});
