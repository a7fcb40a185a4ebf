// What a node and a pod have after a CNI plugin ran, without what differs between two runs: random MAC addresses, indexes,
// and the link-local addresses that follow from them.
import { runProgram } from '../program/run-program.ts';

interface Link {
  readonly ifname: string;
  readonly mtu: number;
  readonly address: string;
  readonly flags: readonly string[];
  readonly num_tx_queues: number;
  readonly num_rx_queues: number;
  readonly inet6_addr_gen_mode?: string;
  readonly linkinfo?: { readonly info_kind?: string };
}

interface AddressedLink {
  readonly ifname: string;
  readonly addr_info: readonly { family: string; local?: string; prefixlen: number; scope: string }[];
}

const inNamespace = (netns: string, argv: readonly string[]): readonly string[] => [
  'nsenter',
  `--net=/var/run/netns/${netns}`,
  ...argv,
];

async function json<T>(netns: string, ...argv: readonly string[]): Promise<readonly T[]> {
  const { stdout } = await runProgram(inNamespace(netns, ['ip', '-j', ...argv]));
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as T[]);
}

const withoutOwnLinkLocal = (text: string): string =>
  text.startsWith('fe80:') && text !== 'fe80::ecee:eeff:feee:eeee' ? 'fe80::RANDOM' : text;

/** Interfaces that pods have or that lead to them, by the beginnings of their names. */
export interface PodNetwork {
  readonly links: readonly unknown[];
  readonly addresses: readonly unknown[];
  readonly routes: readonly unknown[];
  readonly permanentNeighbours: readonly unknown[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Everything that a namespace has of the interfaces whose names match. `macs` are those that the pod asked for. */
export async function podNetwork(netns: string, names: RegExp, macs: readonly string[] = []): Promise<PodNetwork> {
  const links = (await json<Link>(netns, '-d', 'link', 'show')).filter(({ ifname }) => names.test(ifname));
  const ours = new Set(links.map(({ ifname }) => ifname));
  const addresses = (await json<AddressedLink>(netns, 'addr', 'show')).filter(({ ifname }) => ours.has(ifname));
  const routes = (
    await Promise.all(['-4', '-6'].map((family) => json<Record<string, unknown>>(netns, '-d', family, 'route', 'show')))
  ).flat();
  const neighbours = await json<{ dev: string; dst: string; state: readonly string[] }>(netns, 'neigh', 'show');
  return {
    links: links.map((link) => ({
      name: link.ifname,
      mtu: link.mtu,
      mac: link.address === 'ee:ee:ee:ee:ee:ee' || macs.includes(link.address) ? link.address : 'RANDOM',
      flags: [...link.flags].sort(),
      queues: [link.num_tx_queues, link.num_rx_queues],
      kind: link.linkinfo?.info_kind,
      addressMode: link.inet6_addr_gen_mode,
    })),
    addresses: addresses.map(({ ifname, addr_info }) => ({
      ifname,
      addresses: addr_info.map(
        ({ local = '', prefixlen, scope }) => `${withoutOwnLinkLocal(local)}/${prefixlen} ${scope}`,
      ),
    })),
    routes: routes
      .filter(({ dev }) => ours.has(String(dev)))
      .map(({ dst, gateway, dev, protocol, scope, metric, type }) => ({
        ...{ dst: withoutOwnLinkLocal(String(dst)), gateway, dev, protocol, scope, metric, type },
      })),
    permanentNeighbours: neighbours.filter(({ dev, state }) => ours.has(dev) && state.includes('PERMANENT')),
    settings: await settingsOf(netns, [...ours]),
  };
}

async function settingsOf(netns: string, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const paths = [
    ...names.flatMap((name) => ['ipv4/conf', 'ipv4/neigh', 'ipv6/conf', 'ipv6/neigh'].map((root) => `${root}/${name}`)),
    'ipv4/ip_forward',
    'ipv6/conf/all',
    'ipv6/conf/default',
    'ipv6/conf/lo',
  ].map((path) => `/proc/sys/net/${path}`);
  const { stdout } = await runProgram(inNamespace(netns, ['grep', '-rsH', '', ...paths]));
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.includes('stable_secret'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice('/proc/sys/net/'.length, colon), line.slice(colon + 1)];
    }),
  );
}
