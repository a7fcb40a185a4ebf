// Every parser of `ip` output on damaged texts: it never throws, and returns only what is in the text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cidr } from '../../../src/net/cidr.ts';
import type { IpAddress } from '../../../src/net/ip.ts';
import { parseAddresses } from '../../../src/node-state/iproute/addresses.ts';
import { parseFdb } from '../../../src/node-state/iproute/fdb.ts';
import { parseInterfaces } from '../../../src/node-state/iproute/interfaces.ts';
import { parseNeighbours } from '../../../src/node-state/iproute/neighbours.ts';
import { parseRules } from '../../../src/node-state/iproute/rules.ts';
import type { Parsed } from '../../../src/node-state/parse-result.ts';
import { parseSysctls } from '../../../src/node-state/sysctls.ts';
import {
  beginnings,
  damaged,
  damageTimeout,
  invented,
  recordings,
  someBeginnings,
} from '../../support/recorded/recordings.ts';

fc.configureGlobal({ seed: 20260101 });

const plain = [
  '2: eth0@if3: <BROADCAST,UP> mtu 1500 state UP\n    link/ether ca:b5:ed:bc:c0:7f brd ff:ff:ff:ff:ff:ff link-netnsid 1\n' +
    '    vxlan id 4096 local 10.90.0.1 dev eth0 srcport 0 0 dstport 4789 nolearning\n' +
    '    inet 10.90.0.1/24 brd 10.90.0.255 scope global eth0\n       valid_lft forever preferred_lft forever\n',
  '0:\tfrom all lookup local\n99:\tnot from 10.0.0.0/8 to 10.1.0.0/16 iif cali1 fwmark 0x200000/0x200000 lookup 1\n',
  '10.244.20.64 dev vxlan.calico lladdr 66:89:3a:22:7a:ac PERMANENT \nfe80::99 dev eth0 router STALE \n',
  '66:89:3a:22:7a:ac dev vxlan.calico dst 10.90.0.2 self permanent\n10.90.0.2 dev v lladdr 66:89:3a:22:7a:ad NOARP\n',
  '/proc/sys/net/ipv4/conf/cali0/proxy_arp:1\n/proc/sys/net/ipv4/ip_forward:1\n',
];

/** The names and addresses of a value, which the text must contain. */
type Named = (value: never) => readonly (string | IpAddress | Cidr | undefined)[];

const parsers: readonly (readonly [name: string, (text: string) => Parsed<unknown>, Named])[] = [
  [
    'parseInterfaces',
    parseInterfaces,
    ({ name, kind, mac, vxlan }: { name: string; kind?: string; mac?: string; vxlan?: { local?: IpAddress } }) => [
      name,
      kind,
      mac,
      vxlan?.local,
    ],
  ],
  [
    'parseAddresses',
    parseAddresses,
    ({ device, address }: { device: string; address: IpAddress }) => [device, address],
  ],
  [
    'parseRules',
    (text) => parseRules(text, 4),
    ({ inputDevice, source }: { inputDevice?: string; source?: Cidr }) => [inputDevice, source],
  ],
  [
    'parseNeighbours',
    parseNeighbours,
    ({ device, mac, address }: { device?: string; mac?: string; address: IpAddress }) => [device, mac, address],
  ],
  [
    'parseFdb',
    parseFdb,
    ({ device, mac, destination }: { device?: string; mac: string; destination?: IpAddress }) => [
      device,
      mac,
      destination,
    ],
  ],
  ['parseSysctls', parseSysctls, ([path, value]: [string, string]) => [`/proc/sys/${path}`, value]],
];

describe('damaged texts', () => {
  it.each(parsers)(
    '%s',
    (_name, parse, namesOf) => {
      const holds = (text: string): void => {
        const parsed = parse(text);
        if (!parsed.ok) return;
        expect(invented(text, [...(parsed.value as Iterable<never>)].flatMap(namesOf))).toEqual([]);
      };
      for (const text of plain) beginnings(text).forEach(holds);
      const recorded = recordings('ip').map(([, text]) => text);
      someBeginnings(recorded).forEach(holds);
      const texts = [...recorded, ...plain, ...plain, ...plain, ...plain];
      fc.assert(fc.property(damaged(texts), holds), { numRuns: 200 });
      // Deeper than any real output, but valid JSON.
      holds(`[{"ifname":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`);
    },
    damageTimeout,
  );
});
