// FelixConfiguration, first part: how Felix works on the host, the rules it programs, logs, tunnels, health and metrics.

import {
  choice,
  duration,
  field,
  fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  port,
  portRange,
  regex,
  selector,
  tagged,
  text,
} from '../field.ts';
import { logLevels, tags } from '../rules/tags.ts';

const mtu = integer({ min: 0 });
export const markMask = integer({ min: 0, max: 4294967295 });
const severity = choice('logLevel', ...logLevels);
export const allowAction = choice('acceptReturn', 'Accept', 'Return');
export const denyAction = choice('dropReject', 'Drop', 'Reject');
export const optional = { omit: 'unset' } as const;

const protoPorts = list(
  object(
    {
      protocol: field(oneOf('TCP', 'UDP', 'SCTP'), 'Protocol of the port.', { default: 'TCP' }),
      port: field({ ...integer({ min: 0, max: 65535 }), go: 'uint16' }, 'The port; 0 for all.', {
        required: true,
        omit: 'never',
      }),
      net: field(text, 'Addresses of the remote side; all when it is unset.'),
    },
    { struct: 'ProtoPort' },
  ),
);

export const felixHostFields = fields(() => ({
  nodeSelector: field(
    selector,
    'Nodes that the settings are for; from Calico 3.32, in objects other than `default` and `node.<name>`.',
    { since: '3.32' },
  ),
  useInternalDataplaneDriver: field(flag, 'Whether Felix programs the dataplane itself.', {
    ...optional,
    default: true,
  }),
  dataplaneDriver: field(text, 'Program that programs the dataplane when Felix does not.', {
    default: 'calico-iptables-plugin',
  }),
  dataplaneWatchdogTimeout: field(
    duration,
    'Deprecated, use healthTimeoutOverrides: how long the dataplane may hang before Felix reports itself unhealthy.',
    { ...optional, default: '1m30s' },
  ),
  ipv6Support: field(flag, 'Whether Felix programs IPv6.', { ...optional, default: true }),
  routeRefreshInterval: field(duration, 'How often Felix checks the routes of the kernel; 0 for never.', {
    ...optional,
    default: '1m30s',
  }),
  interfaceRefreshInterval: field(duration, 'How often Felix checks the interfaces of the kernel; 0 for never.', {
    ...optional,
    default: '1m30s',
  }),
  iptablesRefreshInterval: field(duration, 'How often Felix checks the iptables rules; 0 for never.', {
    ...optional,
    default: '3m0s',
  }),
  iptablesPostWriteCheckInterval: field(
    duration,
    'How long after a write Felix checks that no other program has overwritten its iptables rules.',
    optional,
  ),
  iptablesLockFilePath: field(text, 'Lock file of iptables.', { default: '/run/xtables.lock', until: '3.31' }),
  iptablesLockTimeout: field(duration, 'Deprecated: how long Felix itself waits for the lock of iptables.', {
    ...optional,
    default: '0s',
    until: '3.31',
  }),
  iptablesLockProbeInterval: field(duration, 'How often Felix tries to get the lock of iptables.', {
    ...optional,
    default: '50ms',
  }),
  featureDetectOverride: field(
    tagged(text, tags.keyValueList),
    'Overrides for detected kernel features, comma-separated: `SNATFullyRandom=true`.',
  ),
  featureGates: field(tagged(text, tags.keyValueList), 'Experimental features, comma-separated: `NAME=VALUE`.'),
  ipsetsRefreshInterval: field(duration, 'How often Felix checks the IP sets of the kernel; 0 for never.', {
    ...optional,
    default: '1m30s',
  }),
  maxIpsetSize: field(integer({ min: 0 }), 'Maximum number of entries in an IP set.', {
    ...optional,
    default: 1048576,
  }),
  iptablesBackend: field(choice('iptablesBackend', 'Auto', 'Legacy', 'NFT'), 'Variant of iptables that Felix uses.', {
    ...optional,
    default: 'Auto',
  }),
  xdpRefreshInterval: field(duration, 'How often Felix checks its XDP programs; 0 for never.', {
    ...optional,
    default: '1m30s',
  }),
  netlinkTimeout: field(duration, 'How long Felix waits for an answer of the kernel over netlink.', {
    ...optional,
    default: '10s',
  }),
  metadataAddr: field(text, 'Address or host name of the OpenStack metadata server; `none` for none.', {
    default: '127.0.0.1',
  }),
  metadataPort: field(port, 'Port of the OpenStack metadata server.', { ...optional, default: 8775 }),
  openstackRegion: field(text, 'OpenStack region that this Felix belongs to.'),
  interfacePrefix: field(text, 'Prefixes of the names of workload interfaces, comma-separated.', {
    default: 'cali',
  }),
  interfaceExclude: field(
    text,
    'Interfaces that Felix ignores, comma-separated: names, or regular expressions between slashes.',
    { default: 'kube-ipvs0' },
  ),
  chainInsertMode: field(
    oneOf('Insert', 'Append'),
    "Where Felix puts its rules into the kernel's chains: before all other rules, or after them.",
    { default: 'Insert' },
  ),
  defaultEndpointToHostAction: field(
    choice('dropAcceptReturn', 'Drop', 'Accept', 'Return'),
    'What happens to traffic from workloads to their own host that policy allows: Return leaves it to other rules.',
    { default: 'Drop' },
  ),
  iptablesFilterAllowAction: field(allowAction, 'What the filter table does with traffic that policy allows.', {
    default: 'Accept',
  }),
  iptablesMangleAllowAction: field(
    allowAction,
    'What the mangle table does with traffic that pre-DNAT policy allows.',
    { default: 'Accept' },
  ),
  iptablesFilterDenyAction: field(denyAction, 'What the filter table does with traffic that policy denies.', {
    default: 'Drop',
  }),
  logPrefix: field(text, 'Prefix of the lines that rules with action Log write; it may contain %t, %k, %p and %n.', {
    default: 'calico-packet',
  }),
  logActionRateLimit: field(text, 'Limit of the lines that rules with action Log write: `10/minute`.', optional),
  logActionRateLimitBurst: field(integer({ min: 0, max: 9999 }), 'Burst of log lines above logActionRateLimit.', {
    ...optional,
    default: 5,
  }),
  logFilePath: field(text, 'Log file; `none` for none.', { default: '/var/log/calico/felix.log' }),
  logSeverityFile: field(severity, 'Lowest severity that goes to the log file.', { default: 'Info' }),
  logSeverityScreen: field(severity, 'Lowest severity that goes to standard output.', { default: 'Info' }),
  logSeveritySys: field(severity, 'Lowest severity that goes to syslog.', { default: 'Info' }),
  logDebugFilenameRegex: field(regex, 'Source files whose debug messages are logged; all files when it is empty.'),
  ipipEnabled: field(flag, 'Whether the IP-in-IP tunnel device is set up.', {
    ...optional,
    default: { about: 'set up when a pool needs it' },
  }),
  ipipMTU: field(mtu, 'MTU of the IP-in-IP tunnel device; 0 to compute it from the host.', { ...optional, default: 0 }),
  vxlanEnabled: field(flag, 'Whether the VXLAN tunnel device is set up.', {
    ...optional,
    default: { about: 'set up when a pool needs it' },
  }),
  vxlanMTU: field(mtu, 'MTU of the IPv4 VXLAN tunnel device; 0 to compute it from the host.', {
    ...optional,
    default: 0,
  }),
  vxlanMTUV6: field(mtu, 'MTU of the IPv6 VXLAN tunnel device; 0 to compute it from the host.', {
    ...optional,
    default: 0,
  }),
  vxlanPort: field(port, 'UDP port of VXLAN.', { ...optional, default: 4789 }),
  vxlanVNI: field(integer({ min: 1, max: 16777215 }), 'VXLAN network identifier.', { ...optional, default: 4096 }),
  allowVXLANPacketsFromWorkloads: field(flag, 'Whether workloads may send VXLAN packets.', {
    ...optional,
    default: false,
  }),
  allowIPIPPacketsFromWorkloads: field(flag, 'Whether workloads may send IP-in-IP packets.', {
    ...optional,
    default: false,
  }),
  reportingInterval: field(duration, 'How often Felix reports its state to the datastore; 0 for never.', {
    ...optional,
    default: '30s',
  }),
  reportingTTL: field(duration, 'How long a report of the state of Felix is valid.', { ...optional, default: '1m30s' }),
  endpointReportingEnabled: field(flag, 'Whether Felix reports the state of endpoints to the datastore.', {
    ...optional,
    default: false,
  }),
  endpointReportingDelay: field(
    duration,
    'How long Felix waits before it reports a change of the state of an endpoint.',
    {
      ...optional,
      default: '1s',
    },
  ),
  endpointStatusPathPrefix: field(text, 'Directory of the files that say which endpoints are ready.', {
    default: '/var/run/calico',
  }),
  iptablesMarkMask: field(markMask, 'Bits of packet marks that Felix may use with iptables; at least 8.', {
    ...optional,
    default: 4294901760,
  }),
  disableConntrackInvalidCheck: field(
    flag,
    'Whether packets that the kernel cannot match to a connection are let through.',
    {
      ...optional,
      default: false,
    },
  ),
  healthEnabled: field(flag, 'Whether Felix serves its health over HTTP.', { ...optional, default: false }),
  healthHost: field(text, 'Address or host name at which Felix serves its health.', {
    ...optional,
    default: 'localhost',
  }),
  healthPort: field(port, 'Port at which Felix serves its health.', { ...optional, default: 9099 }),
  healthTimeoutOverrides: field(
    list(
      object({
        name: field(text, 'Name of a component of Felix.', { required: true, omit: 'never' }),
        timeout: field(duration, 'How long the component may be silent.', {
          required: true,
          omit: 'never',
        }),
      }),
    ),
    'How long components of Felix may be silent before it reports itself unhealthy.',
  ),
  prometheusMetricsEnabled: field(flag, 'Whether Felix serves metrics to Prometheus.', { ...optional, default: false }),
  prometheusMetricsHost: field(
    text,
    'Address or host name at which Felix serves metrics; all addresses when it is empty.',
  ),
  prometheusMetricsPort: field(port, 'Port at which Felix serves metrics.', { ...optional, default: 9091 }),
  prometheusGoMetricsEnabled: field(flag, 'Whether the metrics include those of the Go runtime.', {
    ...optional,
    default: true,
  }),
  prometheusProcessMetricsEnabled: field(flag, 'Whether the metrics include those of the process.', {
    ...optional,
    default: true,
  }),
  prometheusWireGuardMetricsEnabled: field(flag, 'Whether the metrics include those of WireGuard.', {
    ...optional,
    default: true,
  }),
  prometheusMetricsCAFile: field(text, 'File with the CA of clients that may read the metrics; from Calico 3.32.', {
    ...optional,
    since: '3.32',
  }),
  prometheusMetricsCertFile: field(text, 'File with the certificate of the metrics port; from Calico 3.32.', {
    ...optional,
    since: '3.32',
  }),
  prometheusMetricsKeyFile: field(text, 'File with the key of the certificate; from Calico 3.32.', {
    ...optional,
    since: '3.32',
  }),
  prometheusMetricsClientAuth: field(text, 'How clients of the metrics port are authenticated; from Calico 3.32.', {
    ...optional,
    since: '3.32',
  }),
  failsafeInboundHostPorts: field(protoPorts, 'Ports of the host that policy never closes to incoming traffic.', {
    ...optional,
    default: { about: 'SSH, DHCP, BGP, etcd, Typha and the Kubernetes API' },
  }),
  failsafeOutboundHostPorts: field(protoPorts, 'Ports that policy never closes to outgoing traffic of the host.', {
    ...optional,
    default: { about: 'DNS, DHCP, BGP, etcd, Typha and the Kubernetes API' },
  }),
  kubeNodePortRanges: field(list(portRange), 'Node ports of services: numbers, or ranges like `30000:32767`.', {
    ...optional,
    default: ['30000:32767'],
  }),
  policySyncPathPrefix: field(
    text,
    'Directory of the sockets over which Felix sends policy to application layer proxies.',
  ),
  usageReportingEnabled: field(flag, 'Whether Felix reports the size and version of the cluster to Project Calico.', {
    ...optional,
    default: true,
  }),
  usageReportingInitialDelay: field(duration, 'How long after its start Felix first reports usage.', {
    ...optional,
    default: '5m0s',
  }),
  usageReportingInterval: field(duration, 'How often Felix reports usage.', { ...optional, default: '24h0m0s' }),
}));
