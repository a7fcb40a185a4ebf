// ipam assign compared with Calico's own IPAM plugin on equal datastores: each stored object is the same, field by field.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { calicoIpam, hasCniPlugins } from '../support/other-clients/cni-plugin.ts';
import { run, TestClock } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'calictl-assign-parity-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasCniPlugins)('next to calico-ipam (skipped unless CALICO_CNI_BIN names it)', () => {
  describeWithApiServer('on Kubernetes', (server) => {
    const env = () => ({ KUBECONFIG: server().kubeconfig });
    const container = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0');

    /** What is stored, without what no two clusters have alike. */
    async function stored(): Promise<unknown> {
      const objects = ['ipamblocks', 'blockaffinities', 'ipamhandles'].map(async (plural) => {
        const { body } = await server().admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
        return (parseJson(body) as unknown as { items: KubeObject[] }).items.map(({ metadata, ...object }) => {
          const { uid: _u, resourceVersion: _r, creationTimestamp: _c, managedFields: _m, ...kept } = metadata;
          return { ...object, metadata: kept };
        });
      });
      return (await Promise.all(objects)).flat();
    }

    /** Sequence numbers as how many writes they are after the first one; the time of an assignment by its form. */
    function comparable(value: unknown, start = first(value)): unknown {
      if (typeof value === 'bigint') return Number(value - start);
      if (typeof value === 'string') return value.replace(/^\d{4}-\d\d-\d\d [\d:.]+ \+0000 UTC$/, 'TIME');
      if (Array.isArray(value)) return value.map((item) => comparable(item, start));
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, comparable(field, start)]));
    }

    function first(value: unknown): bigint {
      // All of nineteen digits: the least is the first in order of their texts.
      return BigInt(
        printJson(value)
          .match(/\b1\d{18}\b/g)
          ?.sort()[0] ?? 0,
      );
    }

    async function story(add: (id: string) => Promise<unknown>): Promise<unknown> {
      await server().admin.reset();
      await server().admin.load([node('node-a'), pool('p', '10.244.0.0/16', 26)]);
      await add(container('First'));
      await add(container('second'));
      return comparable(await stored());
    }

    it('ipam assign and calico-ipam write the same objects for two containers of a node', async () => {
      const theirs = await story(async (containerId) => {
        const lockFile = join(folder, 'ipam.lock');
        const answer = await calicoIpam({
          command: 'ADD',
          containerId,
          node: 'node-a',
          kubeconfig: server().kubeconfig,
          lockFile,
        });
        expect(answer.failure).toBeUndefined();
      });
      const clock = new TestClock('2025-06-15T16:00:00.123Z');
      const ours = await story(async (containerId) => {
        const argv = ['ipam', 'assign', '--node', 'node-a', '--handle', `k8s-pod-network.${containerId}`];
        expect(await run(argv, { env: env(), clock })).toMatchObject({ code: 0, stderr: '' });
      });
      expect(ours).toEqual(theirs);
      expect(JSON.stringify(ours)).toContain('"sequenceNumberForAllocation":{"0":0,"1":1}');
      expect(JSON.stringify(ours)).toContain('"timestamp":"TIME"');
    });
  });
});
