// The kinds that generated command lines are about: their names on the command line, names of objects that exist and that
// do not, and a spec that calicoctl accepts.
import { type Schema, specSchemas } from './field-values.ts';
import type { Choices } from './random.ts';

export interface Subject {
  readonly kind: string;
  readonly words: readonly string[];
  readonly namespaced: boolean;
  /** In the cluster at the beginning of each scenario, namespaced ones in namespace `shop`. */
  readonly existing: readonly string[];
  readonly fresh: readonly string[];
  readonly schema: Schema;
  spec(choices: Choices): Record<string, unknown>;
}

type Described = Omit<Subject, 'schema' | 'namespaced'> & { readonly namespaced?: true };

const rule = (choices: Choices): Record<string, unknown> =>
  choices.one([
    { action: 'Allow' },
    { action: 'Deny', protocol: 'UDP', destination: { ports: [53, '8000:8080'] } },
    { action: 'Allow', protocol: 'TCP', source: { selector: "app == 'web'" }, destination: { ports: ['http'] } },
    { action: 'Log', source: { nets: ['10.0.0.0/8'] } },
    { action: 'Pass', destination: { notNets: ['192.0.2.0/24'], namespaceSelector: "env == 'a'" } },
  ]);

function policySpec(choices: Choices): Record<string, unknown> {
  return {
    ...(choices.percent(70) && { selector: choices.one(['all()', "app == 'web'", 'has(tier)']) }),
    ...(choices.percent(50) && { order: choices.one([10, 1000.5, 1_000_000]) }),
    ...(choices.percent(60) && { ingress: [rule(choices)] }),
    ...(choices.percent(30) && { egress: [rule(choices), rule(choices)] }),
    ...(choices.percent(40) && { types: choices.one([['Ingress'], ['Ingress', 'Egress'], ['Egress']]) }),
    ...(choices.percent(30) && { tier: choices.one(['default', 'platform', 'nosuch']) }),
  };
}

const policyNames = {
  existing: ['allow-dns', 'platform.deny-all'],
  fresh: ['new-policy', 'platform.new', 'default.new-policy', 'knp.default.copy', 'kanp.adminnetworkpolicy.a', 'a.b'],
};

const described: readonly Described[] = [
  {
    kind: 'IPPool',
    words: ['ippool', 'ippools', 'pool', 'IPPool'],
    existing: ['pool-1', 'pool-2', 'pool-v6'],
    fresh: ['pool-new', 'pool-other'],
    spec: (choices) => ({
      cidr: choices.one(['10.70.0.0/16', '10.71.0.0/24', '10.60.0.0/16', '10.60.8.0/24', 'fd00:70::/64']),
      ...(choices.percent(40) && { blockSize: choices.one([26, 28, 122]) }),
      ...(choices.percent(40) && { vxlanMode: choices.one(['Never', 'Always', 'CrossSubnet']) }),
      ...(choices.percent(30) && { natOutgoing: true }),
      ...(choices.percent(30) && { nodeSelector: choices.one(['all()', "zone == 'a'"]) }),
    }),
  },
  {
    kind: 'IPReservation',
    words: ['ipreservation', 'reservations'],
    existing: ['kept'],
    fresh: ['more'],
    spec: (choices) => ({ reservedCIDRs: choices.some(['10.60.1.0/28', '10.60.2.1', 'fd60::/120'], 2) }),
  },
  {
    kind: 'BGPConfiguration',
    words: ['bgpconfiguration', 'bgpconfig'],
    existing: ['default'],
    fresh: ['node.node-a', 'other'],
    spec: (choices) => ({
      ...(choices.percent(50) && { logSeverityScreen: 'Info' }),
      ...(choices.percent(30) && { asNumber: 64513 }),
      ...(choices.percent(30) && { nodeToNodeMeshEnabled: choices.percent(50) }),
    }),
  },
  {
    kind: 'BGPFilter',
    words: ['bgpfilter', 'bgpf'],
    existing: ['filter-1'],
    fresh: ['filter-2'],
    spec: (choices) => ({
      [choices.one(['exportV4', 'importV4'])]: [
        choices.one([{ action: 'Accept' }, { action: 'Reject', cidr: '10.0.0.0/8', matchOperator: 'In' }]),
      ],
    }),
  },
  {
    kind: 'BGPPeer',
    words: ['bgppeer', 'bgpp', 'bgppeers'],
    existing: ['peer-1'],
    fresh: ['peer-2', 'peer-3'],
    spec: (choices) => ({
      peerIP: choices.one(['192.0.2.1', '192.0.2.1:1790', 'fd00::1', '[fd00::1]:179']),
      asNumber: choices.one([64513, '64513', '1.10']),
      ...(choices.percent(30) && { node: 'node-a' }),
      ...(choices.percent(20) && { filters: choices.one([['filter-1'], ['nosuch']]) }),
    }),
  },
  {
    kind: 'FelixConfiguration',
    words: ['felixconfiguration', 'felixconfig'],
    existing: ['default', 'node.node-a'],
    fresh: ['node.node-b', 'other'],
    spec: (choices) => ({
      ...(choices.percent(50) && { logSeverityScreen: 'Debug' }),
      ...(choices.percent(40) && { routeRefreshInterval: choices.one(['90s', '1h', '1500ms']) }),
      ...(choices.percent(30) && { bpfEnabled: choices.percent(50) }),
    }),
  },
  {
    kind: 'KubeControllersConfiguration',
    words: ['kubecontrollersconfiguration', 'kubecontrollersconfig'],
    existing: ['default'],
    fresh: ['other'],
    spec: (choices) => ({
      controllers: choices.one([{}, { node: { leakGracePeriod: '10m' } }, { loadBalancer: {} }, { node: {} }]),
    }),
  },
  {
    kind: 'ClusterInformation',
    words: ['clusterinformation', 'clusterinfo'],
    existing: ['default'],
    fresh: ['other'],
    spec: () => ({ clusterType: 'k8s' }),
  },
  {
    kind: 'Node',
    words: ['node', 'nodes', 'no'],
    existing: ['node-a', 'node-b'],
    fresh: ['node-c'],
    spec: (choices) => ({
      bgp: choices.one<unknown>([
        { ipv4Address: '192.0.2.11/24', asNumber: 64512 },
        { ipv4Address: '192.0.2.12', routeReflectorClusterID: '1.0.0.1' },
        {},
        { ipv6Address: 'fd00::11' },
      ]),
      ...(choices.percent(20) && { orchRefs: [{ nodeName: 'node-a', orchestrator: 'k8s' }] }),
    }),
  },
  {
    kind: 'HostEndpoint',
    words: ['hostendpoint', 'hep', 'heps'],
    existing: ['hep-1'],
    fresh: ['hep-2'],
    spec: (choices) => ({
      node: 'node-a',
      interfaceName: choices.one(['eth0', '*']),
      ...(choices.percent(40) && { expectedIPs: ['192.0.2.11'] }),
      ...(choices.percent(30) && { ports: [{ name: 'http', protocol: 'TCP', port: 80 }] }),
    }),
  },
  {
    kind: 'GlobalNetworkSet',
    words: ['globalnetworkset', 'gnetsets'],
    existing: ['nets-1'],
    fresh: ['nets-2'],
    spec: (choices) => ({ nets: choices.some(['10.0.0.0/8', '192.0.2.1', '10.0.0.1/8'], 2) }),
  },
  {
    kind: 'NetworkSet',
    words: ['networkset', 'netsets'],
    namespaced: true,
    existing: ['nets-1'],
    fresh: ['nets-2'],
    spec: (choices) => ({ nets: choices.some(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'], 2) }),
  },
  {
    kind: 'NetworkPolicy',
    words: ['networkpolicy', 'np', 'policies'],
    namespaced: true,
    ...policyNames,
    spec: policySpec,
  },
  { kind: 'GlobalNetworkPolicy', words: ['globalnetworkpolicy', 'gnp'], ...policyNames, spec: policySpec },
  {
    kind: 'StagedNetworkPolicy',
    words: ['stagednetworkpolicy', 'snp'],
    namespaced: true,
    ...policyNames,
    spec: (choices) => ({
      ...(choices.percent(60) && { stagedAction: choices.one(['Set', 'Delete', 'Ignore', 'Learn']) }),
      ...policySpec(choices),
    }),
  },
  {
    kind: 'StagedGlobalNetworkPolicy',
    words: ['stagedglobalnetworkpolicy', 'sgnp'],
    ...policyNames,
    spec: (choices) => ({
      ...(choices.percent(60) && { stagedAction: choices.one(['Set', 'Delete', 'Ignore']) }),
      ...policySpec(choices),
    }),
  },
  {
    kind: 'StagedKubernetesNetworkPolicy',
    words: ['stagedkubernetesnetworkpolicy', 'sknp'],
    namespaced: true,
    existing: ['web'],
    fresh: ['other', 'knp.default.copy'],
    spec: (choices) => ({
      ...(choices.percent(50) && { stagedAction: choices.one(['Set', 'Delete']) }),
      podSelector: choices.one<unknown>([{}, { matchLabels: { app: 'web' } }]),
      ...(choices.percent(50) && { ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] }),
      ...(choices.percent(30) && { policyTypes: ['Ingress', 'Egress'] }),
    }),
  },
  {
    kind: 'Tier',
    words: ['tier', 'tiers'],
    existing: ['platform', 'default', 'adminnetworkpolicy', 'empty'],
    fresh: ['security', 'a.b', 'kube-admin'],
    spec: (choices) => ({
      ...(choices.percent(70) && { order: choices.one([100, 1_000_000, 0.5]) }),
      ...(choices.percent(40) && { defaultAction: choices.one(['Deny', 'Pass']) }),
    }),
  },
  {
    kind: 'Profile',
    words: ['profile', 'pro'],
    existing: ['kns.shop', 'projectcalico-default-allow'],
    fresh: ['kns.nosuch', 'ksa.shop', 'ksa.shop.nosuch', 'mine'],
    spec: (choices) => ({ ingress: [rule(choices)], labelsToApply: { a: 'b' } }),
  },
  {
    kind: 'WorkloadEndpoint',
    words: ['workloadendpoint', 'wep'],
    namespaced: true,
    existing: ['node--a-k8s-web-eth0'],
    fresh: ['node--a-k8s-nosuch-eth0', 'malformed', 'node--a-k8s-web-eth1', 'node--a-cni-x-eth0'],
    spec: () => ({
      node: 'node-a',
      orchestrator: 'k8s',
      pod: 'web',
      endpoint: 'eth0',
      ipNetworks: ['10.60.0.1/32'],
      interfaceName: 'cali0',
    }),
  },
];

/** The kinds, with the schemas of the CRDs in a folder of test/fixtures. */
export function subjectsOf(fixtures: string): readonly Subject[] {
  const schemas = specSchemas(fixtures);
  return described.map((subject) => ({
    ...subject,
    namespaced: subject.namespaced === true,
    schema: schemas.get(subject.kind) ?? {},
  }));
}
