// Checks of single values that calicoctl makes under names of their own.
import { isMaskedCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { ScalarType, Tag } from '../field.ts';
import type { FieldPath } from '../field-path.ts';
import { selectorProblem } from '../selector.ts';
import { problem, type RuleProblem, tagReason } from './rule-problem.ts';

const text = (accepts: (value: string) => boolean) => (value: string | number | bigint | boolean) =>
  accepts(String(value));

export const logLevels = ['Trace', 'Debug', 'Info', 'Warning', 'Error', 'Fatal'] as const;

const portName = /^(?=.*[a-z])[a-z0-9]([a-z0-9]|-(?!-))*$/;

/** True for the name of a port: an IANA service name. */
export const isPortName = (name: string): boolean => name.length <= 15 && portName.test(name) && !name.endsWith('-');

/** Names of objects: lower-case labels joined by dots. */
export const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** calicoctl lets an empty text pass. */
const isMaskedOrAddress = (value: string): boolean =>
  value.includes('/') ? isMaskedCidr(value) : value === '' || parseIp(value) !== undefined;

const isCidrOf = (version: 4 | 6) => (value: string) => parseCidrOrIp(value)?.version === version;
const isIpOf = (version: 4 | 6) => (value: string) => parseIp(value)?.version === version;

/** Go's forms of MAC addresses, of 6, 8 or 20 bytes: by bytes, by groups of two bytes, or without any mark between. */
function isMac(value: string): boolean {
  const isForm =
    /^[\da-f]{2}(?:([:-])[\da-f]{2}(?:\1[\da-f]{2})*)?$|^[\da-f]{4}(?:\.[\da-f]{4})*$|^(?:[\da-f]{2})*$/i.test(value);
  return isForm && [12, 16, 40].includes(value.replace(/[^\da-f]/gi, '').length);
}

/** The peer of a BGP session: an address, with a port if it is not 179. */
function isIpWithPort(value: string): boolean {
  if (parseIp(value) !== undefined) return true;
  const [, v6, v4, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(value) ?? [];
  const number = Number(port);
  if (!(number >= 1 && number <= 65535)) return false;
  return v6 === undefined ? parseIp(v4 ?? '')?.version === 4 : parseIp(v6)?.version === 6;
}

export const tags = {
  net: {
    name: 'net',
    accepts: text(isMaskedOrAddress),
    message: 'must be an address or a CIDR without host bits, like 10.0.0.0/16',
  },
  netv4: {
    name: 'netv4',
    accepts: text((value) => isMaskedOrAddress(value) && isCidrOf(4)(value)),
    message: 'must be an IPv4 CIDR without host bits',
  },
  netv6: {
    name: 'netv6',
    accepts: text((value) => isMaskedOrAddress(value) && isCidrOf(6)(value)),
    message: 'must be an IPv6 CIDR without host bits',
  },
  mac: {
    name: 'mac',
    accepts: text(isMac),
    message: 'must be a MAC address, like 66:2b:7c:00:11:22',
  },
  cidr: {
    name: 'cidr',
    accepts: text((value) => value === '' || parseCidrOrIp(value) !== undefined),
    message: 'must be an address or a CIDR',
  },
  cidrv4: { name: 'cidrv4', accepts: text(isCidrOf(4)), message: 'must be an IPv4 address or CIDR' },
  cidrv6: { name: 'cidrv6', accepts: text(isCidrOf(6)), message: 'must be an IPv6 address or CIDR' },
  ip: { name: 'ip', accepts: text((value) => parseIp(value) !== undefined), message: 'must be an IP address' },
  ipv4: { name: 'ipv4', accepts: text(isIpOf(4)), message: 'must be an IPv4 address' },
  ipv6: { name: 'ipv6', accepts: text(isIpOf(6)), message: 'must be an IPv6 address' },
  ipPort: {
    name: 'IP:port',
    accepts: text(isIpWithPort),
    message: 'must be an address, or one with a port: 192.0.2.1:1790, [2001:db8::1]:1790',
  },
  keyValueList: {
    name: 'keyValueList',
    accepts: text((value) => value.split(',').every((pair) => /^\s*[^=,\s]+\s*=[^=,]*$/.test(pair))),
    message: 'must be pairs NAME=VALUE, separated by commas',
  },
  /** Anything but nothing. */
  required: { name: 'required', accepts: () => true, message: 'is missing', refusesEmpty: 'required' },
  portName: {
    name: 'portName',
    accepts: text(isPortName),
    message: "must be the name of a port: at most 15 lower-case letters, digits and '-'",
  },
  positivePort: {
    name: 'gt',
    accepts: (value: string | number | bigint | boolean) => Number(value) > 0,
    message: 'must be from 1 to 65535',
  },
  ipVersion: {
    name: 'ipVersion',
    accepts: (value: string | number | bigint | boolean) => value === 4 || value === 6,
    message: 'must be 4 or 6',
  },
  selector: { name: 'selector', accepts: text((value) => selectorProblem(value) === undefined) },
  name: {
    name: 'name',
    accepts: text((value) => value.length <= 253 && objectName.test(value)),
    message: "must be a name: lower-case letters, digits, '-' and '.'",
  },
  containerID: {
    name: 'containerID',
    accepts: text((value) => /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(value)),
    message: "must consist of letters, digits and '-'",
  },
  interface: {
    name: 'interface',
    accepts: text((value) => value === '*' || /^[a-zA-Z0-9_.-]{1,15}$/.test(value)),
    message: "must be the name of an interface: at most 15 letters, digits, '_', '.' and '-'",
  },
  interfacePattern: {
    name: 'ignoredInterface',
    accepts: text((value) => /^[a-zA-Z0-9_.*-]{1,15}$/.test(value)),
    message: "must be the name of an interface, or a pattern with *: at most 15 letters, digits, '_', '.', '*' and '-'",
  },
} as const satisfies Readonly<Record<string, Tag>>;

/** Each entry is an address or a CIDR; checked as a whole. */
export const cidrs = {
  name: 'cidrs',
  accepts: (value: unknown) => !Array.isArray(value) || value.every((one) => parseCidrOrIp(String(one)) !== undefined),
  message: 'must be addresses and CIDRs only',
};

/** Each entry of the list is there once. */
export const unique = {
  name: 'unique',
  accepts: (value: unknown) => !Array.isArray(value) || new Set(value).size === value.length,
  message: 'has an entry twice',
};

/** The same type; an absent value fails the check too, under the name of the check or another one. */
export function needed<V>(type: ScalarType<V>, name = type.tag?.name ?? 'required'): ScalarType<V> {
  return { ...type, tag: { accepts: () => true, ...type.tag, name: type.tag?.name ?? name, refusesEmpty: name } };
}

/** A check of a number under that name; without one calicoctl names the bound that the number exceeds. */
export function within(goName: string, min: number, max: number, name?: string) {
  return (value: string | number | bigint | boolean, at: FieldPath): RuleProblem[] => {
    const number = Number(value);
    if (number >= min && number <= max) return [];
    const reason = tagReason(goName, name ?? (number < min ? 'gte' : 'lte'));
    return [problem(at, `must be from ${min} to ${max}`, { field: goName, value, reason })];
  };
}
