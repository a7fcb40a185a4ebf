// Forwarding databases as data: `bridge fdb show` and, where there is no `bridge`, `ip -f bridge neigh show`.
import { parseIp } from '../../net/ip.ts';
import type { Parsed } from '../parse-result.ts';
import { wordsOf } from '../parsing.ts';
import { addressAt, type Entry, macOf, readEach, textAt, textsAt } from './entries.ts';
import type { FdbEntry } from './iproute.ts';
import { neighbourWords } from './neighbours.ts';

/** `bridge` prints `mac`, `ifname` and lower-case states; `ip` prints `lladdr`, `dev` and the states of neighbours. */
function fromEntry(entry: Entry): FdbEntry | undefined {
  const mac = macOf(textAt(entry, 'mac') ?? textAt(entry, 'lladdr'));
  if (mac === undefined) return undefined;
  return {
    mac,
    device: textAt(entry, 'ifname') ?? textAt(entry, 'dev'),
    destination: addressAt(entry, 'dst'),
    states: textsAt(entry, 'state').map((state) => state.toUpperCase()),
  };
}

/** The states that `bridge` prints. */
const bridgeStates: ReadonlySet<string> = new Set(['permanent', 'static', 'stale']);

function fromLine(line: string): FdbEntry | undefined {
  const words = wordsOf(line);
  const [first = '', ...others] = words;
  const mac = macOf(first);
  if (mac !== undefined) {
    const at = others.indexOf('dst');
    return {
      mac,
      device: neighbourWords(others).device,
      destination: at < 0 ? undefined : parseIp(others[at + 1] ?? ''),
      states: others.filter((word) => bridgeStates.has(word)).map((state) => state.toUpperCase()),
    };
  }
  // `ip` prints the destination first, if there is one.
  const destination = parseIp(first);
  const { mac: hardware, device, states } = neighbourWords(words);
  if (hardware === undefined || (destination === undefined && first !== 'dev' && first !== 'lladdr')) return undefined;
  return { mac: hardware, device, destination, states };
}

/**
 * Reads the output of `bridge fdb show` or `ip -f bridge neigh show`. Empty text is an empty database. The two programs
 * word states differently: `PERMANENT` of `bridge` is `NOARP`, `PERMANENT` of `ip`.
 */
export function parseFdb(text: string): Parsed<readonly FdbEntry[]> {
  return readEach(text, 'entry', fromEntry, fromLine);
}
