// calictl and Calico's own programs on one datastore: each releases what the other assigned, and both assign from the
// same small pools at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { node, pool } from '../support/clusters/ipam-state.ts';
import type { Held } from '../support/other-clients/allocating-process.ts';
import { allocatingProcesses, heldTwice } from '../support/other-clients/allocating-processes.ts';
import { calicoIpam, hasCniPlugins } from '../support/other-clients/cni-plugin.ts';
import { calicoctlNeeds, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

const seconds = process.env['LONG'] ? 300 : 8;
const nodes = ['node-a', 'node-b', 'node-c', 'node-d'];
const container = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0');

const folder = mkdtempSync(join(tmpdir(), 'calictl-interop-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(reference === undefined || !hasCniPlugins)(
  'next to calicoctl and calico-ipam (skipped unless CALICOCTL and CALICO_CNI_BIN name them)',
  () => {
    const allocating = allocatingProcesses();

    describeWithApiServer('on Kubernetes', (server) => {
      const env = () => ({ HOME: '/nonexistent', KUBECONFIG: server().kubeconfig });
      const calicoctl = (...argv: string[]) => runReference(argv, { ...env(), DATASTORE_TYPE: 'kubernetes' });
      const cni = (command: 'ADD' | 'DEL', host: string, containerId: string) =>
        calicoIpam({
          command,
          containerId,
          node: host,
          kubeconfig: server().kubeconfig,
          lockFile: join(folder, `${host}.lock`),
        });

      beforeEach(async () => {
        await server().admin.reset();
        await server().admin.load([
          ...calicoctlNeeds,
          pool('pool-1', '10.60.0.0/27', 29),
          pool('pool-2', '10.61.0.0/27', 30),
          ...nodes.map((name) => node(name)),
        ]);
      });

      /** Nothing is assigned any more, and neither program finds a fault. */
      async function expectClean(): Promise<void> {
        const theirs = await calicoctl('ipam', 'check', '--show-problem-ips');
        expect(theirs.stdout).toContain('IPAM blocks record 0 allocations.');
        expect(theirs.stdout).toContain('Check complete; found 0 problems.');
        const ours = await run('ipam check -o json', { env: env() });
        const { findings, summary } = JSON.parse(ours.stdout);
        // The plugin releases by handle, which leaves sequence numbers of free addresses: a note, no fault.
        expect(findings.filter(({ severity }: { severity: string }) => severity !== 'info')).toEqual([]);
        expect(summary).toMatchObject({ allocations: 0, handles: 0 });
        expect(ours.code).toBe(0);
      }

      it('calicoctl shows and releases what calictl assigned, and the CNI plugin deletes it', async () => {
        const [first, second] = [container('first'), container('second')];
        const assign = async (id: string): Promise<string> => {
          const argv = ['ipam', 'assign', '--node', 'node-a', '--handle', `k8s-pod-network.${id}`, '-o', 'json'];
          return JSON.parse((await run(argv, { env: env() })).stdout).addresses[0].address;
        };
        const [one, two] = [await assign(first), await assign(second)];
        const shown = await calicoctl('ipam', 'show', `--ip=${one}`);
        expect(shown.stdout).toContain(`IP ${one} is in use`);
        expect(shown.stdout).toContain('node: node-a');
        expect(await calicoctl('ipam', 'release', `--ip=${one}`)).toEqual({
          code: 0,
          stderr: '',
          stdout: `Successfully released IP address ${one}\n`,
        });
        expect(await cni('DEL', 'node-a', second)).toEqual({ addresses: [], failure: undefined });
        expect((await calicoctl('ipam', 'show', `--ip=${two}`)).stdout).toContain(`${two} is not assigned`);
        await expectClean();
      });

      it('calictl shows and releases what the CNI plugin assigned, by address and by handle', async () => {
        const [first, second] = [container('first'), container('second')];
        const [one] = (await cni('ADD', 'node-b', first)).addresses;
        const [two] = (await cni('ADD', 'node-b', second)).addresses;
        const shown = await run(`ipam show --ip ${one} -o json`, { env: env() });
        expect(JSON.parse(shown.stdout).items[0]).toMatchObject({
          address: one,
          allocated: true,
          pool: 'pool-1',
          handle: `k8s-pod-network.${first}`,
          node: 'node-b',
        });
        expect(await run(`ipam release --ip ${one}`, { env: env() })).toMatchObject({ code: 0, stderr: '' });
        expect(await run(`ipam release --handle k8s-pod-network.${second}`, { env: env() })).toMatchObject({ code: 0 });
        expect((await calicoctl('ipam', 'show', `--ip=${two}`)).stdout).toContain(`${two} is not assigned`);
        await expectClean();
      });

      /** One host's kubelet: it adds and deletes containers. A call that fails because of contention is repeated later. */
      async function kubelet(host: string, most: number): Promise<Held[]> {
        const end = Date.now() + seconds * 1000;
        const running: { id: string; address: string; from: bigint }[] = [];
        const held: Held[] = [];
        const stop = async (): Promise<void> => {
          const oldest = running.shift();
          if (oldest === undefined) return;
          const to = process.hrtime.bigint();
          while ((await cni('DEL', host, oldest.id)).failure !== undefined);
          held.push({ address: oldest.address, from: String(oldest.from), to: String(to) });
        };
        for (let nth = 0; Date.now() < end; nth += 1) {
          const id = container(`${host} ${nth}`);
          const { addresses } = await cni('ADD', host, id);
          const [address] = addresses;
          if (address === undefined) await cni('DEL', host, id);
          else running.push({ id, address, from: process.hrtime.bigint() });
          if (running.length >= most || address === undefined) await stop();
        }
        while (running.length > 0) await stop();
        return held;
      }

      it(
        `calictl and the CNI plugin assign from the same small pools for ${seconds} seconds`,
        async () => {
          // 48 addresses: eight holders of six at most use them up, so that nodes borrow and meet in each other's blocks.
          const most = 6;
          const spans = await Promise.all([
            ...nodes.map((host) => kubelet(host, most)),
            ...nodes.map((host) =>
              allocating({ env: env(), node: host, name: `beside-${host}`, seconds, most: most - 1 }),
            ),
          ]);
          for (const held of spans) expect(held.length).toBeGreaterThan(0);
          expect(heldTwice(spans.flat())).toEqual([]);
          await expectClean();
        },
        (seconds + 120) * 1000,
      );
    });
  },
);
