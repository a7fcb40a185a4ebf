// Commands on healthy nodes: BIRD, sessions, routes and the data path of a lab are seen completely and found right.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peersOf, protocolName, remoteBlocks } from '../support/lab/bird-config.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { type Answer, askNodes } from '../support/lab/node-command.ts';
import type { LabNode, PlanOptions } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';

interface Shape {
  readonly options: PlanOptions;
  /**
   * Routes that a node with pods gets from each of its peers, in each family. With VXLAN two of one block: BIRD's own
   * and the one that it learns of Felix's blackhole; where Felix has routes without a tunnel, BIRD passes those on too,
   * and they are not counted here.
   */
  readonly prefixes?: number;
  /** What could be better. */
  readonly advice: readonly string[];
}

const shapes: readonly Shape[] = [
  { options: { encapsulation: 'none' }, prefixes: 1, advice: [] },
  { options: { encapsulation: 'none', reflector: true }, prefixes: 2, advice: ['F91'] },
  { options: { encapsulation: 'vxlan' }, prefixes: 2, advice: [] },
  { options: { encapsulation: 'vxlan-crosssubnet' }, advice: [] },
  { options: { encapsulation: 'none', families: [4] }, prefixes: 1, advice: [] },
];

const ids = ({ problems }: Answer): string[] => problems.map(({ id }) => id);

describeWithPrograms('healthy nodes', labPrograms, () => {
  describe.each(shapes)('$options', ({ options, prefixes, advice }) => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await startLab({ name: 'healthy', ...options });
    });
    afterAll(() => lab?.stop());

    const sessionsOf = (node: LabNode): string[] =>
      lab.plan.families.flatMap((family) =>
        peersOf(lab.plan, node).map((peer) => {
          const got = prefixes !== undefined && node.block === undefined ? 1 : prefixes;
          return `${protocolName(lab.plan, peer.address[family])} ${peer.name} AS64512 Established ${got}`;
        }),
      );

    it('node status shows every session of a healthy lab, from both ends', async () => {
      const answer = await askNodes(lab, 'status');
      expect(answer.code).toBe(0);
      expect(ids(answer)).toEqual(advice);
      const nodes = answer.items as unknown as readonly {
        readonly node: string;
        readonly felix: string;
        readonly bird: readonly { readonly ipVersion: number; readonly state: string; readonly routerId?: string }[];
        readonly peers: readonly {
          readonly protocol: string;
          readonly node: string;
          readonly asNumber: number;
          readonly state: string;
          readonly prefixes: { readonly imported: number };
        }[];
      }[];
      expect(nodes.map(({ node }) => node)).toEqual(lab.plan.nodes.map(({ name }) => name));
      for (const [index, node] of lab.plan.nodes.entries()) {
        const seen = nodes[index];
        const rows = seen?.peers.map(
          ({ protocol, node: peer, asNumber, state, prefixes: { imported } }) =>
            `${protocol} ${peer} AS${asNumber} ${state} ${prefixes && imported}`,
        );
        expect(rows?.sort()).toEqual(sessionsOf(node).sort());
        const running = seen?.bird.filter(({ state }) => state === 'running');
        expect(running?.map(({ ipVersion, routerId }) => [ipVersion, routerId])).toEqual(
          lab.plan.families.map((family) => [family, node.address[4]]),
        );
        expect(seen?.felix).toBe('running');
      }
    });

    it('node bgp finds the sessions of a healthy lab as the objects configure them', async () => {
      const answer = await askNodes(lab, 'bgp');
      expect(answer.code).toBe(0);
      expect(ids(answer)).toEqual(advice);
      const kind = options.reflector === true ? 'BGPPeer' : 'mesh';
      const rows = answer.items as unknown as readonly {
        readonly node: string;
        readonly protocol: string;
        readonly peerNode: string;
        readonly wantedBy: { readonly kind: string };
        readonly routeReflectorClient: boolean;
        readonly state: string;
      }[];
      const seen = rows.map(({ node, protocol, peerNode, wantedBy, routeReflectorClient, state }) => [
        ...[node, protocol, peerNode, wantedBy.kind, routeReflectorClient, state],
      ]);
      const expected = lab.plan.nodes.flatMap((node) =>
        lab.plan.families.flatMap((family) =>
          peersOf(lab.plan, node).map((peer) => [
            ...[node.name, protocolName(lab.plan, peer.address[family]), peer.name],
            ...[kind, node.clusterId !== undefined, 'Established'],
          ]),
        ),
      );
      expect(seen.sort()).toEqual(expected.sort());
    });

    it('node routes finds the routes to own pods, own blocks and other nodes of a healthy lab', async () => {
      const answer = await askNodes(lab, 'routes');
      expect(answer.code).toBe(0);
      expect(ids(answer)).toEqual([]);
      const right = answer.items.map(({ node, asExpected }) => [node, asExpected]);
      const own = ({ block, pods }: LabNode): number => (block === undefined ? 0 : pods.length + 1);
      // With VXLAN a node without pods would have routes all the same; there is none in these labs.
      const expected = lab.plan.nodes.map((node) => [
        node.name,
        lab.plan.families.length * (own(node) + remoteBlocks(lab.plan, node, 4).length),
      ]);
      expect(right).toEqual(expected);
    });

    it('node verify finds everything as expected that is visible outside of containers', async () => {
      const answer = await askNodes(lab, 'verify');
      expect(answer.code).toBe(0);
      expect(ids(answer)).toEqual([]);
      expect(answer.items.map(({ node }) => node)).toEqual(lab.plan.nodes.map(({ name }) => name));
      const facts = answer.items.flatMap(
        (item) => item['facts'] as readonly { readonly fact: string; readonly verdict: string }[],
      );
      // The files of a node are not in its network namespace.
      expect([...new Set(facts.map(({ fact, verdict }) => `${fact}: ${verdict}`))].sort()).toEqual([
        'MTU of new pods: not observed',
        'nodename: not observed',
      ]);
    });
  });
});
