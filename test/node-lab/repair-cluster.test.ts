// node repair over the API server's exec, with the programs that the image of calico-node has, and on a live cluster, which
// alone shows that a pod is gone.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { loadLab } from '../support/lab/cluster.ts';
import { breakLab } from '../support/lab/faults.ts';
import { fullListing, listingChanges } from '../support/lab/full-listing.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { ip } from '../support/lab/network.ts';
import { nodeOf } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { type Ran, run } from '../support/program/world.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';

interface Report {
  readonly problems: readonly { id: string }[];
  readonly unrepaired: readonly { id: string; why: string }[];
  readonly fix: { readonly items: readonly { id: string; command: string[]; outcome: string; detail?: string }[] };
}

const stray = 'calideadbeef012';
const address = '10.244.10.9';

describeWithPrograms('node repair on a cluster', labPrograms, () => {
  describeWithKubelets('with kubelets', (server, kubelets) => {
    let lab: Lab;
    let runs = 0;
    beforeAll(async () => {
      await server().admin.reset();
      lab = await startLab({ name: 'repair cluster', encapsulation: 'vxlan' });
      await loadLab(lab, server(), kubelets());
    });
    afterAll(() => lab?.stop());

    const repair = (...more: readonly string[]): Promise<Ran> => {
      const journal = join(lab.folder, `repair-${++runs}.jsonl`);
      return run(['node', 'repair', '--kubeconfig', server().kubeconfig, '--journal', journal, '-o', 'json', ...more], {
        env: { PATH: process.env['PATH'] ?? '' },
      });
    };
    const reportOf = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report;
    const listing = () => fullListing(nodeOf(lab.plan, 'node-a').netns);

    it('sets a setting without sysctl, and says that a forwarding entry needs a program that is missing', async () => {
      const healthy = await listing();
      const heals = [
        await breakLab(lab, 'noProxyArp', { node: 'node-a' }),
        await breakLab(lab, 'noForwardingEntry', { node: 'node-a', peer: 'node-b' }),
      ];
      try {
        const { code, stdout } = await repair('node-a');
        expect(code).toBe(5);
        const { fix, problems } = JSON.parse(stdout) as Report;
        expect(fix.items.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
          ['F01', 'applied'],
          ['F57', 'failed'],
        ]);
        expect(fix.items.find(({ id }) => id === 'F57')?.detail).toMatch(/bridge/);
        expect(problems.map(({ id }) => id)).toEqual(['F57']);
      } finally {
        await heals[1]?.();
      }
      expect(await listing()).toEqual(healthy);
    });

    it('removes the route to a pod that is gone, and nothing else; its interface stays', async () => {
      const { netns, pods } = nodeOf(lab.plan, 'node-a');
      const healthy = await listing();
      await ip(
        netns,
        `link add ${stray} address ee:ee:ee:ee:ee:ee type veth peer name eth9 netns ${pods[0]?.netns}`,
        `link set ${stray} up`,
      );
      try {
        const withInterface = await listing();
        await ip(
          netns,
          `route add ${address}/32 dev ${stray} scope link`,
          `route add 10.244.10.8/32 dev ${stray} proto static`,
        );
        const { code, stdout } = await repair('node-a');
        expect(code).toBe(3);
        const { fix, problems } = JSON.parse(stdout) as Report;
        expect(fix.items.map(({ command, outcome }) => [command.join(' '), outcome])).toEqual([
          [`ip -4 route del ${address}/32 dev ${stray} proto boot`, 'applied'],
        ]);
        expect(problems.map(({ id }) => id).sort()).toEqual(['F15', 'F47']);
        const changes = listingChanges(withInterface, await listing());
        expect(changes).toEqual([
          expect.stringMatching(/^\+ unicast 10\.244\.10\.8 dev calideadbeef012 .*proto static/),
        ]);
      } finally {
        await ip(netns, `link del ${stray}`);
      }
      expect(await listing()).toEqual(healthy);
    });

    it('leaves a route alone while a pod is starting on the node', async () => {
      const { netns, pods } = nodeOf(lab.plan, 'node-a');
      await ip(
        netns,
        `link add ${stray} address ee:ee:ee:ee:ee:ee type veth peer name eth9 netns ${pods[0]?.netns}`,
        `link set ${stray} up`,
        `route add ${address}/32 dev ${stray} scope link`,
      );
      const pod: KubeObject = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'late', namespace: 'default' },
        spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'c' }] },
      } as KubeObject;
      try {
        await server().admin.load([pod]);
        const { fix, unrepaired } = reportOf(await repair('node-a'));
        expect(fix.items).toEqual([]);
        expect(unrepaired).toEqual([
          expect.objectContaining({ id: 'F48', why: 'pod default/late is starting on this node' }),
        ]);
        expect((await lab.exec('node-a', ['ip', 'route', 'show', address])).stdout).toContain(stray);
      } finally {
        await ip(netns, `link del ${stray}`);
      }
    });
  });
});
