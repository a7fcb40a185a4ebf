// The result of ADD: addresses and interfaces, printed in the form of each version of the specification, and read from
// other plugins and from prevResult.
import { type InterfaceAddress, parseInterface } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { isObject } from '../../text/plain-values.ts';
import { CniError } from './cni-error.ts';
import { defaultVersion, isAtLeast } from './versions.ts';

export interface ResultInterface {
  readonly name: string;
  readonly mac?: string | undefined;
  readonly mtu?: number | undefined;
  readonly sandbox?: string | undefined;
}

export interface ResultAddress {
  readonly address: InterfaceAddress;
  /** Index into the interfaces. */
  readonly interface?: number | undefined;
}

export interface CniResult {
  readonly interfaces: readonly ResultInterface[];
  readonly ips: readonly ResultAddress[];
  /** Destinations that host routes are made for; undefined when the answer has no such list. */
  readonly routes?: readonly string[] | undefined;
}

/** `10.0.0.1/26`: the address itself, with the prefix length of its network. */
function addressText({ address, cidr }: InterfaceAddress): string {
  return `${formatIp(address)}/${cidr.prefix}`;
}

/** What runtimes read. Keys are in the order of Calico's plugins for each version. */
export function resultJson(result: CniResult, version: string): string {
  const cniVersion = version === '' ? defaultVersion : version;
  const body = isAtLeast(cniVersion, '1.0.0')
    ? newForm(result)
    : isAtLeast(cniVersion, '0.3.0')
      ? middleForm(result)
      : oldForm(result);
  return JSON.stringify({ cniVersion, ...body }, undefined, 4);
}

function newForm({ interfaces, ips, routes }: CniResult): object {
  return {
    ...(interfaces.length === 0
      ? {}
      : { interfaces: interfaces.map(({ mac, mtu, name, sandbox }) => withoutEmpty({ mac, mtu, name, sandbox })) }),
    ips: ips.map((ip) => withoutEmpty({ address: addressText(ip.address), interface: ip.interface })),
    ...routesOf(routes),
  };
}

function middleForm({ interfaces, ips, routes }: CniResult): object {
  return {
    ...(interfaces.length === 0
      ? {}
      : { interfaces: interfaces.map(({ name, mac, sandbox }) => withoutEmpty({ name, mac, sandbox })) }),
    ips: ips.map(({ address, interface: at }) =>
      withoutEmpty({ version: String(address.address.version), interface: at, address: addressText(address) }),
    ),
    ...routesOf(routes),
    dns: {},
  };
}

function oldForm({ ips, routes = [] }: CniResult): object {
  const of = (family: 4 | 6): object => {
    const found = ips.find(({ address }) => address.address.version === family);
    if (found === undefined) return {};
    const own = routes.filter((dst) => dst.includes(':') === (family === 6)).map((dst) => ({ dst }));
    return { [`ip${family}`]: { ip: addressText(found.address), ...(own.length === 0 ? {} : { routes: own }) } };
  };
  return { ...of(4), ...of(6), dns: {} };
}

function routesOf(routes: readonly string[] | undefined): object {
  return routes === undefined || routes.length === 0 ? {} : { routes: routes.map((dst) => ({ dst })) };
}

function withoutEmpty(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}

/**
 * Reads the result of another plugin, of any version. Errors: CniError for an address that cannot be read.
 */
export function resultOf(value: unknown): CniResult {
  const raw = isObject(value) ? value : {};
  const old = (['ip4', 'ip6'] as const).flatMap((key) => (isObject(raw[key]) ? [raw[key]] : []));
  const routes = old.length > 0 ? old.flatMap((entry) => listIn(entry, 'routes')) : listIn(raw, 'routes');
  const ips =
    old.length > 0
      ? old.map((entry) => addressIn(entry['ip']))
      : listIn(raw, 'ips').map((ip) => addressIn(ip['address'], ip));
  return {
    interfaces: listIn(raw, 'interfaces').map((entry) => ({
      name: textIn(entry, 'name') ?? '',
      mac: textIn(entry, 'mac'),
      mtu: typeof entry['mtu'] === 'number' ? entry['mtu'] : undefined,
      sandbox: textIn(entry, 'sandbox'),
    })),
    ips,
    ...(raw['routes'] === undefined && old.length === 0
      ? {}
      : { routes: routes.flatMap((route) => textIn(route, 'dst') ?? []) }),
  };
}

function addressIn(text: unknown, entry: Readonly<Record<string, unknown>> = {}): ResultAddress {
  const address = typeof text === 'string' ? parseInterface(text) : undefined;
  if (address === undefined) throw new CniError(`invalid CIDR address: ${String(text)}`);
  const at = entry['interface'];
  return { address, ...(typeof at === 'number' ? { interface: at } : {}) };
}

function listIn(raw: Readonly<Record<string, unknown>>, key: string): Record<string, unknown>[] {
  const list = raw[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function textIn(raw: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const text = raw[key];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
