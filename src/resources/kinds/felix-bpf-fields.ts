// FelixConfiguration, third part: the eBPF dataplane, and the other fields that are printed among its fields.
import {
  choice,
  cidr,
  duration,
  field,
  fields,
  flag,
  integer,
  integerOrText,
  list,
  map,
  object,
  oneOf,
  portRange,
  regex,
  text,
} from '../field.ts';
import { cidrs } from '../rules/tags.ts';
import { optional } from './felix-host-fields.ts';

const onOff = oneOf('Enabled', 'Disabled');
const size = integer({ min: 1 });

/** `Auto` takes what the kernel is set to: hence no duration, which would be normalised. */
const conntrackTimeout = { ...text, format: 'duration or Auto' };

const conntrackTimeouts = fields(() => ({
  creationGracePeriod: field(conntrackTimeout, 'Age below which no connection is removed.', {
    ...optional,
    default: '10s',
  }),
  tcpSynSent: field(conntrackTimeout, 'Timeout of TCP connections whose SYN was not answered.', {
    ...optional,
    default: '20s',
  }),
  tcpEstablished: field(conntrackTimeout, 'Timeout of established TCP connections.', { ...optional, default: '1h' }),
  tcpFinsSeen: field(conntrackTimeout, 'Timeout of TCP connections that both sides have closed.', {
    ...optional,
    default: 'Auto',
  }),
  tcpResetSeen: field(conntrackTimeout, 'Timeout of TCP connections that were reset.', { ...optional, default: '40s' }),
  udpTimeout: field(conntrackTimeout, 'Timeout of UDP flows.', { ...optional, default: '60s' }),
  genericTimeout: field(conntrackTimeout, 'Timeout of flows of other protocols.', { ...optional, default: '10m' }),
  icmpTimeout: field(conntrackTimeout, 'Timeout of ICMP flows.', { ...optional, default: '5s' }),
}));

export const felixBpfFields = fields(() => ({
  bpfEnabled: field(flag, 'Whether the eBPF dataplane is used.', { ...optional, default: false }),
  bpfDisableUnprivileged: field(flag, 'Whether programs without privileges are kept from using eBPF.', {
    ...optional,
    default: true,
  }),
  bpfJITHardening: field(
    choice('oneof', 'Auto', 'Strict'),
    "Hardening of the kernel's eBPF compiler: Auto relaxes a setting that slows programs down, Strict keeps it.",
    { ...optional, default: 'Auto' },
  ),
  bpfLogLevel: field(
    choice('bpfLogLevel', 'Off', 'Info', 'Debug'),
    'How much eBPF programs log to the trace pipe of the kernel.',
    {
      omit: 'never',
      default: { about: 'Off', of: () => '' },
      fill: 'unset',
    },
  ),
  bpfConntrackLogLevel: field(choice('oneof', 'Off', 'Debug'), 'How much the cleanup of the connection table logs.', {
    default: 'Off',
  }),
  bpfConntrackMode: field(
    choice('oneof', 'Auto', 'Userspace', 'BPFProgram'),
    'How the connection table is cleaned up: by Felix, or by an eBPF program.',
    { ...optional, default: 'Auto' },
  ),
  bpfConntrackTimeouts: field(
    object(conntrackTimeouts),
    'How long idle connections stay in the connection table.',
    optional,
  ),
  bpfLogFilters: field(
    map(text),
    'Which packets eBPF programs log, by interface: `all`, `weps`, `heps` or a name; the value is a pcap expression.',
    optional,
  ),
  bpfCTLBLogFilter: field(oneOf('all'), 'Whether eBPF programs log load balancing at connect time.'),
  bpfDataIfacePattern: field(regex, 'Interfaces to other hosts, to which eBPF programs are attached.', {
    default: { about: 'physical and bonded interfaces by their usual names' },
  }),
  bpfL3IfacePattern: field(
    regex,
    'Interfaces without link layer addresses, such as tunnels, to which eBPF programs are attached.',
  ),
  bpfConnectTimeLoadBalancingEnabled: field(
    flag,
    'Deprecated, use bpfConnectTimeLoadBalancing: whether services are load balanced at connect time.',
    { ...optional, default: true },
  ),
  bpfConnectTimeLoadBalancing: field(
    choice('oneof', 'TCP', 'Enabled', 'Disabled'),
    'Whether services are load balanced when a process connects: for TCP only, for UDP too, or not.',
    { ...optional, default: 'TCP' },
  ),
  bpfHostNetworkedNATWithoutCTLB: field(
    choice('oneof', 'Enabled', 'Disabled'),
    'Whether host networked processes reach services without load balancing at connect time.',
    {
      ...optional,
      default: 'Enabled',
    },
  ),
  bpfExternalServiceMode: field(
    choice('bpfServiceMode', 'Tunnel', 'DSR'),
    'How replies of a backend on another node reach a client outside: through the first node, or directly (DSR).',
    { default: 'Tunnel' },
  ),
  bpfDSROptoutCIDRs: field(list(cidr, cidrs), 'Clients for which DSR is not used.', optional),
  bpfExtToServiceConnmark: field(integer({ min: 0 }), 'Connection mark of traffic from outside to services.', {
    ...optional,
    default: 0,
  }),
  bpfKubeProxyIptablesCleanupEnabled: field(flag, 'Whether iptables rules of kube-proxy are removed.', {
    ...optional,
    default: true,
  }),
  bpfKubeProxyMinSyncPeriod: field(duration, 'Minimum time between two updates of services.', {
    ...optional,
    default: '1s',
  }),
  bpfKubeProxyHealthzPort: field(
    integer({ min: 0, max: 65535 }),
    'Port at which the health of services is served; 0 for none.',
    {
      ...optional,
      default: 10256,
    },
  ),
  bpfKubeProxyEndpointSlicesEnabled: field(flag, 'Deprecated: endpoint slices are always used.', {
    ...optional,
    until: '3.31',
  }),
  bpfPSNATPorts: field(portRange, 'Source ports for connections whose own source port is in use.', {
    ...optional,
    default: '20000:29999',
  }),
  bpfMapSizeNATFrontend: field(size, 'Maximum number of service addresses and ports.', { ...optional, default: 65536 }),
  bpfMapSizeNATBackend: field(size, 'Maximum number of service backends.', { ...optional, default: 262144 }),
  bpfMapSizeNATAffinity: field(size, 'Maximum number of client affinities of services.', {
    ...optional,
    default: 65536,
  }),
  bpfMapSizeRoute: field(size, 'Maximum number of routes; each workload and host needs one.', {
    ...optional,
    default: 262144,
  }),
  bpfMapSizeConntrack: field(size, 'Maximum number of connections.', { ...optional, default: 512000 }),
  bpfMapSizePerCpuConntrack: field(
    integer({ min: 0 }),
    'Maximum number of connections per processor, in place of bpfMapSizeConntrack; 0 for no such limit.',
    {
      ...optional,
      default: 0,
    },
  ),
  bpfMapSizeConntrackScaling: field(
    oneOf('Disabled', 'DoubleIfFull'),
    'Whether the connection table is doubled when it is full.',
    { default: 'DoubleIfFull' },
  ),
  bpfMapSizeConntrackCleanupQueue: field(size, 'Maximum number of connections that are cleaned up at a time.', {
    ...optional,
    default: 100000,
  }),
  bpfMapSizeIPSets: field(size, 'Maximum number of members of all IP sets together.', {
    ...optional,
    default: 1048576,
  }),
  bpfMapSizeIfState: field(size, 'Maximum number of interfaces.', { ...optional, default: 1000 }),
  bpfHostConntrackBypass: field(
    flag,
    "Whether traffic of workloads and services bypasses the kernel's connection table.",
    {
      ...optional,
      default: true,
    },
  ),
  bpfEnforceRPF: field(oneOf('Disabled', 'Strict', 'Loose'), 'Reverse path check on interfaces to other hosts.', {
    default: 'Loose',
  }),
  bpfPolicyDebugEnabled: field(
    flag,
    'Whether policies are kept so that `calico-node -bpf policy dump` can print them.',
    {
      ...optional,
      default: true,
    },
  ),
  bpfForceTrackPacketsFromIfaces: field(
    list(text),
    "Interfaces whose traffic always uses the kernel's connection table; a final `+` matches any suffix.",
    { ...optional, default: ['docker+'] },
  ),
  bpfDisableGROForIfaces: field(regex, 'Interfaces on which generic receive offload is turned off.'),
  bpfExcludeCIDRsFromNAT: field(list(cidr, cidrs), 'Destinations that are never load balanced.', optional),
  bpfExportBufferSizeMB: field(size, 'Size of the buffer for events from eBPF programs, in MiB.', {
    ...optional,
    default: 1,
  }),
  istioAmbientMode: field(
    oneOf('Enabled', 'Disabled'),
    'Whether Felix works with the ambient mode of Istio; from Calico 3.32.',
    {
      ...optional,
      default: 'Disabled',
      since: '3.32',
    },
  ),
  istioDSCPMark: field(integerOrText, 'DSCP value of packets between ztunnels of Istio; from Calico 3.32.', {
    ...optional,
    since: '3.32',
  }),
  cgroupV2Path: field(text, 'Where the cgroup v2 hierarchy is mounted.'),
  flowLogsPolicyEvaluationMode: field(
    oneOf('None', 'Continuous'),
    'Whether flow logs show what pending policies would do.',
    { ...optional, default: 'Continuous' },
  ),
  bpfRedirectToPeer: field(
    oneOf('Enabled', 'Disabled', 'L2Only'),
    'Whether packets are redirected straight into the network namespace of a workload.',
    { default: 'Enabled' },
  ),
  bpfAttachType: field(choice('oneof', 'TC', 'TCX'), 'How eBPF programs are attached to interfaces.', {
    ...optional,
    default: 'TCX',
  }),
  flowLogsFlushInterval: field(duration, 'How often flow logs are sent.', optional),
  flowLogsCollectorDebugTrace: field(flag, 'Whether the flow log collector writes debug traces.', {
    ...optional,
    default: false,
  }),
  flowLogsGoldmaneServer: field(text, 'Where flow logs are sent to: `HOST:PORT`.', optional),
  flowLogsLocalReporter: field(onOff, 'Whether flow logs can also be read from a socket on the node.', {
    ...optional,
    default: 'Disabled',
  }),
  bpfProfiling: field(onOff, 'Whether the kernel measures how long eBPF programs run.', { default: 'Disabled' }),
}));
