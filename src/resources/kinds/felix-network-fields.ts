// FelixConfiguration, second part: NAT, routes to workloads, debugging, XDP and nftables.
import {
  choice,
  cidr,
  duration,
  field,
  fields,
  flag,
  integer,
  ipAddress,
  list,
  oneOf,
  port,
  portRange,
  text,
} from '../field.ts';
import { allowAction, denyAction, markMask, optional } from './felix-host-fields.ts';

export const felixNetworkFields = fields(() => ({
  natPortRange: field(portRange, 'Source ports of masqueraded traffic: a port, or a range like `32768:65535`.', {
    ...optional,
    default: { about: 'chosen by the kernel' },
  }),
  natOutgoingAddress: field(ipAddress, 'Source address of masqueraded traffic.', {
    default: { about: 'the address of the interface that it leaves through' },
  }),
  natOutgoingExclusions: field(
    choice('oneof', 'IPPoolsOnly', 'IPPoolsAndHostIPs'),
    'Destinations to which traffic of a pool with natOutgoing is not masqueraded.',
    { ...optional, default: 'IPPoolsOnly' },
  ),
  deviceRouteSourceAddress: field(ipAddress, 'Source address hint of the IPv4 routes that Felix programs.'),
  deviceRouteSourceAddressIPv6: field(ipAddress, 'Source address hint of the IPv6 routes that Felix programs.'),
  deviceRouteProtocol: field(
    integer({ min: 0, max: 255 }),
    'Protocol number of the routes that Felix programs; 3 keeps the usual one for each kind of route.',
    { ...optional, default: 3 },
  ),
  removeExternalRoutes: field(flag, 'Whether Felix removes routes to workload interfaces that another program made.', {
    ...optional,
    default: true,
  }),
  programClusterRoutes: field(
    oneOf('Enabled', 'Disabled'),
    'Whether Felix, not BIRD, programs the routes to blocks of other nodes that use no VXLAN.',
    { ...optional, default: 'Disabled' },
  ),
  ipForwarding: field(oneOf('Enabled', 'Disabled'), 'Whether Felix turns on IP forwarding on the host.', {
    default: 'Enabled',
  }),
  externalNodesList: field(
    list(cidr),
    'Addresses from which IP-in-IP and VXLAN traffic is accepted, besides those of nodes.',
    {
      ...optional,
    },
  ),
  debugMemoryProfilePath: field(text, 'File that Felix writes a memory profile to.'),
  debugDisableLogDropping: field(flag, 'Whether log messages are kept even when the log cannot keep up.', {
    ...optional,
    default: false,
  }),
  debugSimulateCalcGraphHangAfter: field(
    duration,
    'For tests: when to simulate a hang of the calculation graph.',
    optional,
  ),
  debugSimulateDataplaneHangAfter: field(duration, 'For tests: when to simulate a hang of the dataplane.', optional),
  debugSimulateDataplaneApplyDelay: field(duration, 'For tests: delay of every change of the dataplane.', optional),
  debugHost: field(text, 'Address or host name at which Felix serves profiles.', { ...optional, default: 'localhost' }),
  debugPort: field(port, 'Port at which Felix serves profiles; it serves none when unset.', optional),
  iptablesNATOutgoingInterfaceFilter: field(
    text,
    'The only interfaces on which outgoing traffic is masqueraded; all when it is empty.',
  ),
  sidecarAccelerationEnabled: field(
    flag,
    'Experimental: whether traffic between a workload and its sidecar is accelerated.',
    {
      ...optional,
      default: false,
    },
  ),
  xdpEnabled: field(flag, 'Whether untracked ingress deny rules are sped up with XDP.', { ...optional, default: true }),
  genericXDPEnabled: field(flag, 'For tests: whether XDP is used without support of the network card.', {
    ...optional,
    default: false,
  }),
  nftablesMode: field(oneOf('Disabled', 'Enabled', 'Auto'), 'Whether Felix programs nftables in place of iptables.', {
    ...optional,
    default: 'Disabled',
  }),
  nftablesRefreshInterval: field(duration, 'How often Felix checks the nftables rules; 0 for never.', {
    ...optional,
    default: '3m0s',
  }),
  nftablesFilterAllowAction: field(allowAction, 'What the filter chains do with traffic that policy allows.', {
    default: 'Accept',
  }),
  nftablesMangleAllowAction: field(allowAction, 'What the mangle chains do with traffic that pre-DNAT policy allows.', {
    default: 'Accept',
  }),
  nftablesFilterDenyAction: field(denyAction, 'What the filter chains do with traffic that policy denies.', {
    default: 'Drop',
  }),
  nftablesMarkMask: field(markMask, 'Bits of packet marks that Felix may use with nftables; at least 8.', {
    ...optional,
    default: 4294901760,
  }),
}));
