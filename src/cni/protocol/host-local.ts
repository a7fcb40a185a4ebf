// What host-local IPAM reads of the configuration: the word usePodCidr stands for the range of the node, and the routes of
// the configuration are those of the pod. Rules: docs/reference/cni.md#host-local
import { defaultRoutes } from '../../datapath/wire/pod-wiring.ts';
import { type Cidr, parseCidr } from '../../net/cidr.ts';
import { isObject } from '../../text/plain-values.ts';
import { CniError } from './cni-error.ts';
import type { NetConf } from './net-conf.ts';

type Raw = Readonly<Record<string, unknown>>;

const words: Readonly<Record<string, 4 | 6>> = { usepodcidr: 4, usepodcidripv6: 6 };

function familyOf(subnet: unknown): 4 | 6 | undefined {
  return typeof subnet === 'string' ? words[subnet.toLowerCase()] : undefined;
}

/** True when the ranges of the node are needed. */
export function usesPodCidr(raw: Raw): boolean {
  return JSON.stringify(raw['ipam'] ?? {}, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    .toLowerCase()
    .includes('"usepodcidr');
}

/** The configuration with the ranges of the node. Errors: CniError when the node has no range of a family. */
export function withPodCidrs(raw: Raw, cidrs: Readonly<Partial<Record<4 | 6, string>>>): Raw {
  const replaced = (entry: unknown): unknown => {
    if (!isObject(entry)) return entry;
    const family = familyOf(entry['subnet']);
    if (family === undefined) return entry;
    const subnet = cidrs[family];
    if (subnet === undefined) throw new CniError(`the node has no IPv${family} pod CIDR for usePodCidr`);
    return { ...entry, subnet };
  };
  const ipam = replaced(raw['ipam']);
  if (!isObject(ipam)) return raw;
  const { ranges } = ipam;
  const sets = Array.isArray(ranges)
    ? { ranges: ranges.map((set) => (Array.isArray(set) ? set.map(replaced) : set)) }
    : {};
  return { ...raw, ipam: { ...ipam, ...sets } };
}

/** What a pod reaches through its gateway. Errors: CniError for routes of host-local that cannot be read. */
export function routesOf({ ipam, raw, includeDefaultRoutes }: NetConf): readonly Cidr[] {
  const own = ipam.type === 'host-local' ? hostLocalRoutes(raw) : [];
  if (own.length === 0) return defaultRoutes;
  return includeDefaultRoutes ? [...defaultRoutes, ...own] : own;
}

/** The destinations of ipam.routes. Errors: CniError for what is not a list of them. */
function hostLocalRoutes(raw: Raw): readonly Cidr[] {
  const ipam = raw['ipam'];
  const routes = isObject(ipam) ? ipam['routes'] : undefined;
  if (routes === undefined || routes === null) return [];
  if (!Array.isArray(routes)) {
    throw new CniError('failed to parse host-local IPAM routes section; expecting list');
  }
  return routes.filter(isObject).flatMap((route) => {
    const { dst } = route;
    if (dst === undefined) return [];
    if (typeof dst !== 'string') throw new CniError("invalid IPAM routes section; expecting 'dst' to be a string");
    const cidr = parseCidr(dst);
    if (cidr === undefined) throw new CniError(`invalid CIDR address: ${dst}`);
    return [cidr];
  });
}
