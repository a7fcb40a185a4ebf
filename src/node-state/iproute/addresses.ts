// `ip addr show` as data, from JSON and from plain text.
import { type IpAddress, parseIp } from '../../net/ip.ts';
import type { Parsed } from '../parse-result.ts';
import { jsonText, linesOf, notUnderstood, understood, wholeNumber, wordsOf } from '../parsing.ts';
import { type Entry, entriesAt, entriesOf, isJson, numberAt, textAt } from './entries.ts';
import { interfaceHeader } from './interface-header.ts';
import type { DeviceAddress } from './iproute.ts';

/** What both output forms say about an address. */
interface RawAddress {
  readonly device: string;
  readonly address: IpAddress | undefined;
  readonly prefixLength: number | undefined;
  readonly scope: string | undefined;
}

function addressOf({ device, address, prefixLength, scope }: RawAddress): DeviceAddress | undefined {
  if (address === undefined || prefixLength === undefined) return undefined;
  return prefixLength > (address.version === 4 ? 32 : 128) ? undefined : { device, address, prefixLength, scope };
}

/** The addresses of one interface, and the entries that are not addresses. */
function fromEntry(entry: Entry): { addresses: readonly DeviceAddress[]; skipped: readonly string[] } {
  const device = textAt(entry, 'ifname');
  if (device === undefined) return { addresses: [], skipped: [jsonText(entry)] };
  const read = entriesAt(entry, 'addr_info')
    .filter((info) => Object.keys(info).length > 0)
    .map((info) => ({
      info,
      address: addressOf({
        device,
        address: parseIp(textAt(info, 'local') ?? ''),
        prefixLength: numberAt(info, 'prefixlen'),
        scope: textAt(info, 'scope'),
      }),
    }));
  return {
    addresses: read.flatMap(({ address }) => (address === undefined ? [] : [address])),
    skipped: read.flatMap(({ info, address }) => (address === undefined ? [`${device}: ${jsonText(info)}`] : [])),
  };
}

/** `inet 10.0.0.1/24 brd … scope global …`; with a peer, the prefix length is printed after the peer. */
function fromLine(line: string, device: string): DeviceAddress | undefined {
  const words = wordsOf(line);
  const [own = '', length] = (words[1] ?? '').split('/');
  const peer = words[2] === 'peer' ? words[3]?.split('/')[1] : undefined;
  const scope = words.indexOf('scope');
  return addressOf({
    device,
    address: parseIp(own),
    prefixLength: wholeNumber(length ?? peer),
    scope: scope < 0 ? undefined : words[scope + 1],
  });
}

function fromPlain(text: string): Parsed<readonly DeviceAddress[]> {
  const addresses: DeviceAddress[] = [];
  const skipped: string[] = [];
  let device: string | undefined;
  let devices = 0;
  for (const line of linesOf(text)) {
    const header = interfaceHeader(line);
    if (header !== undefined) {
      device = header.name;
      devices += 1;
    } else if (/^\s+inet6? /.test(line)) {
      const address = device === undefined ? undefined : fromLine(line, device);
      if (address === undefined) skipped.push(line);
      else addresses.push(address);
    } else if (/^\S/.test(line)) {
      // Not an interface: the lines below it cannot be assigned.
      device = undefined;
      skipped.push(line);
    }
  }
  if (devices === 0) return notUnderstood(`no interface found${skipped[0] === undefined ? '' : `: ${skipped[0]}`}`);
  return understood(addresses, skipped);
}

/**
 * Reads the output of `ip addr show`. Every namespace has an interface, so output without one is not understood. An
 * interface may have no address.
 */
export function parseAddresses(text: string): Parsed<readonly DeviceAddress[]> {
  if (!isJson(text)) return fromPlain(text);
  const answer = entriesOf(text);
  if ('ok' in answer) return answer;
  const read = answer.entries.map(fromEntry);
  const skipped = [...answer.skipped, ...read.flatMap((device) => device.skipped)];
  if (!answer.entries.some((entry) => textAt(entry, 'ifname') !== undefined)) {
    return notUnderstood(`no interface found${skipped[0] === undefined ? '' : `: ${skipped[0]}`}`);
  }
  return understood(
    read.flatMap(({ addresses }) => addresses),
    skipped,
  );
}
