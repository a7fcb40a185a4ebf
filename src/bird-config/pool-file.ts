// bird_ipam.cfg: which routes go to BGP peers, and which ones to the kernel, by pools and ranges of services.
import type { BgpNode } from '../bgp/session.ts';
import { formatCidr, parseCidr } from '../net/cidr.ts';
import { formatIp } from '../net/ip.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { IPPool } from '../resources/kinds/ip-pool.ts';
import { compareBytes } from './objects.ts';
import { inOrder, type ServiceRoutes } from './service-routes.ts';
import { block, cidrText } from './syntax.ts';

interface Pool {
  readonly cidr: string;
  readonly spec: IPPool['spec'];
}

/** The pools of a family in Calico's order; of several with one CIDR, the first by name. */
function poolsOf(pools: readonly IPPool[], version: 4 | 6): Pool[] {
  const byCidr = new Map<string, IPPool['spec']>();
  for (const { spec } of [...pools].sort((a, b) => compareBytes(a.metadata.name, b.metadata.name))) {
    const cidr = parseCidr(spec?.cidr ?? '');
    if (cidr?.version === version && !byCidr.has(formatCidr(cidr))) byCidr.set(formatCidr(cidr), spec);
  }
  return inOrder([...byCidr.keys()]).map((cidr) => ({ cidr, spec: byCidr.get(cidr) as IPPool['spec'] }));
}

const isUsed = (mode: string | undefined): boolean => mode === 'Always' || mode === 'CrossSubnet';
const isOfFamily = (cidr: string, version: 4 | 6): boolean => cidr.includes(':') === (version === 6);
const accepted = (cidr: string): string => `if ( net ~ ${cidr} ) then { accept; }`;
const rejected = (cidr: string): string => `if ( net ~ ${cidr} ) then { reject; }`;

/** Routes through tunnel devices are Felix's, and so are those that BPF makes for pods of the node. */
const tunnelRoutes = [
  'function reject_tunnel_routes () {',
  '  if (defined(ifname)) then {',
  '     if ((ifname ~ "*.cali") || (ifname ~ "*.calico")) then {',
  '        reject;',
  '     }',
  '  }',
  '}',
  '',
  'function reject_local_routes () {',
  '  if (defined(ifname)) then {',
  '     if (ifname ~ "bpf*.cali") then {',
  '        reject;',
  '     }',
  '  }',
  '}',
];

/** The kernel filter's part for one IPv4 pool. `network`: that of the node. */
function kernelPart({ cidr, spec }: Pool, network: string): string[] {
  const inPool = (lines: readonly string[]): string[] => block(`if ( net ~ ${cidr} ) then`, lines);
  if (isUsed(spec.vxlanMode)) return inPool(['reject;']);
  const device = isUsed(spec.ipipMode) ? 'tunl0' : '';
  if (spec.ipipMode !== 'CrossSubnet') return inPool([`krt_tunnel = "${device}";`, 'accept;']);
  return inPool([
    `if defined(bgp_next_hop) && ( bgp_next_hop ~ ${network} ) then`,
    '  krt_tunnel = "";',
    'else',
    `  krt_tunnel = "${device}";`,
    'accept;',
  ]);
}

/** From Calico 3.32 the routes of the cluster may be Felix's alone. */
const felixPart = ({ cidr }: Pool): string[] => block(`if ( net ~ ${cidr} ) then`, ['reject;']);

export interface PoolFileInput {
  readonly node: BgpNode;
  readonly pools: readonly IPPool[];
  readonly services: ServiceRoutes;
  /** The spec of BGPConfiguration `default`. */
  readonly spec: BGPConfiguration['spec'] | undefined;
}

/** The network of the node as text; an address without a prefix length is a network of its own. */
function networkOf({ network, address }: BgpNode): string | undefined {
  if (network[4] !== undefined) return formatCidr(network[4]);
  return address[4] === undefined ? undefined : `${formatIp(address[4])}/32`;
}

function kernelFilter(version: 4 | 6, { node, services, spec }: PoolFileInput, pools: readonly Pool[]): string[] {
  const network = networkOf(node);
  const isFelix = spec?.programClusterRoutes === 'Disabled';
  const parts = pools.flatMap((pool) => {
    if (version === 6) return isUsed(pool.spec.vxlanMode) || isFelix ? felixPart(pool) : [];
    if (network === undefined) return [];
    return isFelix ? felixPart(pool) : kernelPart(pool, network);
  });
  return block('filter calico_kernel_programming', [
    ...services.rejected.filter((cidr) => isOfFamily(cidr, version)).map(rejected),
    ...parts,
    'accept;',
  ]);
}

/** The file of one family. Errors: UnrenderableError. */
export function poolFile(version: 4 | 6, input: PoolFileInput): string[] {
  const { node, services, spec } = input;
  const pools = poolsOf(input.pools, version);
  const kept = pools.filter((pool) => pool.spec.disableBGPExport);
  const ranges = (spec?.serviceLoadBalancerIPs ?? []).flatMap(({ cidr = '' }) => cidr);
  const reflected = node.clusterId === undefined ? [] : ranges.filter((cidr) => isOfFamily(cidr, version));
  return [
    'function reject_disabled_pools ()',
    '{',
    ...kept.map(({ cidr }) => `  ${rejected(cidr)}`),
    '}',
    '',
    ...tunnelRoutes,
    '',
    ...block('function calico_export_to_bgp_peers(bool internal_peer)', [
      'reject_disabled_pools();',
      'if (internal_peer) then {',
      '  reject_tunnel_routes();',
      '}',
      'reject_local_routes();',
      'apply_communities();',
      'calico_aggr();',
      ...services.advertised.filter((cidr) => isOfFamily(cidr, version)).map(accepted),
      ...reflected.map((cidr) => accepted(cidrText(cidr, 'an entry of serviceLoadBalancerIPs'))),
      ...pools
        .filter((pool) => !kept.includes(pool))
        .flatMap(({ cidr }) => block(`if ( net ~ ${cidr} ) then`, ['accept;'])),
    ]),
    '',
    ...kernelFilter(version, input, pools),
  ];
}
