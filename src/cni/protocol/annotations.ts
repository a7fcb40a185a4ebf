// Annotations of pods and namespaces that change how a pod is connected. Rules: docs/reference/cni.md#annotations
import { parseCidr } from '../../net/cidr.ts';
import { type IpAddress, parseIp } from '../../net/ip.ts';
import { parseJson } from '../../text/json.ts';
import { CniError } from './cni-error.ts';
import { goSyntaxProblem, jsonTypeOf } from './go-json.ts';
import type { IpamConf } from './net-conf.ts';

const prefix = 'cni.projectcalico.org/';

export type Annotations = Readonly<Record<string, string>>;

/** The value of an annotation; empty when there is none. */
export function annotation(annotations: Annotations, name: string): string {
  return annotations[prefix + name] ?? '';
}

/** A JSON list of strings. Errors: CniError in the words of Go, made by `failed`. */
function textsIn(text: string, failed: (problem: string) => CniError): readonly string[] {
  let value: ReturnType<typeof parseJson>;
  try {
    value = parseJson(text);
  } catch {
    throw failed(goSyntaxProblem(text));
  }
  if (value === null) return [];
  if (!Array.isArray(value)) throw failed(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type []string`);
  return value.map((item) => {
    if (typeof item === 'string') return item;
    if (item === null) return '';
    throw failed(`json: cannot unmarshal ${jsonTypeOf(item)} into Go value of type string`);
  });
}

/**
 * Which families and pools the pod gets addresses from: its own annotations, then those of its namespace, then the
 * configuration. Errors: CniError for a value that cannot be read.
 */
export function requestedIpam(conf: IpamConf, pod: Annotations, namespace: Annotations): IpamConf {
  const value = (name: string): string => annotation(pod, name) || annotation(namespace, name);
  const [v4, v6, families] = ['ipv4pools', 'ipv6pools', 'ipFamilies'].map(value) as [string, string, string];
  const pools = (text: string, configured: readonly string[]): readonly string[] =>
    text === '' ? configured : textsIn(text, (problem) => new CniError(problem));
  return {
    ...conf,
    ipv4Pools: pools(v4, conf.ipv4Pools),
    ipv6Pools: pools(v6, conf.ipv6Pools),
    ...(families === '' ? {} : assignedFamilies(families)),
  };
}

function assignedFamilies(text: string): Pick<IpamConf, 'assignIpv4' | 'assignIpv6'> {
  const families = textsIn(text, (problem) => new CniError(problem));
  if (families.some((family) => family !== 'IPv4' && family !== 'IPv6')) {
    throw new CniError(`error parsing ipFamilies: ${text}`);
  }
  return { assignIpv4: families.includes('IPv4'), assignIpv6: families.includes('IPv6') };
}

/** The addresses that a pod asks for: at most one of each family, in the order of the annotation. Errors: CniError. */
export function fixedAddresses(text: string, name: 'ipAddrs' | 'ipAddrsNoIpam'): readonly IpAddress[] {
  const key = JSON.stringify(prefix + name);
  const texts = textsIn(
    text,
    (problem) =>
      new CniError(`failed to parse IPs ${text} for annotation ${key}: failed to parse '${text}' as JSON: ${problem}`),
  );
  if (texts.length === 0) throw new CniError(`annotation ${key} specified but empty`);
  const addresses = texts.map((each) => {
    const ip = parseIp(each);
    if (ip === undefined) throw new CniError(`invalid IP format: ${each}`);
    return ip;
  });
  for (const family of [4, 6] as const) {
    if (addresses.filter(({ version }) => version === family).length > 1) {
      throw new CniError(`cannot have more than one IPv${family} address for ${key} annotation`);
    }
  }
  return addresses;
}

/** Errors: CniError when floating addresses are not a list of addresses, each with one of the pod's in its family. */
export function checkFloatingIps(text: string, addresses: readonly IpAddress[]): void {
  const texts = textsIn(text, (problem) => new CniError(`failed to parse '${text}' as JSON: ${problem}`));
  for (const each of texts) {
    const ip = parseIp(each);
    if (ip === undefined) throw new CniError(`invalid IP format: ${each}`);
    if (addresses.every(({ version }) => version !== ip.version)) {
      throw new CniError(`floating IP ${each} has no target: the pod has no IPv${ip.version} address`);
    }
  }
}

/** Errors: CniError when the source prefixes that a pod may use are not a list of CIDRs. */
export function checkSourcePrefixes(text: string): void {
  if (text === '') return;
  const failed = (problem: string): CniError => new CniError(`failed to parse '${text}' as JSON: []string: ${problem}`);
  for (const each of textsIn(text, failed)) {
    if (parseCidr(each) !== undefined) continue;
    throw new CniError(`failed to parse '${each}' as a CIDR: invalid CIDR address: ${each}`);
  }
}

/** The MAC address that a pod asks for, in lower case with colons; undefined when it asks for none. Errors: CniError. */
export function requestedMac(text: string): string | undefined {
  if (text === '') return undefined;
  const digits = /^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$/i.test(text)
    ? text.replaceAll('.', '')
    : /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i.test(text)
      ? text.replaceAll(/[:-]/g, '')
      : undefined;
  if (digits === undefined) {
    const what = `failed to parse MAC address ${text} provided via ${prefix}hwAddr`;
    throw new CniError(`${what}: address ${text}: invalid MAC address`);
  }
  return (digits.toLowerCase().match(/../g) ?? []).join(':');
}
