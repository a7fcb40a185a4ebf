// The settings of Felix on a node: the environment of calico-node, the node's own FelixConfiguration, then `default`, field
// by field, then defaults.
import type { FelixConfiguration, FelixConfigurationSpec } from '../../resources/kinds/felix-configuration.ts';

/** Which of Felix and BIRD programs routes to blocks without VXLAN; `either` where it depends on the release. */
export type RouteOwner = 'bird' | 'felix' | 'either';

export interface FelixSettings {
  /** Prefixes of workload interfaces; Calico's CNI plugin uses the first. */
  readonly interfacePrefixes: readonly string[];
  readonly mtuInterfaces: string;
  /** MTUs that are set; undefined ones are computed from that of the host. */
  readonly ipipMtu: number | undefined;
  readonly vxlanMtu: number | undefined;
  readonly vxlanMtuV6: number | undefined;
  readonly wireguardMtu: number | undefined;
  readonly wireguardMtuV6: number | undefined;
  readonly vxlanPort: number;
  readonly vxlanVni: number;
  /** Forced on or off; undefined follows the pools. */
  readonly ipipEnabled: boolean | undefined;
  readonly vxlanEnabled: boolean | undefined;
  readonly wireguard: boolean;
  readonly wireguardV6: boolean;
  readonly wireguardRulePriority: number;
  /** As `ip` prints it; undefined means boot for tunnels and workloads, 80 for all else. */
  readonly routeProtocol: string | undefined;
  readonly ipipOwner: RouteOwner;
  readonly plainOwner: RouteOwner;
  /** One route per workload instead of one per block. */
  readonly workloadRoutes: boolean;
  /** False: Felix does not touch routes. */
  readonly syncsRoutes: boolean;
  readonly bpf: boolean;
  /** As it is set: `Auto` follows kube-proxy, and is the default of newer releases. */
  readonly nftablesMode: 'Enabled' | 'Disabled' | 'Auto' | undefined;
}

const defaultMtuInterfaces = '^((en|wl|ww|sl|ib)[Pcopsvx].*|(eth|wlan|wwan).*)';

/** The names that `ip` prints for protocol numbers. */
const protocolNames: Readonly<Record<string, string>> = { '2': 'kernel', '3': 'boot', '4': 'static', '12': 'bird' };

/** The protocol of a route: by name where `ip` has one, otherwise (as for Felix) by number. */
export function protocolName(protocol: string): string {
  return protocolNames[protocol] ?? protocol;
}

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;

/** docs/reference/datapath.md#who-programs-a-route */
function ownersOf(setting: string | undefined): { ipipOwner: RouteOwner; plainOwner: RouteOwner } {
  switch (setting) {
    case 'Enabled':
      return { ipipOwner: 'either', plainOwner: 'either' };
    case 'EnabledIPIPOnly':
      return { ipipOwner: 'felix', plainOwner: 'bird' };
    case 'EnabledNoEncapOnly':
      return { ipipOwner: 'bird', plainOwner: 'felix' };
    case 'Disabled':
      return { ipipOwner: 'bird', plainOwner: 'bird' };
    default:
      return { ipipOwner: 'either', plainOwner: 'bird' };
  }
}

const nftablesModeOf = (mode: string | undefined): FelixSettings['nftablesMode'] =>
  mode === 'Enabled' || mode === 'Disabled' || mode === 'Auto' ? mode : undefined;

function settingsOf(spec: FelixConfigurationSpec): FelixSettings {
  const prefixes = (spec.interfacePrefix ?? '').split(',').map((prefix) => prefix.trim());
  const known = prefixes.filter((prefix) => prefix !== '');
  const { deviceRouteProtocol } = spec;
  return {
    interfacePrefixes: known.length > 0 ? known : ['cali'],
    mtuInterfaces: spec.mtuIfacePattern || defaultMtuInterfaces,
    ipipMtu: positive(spec.ipipMTU),
    vxlanMtu: positive(spec.vxlanMTU),
    vxlanMtuV6: positive(spec.vxlanMTUV6),
    wireguardMtu: positive(spec.wireguardMTU),
    wireguardMtuV6: positive(spec.wireguardMTUV6),
    vxlanPort: positive(spec.vxlanPort) ?? 4789,
    vxlanVni: positive(spec.vxlanVNI) ?? 4096,
    ipipEnabled: spec.ipipEnabled,
    vxlanEnabled: spec.vxlanEnabled,
    wireguard: spec.wireguardEnabled === true,
    wireguardV6: spec.wireguardEnabledV6 === true,
    wireguardRulePriority: spec.wireguardRoutingRulePriority ?? 99,
    // 3 is the default and means that each route has its usual protocol.
    routeProtocol:
      deviceRouteProtocol === undefined || deviceRouteProtocol === 3
        ? undefined
        : protocolName(String(deviceRouteProtocol)),
    ...ownersOf(spec.programClusterRoutes),
    workloadRoutes: spec.routeSource === 'WorkloadIPs',
    syncsRoutes: spec.routeSyncDisabled !== true,
    bpf: spec.bpfEnabled === true,
    nftablesMode: nftablesModeOf(spec.nftablesMode),
  };
}

/** The settings by node. `environments`: by node, what the environment of its calico-node sets. */
export function felixSettings(
  configurations: readonly FelixConfiguration[],
  environments: ReadonlyMap<string, FelixConfigurationSpec> = new Map(),
): (node: string) => FelixSettings {
  const specs = new Map(configurations.map(({ metadata, spec }) => [metadata.name, spec ?? {}]));
  const common = specs.get('default') ?? {};
  const shared = settingsOf(common);
  const byNode = new Map<string, FelixSettings>();
  return (node) => {
    const [own, environment] = [specs.get(`node.${node}`), environments.get(node)];
    if (own === undefined && environment === undefined) return shared;
    const known = byNode.get(node) ?? settingsOf({ ...common, ...own, ...environment });
    byNode.set(node, known);
    return known;
  };
}
