// FelixConfiguration, last part: routes between nodes, WireGuard, protection of services and workloads, the Felix process.
import { choice, duration, field, fields, flag, integer, list, object, oneOf, port, regex, text } from '../field.ts';
import { optional } from './felix-host-fields.ts';

const mtu = integer({ min: 0 });
const routePriority = integer({ min: 1, max: 2147483646 });

const tableRange = object(
  fields(() => ({
    min: field(integer({ min: 1, max: 4294967295 }), 'First table.', { required: true, omit: 'never' }),
    max: field(integer({ min: 1, max: 4294967295 }), 'Last table.', { required: true, omit: 'never' }),
  })),
);

export const felixRouteFields = fields(() => ({
  routeSource: field(
    oneOf('CalicoIPAM', 'WorkloadIPs'),
    'What routes to other nodes are made from: one for each block, or one for each workload.',
    { default: 'CalicoIPAM' },
  ),
  routeTableRanges: field(list(tableRange), 'Routing tables that Felix may use.', {
    ...optional,
    default: { about: '1 to 250' },
  }),
  routeTableRange: field(tableRange, 'Deprecated, use routeTableRanges: routing tables that Felix may use.', optional),
  routeSyncDisabled: field(flag, 'Whether Felix leaves the routes of the host alone.', { ...optional, default: false }),
  ipv4NormalRoutePriority: field(routePriority, 'Priority (metric) of IPv4 routes to pods; from Calico 3.32.', {
    ...optional,
    default: 1024,
    since: '3.32',
  }),
  ipv4ElevatedRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv4 routes to a VM that has just migrated; from Calico 3.32.',
    { ...optional, default: 512, since: '3.32' },
  ),
  ipv6NormalRoutePriority: field(routePriority, 'Priority (metric) of IPv6 routes to pods; from Calico 3.32.', {
    ...optional,
    default: 1024,
    since: '3.32',
  }),
  ipv6ElevatedRoutePriority: field(
    routePriority,
    'Priority (metric) of IPv6 routes to a VM that has just migrated; from Calico 3.32.',
    { ...optional, default: 512, since: '3.32' },
  ),
  liveMigrationRouteConvergenceTime: field(
    duration,
    'How long the route to a VM that has migrated keeps its elevated priority; from Calico 3.32.',
    { ...optional, default: '30s', since: '3.32' },
  ),
  wireguardEnabled: field(flag, 'Whether IPv4 traffic between nodes is encrypted with WireGuard.', {
    ...optional,
    default: false,
  }),
  wireguardEnabledV6: field(flag, 'Whether IPv6 traffic between nodes is encrypted with WireGuard.', {
    ...optional,
    default: false,
  }),
  wireguardThreadingEnabled: field(flag, 'Whether WireGuard spreads its work over processors (threaded NAPI).', {
    ...optional,
    default: false,
  }),
  wireguardListeningPort: field(port, 'UDP port of WireGuard for IPv4.', { ...optional, default: 51820 }),
  wireguardListeningPortV6: field(port, 'UDP port of WireGuard for IPv6.', { ...optional, default: 51821 }),
  wireguardRoutingRulePriority: field(
    integer({ min: 1, max: 32765 }),
    'Priority of the routing rule that sends traffic to WireGuard.',
    { ...optional, default: 99 },
  ),
  wireguardInterfaceName: field(text, 'Name of the IPv4 WireGuard device.', { default: 'wireguard.cali' }),
  wireguardInterfaceNameV6: field(text, 'Name of the IPv6 WireGuard device.', { default: 'wg-v6.cali' }),
  wireguardMTU: field(mtu, 'MTU of the IPv4 WireGuard device; 0 to compute it from the host.', {
    ...optional,
    default: 0,
  }),
  wireguardMTUV6: field(mtu, 'MTU of the IPv6 WireGuard device; 0 to compute it from the host.', {
    ...optional,
    default: 0,
  }),
  wireguardHostEncryptionEnabled: field(flag, 'Whether WireGuard also encrypts traffic between the hosts themselves.', {
    ...optional,
    default: false,
  }),
  wireguardKeepAlive: field(duration, 'How often an idle WireGuard peer is sent a packet; 0 for never.', {
    ...optional,
    default: '0s',
  }),
  awsSrcDstCheck: field(
    choice('oneof', 'DoNothing', 'Enable', 'Disable'),
    'What Felix does to the source-destination check of its AWS instance.',
    { ...optional, default: 'DoNothing' },
  ),
  serviceLoopPrevention: field(
    choice('oneof', 'Drop', 'Reject', 'Disabled'),
    'What happens to traffic to service addresses that no service uses, which would otherwise loop.',
    { default: 'Drop' },
  ),
  workloadSourceSpoofing: field(
    choice('oneof', 'Disabled', 'Any'),
    'Whether pods may ask, with an annotation, to use source addresses that are not theirs.',
    { default: 'Disabled' },
  ),
  mtuIfacePattern: field(regex, 'Interfaces of the host whose smallest MTU determines the MTU of pods and tunnels.', {
    default: { about: 'physical interfaces by their usual names' },
  }),
  floatingIPs: field(oneOf('Enabled', 'Disabled'), 'Whether floating addresses of pods are programmed.', {
    ...optional,
    default: 'Disabled',
  }),
  windowsManageFirewallRules: field(
    choice('oneof', 'Enabled', 'Disabled'),
    'Whether Felix opens the Windows firewall for its metrics.',
    { ...optional, default: 'Disabled' },
  ),
  goGCThreshold: field(
    integer({ min: -1 }),
    'How much the heap of Felix may grow between two garbage collections, in percent; -1 for never.',
    { ...optional, default: 40 },
  ),
  goMemoryLimitMB: field(integer({ min: -1 }), 'Memory that Felix tries not to exceed, in MiB; -1 for no limit.', {
    ...optional,
    default: -1,
  }),
  goMaxProcs: field(integer({ min: -1 }), 'Maximum number of processors that Felix uses at a time; -1 for all.', {
    ...optional,
    default: -1,
  }),
  requireMTUFile: field(flag, 'Whether setting up a pod fails until Felix has written the file with the MTU.', {
    ...optional,
    default: false,
  }),
  bpfMaglevMaxEndpointsPerService: field(
    integer(),
    'Maximum number of endpoints of a service that uses Maglev, in eBPF mode; from Calico 3.32.',
    { ...optional, since: '3.32' },
  ),
  bpfMaglevMaxServices: field(
    integer(),
    'Maximum number of services that use Maglev, in eBPF mode; from Calico 3.32.',
    { ...optional, since: '3.32' },
  ),
}));
