// Names and keys that Calico derives: object names, labels, handle ids, UIDs. Rules: docs/reference/ipam.md.
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type CalicoApi, v3ApiVersion } from './kind.ts';

/** Annotation that holds the v3 metadata of an object stored as a custom resource. */
export const METADATA_ANNOTATION = 'projectcalico.org/metadata';
/** What Calico writes there for an object without metadata of its own. */
export const EMPTY_METADATA = '{"creationTimestamp":null}';

const HOSTNAME_HASH_LABEL = 'projectcalico.org/hostname-hash';
const AFFINITY_TYPE_LABEL = 'projectcalico.org/affinity-type';
const IP_VERSION_LABEL = 'projectcalico.org/ip-version';

/** Handle in the attributes of the addresses that Windows reserves in every block; there is no IPAMHandle object for it. */
export const windowsHandle = 'windows-reserved-ipam-handle';

/** Object name of a block, from its canonical CIDR text. Not reversible for IPv6. */
export function blockName(cidr: string): string {
  return cidr.replace(/[.:/]/g, '-');
}

const maxName = 252;
const hashDigits = 11;

/** Object name of a block affinity. The owner's type is not part of it. */
export function affinityName(node: string, cidr: string): string {
  const cidrName = blockName(cidr);
  const plain = `${node}-${cidrName}`;
  if (plain.length <= maxName) return plain;
  const hash = bytesToHex(sha256(utf8ToBytes(`${node}+${cidrName}`))).slice(0, hashDigits);
  return `${node.slice(0, maxName - cidrName.length - hashDigits - 2)}-${cidrName}-${hash}`;
}

/** Object name of a handle: ids that differ by case share one object. */
export function handleName(handleId: string): string {
  return handleId.toLowerCase();
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet[(pending >> bits) & 31];
    }
    pending &= (1 << bits) - 1;
  }
  return bits > 0 ? text + base32Alphabet[(pending << (5 - bits)) & 31] : text;
}

function base64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Value of the hostname-hash label. */
export function hostnameHash(node: string): string {
  return base32(sha3_256(utf8ToBytes(node)));
}

/** Labels of a block affinity. `type` is spec.type as stored; `hash` is the hostname hash, for callers that have it. */
export function affinityLabels(
  node: string,
  type: string,
  cidr: string,
  hash: string = hostnameHash(node),
): Record<string, string> {
  return {
    [AFFINITY_TYPE_LABEL]: type,
    [HOSTNAME_HASH_LABEL]: hash,
    [IP_VERSION_LABEL]: cidr.includes(':') ? '6' : '4',
  };
}

/** Value of the metadata annotation of a new block affinity. */
export function affinityMetadata(labels: Readonly<Record<string, string>>): string {
  const sorted = Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ creationTimestamp: null, labels: sorted });
}

function reversedBits(byte: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) reversed |= 0x80 >> bit;
  return reversed;
}

const uidPattern = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;

/** True for a UUID, as Kubernetes gives to objects. */
export function isUid(text: string): boolean {
  return uidPattern.test(text);
}

/**
 * The UID under which Calico shows an object, from the stored one, and back: bits of each byte reversed, except in the
 * bytes of the UUID's version and variant. A text that is not a UUID is returned as it is.
 */
export function translateUid(uid: string): string {
  const digits = uidPattern.exec(uid)?.slice(1).join('');
  if (digits === undefined) return uid;
  let out = '';
  for (let index = 0; index < 16; index++) {
    const byte = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
    const kept = index === 6 || index === 8;
    out += (kept ? byte : reversedBits(byte)).toString(16).padStart(2, '0');
    if (index === 3 || index === 5 || index === 7 || index === 9) out += '-';
  }
  return out;
}

/** The UID under which Calico shows an object that a datastore with this API keeps. */
export function shownUid(uid: string, calicoApi: CalicoApi): string {
  return calicoApi === v3ApiVersion ? uid : translateUid(uid);
}

/** The part of a handle id that Calico uses: the text before the first carriage return. */
export function sanitiseHandle(handleId: string): string {
  const end = handleId.indexOf('\r');
  return end < 0 ? handleId : handleId.slice(0, end);
}

/** Handle id of the addresses of a LoadBalancer service. */
export function loadBalancerHandle(service: string, namespace: string, uid: string): string {
  const hash = sha256(utf8ToBytes(`${service}-${namespace}-${uid}`.toLowerCase()));
  return `lb-${base64Url(hash).replace(/[-_.]/g, '')}`;
}

function doubledDashes(part: string): string {
  return part.replaceAll('-', '--');
}

/** The names of all workload endpoints of a node, as calicoctl writes it: `node--a-*`. */
export function endpointNamesOf(node: string): string {
  return `${doubledDashes(node)}-*`;
}

/** Object name of a workload endpoint, of any orchestrator. */
export function endpointName(node: string, orchestrator: string, workload: string, endpoint: string): string {
  return [node, orchestrator, workload, endpoint].map(doubledDashes).join('-');
}

/** Object name of the workload endpoint of a Kubernetes pod. */
export function workloadEndpointName(node: string, pod: string, endpoint = 'eth0'): string {
  return endpointName(node, 'k8s', pod, endpoint);
}

export const longestObjectName = 253;

/** True for a valid name of a Kubernetes object: labels of lower-case letters, digits and -, joined by dots. */
export function isObjectName(name: string): boolean {
  const labels = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  return name.length <= longestObjectName && labels.test(name);
}
