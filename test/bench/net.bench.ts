// How fast it is to parse an IPv4 address and look it up in a network, compared with the package ip-cidr in one run.
// Interleaved pairs, medians.
import IPCIDR from 'ip-cidr';
import { type Cidr, cidrContains, formatCidr, parseCidr } from '../../src/net/cidr.ts';
import { CidrIndex } from '../../src/net/interval-set.ts';
import { formatIp, type IpAddress, parseIp } from '../../src/net/ip.ts';
import { median } from './measure.ts';

const PAIRS = 9;
const OWN_ADDRESSES = 500_000;
const ORACLE_ADDRESSES = 10_000;

const pool = parseCidr('10.244.0.0/16') as Cidr;
const oracle = new IPCIDR(formatCidr(pool));
const addresses = Array.from({ length: OWN_ADDRESSES }, (_, n) =>
  // Every other address is outside of the pool; the factor scatters them.
  formatIp({ version: 4, value: (n % 2 === 0 ? 0x0af40000 : 0x0af50000) + ((n * 40_503) % 65_536) }),
);
const blocks = new CidrIndex(
  Array.from({ length: 1024 }, (_, n) => {
    const cidr = { version: 4, base: { version: 4, value: 0x0af40000 + n * 64 }, prefix: 26 } as const;
    return { cidr, value: n };
  }),
);

/** Operations a second of `work` over the first `count` addresses; `expected` of them must be hits. */
function rate(count: number, expected: number, work: (text: string) => boolean): number {
  const start = performance.now();
  let hits = 0;
  for (let n = 0; n < count; n++) if (work(addresses[n] as string)) hits++;
  const seconds = (performance.now() - start) / 1000;
  if (hits !== expected) throw new Error(`${hits} hits, not ${expected}`);
  return count / seconds;
}

export function benchNet(): string {
  const rates = { own: [] as number[], index: [] as number[], oracle: [] as number[] };
  for (let pair = 0; pair <= PAIRS; pair++) {
    const own = rate(OWN_ADDRESSES, OWN_ADDRESSES / 2, (text) => cidrContains(pool, parseIp(text) as IpAddress));
    const index = rate(
      OWN_ADDRESSES,
      OWN_ADDRESSES / 2,
      (text) => blocks.find(parseIp(text) as IpAddress) !== undefined,
    );
    const other = rate(ORACLE_ADDRESSES, ORACLE_ADDRESSES / 2, (text) => oracle.contains(text));
    // The first pair warms up.
    if (pair === 0) continue;
    rates.own.push(own);
    rates.index.push(index);
    rates.oracle.push(other);
  }
  const ratio = median(rates.own.map((own, pair) => own / (rates.oracle[pair] as number)));
  const perSecond = (values: number[]) => Math.round(median(values)).toLocaleString('en').padStart(12);
  return [
    `IPv4 parse + contains (median of ${PAIRS} rounds)`,
    `  net/cidr.ts                    ${perSecond(rates.own)} a second`,
    `  net/ CidrIndex of 1,024 blocks ${perSecond(rates.index)} a second`,
    `  ip-cidr                        ${perSecond(rates.oracle)} a second`,
    `  net/cidr.ts is ${ratio.toFixed(0)} times ip-cidr`,
    '',
    '',
  ].join('\n');
}
