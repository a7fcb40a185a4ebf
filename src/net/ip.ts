// IP addresses: Go's parsing rules (what Calico itself accepts), canonical text, order and addition.
// IPv4 is computed with numbers; only IPv6 pays for bigint.

/** An IPv4 address; `value` is an unsigned 32-bit integer. */
export interface Ipv4 {
  readonly version: 4;
  readonly value: number;
}

/** An IPv6 address; `value` is an unsigned 128-bit integer. */
export interface Ipv6 {
  readonly version: 6;
  readonly value: bigint;
}

export type IpAddress = Ipv4 | Ipv6;

const DOT = 46;
const ZERO = 48;
const COLON = 58;

/** `::ffff:0:0/96` without its last 32 bits: the prefix of IPv4-mapped addresses. */
const MAPPED_PREFIX = 0xffffn;

/**
 * Reads dotted-quad text between two positions: four decimal numbers up to 255 without leading zeros.
 * Returns -1 for anything else.
 */
export function ipv4Between(text: string, start: number, end: number): number {
  let value = 0;
  let octet = -1;
  let dots = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (octet < 0 || ++dots > 3) return -1;
      value = value * 256 + octet;
      octet = -1;
      continue;
    }
    const digit = code - ZERO;
    if (digit < 0 || digit > 9 || octet === 0) return -1;
    octet = octet < 0 ? digit : octet * 10 + digit;
    if (octet > 255) return -1;
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Reads IPv6 text between two positions into eight 16-bit groups; undefined for anything else. */
function groupsBetween(text: string, start: number, end: number): number[] | undefined {
  const groups: number[] = [];
  let ellipsis = -1;
  let at = start;
  if (end - at >= 2 && text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON) {
    ellipsis = 0;
    at += 2;
  }
  while (at < end && groups.length < 8) {
    let group = 0;
    let next = at;
    for (; next < end; next++) {
      const digit = hexDigit(text.charCodeAt(next));
      if (digit < 0) break;
      if (next - at > 3) return undefined;
      group = group * 16 + digit;
    }
    if (next === at) return undefined;
    if (next < end && text.charCodeAt(next) === DOT) {
      // The last 32 bits in dotted-quad form.
      if (groups.length > 6 || (ellipsis < 0 && groups.length !== 6)) return undefined;
      const tail = ipv4Between(text, at, end);
      if (tail < 0) return undefined;
      groups.push(tail >>> 16, tail & 0xffff);
      at = end;
      break;
    }
    groups.push(group);
    at = next;
    if (at === end) break;
    if (text.charCodeAt(at) !== COLON || at + 1 === end) return undefined;
    at++;
    if (text.charCodeAt(at) === COLON) {
      if (ellipsis >= 0) return undefined;
      ellipsis = groups.length;
      at++;
    }
  }
  if (at !== end) return undefined;
  if (ellipsis < 0) return groups.length === 8 ? groups : undefined;
  // The ellipsis replaces at least one group of zeros.
  if (groups.length === 8) return undefined;
  groups.splice(ellipsis, 0, ...new Array<number>(8 - groups.length).fill(0));
  return groups;
}

/** Reads IPv6 text between two positions; an IPv4-mapped address stays 128 bits wide. */
export function ipv6Between(text: string, start: number, end: number): bigint | undefined {
  const groups = groupsBetween(text, start, end);
  if (groups === undefined) return undefined;
  let value = 0n;
  for (let i = 0; i < 8; i += 2) {
    value = (value << 32n) | BigInt((groups[i] as number) * 65536 + (groups[i + 1] as number));
  }
  return value;
}

/** True when the 128-bit value is an IPv4-mapped address, `::ffff:a.b.c.d`. */
export function isMapped(value: bigint): boolean {
  return value >> 32n === MAPPED_PREFIX;
}

/** The address of a 128-bit value: IPv4 if it is IPv4-mapped. */
function ipOfWide(value: bigint): IpAddress {
  return isMapped(value) ? { version: 4, value: Number(value & 0xffffffffn) } : { version: 6, value };
}

/**
 * Reads an address by the rules of Go's `net.ParseIP`: no leading zeros in IPv4, no zone, no spaces;
 * `::ffff:1.2.3.4` is an IPv4 address. Anything else is undefined.
 */
export function parseIp(text: string): IpAddress | undefined {
  const v4 = ipv4Between(text, 0, text.length);
  if (v4 >= 0) return { version: 4, value: v4 };
  const v6 = ipv6Between(text, 0, text.length);
  return v6 === undefined ? undefined : ipOfWide(v6);
}

function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

function formatIpv6(value: bigint): string {
  const groups: number[] = [];
  for (let shift = 96n; shift >= 0n; shift -= 32n) {
    const word = Number((value >> shift) & 0xffffffffn);
    groups.push(word >>> 16, word & 0xffff);
  }
  // The longest run of two or more zero groups, the first of several (RFC 5952 section 4.2).
  let runStart = -1;
  let runLength = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > runLength) {
      runStart = i;
      runLength = end - i;
    }
    if (end > i) i = end;
  }
  const hex = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return runStart < 0 ? hex(0, 8) : `${hex(0, runStart)}::${hex(runStart + runLength, 8)}`;
}

/** Canonical text: dotted quad, or RFC 5952; a 128-bit IPv4-mapped value prints as IPv4, as Go does. */
export function formatIp(ip: IpAddress): string {
  if (ip.version === 4) return formatIpv4(ip.value);
  return isMapped(ip.value) ? formatIpv4(Number(ip.value & 0xffffffffn)) : formatIpv6(ip.value);
}

/** Canonical text of an address in any spelling; undefined for any other text. */
export function canonicalIp(text: string): string | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : formatIp(ip);
}

/** Compares addresses, for sorting: IPv4 before IPv6, then by value. */
export function compareIp(a: IpAddress, b: IpAddress): number {
  if (a.version !== b.version) return a.version - b.version;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** The address plus `n`, which may be negative; wraps around at the end of the address space. */
export function addToIp(ip: IpAddress, n: number | bigint): IpAddress {
  if (ip.version === 6) return { version: 6, value: BigInt.asUintN(128, ip.value + BigInt(n)) };
  if (typeof n === 'number' && n >= -0xffffffff && n <= 0xffffffff) return { version: 4, value: (ip.value + n) >>> 0 };
  return { version: 4, value: Number(BigInt.asUintN(32, BigInt(ip.value) + BigInt(n))) };
}
