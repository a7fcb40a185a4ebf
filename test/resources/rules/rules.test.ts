// Rules for the values of objects. The messages for calicoctl are those that calicoctl v3.31.4 prints.
import { describe, expect, it } from 'vitest';
import { fieldPathText } from '../../../src/resources/field-path.ts';
import { kindNamed } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { calicoctlError } from '../../../src/resources/rules/rule-problem.ts';
import {
  defaulted,
  lastProblems,
  neededForWrite,
  problemsFor,
  writeProblems,
} from '../../../src/resources/rules/rules.ts';

function made(kindName: string, spec: object, metadata: object = {}): KubeObject {
  return { apiVersion: 'projectcalico.org/v3', kind: kindName, metadata: { name: 'a', ...metadata }, spec };
}

function kindOf(name: string) {
  const kind = kindNamed(name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

const text = (kindName: string, spec: object, metadata: object = {}): string | undefined =>
  calicoctlError(problemsFor(kindOf(kindName), made(kindName, spec, metadata)));

const reported = (kindName: string, spec: object, metadata: object = {}): string[] =>
  problemsFor(kindOf(kindName), made(kindName, spec, metadata)).map(
    ({ path, message }) => `${fieldPathText(path)} ${message}`,
  );

describe('problemsFor', () => {
  it('an operation of a BGPFilter sets exactly one thing, and a priority is at least 1', () => {
    const operations = [{ addCommunity: { value: '65001:100' } }, { setPriority: { value: 0 } }, {}];
    const spec = { importV4: [{ action: 'Accept', operations }] };
    // The two lines are those of calicoctl v3.32.1.
    expect(text('BGPFilter', spec)).toBe(
      'error with the following fields:\n' +
        "-  Value = '0' (Reason: failed to validate Field: Value because of Tag: gte )\n" +
        "-  BGPFilterOperation = '{<nil> <nil> <nil>}' (exactly one operation must be set)\n",
    );
  });

  it('of every selector of a policy, global() is refused; a policy of the whole cluster prints its selector for each', () => {
    const reason = '(global() can only be used in an EntityRule namespaceSelector)';
    for (const kind of ['NetworkPolicy', 'StagedNetworkPolicy']) {
      expect(text(kind, { serviceAccountSelector: 'global()' })).toBe(
        `error with field NetworkPolicySpec.ServiceAccountSelector = 'global()' ${reason}`,
      );
    }
    for (const kind of ['GlobalNetworkPolicy', 'StagedGlobalNetworkPolicy']) {
      const spec = { selector: 'has(a)', namespaceSelector: 'global()', serviceAccountSelector: 'global() || has(b)' };
      expect(text(kind, spec)).toBe(
        'error with the following fields:\n' +
          `-  GlobalNetworkPolicySpec.ServiceAccountSelector = 'has(a)' ${reason}\n` +
          `-  GlobalNetworkPolicySpec.NamespaceSelector = 'has(a)' ${reason}\n`,
      );
    }
  });

  it('a staged policy of Kubernetes has only ports that Calico can convert', () => {
    const rule = { ports: [{ port: '8000:8080', endPort: 80, protocol: 'UDP' }], from: [{ podSelector: {} }] };
    const shown =
      '&NetworkPolicyIngressRule{Ports:[]NetworkPolicyPort{NetworkPolicyPort{Protocol:*UDP,Port:8000:8080,EndPort:*80,},},' +
      'From:[]NetworkPolicyPeer{NetworkPolicyPeer{PodSelector:&v1.LabelSelector{MatchLabels:map[string]string{},' +
      'MatchExpressions:[]LabelSelectorRequirement{},},NamespaceSelector:nil,IPBlock:nil,},},}';
    const reason =
      "(k8s rule couldn't be converted: failed to parse k8s port: invalid port 8000:8080:80: invalid name for named port (8000:8080:80))";
    const problem = text('StagedKubernetesNetworkPolicy', { podSelector: {}, ingress: [rule] });
    expect(problem).toContain(
      `conversion to stagednetworkpolicy failed policy: a: error with rule ${shown} ${reason})`,
    );
    const two = text('StagedKubernetesNetworkPolicy', {
      podSelector: {},
      ingress: [rule, { ports: [{ port: 80 }] }],
      egress: [{ ports: [{ port: 90, endPort: 80 }] }],
    });
    expect(two).toContain(
      `failed policy: a: error with the following rules:\n-  ${shown} ${reason}\n-  &NetworkPolicyEgressRule{`,
    );
    // A deletion that is staged must have no rules at all.
    expect(text('StagedKubernetesNetworkPolicy', { stagedAction: 'Delete', ingress: [rule] })).not.toContain(
      'conversion',
    );
    expect(
      reported('StagedKubernetesNetworkPolicy', { ingress: [{ ports: [{ port: 'http' }, { endPort: 9 }] }] }),
    ).toEqual([]);
  });

  it.each(['', 'Upper', 'a.b'])('the name %j of a tier is reported as one that is not a label', (name) => {
    expect(text('Tier', {}, { name })).toContain(
      `Metadata.Name = '${name}' (name must consist of lower case alphanumeric characters or '-' (regex: [a-z0-9]([-a-z0-9]*[a-z0-9])?))`,
    );
  });

  it.each<[string, object, string | undefined]>([
    ['IPPool', { cidr: '10.0.0.0/16' }, undefined],
    ['IPPool', { cidr: '10.0.0.0/30', disabled: true }, undefined],
    [
      'IPPool',
      { cidr: 'fd00::/64' },
      "error with field IPpool.IPIPMode = '' (IPIPMode other than 'Never' is not supported on an IPv6 IP pool)",
    ],
    [
      'IPPool',
      { cidr: 'foo' },
      "error with the following fields:\n-  CIDR = 'foo' (Reason: failed to validate Field: CIDR because of Tag: net )\n-  IPpool.CIDR = 'foo' (IPPool CIDR must be a valid subnet)\n",
    ],
    [
      'IPPool',
      { cidr: '10.0.0.1' },
      "error with field IPpool.CIDR = '10.0.0.1/32' (IP pool size is too small for use with Calico IPAM. It must be equal to or greater than the block size.)",
    ],
    [
      'IPPool',
      { cidr: '169.0.0.0/8' },
      "error with field IPpool.CIDR = '169.0.0.0/8' (IP pool range overlaps with IPv4 Link Local range 169.254.0.0/16)",
    ],
    [
      'IPPool',
      { cidr: '10.0.0.0/16', allowedUses: ['LoadBalancer'] },
      "error with field IPpool.NodeSelector = '10.0.0.0/16' (IP Pool with AllowedUse LoadBalancer must have node selector set to all())",
    ],
    [
      'IPPool',
      { cidr: '10.0.0.0/16', allowedUses: ['LoadBalancer'], disableBGPExport: true, nodeSelector: 'all()' },
      "error with field IPpool.DisableBGPExport = '10.0.0.0/16' (IP Pool with AllowedUse LoadBalancer must have DisableBGPExport set to true)",
    ],
    [
      'IPPool',
      { cidr: '10.0.0.0/16', ipipMode: 'Always', vxlanMode: 'CrossSubnet' },
      "error with field IPpool.IPIPMode = 'Always' (IPIPMode and VXLANMode cannot be enabled on LoadBalancer IP pool)",
    ],
    [
      'IPPool',
      { cidr: '10.0.0.0/16', namespaceSelector: 'global() || all()', allowedUses: ['Workload'] },
      "error with field IPpool.NamespaceSelector = 'global() || all()' (global() selector is not valid for IPPool namespaceSelector - use all() instead)",
    ],
    ['BGPPeer', {}, undefined],
    ['BGPPeer', { peerIP: '[2001:db8::1]:179' }, undefined],
    [
      'BGPPeer',
      { peerIP: '192.0.2.1:70000' },
      "error with field PeerIP = '192.0.2.1:70000' (Reason: failed to validate Field: PeerIP because of Tag: IP:port )",
    ],
    [
      'BGPPeer',
      { node: 'node 2', peerIP: '192.0.2.1' },
      "error with field Node = 'node 2' (Reason: failed to validate Field: Node because of Tag: name )",
    ],
    [
      'BGPPeer',
      { reachableBy: 'fd00::1' },
      "error with field ReachableBy = 'fd00::1' (ReachablyBy field must be empty when PeerIP is empty)",
    ],
    [
      'BGPPeer',
      { peerIP: '192.0.2.1', node: 'a', nodeSelector: 'all()', peerSelector: 'all()', asNumber: 5, filters: ['A B'] },
      "error with the following fields:\n-  Filters[0] = 'A B' (Reason: failed to validate Field: Filters[0] because of Tag: name )\n-  Node = 'a' (Node field must be empty when NodeSelector is specified)\n-  PeerIP = '192.0.2.1' (PeerIP field must be empty when PeerSelector is specified)\n-  ASNumber = '5' (ASNumber field must be empty when PeerSelector is specified)\n",
    ],
    [
      'BGPPeer',
      { localWorkloadSelector: 'all()' },
      "error with field ASNumber = '0' (ASNumber field must NOT be empty when LocalWorkloadSelector is specified)",
    ],
    [
      'BGPConfiguration',
      {
        communities: [
          { name: 'a', value: '70000:1' },
          { name: '', value: '1:2' },
        ],
      },
      "error with the following fields:\n-  Name = '' (Reason: failed to validate Field: Name because of Tag: required )\n-  Spec.Communities[].Value = '70000:1' (invalid community value, expected 16 bit value)\n-  Spec.Communities[] = '[{a 70000:1} { 1:2}]' (communities are defined but not used in Spec.PrefixAdvertisement[].)\n",
    ],
    [
      'BGPConfiguration',
      {
        communities: [{ name: 'foo', value: '1:2' }],
        prefixAdvertisements: [{ cidr: '10.0.0.0/8', communities: ['foo', '4294967296:1:1'] }],
      },
      "error with field Spec.PrefixAdvertisement[].Communities[] = '4294967296:1:1' (invalid community value, expected 32 bit value)",
    ],
    [
      'BGPConfiguration',
      { logSeverityScreen: 'info', ignoredInterfaces: ['a b'], localWorkloadPeeringIPV4: 'fd00::1' },
      "error with the following fields:\n-  LogSeverityScreen = 'info' (Reason: failed to validate Field: LogSeverityScreen because of Tag: logLevel )\n-  IgnoredInterfaces[0] = 'a b' (Reason: failed to validate Field: IgnoredInterfaces[0] because of Tag: ignoredInterface )\n-  LocalWorkloadPeeringIPV4 = 'fd00::1' (Reason: failed to validate Field: LocalWorkloadPeeringIPV4 because of Tag: ipv4 )\n",
    ],
  ])('%s %j has the problems that calicoctl reports', (kind, spec, expected) => {
    expect(text(kind, spec)).toBe(expected);
  });

  it.each<[object, string[]]>([
    [{ name: 'Pool_1' }, ["metadata.name must consist of lower-case letters, digits, '-' and '.'"]],
    [{ name: 'x'.repeat(254) }, ['metadata.name is too long by 1 bytes']],
    [
      { labels: { 'a b': 'c' } },
      [
        "metadata.labels[\"a b\"] must have a valid key: at most 63 letters, digits, '-', '_' and '.', after an optional prefix like example.com/",
      ],
    ],
    [
      { labels: { a: '-' } },
      ["metadata.labels.a must have at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"],
    ],
    [{ labels: { 'example.com/a': '' }, annotations: { 'Example.com/A': '{"any": "text"}' } }, []],
  ])('metadata %j has the problems of Kubernetes', (metadata, expected) => {
    expect(reported('IPPool', { cidr: '10.0.0.0/16' }, metadata)).toEqual(expected);
  });

  it('problems that calicoctl does not report: words, ranges and formats that calicoctl does not check', () => {
    expect(
      reported('BGPPeer', { peerIP: '192.0.2.1', nextHopMode: 'Foo', ttlSecurity: 256, maxRestartTime: '5' }),
    ).toEqual([
      'spec.nextHopMode must be one of Auto, Self, Keep',
      'spec.maxRestartTime must be a duration, e.g. 90s or 1h30m',
      'spec.ttlSecurity must be from 0 to 255',
    ]);
    expect(text('BGPPeer', { peerIP: '192.0.2.1', nextHopMode: 'Foo' })).toBeUndefined();
  });

  it('a selector that cannot be read has the reason and the place', () => {
    expect(reported('BGPPeer', { nodeSelector: "rack = 'a'" })).toEqual([
      'spec.nodeSelector is not a selector: expected ==, at character 6',
    ]);
  });

  it('block sizes that only a write checks in calicoctl are problems of the manifest', () => {
    expect(reported('IPPool', { cidr: '10.0.0.0/16', blockSize: 33 })).toEqual([
      'spec.blockSize must be from 20 to 32 for IPv4',
    ]);
    expect(text('IPPool', { cidr: '10.0.0.0/16', blockSize: 33 })).toBeUndefined();
  });
});

describe('defaulted', () => {
  it('defaulted fills in what a pool lacks and writes its CIDR in canonical form', () => {
    expect(defaulted(kindOf('IPPool'), made('IPPool', { cidr: 'FD00:0::/64' })).spec).toEqual({
      cidr: 'fd00::/64',
      nodeSelector: 'all()',
      blockSize: 122,
      allowedUses: ['Workload', 'Tunnel'],
      assignmentMode: 'Automatic',
      ipipMode: 'Never',
      vxlanMode: 'Never',
    });
  });
});

describe('rules for settings and policies', () => {
  it.each<[string, object, string[]]>([
    ['FelixConfiguration', { routeTableRanges: [{ min: 5, max: 1 }] }, ['spec.routeTableRanges[0] has min above max']],
    [
      'FelixConfiguration',
      { routeTableRange: { min: 1, max: 300 } },
      ['spec.routeTableRange must be a range within 1 to 250'],
    ],
    ['FelixConfiguration', { kubeNodePortRanges: ['a'] }, ['spec.kubeNodePortRanges must have numbers only']],
    ['FelixConfiguration', { natOutgoingAddress: 'fd00::1' }, ['spec.natOutgoingAddress must be an IPv4 address']],
    ['FelixConfiguration', { iptablesBackend: 'nft' }, ['spec.iptablesBackend must be one of Auto, Legacy, NFT']],
    ['Node', { bgp: {} }, ['spec.bgp is empty: leave it out, or set an address']],
    ['Node', { bgp: { ipv4Address: '192.0.2.1/24' } }, []],
    [
      'WorkloadEndpoint',
      { interfaceName: 'cali1', ipNetworks: ['10.0.0.0/24'] },
      ['spec.ipNetworks[0] must be one address: /32 or /128'],
    ],
    [
      'KubeControllersConfiguration',
      { controllers: { node: { hostEndpoint: { templates: [{ generateName: 'a' }] } } } },
      ['spec.controllers.node.hostEndpoint.templates[0].interfaceCIDRs is missing, and interfacePattern too'],
    ],
    [
      'NetworkPolicy',
      { ingress: [{ action: 'Allow', destination: { ports: [80] } }] },
      ['spec.ingress[0].destination.ports needs protocol TCP, UDP or SCTP'],
    ],
    [
      'NetworkPolicy',
      { ingress: [{ action: 'Allow', source: { nets: ['10.0.0.1/8'] } }] },
      ['spec.ingress[0].source.nets[0] must be an address or a CIDR without host bits, like 10.0.0.0/16'],
    ],
    [
      'NetworkPolicy',
      { egress: [{ action: 'Allow', source: { notSelector: 'global()' } }] },
      ['spec.egress[0].source.notSelector cannot have global(): it goes into namespaceSelector'],
    ],
    [
      'HostEndpoint',
      { node: 'a', interfaceName: 'eth0', ports: [{ name: 'http', protocol: 'ICMP', port: 1 }] },
      ['spec.ports[0].protocol must be TCP, UDP or SCTP: ICMP has no ports'],
    ],
  ])('%s %j is reported with the path of the field', (kind, spec, expected) => {
    expect(reported(kind, spec)).toEqual(expected);
  });

  it.each<[string, object, object]>([
    ['NetworkPolicy', {}, { types: ['Ingress'] }],
    ['NetworkPolicy', { egress: [{ action: 'Allow' }] }, { types: ['Egress'], egress: [{ action: 'Allow' }] }],
    [
      'GlobalNetworkPolicy',
      { ingress: [{ action: 'Deny' }], egress: [{ action: 'Deny' }] },
      { types: ['Ingress', 'Egress'], ingress: [{ action: 'Deny' }], egress: [{ action: 'Deny' }] },
    ],
    ['StagedNetworkPolicy', { stagedAction: 'Delete' }, { stagedAction: 'Delete' }],
    ['Tier', { order: 5 }, { order: 5, defaultAction: 'Deny' }],
    [
      'FelixConfiguration',
      {},
      { floatingIPs: 'Disabled', bpfConnectTimeLoadBalancing: 'TCP', bpfHostNetworkedNATWithoutCTLB: 'Enabled' },
    ],
    [
      'FelixConfiguration',
      { bpfConnectTimeLoadBalancingEnabled: false },
      {
        bpfConnectTimeLoadBalancingEnabled: false,
        floatingIPs: 'Disabled',
        bpfConnectTimeLoadBalancing: 'Disabled',
        bpfHostNetworkedNATWithoutCTLB: 'Disabled',
      },
    ],
    [
      'KubeControllersConfiguration',
      { controllers: { node: {}, loadBalancer: {} } },
      {
        prometheusMetricsPort: 9094,
        controllers: { node: { leakGracePeriod: '15m0s' }, loadBalancer: { assignIPs: 'AllServices' } },
      },
    ],
    ['BGPPeer', { peerIP: '192.0.2.1' }, { peerIP: '192.0.2.1' }],
  ])('defaulted %s %j', (kind, spec, expected) => {
    expect(defaulted(kindOf(kind), made(kind, spec)).spec).toEqual(expected);
  });
});

describe('writeProblems', () => {
  const pool = (name: string, spec: object): KubeObject => made('IPPool', spec, { name });
  const kind = kindOf('IPPool');
  const write = (object: KubeObject, stored: KubeObject | undefined, others: readonly KubeObject[] = []) =>
    calicoctlError(
      writeProblems({
        kind,
        object: defaulted(kind, object),
        ...(stored && { stored: defaulted(kind, stored) }),
        related: () => others,
      }),
    );

  it('a new pool must not overlap with another one', () => {
    const object = pool('new', { cidr: '10.0.0.0/16' });
    const others = [
      pool('new', { cidr: '10.0.0.0/16' }),
      pool('old', { cidr: '10.0.128.0/20' }),
      pool('v6', { cidr: 'fd00::/48' }),
    ];
    expect(neededForWrite({ kind, object }).map((one) => one.kind)).toEqual(['IPPool']);
    expect(write(object, undefined, others)).toBe(
      "error with field IPPool.Spec.CIDR = '10.0.0.0/16' (IPPool(new) CIDR overlaps with IPPool(old) CIDR 10.0.128.0/20)",
    );
  });

  it('CIDR and block size of a pool cannot be changed, another spelling of the CIDR is accepted', () => {
    const stored = pool('a', { cidr: 'FD00::/64' });
    expect(neededForWrite({ kind, object: stored, stored })).toEqual([]);
    expect(write(pool('a', { cidr: 'fd00:0::/64' }), stored)).toBeUndefined();
    expect(write(pool('a', { cidr: 'fd01::/64', blockSize: 120 }), stored)).toBe(
      "error with the following fields:\n-  IPPool.Spec.CIDR = 'fd01::/64' (IPPool CIDR cannot be modified)\n-  IPPool.Spec.BlockSize = '120' (IPPool BlockSize cannot be modified)\n",
    );
  });

  it('settings of the whole cluster are refused in the BGPConfiguration of a node', () => {
    const object = made('BGPConfiguration', { asNumber: 64512, logSeverityScreen: 'Info' }, { name: 'node.a' });
    const found = lastProblems({ kind: kindOf('BGPConfiguration'), object, related: () => [] });
    expect(calicoctlError(found)).toBe(
      'error with field BGPConfiguration.Spec.ASNumber (Cannot set ASNumber on a non default BGP Configuration.)',
    );
  });
});
