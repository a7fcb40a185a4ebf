// `ip link show` as data, from JSON and from plain text. Kinds and their details are printed with `-d` only.
import { parseIp } from '../../net/ip.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Parsed } from '../parse-result.ts';
import { jsonText, linesOf, understoodList, wholeNumber, wordsOf } from '../parsing.ts';
import { addressAt, type Entry, entriesOf, isJson, macOf, numberAt, textAt, textsAt } from './entries.ts';
import { type InterfaceHeader, interfaceHeader } from './interface-header.ts';
import type { Interface, VxlanInterface } from './iproute.ts';

/** An interface, and the name of its other end if that is in the same namespace: `ip` prints no index for it then. */
type Draft = Interface & { readonly otherName: string | undefined };

/** Kinds whose `link` is the other end of a pair; for the others it is the underlying interface. */
const pairs: ReadonlySet<string | undefined> = new Set(['veth', 'netkit', undefined]);

function vxlanOfEntry(info: Entry): VxlanInterface {
  const learning = info['learning'];
  return {
    id: numberAt(info, 'id'),
    local: addressAt(info, 'local') ?? addressAt(info, 'local6'),
    parent: textAt(info, 'link'),
    port: numberAt(info, 'port'),
    learning: typeof learning === 'boolean' ? learning : undefined,
  };
}

function fromEntry(entry: Entry): Draft | undefined {
  const index = numberAt(entry, 'ifindex');
  const name = textAt(entry, 'ifname');
  if (index === undefined || name === undefined) return undefined;
  const info = isObject(entry['linkinfo']) ? entry['linkinfo'] : {};
  const kind = textAt(info, 'info_kind');
  const data = isObject(info['info_data']) ? info['info_data'] : {};
  const isPair = pairs.has(kind);
  return {
    index,
    name,
    flags: textsAt(entry, 'flags'),
    mtu: numberAt(entry, 'mtu'),
    operState: textAt(entry, 'operstate'),
    mac: macOf(textAt(entry, 'address')),
    kind,
    peerIndex: isPair ? numberAt(entry, 'link_index') : undefined,
    peerNetnsId: isPair ? numberAt(entry, 'link_netnsid') : undefined,
    vxlan: kind === 'vxlan' ? vxlanOfEntry(data) : undefined,
    otherName: isPair ? textAt(entry, 'link') : undefined,
  };
}

function after(words: readonly string[], keyword: string): string | undefined {
  const at = words.indexOf(keyword);
  return at < 0 ? undefined : words[at + 1];
}

/**
 * `ip` prints `nolearning`, and in later releases `learning`. Where neither is printed, learning is on if the words that
 * always follow are there: the line is complete then.
 */
function learningOf(words: readonly string[]): boolean | undefined {
  if (words.includes('nolearning')) return false;
  return ['learning', 'ttl', 'ageing'].some((word) => words.includes(word)) ? true : undefined;
}

function vxlanOfWords(words: readonly string[]): VxlanInterface {
  return {
    id: wholeNumber(after(words, 'id')),
    local: parseIp(after(words, 'local') ?? ''),
    parent: after(words, 'dev'),
    port: wholeNumber(after(words, 'dstport')),
    learning: learningOf(words),
  };
}

/** First words of lines below an interface that do not name its kind. */
const noKind = new Set(['alias', 'altname', 'parentbus', 'vf', 'RX:', 'TX:', 'prog/xdp', 'inet', 'inet6', 'valid_lft']);

/** The words of the line with the kind: the second line below the interface, printed with `-d` only. */
function kindWords(below: readonly string[]): readonly string[] {
  const words = wordsOf(below[1] ?? '');
  const [kind = ''] = words;
  return /^[a-z][a-z0-9_-]*$/.test(kind) && !noKind.has(kind) && !kind.endsWith('_slave') ? words : [];
}

function fromLines(header: InterfaceHeader, below: readonly string[]): Draft {
  const [kind, ...details] = kindWords(below);
  const address = wordsOf(below[0] ?? '');
  const isPair = pairs.has(kind);
  const elsewhere = /^if(\d+)$/.exec(header.other ?? '');
  return {
    index: header.index,
    name: header.name,
    flags: header.flags,
    mtu: wholeNumber(after(header.words, 'mtu')),
    operState: after(header.words, 'state'),
    mac: /^link\//.test(address[0] ?? '') ? macOf(address[1]) : undefined,
    kind,
    peerIndex: isPair ? wholeNumber(elsewhere?.[1]) : undefined,
    peerNetnsId: isPair ? wholeNumber(after(address, 'link-netnsid')) : undefined,
    vxlan: kind === 'vxlan' ? vxlanOfWords(details) : undefined,
    otherName: isPair && elsewhere === null ? header.other : undefined,
  };
}

/** Fills in the index of the other end where that is in the same namespace. */
function interfacesOf(drafts: readonly Draft[]): readonly Interface[] {
  const byName = new Map(drafts.map(({ name, index }) => [name, index]));
  return drafts.map(({ otherName, ...link }) => ({
    ...link,
    peerIndex: link.peerIndex ?? (otherName === undefined ? undefined : byName.get(otherName)),
  }));
}

function fromPlain(text: string): { drafts: readonly Draft[]; skipped: readonly string[] } {
  const devices: { header: InterfaceHeader; below: string[] }[] = [];
  const skipped: string[] = [];
  let current: (typeof devices)[number] | undefined;
  for (const line of linesOf(text).filter((candidate) => candidate !== '')) {
    const header = interfaceHeader(line);
    if (header !== undefined) {
      current = { header, below: [] };
      devices.push(current);
    } else if (/^\s/.test(line) && current !== undefined) current.below.push(line);
    else {
      current = undefined;
      skipped.push(line);
    }
  }
  return { drafts: devices.map(({ header, below }) => fromLines(header, below)), skipped };
}

/**
 * Reads the output of `ip link show`, preferably with `-d`. Every namespace has an interface: output without one is not
 * understood.
 */
export function parseInterfaces(text: string): Parsed<readonly Interface[]> {
  if (!isJson(text)) {
    const { drafts, skipped } = fromPlain(text);
    return understoodList(
      interfacesOf(drafts),
      drafts.length === 0 && skipped.length === 0 ? ['nothing'] : skipped,
      'interface',
    );
  }
  const answer = entriesOf(text);
  if ('ok' in answer) return answer;
  const read = answer.entries.map((entry) => ({ entry, draft: fromEntry(entry) }));
  const drafts = read.flatMap(({ draft }) => (draft === undefined ? [] : [draft]));
  const bad = read.flatMap(({ entry, draft }) => (draft === undefined ? [jsonText(entry)] : []));
  const skipped = [...answer.skipped, ...bad];
  return understoodList(
    interfacesOf(drafts),
    drafts.length === 0 && skipped.length === 0 ? ['nothing'] : skipped,
    'interface',
  );
}
