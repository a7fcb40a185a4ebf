// Sessions over all nodes, and the graph of them: states of edges by hand.
import { describe, expect, it } from 'vitest';
import { type BgpObjects, desiredSessions } from '../../src/bgp/desired-sessions.ts';
import { nodeStatusList } from '../../src/bgp/node-status.ts';
import type { BgpState } from '../../src/bgp/observed-sessions.ts';
import { bgpGraph, type Edge, peeringsOf } from '../../src/bgp/peerings.ts';
import { type NodeState, nodeState } from '../../src/node-state/node-state.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { bgpState, row } from '../support/clusters/bgp-state.ts';

const nodes = ['a', 'b', 'c'].map((name, at) => bgpNode(name, { ip: `10.90.0.${at + 1}/24` }));
const names = ['a', 'b', 'c'];
const unreachable = { code: 'NODE_UNREACHABLE', message: 'no answer', hint: undefined };

const asked = (state: BgpState): NodeState => ({
  ...nodeState({ node: state.node, outcomes: new Map(), unreachable: undefined }),
  ...state,
});
const notAsked = (node: string): NodeState => nodeState({ node, outcomes: new Map(), unreachable });
/** A node with these words of its peers, by the last number of their addresses. */
const says = (node: string, words: Readonly<Record<number, string>>): NodeState =>
  asked(
    bgpState(node, {
      rows: Object.entries(words)
        .map(([last, info]) => row(`Mesh_10_90_0_${last}`, info))
        .join(''),
    }),
  );

const planOf = (objects: Partial<BgpObjects> = {}) =>
  desiredSessions({ nodes, bgpPeers: [], bgpConfigurations: [], ...objects });
const edgesOf = (edges: readonly Edge[]): string[] =>
  edges.map(({ from, to, state }) => `${from} ${to} ${state}`).sort();

describe('peeringsOf', () => {
  it('peerings of nodes that were not queried show what is wanted, without a state', () => {
    const plan = planOf();
    const status = nodeStatusList(plan, [says('a', { 2: 'Established', 3: 'Passive' }), notAsked('b'), notAsked('c')], {
      bgpNeeded: true,
    });
    const { items, reached, unreached } = peeringsOf(plan, names, status);
    expect(items.map(({ node, peerNode, state }) => `${node} ${peerNode} ${state}`)).toEqual([
      ...['a b Established', 'a c Passive', 'b a undefined', 'b c undefined', 'c a undefined', 'c b undefined'],
    ]);
    expect([reached, unreached.map(({ node }) => node)]).toEqual([true, ['b', 'c']]);
  });

  it('only the plan is judged when no node is queried', () => {
    const plan = planOf({ bgpConfigurations: [bgpConfig({ nodeToNodeMeshEnabled: false })] });
    const { items, findings, faulty } = peeringsOf(plan, names, undefined);
    expect([items, findings.map(({ id, nodes: of }) => [id, of]), faulty]).toEqual([[], [['F90', names]], true]);
  });

  it('only the peerings of the named nodes are shown', () => {
    expect(peeringsOf(planOf(), ['b'], undefined).items.map(({ node }) => node)).toEqual(['b', 'b']);
  });
});

describe('bgpGraph', () => {
  it('the graph has one edge per pair: up, down, partly up, unknown', () => {
    const plan = planOf();
    const states = [
      says('a', { 2: 'Established', 3: 'Passive' }),
      says('b', { 1: 'Established', 3: 'Established' }),
      says('c', { 1: 'Connect', 2: 'Active' }),
    ];
    const seen = peeringsOf(plan, names, nodeStatusList(plan, states, { bgpNeeded: true }));
    expect(edgesOf(bgpGraph(seen, true).edges)).toEqual(['a b up', 'a c down', 'b c partly up']);
    expect(edgesOf(bgpGraph(peeringsOf(plan, names, undefined), true).edges)).toEqual([
      ...['a b unknown', 'a c unknown', 'b c unknown'],
    ]);
  });

  it('a session that only one end has is one way, unless only some nodes were read', () => {
    const plan = planOf({
      bgpConfigurations: [bgpConfig({ nodeToNodeMeshEnabled: false })],
      bgpPeers: [
        bgpPeerOf('to-b', { node: 'a', peerIP: '10.90.0.2', asNumber: 64512, reversePeering: 'Manual' }),
        bgpPeerOf('tor', { node: 'a', peerIP: '10.90.0.254', asNumber: 65001 }),
      ],
    });
    const all = bgpGraph(peeringsOf(plan, names, undefined), true);
    expect(edgesOf(all.edges)).toEqual(['10.90.0.254 a unknown', 'a b one way']);
    expect(all.vertices).toEqual([
      ...names.map((name) => ({ name, kind: 'node', as: 64512 })),
      { name: '10.90.0.254', kind: 'outside', as: 65001 },
    ]);
    expect(edgesOf(bgpGraph(peeringsOf(plan, ['a'], undefined), false).edges)).toContain('a b unknown');
  });
});
