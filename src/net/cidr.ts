// CIDRs: Go's parsing rules, canonical text, containment, and the addresses of a network by ordinal.
// Ordinals count from the network address, as the allocations of an IPAM block do (docs/reference/ipam.md).
import {
  addToIp,
  canonicalIp,
  compareIp,
  formatIp,
  type IpAddress,
  ipv4Between,
  ipv6Between,
  isMapped,
  parseIp,
} from './ip.ts';

/** A network: `base` has no bits set beyond `prefix`, and is of the same version. */
export interface Cidr {
  readonly version: 4 | 6;
  readonly base: IpAddress;
  readonly prefix: number;
}

/** An address and its network, both of which `10.0.0.7/24` gives. */
export interface InterfaceAddress {
  readonly address: IpAddress;
  readonly cidr: Cidr;
}

const ALL_ONES_V6 = (1n << 128n) - 1n;
const ORDINAL_LIMIT = 2 ** 32;

/** Bits of an address of this version. */
export function bitsOf(version: 4 | 6): 32 | 128 {
  return version === 4 ? 32 : 128;
}

function maskV4(prefix: number): number {
  return prefix === 0 ? 0 : -1 << (32 - prefix);
}

/** Decimal digits from a position to the end of the text, at most `max`; -1 for anything else. */
function prefixFrom(text: string, start: number, max: number): number {
  if (start >= text.length) return -1;
  let prefix = 0;
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    prefix = prefix * 10 + digit;
    if (prefix > max) return -1;
  }
  return prefix;
}

/** The network of the given prefix length that an address is in. */
export function networkOf(ip: IpAddress, prefix: number): Cidr {
  if (ip.version === 4) return { version: 4, base: { version: 4, value: (ip.value & maskV4(prefix)) >>> 0 }, prefix };
  const host = BigInt(128 - prefix);
  return { version: 6, base: { version: 6, value: (ip.value >> host) << host }, prefix };
}

/** The network of a 128-bit value; an IPv4-mapped one is an IPv4 network when the mapping survives the mask, as in Go. */
function networkOfWide(value: bigint, prefix: number): Cidr {
  if (prefix >= 96 && isMapped(value)) {
    return networkOf({ version: 4, value: Number(value & 0xffffffffn) }, prefix - 96);
  }
  return networkOf({ version: 6, value }, prefix);
}

/**
 * Reads `address/prefix` by the rules of Go's `net.ParseCIDR` into the masked network; undefined for anything else,
 * including a bare address. As in Go, the prefix length (but no octet) may have leading zeros.
 */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const v4 = ipv4Between(text, 0, slash);
  if (v4 >= 0) {
    const prefix = prefixFrom(text, slash + 1, 32);
    return prefix < 0 ? undefined : networkOf({ version: 4, value: v4 }, prefix);
  }
  const prefix = prefixFrom(text, slash + 1, 128);
  if (prefix < 0) return undefined;
  const v6 = ipv6Between(text, 0, slash);
  return v6 === undefined ? undefined : networkOfWide(v6, prefix);
}

/** Reads `address/prefix` into the address, host bits kept, and its network; undefined for anything else. */
export function parseInterface(text: string): InterfaceAddress | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const address = parseIp(text.slice(0, text.indexOf('/')));
  return address === undefined ? undefined : { address, cidr };
}

/** The network of one address: /32 or /128. */
function hostRoute(ip: IpAddress): Cidr {
  return { version: ip.version, base: ip, prefix: bitsOf(ip.version) };
}

/** Reads a CIDR, or a bare address as the network of that one address; undefined for anything else. */
export function parseCidrOrIp(text: string): Cidr | undefined {
  if (text.includes('/')) return parseCidr(text);
  const ip = parseIp(text);
  return ip === undefined ? undefined : hostRoute(ip);
}

/** Canonical text of the network. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.base)}/${cidr.prefix}`;
}

/** True when the text is a CIDR without host bits. */
export function isMaskedCidr(text: string): boolean {
  const read = parseInterface(text);
  return read !== undefined && compareIp(read.address, read.cidr.base) === 0;
}

/** True when the text is a CIDR, masked and spelled in the canonical way. */
export function isCanonicalCidr(text: string): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && formatCidr(cidr) === text;
}

/** Number of addresses in the network. */
export function cidrSize(cidr: Cidr): bigint {
  return 1n << BigInt(bitsOf(cidr.version) - cidr.prefix);
}

/** True when the address is in the network. */
export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  const base = cidr.base;
  if (ip.version === 4) return base.version === 4 && ((ip.value ^ base.value) & maskV4(cidr.prefix)) === 0;
  return base.version === 6 && (ip.value ^ base.value) >> BigInt(128 - cidr.prefix) === 0n;
}

/** True when every address of `inner` is in `outer`. */
export function cidrCovers(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && cidrContains(outer, inner.base);
}

/** True when the two networks share an address: one of them covers the other. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return cidrCovers(a, b) || cidrCovers(b, a);
}

/** Compares networks, for sorting: IPv4 before IPv6, then by base, the wider first. */
export function compareCidr(a: Cidr, b: Cidr): number {
  return compareIp(a.base, b.base) || a.prefix - b.prefix;
}

/** The address of an ordinal, counted from the base. Does not check that the network is that large. */
export function addressAt(cidr: Cidr, ordinal: number | bigint): IpAddress {
  return addToIp(cidr.base, ordinal);
}

/** The ordinal of an address, or undefined for an address outside or an ordinal above 2^32. */
export function ordinalOf(cidr: Cidr, ip: IpAddress): number | undefined {
  if (!cidrContains(cidr, ip)) return undefined;
  const ordinal =
    ip.version === 4 ? ip.value - (cidr.base.value as number) : Number(ip.value - (cidr.base.value as bigint));
  return ordinal > ORDINAL_LIMIT ? undefined : ordinal;
}

/** The last address of the network. */
export function lastAddress(cidr: Cidr): IpAddress {
  const base = cidr.base;
  if (base.version === 4) return { version: 4, value: (base.value | ~maskV4(cidr.prefix)) >>> 0 };
  return { version: 6, value: base.value | (ALL_ONES_V6 >> BigInt(cidr.prefix)) };
}

/** Canonical text of the address in `10.0.0.1/32` or `10.0.0.1`; undefined for any other text. */
export function stripMask(text: string): string | undefined {
  if (!text.includes('/')) return canonicalIp(text);
  const read = parseInterface(text);
  return read === undefined ? undefined : formatIp(read.address);
}
