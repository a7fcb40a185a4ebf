// `birdc show route`, with and without `all`, as data.
import { type Cidr, parseCidr } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { Parsed } from '../parse-result.ts';
import { notUnderstood, understoodList, wholeNumber } from '../parsing.ts';
import { birdAnswer, birdProblem } from './answer.ts';
import type { BirdNextHop, BirdRoute, BirdRouteTarget } from './bird.ts';

/** The targets that BIRD prints, and what they mean. Next hops of a multipath route are on the lines below it. */
const targets: ReadonlyMap<string, BirdRouteTarget> = new Map([
  ['blackhole', 'blackhole'],
  ['unreachable', 'unreachable'],
  ['prohibited', 'prohibit'],
  ['multipath', 'via'],
]);

const via = /^via (\S+) on (\S+)$/;
const device = /^dev (\S+)$/;
/** `NET TARGET [PROTOCOL SINCE from PEER] * (100/0) [AS65001i]`; NET is absent when it is that of the line above. */
const route =
  /^(\S+)?\s+(\S.*?) \[(\S+) ([^\]]+?)(?: from ([^\s\]]+))?\](?: ([*!]))?(?: [\w-]+)* \((\d+)[a-z-]*(?:\/([^)]*))?\)(?: \[([^\]]*)\])?$/;
/** No route line of BIRD is longer; longer lines are not searched, which bounds the time of the expression above. */
const longestRoute = 1000;
const nextHop = /^\s+via (\S+) on (\S+) weight (\d+)$/;
const attribute = /^\s+([A-Za-z][\w.-]*(?: \[[^\]]*\])?):(?: (.*))?$/;
/** A value too long for one line continues below, indented further. */
const moreOfAttribute = /^\t\t(\S.*)$/;

type Draft = Omit<BirdRoute, 'nextHops' | 'attributes'> & {
  readonly nextHops: BirdNextHop[];
  readonly attributes: Map<string, string>;
};

interface Leading {
  readonly target: BirdRouteTarget;
  readonly nextHops: BirdNextHop[];
}

function leadingOf(text: string): Leading | undefined {
  const target = targets.get(text);
  if (target !== undefined) return { target, nextHops: [] };
  const [, gatewayText = '', gatewayDevice] = via.exec(text) ?? [];
  const gateway = parseIp(gatewayText);
  if (gateway !== undefined) {
    return { target: 'via', nextHops: [{ gateway, device: gatewayDevice, weight: undefined }] };
  }
  const direct = device.exec(text);
  return direct === null
    ? undefined
    : { target: 'dev', nextHops: [{ gateway: undefined, device: direct[1], weight: undefined }] };
}

/** A route line; `above` is the network of the previous route, which applies to a line without one. */
function draftOf(line: string, above: Cidr | undefined, version: 4 | 6): Draft | undefined {
  const found = line.length > longestRoute ? null : route.exec(line);
  if (found === null) return undefined;
  const [, net, leads = '', protocol = '', since = '', from, mark, preference, metric, origin] = found;
  const destination = net === undefined ? above : parseCidr(net);
  const leading = leadingOf(leads);
  if (destination === undefined || destination.version !== version || leading === undefined) return undefined;
  return {
    destination,
    ...leading,
    protocol,
    since,
    from: from === undefined ? undefined : parseIp(from),
    primary: mark !== undefined,
    ...(mark === '!' ? { kernelRefused: true as const } : {}),
    preference: wholeNumber(preference),
    metric,
    origin,
    attributes: new Map(),
  };
}

/** Adds a line to the route above it. Returns the key of its attribute, '' for a next hop, undefined for neither. */
function addTo(draft: Draft | undefined, line: string, lastKey: string | undefined): string | undefined {
  if (draft === undefined) return undefined;
  const hop = nextHop.exec(line);
  if (hop !== null) {
    const gateway = parseIp(hop[1] ?? '');
    if (gateway === undefined || draft.target !== 'via') return undefined;
    draft.nextHops.push({ gateway, device: hop[2], weight: wholeNumber(hop[3]) });
    return '';
  }
  const more = moreOfAttribute.exec(line);
  if (more !== null && lastKey) {
    draft.attributes.set(lastKey, `${draft.attributes.get(lastKey)} ${more[1]}`.trim());
    return lastKey;
  }
  const [, key, value = ''] = attribute.exec(line) ?? [];
  if (key === undefined) return undefined;
  draft.attributes.set(key, value);
  return key;
}

/**
 * Reads the output of `birdc show route` of one family. A greeting of BIRD with nothing below it is an empty table.
 * Output in which no line is a route is not understood.
 */
export function parseBirdRoutes(text: string, version: 4 | 6): Parsed<readonly BirdRoute[]> {
  const problem = birdProblem(text);
  if (problem !== undefined) return notUnderstood(problem);
  const { greeted, lines } = birdAnswer(text);
  if (!greeted && lines.length === 0) return notUnderstood('nothing was printed');
  const drafts: Draft[] = [];
  const skipped: string[] = [];
  // Undefined after a line that was not understood: what follows must not be taken as part of the previous route.
  let current: Draft | undefined;
  let above: Cidr | undefined;
  let lastKey: string | undefined;
  for (const line of lines) {
    const draft = draftOf(line, above, version);
    if (draft !== undefined) {
      drafts.push(draft);
      current = draft;
      above = draft.destination;
      lastKey = undefined;
      continue;
    }
    lastKey = addTo(current, line, lastKey);
    if (lastKey !== undefined) continue;
    skipped.push(line);
    if (!/^\t/.test(line)) {
      current = undefined;
      if (/^\S/.test(line)) above = undefined;
    }
  }
  const whole = drafts.filter(({ target, nextHops }) => target !== 'via' || nextHops.length > 0);
  if (whole.length < drafts.length) skipped.push('a multipath route without next hops');
  return understoodList(
    whole.map((draft) => ({ ...draft, attributes: Object.fromEntries(draft.attributes) })),
    skipped,
    'route',
  );
}
