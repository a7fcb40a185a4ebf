// `ip rule show` as data, from JSON and from plain text; one family.
import { bitsOf, type Cidr, parseCidr } from '../../net/cidr.ts';
import type { Parsed } from '../parse-result.ts';
import { jsonText, understood, wholeNumber, wordsOf } from '../parsing.ts';
import { type Entry, nameAt, numberAt, readEach, textAt } from './entries.ts';
import type { Rule } from './iproute.ts';

/** What both output forms say about a rule. */
interface RawRule {
  readonly priority: number | undefined;
  readonly not: boolean;
  /** An address with or without a prefix length, or `all`. */
  readonly source: string | undefined;
  readonly destination: string | undefined;
  readonly inputDevice: string | undefined;
  readonly mark: string | undefined;
  readonly table: string | undefined;
  /** True with conditions that Rule has no field for: ports, protocols, users. */
  readonly others: boolean;
}

/** `undefined` for everything, `null` for a text that is not a network of the family. */
function selectorOf(text: string | undefined, version: 4 | 6): Cidr | undefined | null {
  if (text === undefined || text === 'all' || text === 'default') return undefined;
  const cidr = parseCidr(text.includes('/') ? text : `${text}/${bitsOf(version)}`);
  return cidr?.version === version ? cidr : null;
}

function ruleOf(raw: RawRule, version: 4 | 6): Rule | undefined {
  const source = selectorOf(raw.source, version);
  const destination = selectorOf(raw.destination, version);
  if (raw.priority === undefined || source === null || destination === null) return undefined;
  const { priority, not, inputDevice, mark, table } = raw;
  return { priority, not, source, destination, inputDevice, mark, table };
}

/** JSON keys that are not conditions beyond those of Rule. */
const knownKeys = new Set(
  'priority not src srclen dst dstlen iif iif_detached fwmark fwmask table action goto protocol unresolved flags'.split(
    ' ',
  ),
);

function selectorAt(entry: Entry, key: string): string | undefined {
  const address = textAt(entry, key);
  const length = numberAt(entry, `${key}len`);
  return address === undefined || length === undefined ? address : `${address}/${length}`;
}

function rawOfEntry(entry: Entry): RawRule {
  const mark = nameAt(entry, 'fwmark');
  const mask = nameAt(entry, 'fwmask');
  return {
    priority: numberAt(entry, 'priority'),
    not: 'not' in entry && entry['not'] !== false,
    source: selectorAt(entry, 'src'),
    destination: selectorAt(entry, 'dst'),
    inputDevice: textAt(entry, 'iif'),
    mark: mark === undefined || mask === undefined ? mark : `${mark}/${mask}`,
    table: nameAt(entry, 'table'),
    others: Object.keys(entry).some((key) => !knownKeys.has(key)),
  };
}

/** Words that are followed by a value, and whether Rule has a field for it. */
const keywords = new Map([
  ...['from', 'to', 'iif', 'fwmark', 'lookup', 'table', 'goto', 'proto', 'realms'].map((word) => [word, true] as const),
  ...['oif', 'tos', 'dsfield', 'ipproto', 'sport', 'dport', 'uidrange', 'tun_id'].map((word) => [word, false] as const),
  ...['suppress_prefixlength', 'suppress_prefixlen', 'suppress_ifgroup'].map((word) => [word, false] as const),
]);

/** Words without a value. */
const actions = new Set(['not', 'blackhole', 'unreachable', 'prohibit', 'nop', '[detached]', '[unresolved]']);

/** `99:	not from all fwmark 0x1/0x1 lookup 1`. */
function rawOfLine(line: string): RawRule | undefined {
  const [, priority, rest] = /^(\d+):\s+(.*)$/.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const words = wordsOf(rest);
  const values = new Map<string, string>();
  let others = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (actions.has(word)) continue;
    const known = keywords.get(word);
    if (known === undefined) {
      others = true;
      continue;
    }
    at++;
    others ||= !known;
    values.set(word, words[at] ?? '');
  }
  return {
    priority: wholeNumber(priority),
    not: words.includes('not'),
    source: values.get('from'),
    destination: values.get('to'),
    inputDevice: values.get('iif'),
    mark: values.get('fwmark'),
    table: values.get('lookup') ?? values.get('table'),
    others,
  };
}

/**
 * Reads the output of `ip rule show` of one family. A rule with conditions that Rule has no field for is returned
 * without them and also listed in `skipped`, because it matches less than it seems to.
 */
export function parseRules(text: string, version: 4 | 6): Parsed<readonly Rule[]> {
  const read = (raw: RawRule | undefined, note: string) => {
    const rule = raw === undefined ? undefined : ruleOf(raw, version);
    return rule === undefined ? undefined : { rule, partly: raw?.others === true ? [note] : [] };
  };
  const parsed = readEach(
    text,
    'rule',
    (entry) => read(rawOfEntry(entry), jsonText(entry)),
    (line) => read(rawOfLine(line), line),
  );
  if (!parsed.ok) return parsed;
  return understood(
    parsed.value.map(({ rule }) => rule),
    [...parsed.skipped, ...parsed.value.flatMap(({ partly }) => partly)],
  );
}
