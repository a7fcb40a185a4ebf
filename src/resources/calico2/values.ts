// An object of Calico 2, what it becomes, and the values of which both are made.
import { formatCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import { CalictlError } from '../../world/errors.ts';
import type { ObjectMeta } from '../object.ts';

/** The members of an object as they were read. */
export type Members = Readonly<Record<string, unknown>>;

/** An object of Calico 2: there is always a spec. */
export interface Calico2Object {
  readonly metadata: Members;
  readonly spec: Members;
}

export interface ConversionOptions {
  /** As calicoctl: with its mistakes. */
  readonly asCalicoctl?: boolean;
}

/** What an object becomes: the rest of it is the same for all. */
export interface Converted {
  readonly metadata: Omit<ObjectMeta, 'creationTimestamp'>;
  readonly spec: Members;
}

export const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

export function unconvertible(message: string): CalictlError {
  return new CalictlError(message, { code: 'UNCONVERTIBLE' });
}

/** The address in its usual spelling; a text that is none stays. */
export function addressText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const read = parseIp(textOf(value));
  return read === undefined ? textOf(value) : formatIp(read);
}

/** The range in its usual spelling, without host bits. */
export function networkText(value: unknown): string {
  const read = parseCidrOrIp(textOf(value));
  return read === undefined ? textOf(value) : formatCidr(read);
}

export const namespaceLabel = (key: string): string => key.replaceAll('calico/k8s_ns', 'projectcalico.org/namespace');

export const capital = (word: unknown): string => {
  const text = textOf(word);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

const protocols: Readonly<Record<string, string>> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  sctp: 'SCTP',
  udplite: 'UDPLite',
};

export const protocolOf = (value: unknown): unknown =>
  typeof value === 'string' ? (protocols[value] ?? value) : value;
