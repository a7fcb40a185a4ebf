// `ip neigh show` as data, from JSON and from plain text.
import { parseIp } from '../../net/ip.ts';
import type { Parsed } from '../parse-result.ts';
import { wordsOf } from '../parsing.ts';
import { type Entry, macOf, readEach, textAt, textsAt } from './entries.ts';
import type { Neighbour } from './iproute.ts';

/** The states that `ip` prints; other words in capitals are not states. */
const neighbourStates: ReadonlySet<string> = new Set(
  'INCOMPLETE REACHABLE STALE DELAY PROBE FAILED NOARP PERMANENT NONE'.split(' '),
);

function fromEntry(entry: Entry): Neighbour | undefined {
  const address = parseIp(textAt(entry, 'dst') ?? '');
  if (address === undefined) return undefined;
  return {
    address,
    device: textAt(entry, 'dev'),
    mac: macOf(textAt(entry, 'lladdr')),
    states: textsAt(entry, 'state'),
  };
}

/** The words after the address: `dev eth0 lladdr 00:… router STALE`. */
export function neighbourWords(words: readonly string[]): Pick<Neighbour, 'device' | 'mac' | 'states'> {
  const after = (keyword: string): string | undefined => {
    const at = words.indexOf(keyword);
    return at < 0 ? undefined : words[at + 1];
  };
  return {
    device: after('dev'),
    mac: macOf(after('lladdr')),
    states: words.filter((word) => neighbourStates.has(word)),
  };
}

function fromLine(line: string): Neighbour | undefined {
  const [first = '', ...words] = wordsOf(line);
  const address = parseIp(first);
  return address === undefined ? undefined : { address, ...neighbourWords(words) };
}

/** Reads the output of `ip neigh show` of both families. Empty text is an empty table. */
export function parseNeighbours(text: string): Parsed<readonly Neighbour[]> {
  return readEach(text, 'neighbour', fromEntry, fromLine);
}
