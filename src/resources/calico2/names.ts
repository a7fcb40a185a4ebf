// Names of Calico 2, which may hold almost any character, as names of projectcalico.org/v3.
import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Lower case, with nothing in it but letters, digits, dashes and dots, and neither of the last two at its ends. */
export function normalName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('/', '.')
    .replace(/[^-.a-z0-9]+/g, '-')
    .replace(/[-.]*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
}

/** A name that had to be changed ends in a part of its hash, so that two names never become one. */
function distinct(changed: string, original: string): string {
  if (changed === original) return changed;
  return `${changed}-${bytesToHex(sha1(utf8ToBytes(original))).slice(0, 8)}`;
}

/** The normal form of a name, which is another one for every other name. */
export const uniqueName = (name: string): string => distinct(normalName(name), name);

/** The same without dots: in the name of a policy a dot ends the name of its tier. */
export const policyName = (name: string): string => distinct(normalName(name).replaceAll('.', '-'), name);

/** The profile of a namespace, `k8s_ns.shop`, has another prefix now. */
export const profileName = (name: string): string => uniqueName(name.replace(/^k8s_ns\./, 'kns.'));

/** An address as a part of a name: `10-0-0-1`, or all eight groups of an IPv6 address. */
export function addressName(address: string): string {
  if (!address.includes(':')) return address.replaceAll('.', '-');
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeroes = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeroes, ...after].map((group) => group.padStart(4, '0')).join('-');
}
