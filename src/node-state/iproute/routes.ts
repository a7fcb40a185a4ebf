// `ip route show` as data, from JSON and from plain text; one family and one or all tables.
import { type Cidr, parseCidrOrIp } from '../../net/cidr.ts';
import { type IpAddress, parseIp } from '../../net/ip.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Parsed } from '../parse-result.ts';
import { wholeNumber, wordsOf } from '../parsing.ts';
import { type Entry, entriesAt, nameAt, numberAt, readEach, textAt, textsAt } from './entries.ts';
import type { KernelRoute, NextHop, RouteType } from './iproute.ts';

/** The types of routes, and whether they have next hops. */
const types: ReadonlyMap<string, { type: RouteType; leads: boolean }> = new Map(
  (
    [
      ['unicast', true],
      ['local', true],
      ['broadcast', true],
      ['multicast', true],
      ['anycast', true],
      ['blackhole', false],
      ['unreachable', false],
      ['prohibit', false],
      ['throw', false],
    ] as const
  ).map(([type, leads]) => [type, { type, leads }]),
);

const everything = { 4: parseCidrOrIp('0.0.0.0/0'), 6: parseCidrOrIp('::/0') } as const;

/** A host route has no prefix length. */
function destinationOf(text: string, version: 4 | 6): Cidr | undefined {
  const cidr = text === 'default' ? everything[version] : parseCidrOrIp(text);
  return cidr?.version === version ? cidr : undefined;
}

/** What both output forms say about a route, as text. */
interface RawRoute {
  readonly type: string | undefined;
  readonly destination: string | undefined;
  readonly nextHops: readonly RawHop[];
  readonly protocol: string | undefined;
  readonly scope: string | undefined;
  readonly source: string | undefined;
  readonly metric: number | undefined;
  readonly mtu: number | undefined;
  readonly table: string | undefined;
}

interface RawHop {
  readonly gateway: string | undefined;
  readonly device: string | undefined;
  readonly flags: readonly string[];
}

/** Undefined when the gateway is not an address: a hop without it would be a different route. */
function hopOf({ gateway, device, flags }: RawHop): NextHop | undefined {
  const address: IpAddress | undefined = gateway === undefined ? undefined : parseIp(gateway);
  if (gateway !== undefined && address === undefined) return undefined;
  return address === undefined && device === undefined ? undefined : { gateway: address, device, flags };
}

function routeOf(raw: RawRoute, version: 4 | 6): KernelRoute | undefined {
  const kind = types.get(raw.type ?? 'unicast');
  const destination = destinationOf(raw.destination ?? '', version);
  if (kind === undefined || destination === undefined) return undefined;
  const nextHops = kind.leads ? raw.nextHops.map(hopOf) : [];
  if (nextHops.includes(undefined) || (kind.leads && nextHops.length === 0)) return undefined;
  return {
    destination,
    type: kind.type,
    nextHops: nextHops.filter((hop) => hop !== undefined),
    protocol: raw.protocol ?? 'boot',
    scope: raw.scope,
    source: raw.source === undefined ? undefined : parseIp(raw.source),
    metric: raw.metric,
    mtu: raw.mtu,
    table: raw.table === 'main' || raw.table === '254' ? undefined : raw.table,
  };
}

/** `via` holds a gateway of the other family. */
function rawHopOfEntry(entry: Entry): RawHop {
  const via = entry['via'];
  return {
    gateway: textAt(entry, 'gateway') ?? (isObject(via) ? textAt(via, 'host') : undefined),
    device: textAt(entry, 'dev'),
    flags: textsAt(entry, 'flags'),
  };
}

function rawOfEntry(entry: Entry): RawRoute {
  const several = entriesAt(entry, 'nexthops').map(rawHopOfEntry);
  const [metrics] = entriesAt(entry, 'metrics');
  return {
    type: textAt(entry, 'type'),
    destination: textAt(entry, 'dst'),
    nextHops: several.length > 0 ? several : [rawHopOfEntry(entry)],
    protocol: nameAt(entry, 'protocol'),
    scope: nameAt(entry, 'scope'),
    source: textAt(entry, 'prefsrc'),
    metric: numberAt(entry, 'metric'),
    mtu: metrics === undefined ? undefined : numberAt(metrics, 'mtu'),
    table: nameAt(entry, 'table'),
  };
}

/** Words without a value; all others are followed by one. */
const flagWords = new Set(
  'onlink linkdown dead pervasive offload trap unresolved rt_offload rt_trap rt_offload_failed cache notify'.split(' '),
);

/** Keywords with their values, and flags, of a route line or a `nexthop` line. */
function readWords(words: readonly string[]): { values: ReadonlyMap<string, string>; flags: readonly string[] } {
  const values = new Map<string, string>();
  const flags: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (flagWords.has(word)) {
      flags.push(word);
      continue;
    }
    at++;
    // `via inet6 ADDRESS`: a gateway of the other family. `mtu lock 1400`: path MTU discovery does not change it.
    if ((word === 'via' && /^inet6?$/.test(words[at] ?? '')) || words[at] === 'lock') at++;
    const value = words[at];
    if (value !== undefined && !values.has(word)) values.set(word, value);
  }
  return { values, flags };
}

function rawHopOfWords(words: readonly string[]): RawHop {
  const { values, flags } = readWords(words);
  return { gateway: values.get('via'), device: values.get('dev'), flags };
}

/** The words of the route, then those of each `nexthop`. */
function partsOf(line: string): readonly (readonly string[])[] {
  return line.split(/\snexthop\s/).map(wordsOf);
}

/** `[TYPE] DESTINATION keyword value … flag …`, followed by `nexthop …` for each of several next hops. */
function rawOfLine(line: string): RawRoute {
  const [[first = '', ...others] = [], ...several] = partsOf(line);
  const typed = types.has(first);
  const [destination, ...words] = typed ? others : [first, ...others];
  const { values } = readWords(words);
  return {
    type: typed ? first : undefined,
    // Between `encap` and the next hop are words of their own, some of them the same as those of a route.
    destination: words.includes('encap') ? undefined : destination,
    nextHops: (several.length > 0 ? several : [words]).map(rawHopOfWords),
    protocol: values.get('proto'),
    scope: values.get('scope'),
    source: values.get('src'),
    metric: wholeNumber(values.get('metric')),
    mtu: wholeNumber(values.get('mtu')),
    table: values.get('table'),
  };
}

/**
 * Reads the output of `ip route show` (`-j`, `-d`, both or neither) of one family. Empty text is an empty table. What
 * `ip` leaves out without `-d` is filled in where it has only one meaning: `unicast`, `boot`, the main table.
 */
export function parseRoutes(text: string, version: 4 | 6): Parsed<readonly KernelRoute[]> {
  return readEach(
    // In plain text next hops are on the lines below their route; JSON has no line breaks in strings.
    text.replace(/\r?\n\s+nexthop /g, ' nexthop '),
    'route',
    (entry) => routeOf(rawOfEntry(entry), version),
    (line) => routeOf(rawOfLine(line), version),
  );
}
