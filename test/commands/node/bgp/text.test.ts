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
  const at = new Date('2026-11-30T01:14:05Z');
  const svg = nodeBgpSvg(graph, { at, asked: true });

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

  it('the SVG of node bgp has a title, the time it is of, a legend and colours for dark screens', () => {
    expect(svg).toContain('<title>BGP sessions, 2026-11-30 01:14 UTC</title>');
    expect(svg).toContain('>BGP sessions</text>');
    expect(svg).toContain('>2026-11-30 01:14 UTC</text>');
    for (const word of ['node', 'route reflector', 'not a node']) expect(svg).toContain(`>${word}</text>`);
    const dark = svg.slice(svg.indexOf('@media (prefers-color-scheme:dark)'));
    for (const { dark: colour } of Object.values(edgeLooks)) expect(dark).toContain(`{stroke:${colour}}`);
  });

  it('the SVG of wanted sessions calls none unknown', () => {
    const wanted = { ...graph, edges: graph.edges.map((edge) => ({ ...edge, state: 'unknown' as const })) };
    const drawn = nodeBgpSvg(wanted, { at, asked: false });
    expect(drawn).toContain('>Configured BGP sessions</text>');
    expect(drawn).toContain('>wanted</text>');
    expect(drawn.replace('.s-unknown', '').replaceAll('class="s-unknown"', '')).not.toMatch(/unknown|not queried/);
    expect(nodeBgpDot(wanted, false)).not.toMatch(/unknown|not queried/);
  });

  it('labels of 30 nodes, a ring of reflectors and routers do not overlap', () => {
    const named = (count: number, name: string, kind: 'node' | 'reflector' | 'outside') =>
      Array.from({ length: count }, (_, number) => ({ name: `${name}-${number}`, kind, as: 64512 }));
    const vertices = [
      ...named(30, 'ip-10-90-4-17.example.internal', 'node'),
      ...named(5, 'reflector.example.internal', 'reflector'),
      ...named(4, 'leaf-router', 'outside'),
    ];
    const drawn = nodeBgpSvg({ vertices, edges: [] }, { at, asked: true });
    const [width, height] = ['width', 'height'].map((key) => Number(new RegExp(`${key}="(\\d+)"`).exec(drawn)?.[1]));
    const labels = [
      ...drawn.matchAll(
        /<text class="([lr])" x="([\d.]+)" y="([\d.]+)" transform="rotate\(([-\d.]+) ([\d.]+) ([\d.]+)\)">([^<]*)/g,
      ),
    ].map(([, side, x, y, degrees, cx, cy, text]) => {
      const length = (text?.length ?? 0) * 7 * (side === 'r' ? -1 : 1);
      const turn = (Number(degrees) * Math.PI) / 180;
      // Three points along the middle of both lines of the label.
      return [0, 0.5, 1].map((part) => {
        const [dx, dy] = [Number(x) + length * part - Number(cx), Number(y) + 2 - Number(cy)];
        return {
          x: Number(cx) + dx * Math.cos(turn) - dy * Math.sin(turn),
          y: Number(cy) + dx * Math.sin(turn) + dy * Math.cos(turn),
        };
      });
    });
    expect(labels).toHaveLength(39);
    for (const [at1, label] of labels.entries()) {
      for (const point of label) {
        expect(point.x).toBeGreaterThan(0);
        expect(point.x).toBeLessThan(width ?? 0);
        expect(point.y).toBeGreaterThan(0);
        expect(point.y).toBeLessThan(height ?? 0);
        const others = labels.filter((_, at2) => at2 !== at1).flat();
        expect(Math.min(...others.map((other) => Math.hypot(other.x - point.x, other.y - point.y)))).toBeGreaterThan(
          24,
        );
      }
    }
  });

  it('the SVG of node bgp puts reflectors inside the circle and routers outside', () => {
    const placeOf = (name: string): number[] =>
      new RegExp(`<title>${name}, [^<]*</title><\\w+ class="v" c?x="([\\d.]+)" c?y="([\\d.]+)"`)
        .exec(svg)
        ?.slice(1)
        .map(Number) ?? [];
    const [centreX = Number.NaN, centreY = Number.NaN] = placeOf('r');
    const distance = ([x = Number.NaN, y = Number.NaN]: number[]): number => Math.hypot(x - centreX, y - centreY);
    expect(distance(placeOf('a'))).toBeCloseTo(120, 0);
    expect(distance(placeOf('x&quot;[^,]*'))).toBeGreaterThan(150);
  });
});

describe('nodeBgpDot', () => {
  it('the Graphviz output of node bgp quotes every name', () => {
    const dot = nodeBgpDot(graph, true);
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
