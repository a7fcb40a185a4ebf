// The peerings as a self-contained picture: nodes on a circle, reflectors inside, routers outside. Labels point outwards, so
// that they do not overlap. It is dark where the reader's screen is, and its bytes depend on its arguments only.
import type { BgpGraph, EdgeState, Vertex } from '../../../bgp/peerings.ts';
import { widthOf } from '../../../output/columns.ts';
import { escapedMarkup } from '../../../output/markup.ts';
import { element, pictureEnd, pictureStart, textAt, title } from '../../../output/svg.ts';
import { edgeLooks, edgeTitle, edgeWord } from './text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What the heading of the picture is made from. */
export interface Caption {
  /** When the sessions were read, or the objects saved. */
  readonly at: Date;
  /** False when only the objects were read: no session has a state then. */
  readonly asked: boolean;
}

const longestName = 28;
/** Two lines of text and a gap between neighbours on a circle, in pixels. */
const arc = 36;
const characterWidth = 7;
const markSize = 14;
const margin = 24;
const headHeight = 64;
const legendHeight = 64;

const shortened = (text: string): string =>
  widthOf(text) > longestName ? `${[...text].slice(0, longestName - 1).join('')}…` : text;

/** The length of the longest label, in pixels. */
const labelLength = (vertices: readonly Vertex[]): number =>
  Math.ceil(Math.max(0, ...vertices.map(({ name }) => widthOf(shortened(name)))) * characterWidth) + markSize + 8;

interface Place extends Point {
  /** In radians; 0 is to the right. */
  readonly angle: number;
}

/** Spread over a circle, the first at the top. */
function onCircle(vertices: readonly Vertex[], radius: number, { x, y }: Point, turn: number): [string, Place][] {
  return vertices.map(({ name }, at) => {
    const angle = ((at + turn) / vertices.length) * 2 * Math.PI - Math.PI / 2;
    return [name, { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle), angle }];
  });
}

function markSvg(kind: Vertex['kind'], { x, y }: Point): string {
  const circle = (r: number): string => element('circle', { class: 'v', cx: x, cy: y, r });
  if (kind === 'outside') return element('rect', { class: 'v', x: x - 9, y: y - 9, width: 18, height: 18 });
  return kind === 'node' ? circle(10) : circle(10) + circle(6);
}

const kindWords = { node: 'node', reflector: 'route reflector', outside: 'not a node' } as const;

function vertexSvg({ name, kind, as }: Vertex, { x, y, angle }: Place): string {
  // On the left half the text would be upside down: it is turned, and ends at the mark.
  const isLeft = Math.cos(angle) < -1e-9;
  const degrees = (angle * 180) / Math.PI + (isLeft ? 180 : 0);
  const from = x + (isLeft ? -markSize : markSize);
  const number = as === undefined ? '' : element('tspan', { class: 'd', x: from, dy: 13 }, `AS ${as}`);
  const label = element(
    'text',
    {
      class: isLeft ? 'r' : 'l',
      x: from,
      y: as === undefined ? y + 4 : y - 2,
      transform: `rotate(${degrees.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)})`,
    },
    escapedMarkup(shortened(name)) + number,
  );
  return `${element('g', {}, title(`${name}, ${kindWords[kind]}`) + markSvg(kind, { x, y }) + label)}\n`;
}

function edgeSvg(from: Point, to: Point, state: EdgeState, inside = ''): string {
  const { colour, dash } = edgeLooks[state];
  const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return element('line', { ...ends, class: classOf(state), stroke: colour, 'stroke-dasharray': dash }, inside);
}

const classOf = (state: EdgeState): string => `s-${state.replaceAll(' ', '-')}`;

/** The lines of the states that are drawn, and below them the marks of the kinds of speakers. */
function legend(states: readonly EdgeState[], kinds: readonly Vertex['kind'][], y: number, asked: boolean): string {
  const lines = states.map((state, at) => {
    const x = margin + at * 130;
    return `${edgeSvg({ x, y }, { x: x + 40, y }, state)}${textAt(x + 46, y + 4, 'l', edgeWord(state, asked))}\n`;
  });
  const marks = kinds.map((kind, at) => {
    const x = margin + 10 + at * 130;
    return `${markSvg(kind, { x, y: y + 28 })}${textAt(x + 16, y + 32, 'l', kindWords[kind])}\n`;
  });
  return lines.join('') + marks.join('');
}

const light = { page: '#ffffff', text: '#1f2328', faint: '#57606a' } as const;
const dark = { page: '#0d1117', text: '#e6edf3', faint: '#8d96a0' } as const;

const colours = ({ page, text, faint }: Readonly<Record<keyof typeof light, string>>): string =>
  `.page{fill:${page}}text{fill:${text};stroke:${page}}.d{fill:${faint}}.v{fill:${page};stroke:${text}}`;

const style = [
  'text{font:12px sans-serif;paint-order:stroke;stroke-width:4px}.t{font-size:18px;font-weight:600}',
  '.l{text-anchor:start}.r{text-anchor:end}.d{font-size:10px}line{stroke-width:2}.v{stroke-width:2}',
  colours(light),
  `@media (prefers-color-scheme:dark){${colours(dark)}${Object.entries(edgeLooks)
    .map(([state, { dark: colour }]) => `.${classOf(state as EdgeState)}{stroke:${colour}}`)
    .join('')}}`,
].join('');

/** The graph as a picture, speakers on a circle. */
export function nodeBgpSvg({ vertices, edges }: BgpGraph, { at, asked }: Caption): string {
  const of = (kind: Vertex['kind']): Vertex[] => vertices.filter((vertex) => vertex.kind === kind);
  const [nodes, reflectors, outside] = [of('node'), of('reflector'), of('outside')];
  const around = (count: number): number => (count * arc) / (2 * Math.PI);
  // A ring of reflectors has its labels between itself and the nodes.
  const inner = reflectors.length < 2 ? 0 : Math.max(60, around(reflectors.length));
  const radius = Math.max(
    120,
    around(nodes.length),
    reflectors.length === 0 ? 0 : inner + labelLength(reflectors) + 20,
  );
  const outer = Math.max(radius + labelLength(nodes) + 30, around(outside.length));
  const reach = outside.length > 0 ? outer + labelLength(outside) : radius + labelLength(nodes);
  const width = Math.max(Math.ceil(2 * (reach + margin)), 560);
  const centre: Point = { x: width / 2, y: headHeight + reach + margin };
  const places = new Map([
    ...onCircle(nodes, radius, centre, 0),
    ...onCircle(reflectors, inner, centre, 0.25),
    ...onCircle(outside, outer, centre, 0.5),
  ]);
  const lines = edges.map(({ from, to, state, sessions }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return '';
    const about = `${from} and ${to}: ${edgeWord(state, asked)}\n${edgeTitle(sessions, asked)}`;
    return `${edgeSvg(a, b, state, title(about))}\n`;
  });
  const states = (Object.keys(edgeLooks) as EdgeState[]).filter((state) => edges.some((edge) => edge.state === state));
  const kinds = (['node', 'reflector', 'outside'] as const).filter((kind) => of(kind).length > 0);
  const bottom = Math.ceil(centre.y + reach + margin);
  const height = bottom + legendHeight;
  const heading = asked ? 'BGP sessions' : 'Configured BGP sessions';
  const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [
    pictureStart({ width, height, attributes: { role: 'img' }, style }, title(`${heading}, ${time}`)),
    `${element('rect', { class: 'page', width, height })}\n`,
    `${textAt(margin, 32, 't', escapedMarkup(heading))}${textAt(margin, 52, 'd', time)}\n`,
    ...lines,
    ...vertices.map((vertex) => vertexSvg(vertex, places.get(vertex.name) ?? { ...centre, angle: 0 })),
    legend(states, kinds, bottom + 16, asked),
    pictureEnd,
  ].join('');
}
