// The peerings as a picture that stands by itself: nodes on a circle, reflectors inside, routers outside.
import type { BgpGraph, EdgeState, Vertex } from '../../../bgp/peerings.ts';
import { printable } from '../../../output/columns.ts';
import { escapedMarkup } from '../../../output/markup.ts';
import { edgeLooks, edgeTitle } from './text.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

const longestName = 28;
const arc = 90;
const legendHeight = 60;

const shown = (text: string): string => escapedMarkup(text.split('\n').map(printable).join('\n'));
const shortened = (text: string): string => (text.length > longestName ? `${text.slice(0, longestName - 1)}…` : text);
const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** Spread over a circle, the first at the top. */
function onCircle(vertices: readonly Vertex[], radius: number, centre: number, turn: number): [string, Place][] {
  return vertices.map(({ name }, at) => {
    const angle = ((at + turn) / vertices.length) * 2 * Math.PI - Math.PI / 2;
    return [name, { x: centre + radius * Math.cos(angle), y: centre + radius * Math.sin(angle) }];
  });
}

function vertexSvg({ name, kind, as }: Vertex, { x, y }: Place): string {
  const [cx, cy] = [rounded(x), rounded(y)];
  const shape =
    kind === 'outside'
      ? `<rect class="v" x="${rounded(x - 9)}" y="${rounded(y - 9)}" width="18" height="18"/>`
      : `<circle class="v" cx="${cx}" cy="${cy}" r="10"/>` +
        (kind === 'reflector' ? `<circle class="v" cx="${cx}" cy="${cy}" r="6"/>` : '');
  const words = { node: 'node', reflector: 'route reflector', outside: 'not a node' }[kind];
  const number = as === undefined ? '' : `<tspan class="d" x="${cx}" dy="13">AS ${as}</tspan>`;
  const title = `<title>${shown(`${name}, ${words}`)}</title>`;
  return `<g>${title}${shape}<text x="${cx}" y="${rounded(y + 25)}">${shown(shortened(name))}${number}</text></g>\n`;
}

function legend(states: readonly EdgeState[], y: number): string {
  return states
    .map((state, at) => {
      const x = 20 + at * 120;
      const { colour, dash } = edgeLooks[state];
      const line = `<line x1="${x}" y1="${y}" x2="${x + 40}" y2="${y}" stroke="${colour}" stroke-dasharray="${dash}"/>`;
      return `${line}<text class="l" x="${x + 46}" y="${y + 4}">${state}</text>\n`;
    })
    .join('');
}

/** The graph as a picture, speakers on a circle. */
export function nodeBgpSvg({ vertices, edges }: BgpGraph): string {
  const of = (kind: Vertex['kind']): Vertex[] => vertices.filter((vertex) => vertex.kind === kind);
  const [nodes, reflectors, outside] = [of('node'), of('reflector'), of('outside')];
  const radius = Math.max(120, (nodes.length * arc) / (2 * Math.PI), (outside.length * arc) / (2 * Math.PI) - 100);
  const centre = radius + (outside.length > 0 ? 160 : 80);
  const inner = reflectors.length === 1 ? 0 : radius / 2;
  const places = new Map([
    ...onCircle(nodes, radius, centre, 0),
    ...onCircle(reflectors, inner, centre, 0.25),
    ...onCircle(outside, radius + 85, centre, 0.5),
  ]);
  const size = Math.ceil(centre * 2);
  const lines = edges.map(({ from, to, state, sessions }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return '';
    const { colour, dash } = edgeLooks[state];
    const ends = `x1="${rounded(a.x)}" y1="${rounded(a.y)}" x2="${rounded(b.x)}" y2="${rounded(b.y)}"`;
    const title = `<title>${shown(`${from} and ${to}: ${state}\n${edgeTitle(sessions)}`)}</title>`;
    return `<line ${ends} stroke="${colour}" stroke-dasharray="${dash}">${title}</line>\n`;
  });
  const states = (Object.keys(edgeLooks) as EdgeState[]).filter((state) => edges.some((edge) => edge.state === state));
  const style =
    'text{font:12px sans-serif;text-anchor:middle;fill:#1f2328;paint-order:stroke;stroke:#fff;stroke-width:4px}.l{text-anchor:start}.d{font-size:10px;fill:#57606a}' +
    'line{stroke-width:2}.v{fill:#fff;stroke:#1f2328;stroke-width:2}';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size + legendHeight}" ` +
      `viewBox="0 0 ${size} ${size + legendHeight}" role="img">\n`,
    `<title>BGP sessions</title>\n<style>${style}</style>\n`,
    `<rect width="${size}" height="${size + legendHeight}" fill="#fff"/>\n`,
    ...lines,
    ...vertices.map((vertex) => vertexSvg(vertex, places.get(vertex.name) ?? { x: 0, y: 0 })),
    legend(states, size + 20),
    '</svg>\n',
  ].join('');
}
