// One well-filled object of every kind, or several, as a Kubernetes datastore of crd.projectcalico.org/v1 holds them.
import type { KubeObject, ObjectMeta } from '../../../src/resources/object.ts';

const group = 'crd.projectcalico.org/v1';

/** A custom resource. `kept` is what the annotation with the v3 metadata holds; nothing for an object made with kubectl. */
function resource(kind: string, metadata: ObjectMeta, spec: unknown, kept?: object, more: object = {}): KubeObject {
  const annotations =
    kept === undefined
      ? metadata.annotations
      : { ...metadata.annotations, 'projectcalico.org/metadata': JSON.stringify(kept) };
  return {
    apiVersion: group,
    kind,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec,
    ...more,
  };
}

const made = '2026-02-03T04:05:06Z';

const rules = [
  {
    action: 'Allow',
    ipVersion: 4,
    protocol: 'TCP',
    source: {
      nets: ['10.0.0.0/8', '192.0.2.0/24'],
      notNets: ['10.1.0.0/16'],
      selector: "app == 'web' && has(tier)",
      namespaceSelector: "env in {'test', 'prod'}",
      serviceAccounts: { names: ['cart', 'till'], selector: 'role == "shop"' },
    },
    destination: { ports: [80, '8000:8080', 'metrics'], notPorts: [8001] },
    http: { methods: ['GET', 'PUT'], paths: [{ exact: '/a' }, { prefix: '/b' }] },
    metadata: { annotations: { why: 'a & b' } },
  },
  { action: 'Deny', protocol: 'ICMP', icmp: { type: 0, code: 0 }, notICMP: { type: 8 }, source: {}, destination: {} },
  { action: 'Log', protocol: 17, notProtocol: 'SCTP' },
  { action: 'Pass', source: { services: { name: 'kube-dns', namespace: 'kube-system' } } },
];

const kubernetesRules = {
  ingress: [
    {
      from: [
        { podSelector: { matchLabels: { app: 'web' } }, namespaceSelector: {} },
        { ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } },
      ],
      ports: [
        { port: 80, protocol: 'TCP' },
        { port: 'metrics', protocol: 'UDP' },
        { port: 8000, endPort: 8080, protocol: 'SCTP' },
      ],
    },
  ],
  egress: [{ to: [{ namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['a', 'b'] }] } }] }],
  policyTypes: ['Ingress', 'Egress'],
};

const podSelector = { matchLabels: { tier: 'front', app: 'web' } };

/** Policies of all four kinds in tiers: made by calicoctl and with kubectl, in tier `default` and in another. */
function policies(kind: string, namespace: string | undefined, more: object): KubeObject[] {
  const at = namespace === undefined ? {} : { namespace };
  return [
    resource(
      kind,
      { name: 'default.allow-dns', ...at },
      { ...more, tier: 'default', order: 1000.5, selector: 'all()', types: ['Ingress'], ingress: rules },
      { name: 'allow-dns', creationTimestamp: made, labels: { team: 'a' }, annotations: { note: 'x' } },
    ),
    resource(
      kind,
      { name: 'default.spelled-out', ...at },
      { ...more, tier: 'default', order: 1_000_000, egress: rules.slice(1), types: ['Egress'] },
      { name: 'default.spelled-out', creationTimestamp: made },
    ),
    resource(
      kind,
      { name: 'platform.deny-all', labels: { 'projectcalico.org/tier': 'platform' }, ...at },
      {
        ...more,
        tier: 'platform',
        order: 0,
        selector: "app == 'web'",
        types: ['Ingress', 'Egress'],
        serviceAccountSelector: 'role == "shop"',
        performanceHints: ['AssumeNeededOnEveryNode'],
      },
      { name: 'platform.deny-all', creationTimestamp: made, labels: { 'projectcalico.org/tier': 'platform' } },
    ),
    resource(kind, { name: 'default.of-kubectl', labels: { a: 'b' }, ...at }, { ...more, selector: 'has(a)' }),
    resource(
      kind,
      { name: 'default.annotated', annotations: { note: 'y' }, ...at },
      { ...more, tier: 'default', selector: 'has(b)' },
    ),
    resource(kind, { name: 'platform.of-kubectl', ...at }, { ...more, order: 0.00001, types: ['Ingress'] }),
  ];
}

const filterRules = [
  {
    action: 'Accept',
    cidr: '10.0.0.0/8',
    matchOperator: 'In',
    prefixLength: { min: 0, max: 24 },
    source: 'RemotePeers',
  },
  { action: 'Reject', interface: 'eth*' },
];

/** All objects, in no particular order. Namespaces and service accounts are the API server's own. */
export const everyKind: readonly KubeObject[] = [
  resource(
    'BGPFilter',
    { name: 'rack' },
    {
      exportV4: filterRules,
      importV4: filterRules.slice(1),
      exportV6: [{ action: 'Reject', cidr: 'fd00::/8', matchOperator: 'NotEqual', prefixLength: { max: 128 } }],
    },
    { creationTimestamp: made },
  ),
  resource('BGPFilter', { name: 'empty' }, {}, { creationTimestamp: null }),
  resource(
    'CalicoNodeStatus',
    { name: 'node-a' },
    { node: 'node-a', classes: ['Agent', 'BGP', 'Routes'], updatePeriodSeconds: 10 },
    { creationTimestamp: made },
    {
      status: {
        lastUpdated: made,
        agent: { birdV4: { state: 'Ready', version: 'v0.3.3', routerID: '10.0.0.1', lastBootTime: 'x' }, birdV6: {} },
        bgp: {
          numberEstablishedV4: 1,
          numberNotEstablishedV4: 0,
          numberEstablishedV6: 0,
          numberNotEstablishedV6: 0,
          peersV4: [{ peerIP: '10.0.0.2', type: 'NodeMesh', state: 'Established', since: '09:00:00' }],
        },
        routes: {
          routesV4: [
            {
              type: 'FIB',
              destination: '10.60.0.0/26',
              gateway: '10.0.0.2',
              interface: 'eth0',
              learnedFrom: { sourceType: 'NodeMesh', peerIP: '10.0.0.2' },
            },
          ],
        },
      },
    },
  ),
  ...policies('GlobalNetworkPolicy', undefined, { namespaceSelector: "env == 'prod'" }),
  resource(
    'GlobalNetworkPolicy',
    { name: 'default.before-dnat' },
    { selector: 'has(host)', preDNAT: true, applyOnForward: true, ingress: [{ action: 'Deny' }], types: ['Ingress'] },
    { name: 'before-dnat', creationTimestamp: made },
  ),
  ...policies('NetworkPolicy', 'shop', {}),
  ...policies('NetworkPolicy', 'default', {}).slice(0, 1),
  ...policies('StagedGlobalNetworkPolicy', undefined, { stagedAction: 'Set', doNotTrack: true, applyOnForward: true }),
  ...policies('StagedNetworkPolicy', 'shop', { stagedAction: 'Ignore' }),
  resource(
    'StagedKubernetesNetworkPolicy',
    { name: 'web', namespace: 'shop' },
    { stagedAction: 'Set', podSelector, ...kubernetesRules },
    { creationTimestamp: made },
  ),
  resource('StagedKubernetesNetworkPolicy', { name: 'all', namespace: 'default' }, { stagedAction: 'Delete' }),
  resource(
    'GlobalNetworkSet',
    { name: 'blocked' },
    { nets: Array.from({ length: 9 }, (_, n) => `10.60.200.${n * 16}/28`) },
    { creationTimestamp: made, labels: { list: 'blocked' } },
  ),
  resource(
    'NetworkSet',
    { name: 'office', namespace: 'shop' },
    { nets: ['192.0.2.1', 'fd00::/8'] },
    { creationTimestamp: made },
  ),
  resource('NetworkSet', { name: 'none', namespace: 'default' }, {}),
  resource(
    'HostEndpoint',
    { name: 'node-a-eth0', labels: { 'projectcalico.org/created-by': 'x' } },
    {
      node: 'node-a',
      interfaceName: 'eth0',
      expectedIPs: ['10.0.0.1', 'fd00::1'],
      profiles: ['projectcalico-default-allow', 'kns.shop'],
      ports: [
        { name: 'ssh', protocol: 'TCP', port: 22 },
        { name: 'dns', protocol: 17, port: 53 },
      ],
    },
    { creationTimestamp: made, labels: { host: 'yes', 'projectcalico.org/created-by': 'x' } },
  ),
  resource('Tier', { name: 'default' }, { order: 1_000_000, defaultAction: 'Deny' }, { creationTimestamp: made }),
  resource('Tier', { name: 'adminnetworkpolicy' }, { order: 1000 }, { creationTimestamp: made }),
  resource('Tier', { name: 'platform' }, { order: 1_234_567 }, { creationTimestamp: made }),
  resource('Tier', { name: 'a-last' }, {}, { creationTimestamp: made }),
  resource('Tier', { name: 'first' }, { order: -2.5, defaultAction: 'Pass' }),
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'allow-dns', namespace: 'shop' },
    spec: { podSelector, ...kubernetesRules },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'cart', namespace: 'shop', labels: { role: 'shop', 'a.b/c': 'd' } },
  },
];

/** The same for kinds that other samples of clusters have too, some by the same names. */
export const commonKinds: readonly KubeObject[] = [
  resource(
    'BGPConfiguration',
    { name: 'default' },
    {
      logSeverityScreen: 'Info',
      nodeToNodeMeshEnabled: false,
      asNumber: 65001,
      serviceLoadBalancerIPs: [{ cidr: '192.0.2.0/25' }],
      serviceExternalIPs: [{ cidr: '192.0.2.128/25' }],
      serviceClusterIPs: [{ cidr: '10.96.0.0/12' }],
      communities: [{ name: 'c', value: '65001:100' }],
      prefixAdvertisements: [{ cidr: '10.60.0.0/16', communities: ['c'] }],
      listenPort: 1790,
      nodeMeshPassword: { secretKeyRef: { name: 'bgp', key: 'mesh' } },
      nodeMeshMaxRestartTime: '2m0s',
      bindMode: 'NodeIP',
      ignoredInterfaces: ['eth*'],
    },
    { creationTimestamp: made },
  ),
  resource(
    'BGPPeer',
    { name: 'rack' },
    {
      peerIP: '192.0.2.1',
      asNumber: 64513,
      node: 'node-a',
      localASNumber: 64514,
      password: { secretKeyRef: { name: 's', key: 'k', optional: true } },
      maxRestartTime: '1m30s',
      ttlSecurity: 1,
      filters: ['rack'],
    },
    { creationTimestamp: made },
  ),
  resource(
    'FelixConfiguration',
    { name: 'default' },
    {
      vxlanVNI: 4097,
      ipipMTU: 0,
      bpfEnabled: false,
      interfacePrefix: 'cali,tap',
      routeRefreshInterval: '1m30s',
      failsafeInboundHostPorts: [
        { port: 22, protocol: 'tcp' },
        { port: 53, net: '192.0.2.0/24' },
      ],
      failsafeOutboundHostPorts: [],
      healthTimeoutOverrides: [{ name: 'x', timeout: '1m30s' }],
      routeTableRanges: [{ min: 1, max: 250 }],
      bpfConntrackTimeouts: { udpTimeout: 'Auto', tcpSynSent: '30s' },
      externalNodesList: ['192.0.2.0/24'],
      kubeNodePortRanges: ['30000:32767', 32768],
      natPortRange: '32768:65535',
    },
    { creationTimestamp: made },
  ),
  resource('IPPool', { name: 'pool' }, { cidr: '10.60.0.0/16', natOutgoing: true }, { creationTimestamp: made }),
  resource('IPReservation', { name: 'kept' }, { reservedCIDRs: ['10.60.200.0/28'] }, { creationTimestamp: made }),
  resource(
    'KubeControllersConfiguration',
    { name: 'default' },
    {
      logSeverityScreen: 'Info',
      controllers: {
        node: {
          leakGracePeriod: '15m0s',
          hostEndpoint: {
            autoCreate: 'Enabled',
            templates: [
              { generateName: 'a', interfaceCIDRs: ['10.0.0.0/8'], labels: { a: 'b' }, nodeSelector: 'all()' },
            ],
          },
        },
        loadBalancer: { assignIPs: 'AllServices' },
      },
    },
    { creationTimestamp: made },
    {
      status: { runningConfig: { controllers: { policy: { reconcilerPeriod: '5m0s' } } }, environmentVars: { A: 'b' } },
    },
  ),
];
