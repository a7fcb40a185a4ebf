// The peerings as a self-contained picture: nodes on a circle, reflectors inside, routers outside.
import type { BgpGraph, EdgeState, Vertex } from '../../../bgp/peerings.ts';
import { element, pictureEnd, pictureStart, shown, textAt, title } from '../../../output/svg.ts';
import { edgeLooks, edgeTitle } from './text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const longestName = 28;
const arc = 90;
const legendHeight = 60;

const shortened = (text: string): string => (text.length > longestName ? `${text.slice(0, longestName - 1)}…` : text);

/** Spread over a circle, the first at the top. */
function onCircle(vertices: readonly Vertex[], radius: number, centre: number, turn: number): [string, Point][] {
  return vertices.map(({ name }, at) => {
    const angle = ((at + turn) / vertices.length) * 2 * Math.PI - Math.PI / 2;
    return [name, { x: centre + radius * Math.cos(angle), y: centre + radius * Math.sin(angle) }];
  });
}

function vertexSvg({ name, kind, as }: Vertex, { x, y }: Point): string {
  const circle = (r: number): string => element('circle', { class: 'v', cx: x, cy: y, r });
  const shape = {
    node: () => circle(10),
    reflector: () => circle(10) + circle(6),
    outside: () => element('rect', { class: 'v', x: x - 9, y: y - 9, width: 18, height: 18 }),
  }[kind]();
  const words = { node: 'node', reflector: 'route reflector', outside: 'not a node' }[kind];
  const number = as === undefined ? '' : element('tspan', { class: 'd', x, dy: 13 }, `AS ${as}`);
  const label = textAt(x, y + 25, '', shown(shortened(name)) + number);
  return `${element('g', {}, title(`${name}, ${words}`) + shape + label)}\n`;
}

function edgeSvg(from: Point, to: Point, state: EdgeState, inside = ''): string {
  const { colour, dash } = edgeLooks[state];
  const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return element('line', { ...ends, stroke: colour, 'stroke-dasharray': dash }, inside);
}

function legend(states: readonly EdgeState[], y: number): string {
  return states
    .map((state, at) => {
      const x = 20 + at * 120;
      return `${edgeSvg({ x, y }, { x: x + 40, y }, state)}${textAt(x + 46, y + 4, 'l', state)}\n`;
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
    return `${edgeSvg(a, b, state, title(`${from} and ${to}: ${state}\n${edgeTitle(sessions)}`))}\n`;
  });
  const states = (Object.keys(edgeLooks) as EdgeState[]).filter((state) => edges.some((edge) => edge.state === state));
  const style =
    'text{font:12px sans-serif;text-anchor:middle;fill:#1f2328;paint-order:stroke;stroke:#fff;stroke-width:4px}.l{text-anchor:start}.d{font-size:10px;fill:#57606a}' +
    'line{stroke-width:2}.v{fill:#fff;stroke:#1f2328;stroke-width:2}';
  const [width, height] = [size, size + legendHeight];
  return [
    pictureStart({ width, height, attributes: { role: 'img' }, style }, title('BGP sessions')),
    `${element('rect', { width, height, fill: '#fff' })}\n`,
    ...lines,
    ...vertices.map((vertex) => vertexSvg(vertex, places.get(vertex.name) ?? { x: 0, y: 0 })),
    legend(states, size + 20),
    pictureEnd,
  ].join('');
}
