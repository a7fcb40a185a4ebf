// Blocks that calictl gives to a node or takes from it, and Calico's own plugin and calicoctl on the same API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { calicoIpam, hasCniPlugins } from '../support/other-clients/cni-plugin.ts';
import { calicoctlNeeds, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const container = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0');
const folder = mkdtempSync(join(tmpdir(), 'calictl-affinity-interop-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(reference === undefined || !hasCniPlugins)(
  'ipam affinity next to calico-ipam (skipped unless CALICOCTL and CALICO_CNI_BIN name the programs)',
  () => {
    describeWithApiServer('on Kubernetes', (server) => {
      const env = () => ({ HOME: '/nonexistent', KUBECONFIG: server().kubeconfig });
      const calictl = (line: string) => run(line, { env: env() });
      const cni = (command: 'ADD' | 'DEL', host: string, id: string) =>
        calicoIpam({
          command,
          containerId: container(id),
          node: host,
          kubeconfig: server().kubeconfig,
          lockFile: join(folder, `${host}.lock`),
        });
      const claims = async () =>
        (JSON.parse((await calictl('ipam affinity list -o json')).stdout) as { items: Record<string, unknown>[] })
          .items;

      beforeEach(async () => {
        await server().admin.reset();
        await server().admin.load([
          ...calicoctlNeeds,
          pool('pool-1', '10.60.0.0/24', 29),
          node('node-a'),
          node('node-b'),
        ]);
      });

      async function expectClean(): Promise<void> {
        const theirs = await runReference(['ipam', 'check'], { ...env(), DATASTORE_TYPE: 'kubernetes' });
        expect(theirs.stdout).toContain('IPAM blocks record 0 allocations.');
        expect(theirs.stdout).toContain('Check complete; found 0 problems.');
        expect(await calictl('ipam check')).toMatchObject({ code: 0 });
        expect(await claims()).toEqual([]);
      }

      it('the CNI plugin assigns from a block that was claimed for its node, until the node is deleted', async () => {
        // Not the one that the plugin would begin with.
        expect(await calictl('ipam affinity claim 10.60.0.248/29 --node node-a')).toMatchObject({
          code: 0,
          stderr: '',
        });
        expect((await cni('ADD', 'node-a', 'one')).addresses).toEqual(['10.60.0.248']);
        expect(await claims()).toEqual([
          expect.objectContaining({
            node: 'node-a',
            cidr: '10.60.0.248/29',
            state: 'confirmed',
            inUse: 1,
            problems: [],
          }),
        ]);
        await server().admin.request('DELETE', '/api/v1/nodes/node-a');
        const { code, stdout } = await calictl('ipam release --node node-a --affinities');
        expect({ code, stdout }).toEqual({
          code: 0,
          stdout: [
            'Successfully released 10.60.0.248',
            'Successfully released 10.60.0.248/29',
            '1 of 1 address released, 1 of 1 block released. No journal is kept of releases.',
            '',
          ].join('\n'),
        });
        await expectClean();
      });

      it('a block that loses its owner keeps its address until the CNI plugin deletes it', async () => {
        const [address] = (await cni('ADD', 'node-b', 'one')).addresses;
        const [claim] = await claims();
        expect(await calictl(`ipam affinity release ${claim?.['cidr']}`)).toMatchObject({ code: 4, stdout: '' });
        expect(await calictl(`ipam affinity release ${claim?.['cidr']} --keep-addresses`)).toMatchObject({ code: 0 });
        expect(await claims()).toEqual([]);
        // The node claims another block, because this one has no owner.
        const [next] = (await cni('ADD', 'node-b', 'two')).addresses;
        const [other] = await claims();
        expect(other?.['cidr']).not.toBe(claim?.['cidr']);
        const shown = await calictl(`ipam show --ip ${address} --ip ${next} -o json`);
        expect(JSON.parse(shown.stdout).items).toMatchObject([
          { allocated: true, block: claim?.['cidr'], borrowed: true },
          { allocated: true, block: other?.['cidr'], borrowed: false },
        ]);
        for (const id of ['one', 'two']) expect((await cni('DEL', 'node-b', id)).failure).toBeUndefined();
        expect(await calictl('ipam affinity release --node node-b')).toMatchObject({ code: 0 });
        await expectClean();
      });

      it('a node whose blocks were released claims again', async () => {
        const [first] = (await cni('ADD', 'node-a', 'one')).addresses;
        await cni('DEL', 'node-a', 'one');
        expect(await calictl('ipam affinity release --node node-a')).toMatchObject({ code: 0 });
        expect(await claims()).toEqual([]);
        expect((await cni('ADD', 'node-a', 'two')).addresses).toEqual([first]);
        await cni('DEL', 'node-a', 'two');
        await calictl('ipam affinity release 10.60.0.0/24');
        await expectClean();
      });
    });
  },
);
