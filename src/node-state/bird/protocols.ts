// `birdc show protocols`, with and without `all`, as data.
import { type IpAddress, parseIp } from '../../net/ip.ts';
import type { Parsed } from '../parse-result.ts';
import { excerpt, linesOf, notUnderstood, understood, wholeNumber, wordsOf } from '../parsing.ts';
import { birdAnswer, birdProblem } from './answer.ts';
import type { BgpDetails, BirdProtocol, RouteCounts } from './bird.ts';

const header = 'name proto table state since info';
const states = new Set(['up', 'start', 'down', 'wait', 'stop', 'feed', 'flush', '???']);
const name = /^[\w.:-]+$/;
const date = /^\d{4}-\d\d-\d\d$/;
const time = /^\d\d:\d\d:\d\d/;

/** A row with the lines below it that are read. */
interface Row {
  readonly row: Pick<BirdProtocol, 'name' | 'proto' | 'table' | 'state' | 'since' | 'info'>;
  readonly details: Map<string, string>;
}

/** Keys of the lines below a row that are read; others (filters, timers, statistics) are ignored. */
const read = new Set([
  'Routes',
  'BGP state',
  'Neighbor address',
  'Neighbor AS',
  'Neighbor ID',
  'Session',
  'Source address',
  'Last error',
]);

/** Columns are padded, but a long name pushes the others to the right: only runs of spaces separate them. */
function rowOf(line: string): Row['row'] | undefined {
  const [first, proto, table, state, since, ...rest] = wordsOf(line);
  if (first === undefined || proto === undefined || table === undefined || since === undefined) return undefined;
  if (!name.test(first) || !name.test(proto) || state === undefined || !states.has(state)) return undefined;
  // `timeformat protocol iso long` prints the date and the time.
  const long = date.test(since) && time.test(rest[0] ?? '');
  const when = long ? `${since} ${rest.shift()}` : since;
  return { name: first, proto, table, state, since: when, info: rest.join(' ') };
}

/** `1 imported, 2 filtered, 1 exported, 1 preferred`; `filtered` is present only if BIRD keeps what it filters. */
function countsOf(text: string): RouteCounts | undefined {
  const found = /^(\d+) imported, (?:(\d+) filtered, )?(\d+) exported, (\d+) preferred$/.exec(text);
  const [imported, filtered, exported, preferred] = (found ?? []).slice(1).map(wholeNumber);
  if (imported === undefined || exported === undefined || preferred === undefined) return undefined;
  return { imported, filtered, exported, preferred };
}

/** A link-local address is followed by a percent sign and its interface. */
function addressOf(text: string): IpAddress | undefined {
  return parseIp(text.replace(/%[^%\s]+$/, ''));
}

/** A protocol with its details, and the detail lines that were not understood. */
function withDetails({ row, details }: Row): { protocol: BirdProtocol; skipped: readonly string[] } {
  const skipped: string[] = [];
  const take = <T>(key: string, reader: (text: string) => T | undefined): T | undefined => {
    const text = details.get(key);
    if (text === undefined || text === '') return undefined;
    const value = reader(text);
    if (value === undefined) skipped.push(`${row.name}: ${key}: ${text}`);
    return value;
  };
  const asIs = (text: string): string => text;
  // A pipe between tables has no preferred routes and leaves them out.
  const routes = row.proto === 'Pipe' ? undefined : take('Routes', countsOf);
  const bgp: BgpDetails | undefined = details.has('BGP state')
    ? {
        state: take('BGP state', asIs),
        neighborAddress: take('Neighbor address', addressOf),
        neighborAs: take('Neighbor AS', wholeNumber),
        neighborId: take('Neighbor ID', asIs),
        session: take('Session', wordsOf) ?? [],
        sourceAddress: take('Source address', addressOf),
        lastError: take('Last error', asIs),
      }
    : undefined;
  return { protocol: { ...row, routes, bgp }, skipped };
}

/**
 * Reads the output of `birdc show protocols` and `show protocols all`, also for a single protocol. The line of headings
 * that BIRD prints first is required.
 */
export function parseBirdProtocols(text: string): Parsed<readonly BirdProtocol[]> {
  const problem = birdProblem(text);
  if (problem !== undefined) return notUnderstood(problem);
  if (!linesOf(text).some((line) => wordsOf(line.toLowerCase()).join(' ') === header)) {
    return notUnderstood(`no line "${header}"${text.trim() === '' ? '' : `: ${excerpt(text)}`}`);
  }
  const rows: Row[] = [];
  const skipped: string[] = [];
  for (const line of birdAnswer(text).lines) {
    const indented = /^\s/.test(line);
    const row = indented ? undefined : rowOf(line);
    const current = rows.at(-1);
    const [, key = '', value = ''] = /^\s+([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (row !== undefined) rows.push({ row, details: new Map() });
    else if (indented && current !== undefined) {
      if (read.has(key) && !current.details.has(key)) current.details.set(key, value);
    } else if (wordsOf(line.toLowerCase()).join(' ') !== header) skipped.push(line);
  }
  const done = rows.map(withDetails);
  return understood(
    done.map(({ protocol }) => protocol),
    [...skipped, ...done.flatMap((row) => row.skipped)],
  );
}
