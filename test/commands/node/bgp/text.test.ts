// The pictures of peerings: they stand by themselves, escape all names, and tell states without colour too.
import { describe, expect, it } from 'vitest';
import type { BgpGraph, EdgeState, Peering } from '../../../../src/bgp/peerings.ts';
import { nodeBgpSvg } from '../../../../src/commands/node/bgp/svg.ts';
import { edgeLooks, nodeBgpDot } from '../../../../src/commands/node/bgp/text.ts';

const peering = (node: string, protocol: string): Peering => ({
  node,
  version: 4,
  protocol,
  type: 'other',
  address: undefined,
  port: undefined,
  peerNode: undefined,
  as: undefined,
  desired: undefined,
  state: 'Active',
  bird: 'running',
  finding: undefined,
});

const evil = `x"></title><script>alert(1)</script>&\u001b[31m`;
const graph: BgpGraph = {
  vertices: [
    { name: 'a', kind: 'node', as: 64512 },
    { name: evil, kind: 'outside', as: undefined },
    { name: 'r', kind: 'reflector', as: 64512 },
  ],
  edges: [
    { from: 'a', to: evil, state: 'down', sessions: [peering('a', evil)] },
    { from: 'a', to: 'r', state: 'up', sessions: [] },
  ],
};

describe('nodeBgpSvg', () => {
  const svg = nodeBgpSvg(graph);

  it('the SVG of node bgp loads nothing and runs nothing, whatever names contain', () => {
    expect(svg).not.toMatch(/<script|\son\w+=|href|url\(|@import|\u001b/);
    expect(svg).toContain('&lt;script&gt;');
    // Every < begins a tag of ours.
    const tags = new Set([...svg.matchAll(/<(\/?[^\s>]+)/g)].map(([, tag]) => tag?.replace('/', '')));
    expect([...tags].sort()).toEqual(['circle', 'g', 'line', 'rect', 'style', 'svg', 'text', 'title', 'tspan']);
  });

  it('the SVG of node bgp draws every edge with the dashes of its state, and a legend of those states', () => {
    const drawn = svg.slice(0, svg.indexOf('<g>'));
    expect(drawn.match(/<line /g)).toHaveLength(2);
    expect(drawn).toContain(`stroke="${edgeLooks.down.colour}" stroke-dasharray="${edgeLooks.down.dash}"`);
    expect(svg).toMatch(/>up<[\s\S]*>down</);
    expect(svg).not.toMatch(/>partly up</);
  });

  it('the SVG of node bgp puts reflectors inside the circle and routers outside', () => {
    const at = (name: string): number[] =>
      new RegExp(`<title>${name}, [^<]*</title><\\w+ class="v" c?x="([\\d.]+)" c?y="([\\d.]+)"`)
        .exec(svg)
        ?.slice(1)
        .map(Number) ?? [];
    const [centre] = [Number(/width="(\d+)"/.exec(svg)?.[1]) / 2];
    const distance = ([x = Number.NaN, y = Number.NaN]: number[]): number => Math.hypot(x - centre, y - centre);
    expect(distance(at('r'))).toBeLessThan(1);
    expect(distance(at('a'))).toBeCloseTo(120, 0);
    expect(distance(at('x&quot;[^,]*'))).toBeGreaterThan(150);
  });
});

describe('nodeBgpDot', () => {
  it('the Graphviz output of node bgp quotes every name', () => {
    const dot = nodeBgpDot(graph);
    expect(dot).toContain('"a" -- "r" [color="#1a7f37", style=solid');
    expect(dot).toContain('"x\\"></title><script>alert(1)</script>&\\\\e[31m"');
    expect(dot.split('\n')).toHaveLength(9);
  });
});

it('no two states of node bgp look alike without colour', () => {
  const states = Object.keys(edgeLooks) as EdgeState[];
  expect(new Set(states.map((state) => edgeLooks[state].dash)).size).toBe(states.length);
  expect(new Set(states.map((state) => edgeLooks[state].dot)).size).toBe(states.length);
});
