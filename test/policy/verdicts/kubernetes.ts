// NetworkPolicies of Kubernetes, and the policies of its administrators. Kubernetes' documentation: "Network Policies";
// network-policy-api: AdminNetworkPolicy, BaselineAdminNetworkPolicy, ClusterNetworkPolicy.
import {
  anp,
  banp,
  cnp,
  globalSet,
  gnp,
  hostEndpoint,
  knp,
  netset,
  np,
  tier,
} from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, ops, type PolicyCase, shop } from './case.ts';

const rule = (index: number): string => `KubernetesNetworkPolicy shop/k#${index}`;
const db = { matchLabels: { app: 'db' } };
const onDb = (...ingress: object[]) => knp('shop', 'k', { podSelector: db, policyTypes: ['Ingress'], ingress });
const prod = { matchLabels: { env: 'prod' } };
const anpRule = (index: number, name = 'a'): string => `AdminNetworkPolicy ${name}#${index}`;
const cnpRule = (index: number, name = 'c'): string => `ClusterNetworkPolicy ${name}#${index}`;
const banpRule = 'BaselineAdminNetworkPolicy default#0';

export const kubernetes: readonly PolicyCase[] = [
  {
    about: 'default deny of a namespace',
    given: [knp('shop', 'k', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', endOfDefault, endOfDefault, 'both directions are closed'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'for flows from other namespaces too'],
      ['shop/web > dev/tool tcp 80', 'deny', endOfDefault, dev, 'and to them'],
      ['dev/tool > ops/prom tcp 9090', 'allow', dev, ops, 'other namespaces are open'],
    ],
  },
  {
    about: 'a rule without peers and ports',
    given: [onDb({})],
    flows: [
      ['192.0.2.7 > shop/db udp 53', 'allow', '-', rule(0), 'it allows everything'],
      ['shop/web > shop/db icmp', 'allow', shop, rule(0), 'ICMP too'],
    ],
  },
  {
    about: 'peers in the own namespace',
    given: [
      onDb({
        from: [{ podSelector: { matchLabels: { app: 'web' } } }, { podSelector: { matchLabels: { app: 'prom' } } }],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'a selected pod'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'another pod'],
      ['ops/prom > shop/db tcp 5432', 'deny', ops, endOfDefault, 'a pod of another namespace'],
    ],
  },
  {
    about: 'peers in other namespaces',
    given: [
      onDb(
        {
          from: [{ namespaceSelector: { matchLabels: { team: 'b' } }, podSelector: { matchLabels: { app: 'prom' } } }],
        },
        { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'dev' } } }] },
      ),
    ],
    flows: [
      ['ops/prom > shop/db tcp 5432', 'allow', ops, rule(0), 'both selectors fit'],
      ['dev/tool > shop/db tcp 5432', 'allow', dev, rule(1), 'any pod of a selected namespace'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the own namespace is not selected'],
    ],
  },
  {
    about: 'empty selectors of peers',
    given: [
      onDb(
        { from: [{ namespaceSelector: {} }], ports: [{ port: 5432 }] },
        { from: [{ podSelector: {} }], ports: [{ port: 80 }] },
      ),
      globalSet('outside', { app: 'web' }, '192.0.2.0/24'),
      netset('shop', 'inside', { app: 'web' }, '198.51.100.0/24'),
      hostEndpoint(
        'h',
        { app: 'web' },
        { node: 'n9', expectedIPs: ['203.0.113.7'], profiles: ['projectcalico-default-allow'] },
      ),
    ],
    flows: [
      ['dev/tool > shop/db tcp 5432', 'allow', dev, rule(0), 'an empty namespaceSelector is every namespace'],
      ['shop/web > shop/db tcp 80', 'allow', shop, rule(1), 'an empty podSelector is every pod of the own one'],
      ['dev/tool > shop/db tcp 80', 'deny', dev, endOfDefault, 'and no other'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'a global set is not a pod'],
      ['198.51.100.7 > shop/db tcp 80', 'deny', '-', endOfDefault, 'nor is a set of the namespace'],
      ['203.0.113.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'nor a host endpoint'],
    ],
  },
  {
    about: 'matchExpressions',
    given: [
      onDb(
        {
          from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] } }],
          ports: [{ port: 1 }],
        },
        {
          from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } }],
          ports: [{ port: 2 }],
        },
        { from: [{ podSelector: { matchExpressions: [{ key: 'layer', operator: 'Exists' }] } }], ports: [{ port: 3 }] },
        {
          from: [{ podSelector: { matchExpressions: [{ key: 'layer', operator: 'DoesNotExist' }] } }],
          ports: [{ port: 4 }],
        },
      ),
    ],
    flows: [
      ['shop/web > shop/db tcp 1', 'allow', shop, rule(0), 'In'],
      ['shop/cache > shop/db tcp 1', 'deny', shop, endOfDefault, 'not In'],
      ['shop/cache > shop/db tcp 2', 'allow', shop, rule(1), 'NotIn'],
      ['shop/web > shop/db tcp 2', 'deny', shop, endOfDefault, 'not NotIn'],
      ['shop/web > shop/db tcp 3', 'allow', shop, rule(2), 'Exists'],
      ['shop/cache > shop/db tcp 3', 'deny', shop, endOfDefault, 'the label is absent'],
      ['shop/cache > shop/db tcp 4', 'allow', shop, rule(3), 'DoesNotExist'],
    ],
  },
  {
    about: 'ports',
    given: [
      onDb({
        ports: [
          { port: 5432 },
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 9000, endPort: 9010 },
          { port: 'metrics' },
          { protocol: 'SCTP' },
        ],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'a port without protocol is one of TCP'],
      ['shop/web > shop/db udp 5432', 'deny', shop, endOfDefault, 'not of UDP'],
      ['shop/web > shop/db udp 53', 'allow', shop, rule(0), 'a port of UDP'],
      ['shop/web > shop/db tcp 9010', 'allow', shop, rule(0), 'endPort is included'],
      ['shop/web > shop/db tcp 9011', 'deny', shop, endOfDefault, 'what is behind it is not'],
      ['shop/web > shop/db tcp 9090', 'allow', shop, rule(0), 'a named port of the pod'],
      ['shop/web > shop/db sctp 1', 'allow', shop, rule(0), 'a protocol without port is all of its ports'],
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'a rule with ports is not for ICMP'],
    ],
  },
  {
    about: 'ipBlock',
    given: [onDb({ from: [{ ipBlock: { cidr: '10.60.0.0/16', except: ['10.60.2.0/24'] } }] })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'pods have addresses too'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'an excepted range'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address outside'],
    ],
  },
  {
    about: 'egress',
    given: [
      knp('shop', 'k', {
        podSelector: { matchLabels: { app: 'web' } },
        policyTypes: ['Egress'],
        egress: [
          { to: [{ podSelector: db }], ports: [{ port: 5432 }] },
          { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] },
        ],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', rule(0), shop, 'the pod and the port'],
      ['shop/web > shop/db tcp 9090', 'deny', endOfDefault, shop, 'another port'],
      ['shop/web > 192.0.2.7 tcp 443', 'allow', rule(1), '-', 'the Internet'],
      ['shop/web > node/n2 tcp 443', 'deny', endOfDefault, '-', 'an excepted range'],
      ['dev/tool > shop/web tcp 8080', 'allow', dev, shop, 'ingress is not governed'],
    ],
  },
  {
    about: 'policyTypes that are not given',
    given: [
      knp('shop', 'k', { podSelector: { matchLabels: { app: 'web' } } }),
      knp('ops', 'e', { podSelector: {}, egress: [{ to: [{ podSelector: {} }] }] }),
    ],
    flows: [
      ['dev/tool > shop/web tcp 8080', 'deny', dev, endOfDefault, 'ingress is always governed'],
      ['shop/web > dev/tool tcp 80', 'allow', shop, dev, 'egress is not without egress rules'],
      ['ops/prom > dev/tool tcp 80', 'deny', endOfDefault, dev, 'with egress rules it is'],
    ],
  },
  {
    about: 'policies add up',
    given: [
      onDb({ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }),
      knp('shop', 'l', { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: 'cache' } } }] }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'one policy allows'],
      ['shop/cache > shop/db tcp 5432', 'allow', shop, 'KubernetesNetworkPolicy shop/l#0', 'or the other'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'what none allows is denied'],
    ],
  },
  {
    about: 'AdminNetworkPolicy',
    given: [
      anp('a', {
        priority: 10,
        subject: { namespaces: prod },
        ingress: [
          {
            action: 'Deny',
            from: [{ namespaces: { matchLabels: { env: 'test' } } }],
            ports: [{ portNumber: { protocol: 'TCP', port: 5432 } }],
          },
          {
            action: 'Allow',
            from: [
              {
                pods: {
                  namespaceSelector: { matchLabels: { team: 'b' } },
                  podSelector: { matchLabels: { app: 'prom' } },
                },
              },
            ],
          },
          { action: 'Pass', from: [{ namespaces: {} }] },
        ],
      }),
      knp('shop', 'k', { podSelector: {}, policyTypes: ['Ingress'] }),
    ],
    flows: [
      ['dev/tool > shop/db tcp 5432', 'deny', dev, anpRule(0), 'namespace and port fit'],
      ['ops/prom > shop/db tcp 9090', 'allow', ops, anpRule(1), 'it is stronger than Kubernetes policies'],
      ['dev/tool > shop/db tcp 80', 'deny', dev, endOfDefault, 'Pass leads to the Kubernetes policy'],
      ['dev/tool > ops/prom tcp 9090', 'allow', dev, ops, 'or to the profile'],
      ['192.0.2.7 > ops/prom tcp 9090', 'allow', '-', ops, 'what fits no rule passes too'],
      ['shop/web > dev/tool tcp 80', 'allow', shop, dev, 'only the subjects are meant'],
    ],
  },
  {
    about: 'priorities of AdminNetworkPolicies',
    given: [
      anp('late', {
        priority: 50,
        subject: { namespaces: {} },
        ingress: [{ action: 'Allow', from: [{ namespaces: {} }] }],
      }),
      anp('early', {
        priority: 5,
        subject: { pods: { namespaceSelector: {}, podSelector: db } },
        ingress: [{ action: 'Deny', from: [{ namespaces: {} }] }],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', shop, anpRule(0, 'early'), 'the lower number is first'],
      ['shop/web > shop/cache tcp 6379', 'allow', shop, anpRule(0, 'late'), 'for other pods the other one decides'],
    ],
  },
  {
    about: 'egress of AdminNetworkPolicies',
    given: [
      anp('a', {
        priority: 10,
        subject: { namespaces: {} },
        egress: [
          {
            action: 'Allow',
            to: [{ networks: ['192.0.2.0/24'] }],
            ports: [{ portRange: { protocol: 'TCP', start: 440, end: 450 } }],
          },
          { action: 'Deny', to: [{ networks: ['192.0.2.0/24', '2001:db8::/32'] }] },
          {
            action: 'Deny',
            to: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: 'cache' } } } }],
            ports: [{ namedPort: 'redis' }],
          },
          { action: 'Deny', to: [{ nodes: { matchLabels: {} } }] },
        ],
      }),
    ],
    flows: [
      ['shop/web > 192.0.2.7 tcp 443', 'allow', anpRule(0), '-', 'network and range of ports'],
      ['shop/web > 192.0.2.7 tcp 80', 'deny', anpRule(1), '-', 'the next rule'],
      ['shop/web > 2001:db8::7 tcp 443', 'deny', anpRule(1), '-', 'a network of the other family'],
      ['shop/web > shop/cache tcp 6379', 'deny', anpRule(2), shop, 'a named port is one of TCP'],
      [
        'shop/web > 198.51.100.1 tcp 443',
        'deny',
        anpRule(3),
        '-',
        'a Deny that Calico cannot express denies everything',
      ],
    ],
  },
  {
    about: 'rules of AdminNetworkPolicies that Calico cannot express',
    given: [
      anp('a', {
        priority: 10,
        subject: { namespaces: {} },
        egress: [
          { action: 'Allow', to: [{ nodes: {} }] },
          { action: 'Deny', to: [{ namespaces: { matchLabels: { env: 'test' } } }] },
        ],
      }),
      gnp('g', { selector: "app == 'web'", types: ['Egress'], egress: [{ action: 'Deny' }] }),
    ],
    flows: [
      [
        'shop/web > dev/tool tcp 80',
        'deny',
        anpRule(1),
        dev,
        'an Allow is left out, and the index stays that of the object',
      ],
      ['shop/web > 192.0.2.7 tcp 443', 'deny', 'GlobalNetworkPolicy g#0', '-', 'it never allows more'],
    ],
  },
  {
    about: 'AdminNetworkPolicies do not know host endpoints and sets by their labels',
    given: [
      anp('a', {
        priority: 1,
        subject: { namespaces: {} },
        ingress: [
          { action: 'Deny', from: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: 'x' } } } }] },
        ],
      }),
      globalSet('s', { app: 'x' }, '192.0.2.0/24'),
    ],
    flows: [['192.0.2.7 > shop/db tcp 5432', 'allow', '-', shop, 'only pods have the label that is meant']],
  },
  {
    about: 'BaselineAdminNetworkPolicy',
    given: [
      banp({
        subject: { namespaces: {} },
        ingress: [{ action: 'Deny', from: [{ namespaces: { matchLabels: { env: 'test' } } }] }],
      }),
      knp('ops', 'open', { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }] }] }),
    ],
    flows: [
      ['dev/tool > shop/db tcp 5432', 'deny', dev, banpRule, 'it decides where no other policy does'],
      ['dev/tool > ops/prom tcp 9090', 'allow', dev, 'KubernetesNetworkPolicy ops/open#0', 'any policy is stronger'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, shop, 'what fits no rule is for the profile'],
    ],
  },
  {
    about: 'Calico policies between the tiers of administrators',
    given: [
      banp({ subject: { namespaces: {} }, ingress: [{ action: 'Allow', from: [{ namespaces: {} }] }] }),
      anp('a', { priority: 1, subject: { namespaces: {} }, ingress: [{ action: 'Pass', from: [{ namespaces: {} }] }] }),
      np('shop', 'p', { selector: "app == 'db'", types: ['Ingress'], ingress: [{ action: 'Pass', protocol: 'TCP' }] }),
      tier('first', 500),
      gnp('first.g', { tier: 'first', selector: "app == 'cache'", types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, banpRule, 'passed on twice, to the baseline'],
      ['shop/web > shop/db udp 53', 'deny', shop, endOfDefault, 'the default tier ends before the baseline'],
      [
        'shop/web > shop/cache tcp 6379',
        'deny',
        shop,
        'GlobalNetworkPolicy first.g#0',
        'a tier before 1000 is before administrators',
      ],
    ],
  },
  {
    about: 'ClusterNetworkPolicy',
    given: [
      tier('kube-admin', 1000, 'Pass'),
      tier('kube-baseline', 10_000_000, 'Pass'),
      cnp('c', {
        tier: 'Admin',
        priority: 10,
        subject: { namespaces: prod },
        ingress: [
          {
            action: 'Accept',
            from: [{ namespaces: prod }],
            protocols: [{ tcp: { destinationPort: { number: 5432 } } }, { udp: {} }],
          },
          {
            action: 'Deny',
            from: [{ namespaces: prod }],
            protocols: [{ tcp: { destinationPort: { range: { start: 1, end: 1023 } } } }],
          },
          { action: 'Accept', from: [{ namespaces: prod }], protocols: [{ destinationNamedPort: 'metrics' }] },
        ],
      }),
      cnp('b', {
        tier: 'Baseline',
        priority: 10,
        subject: { namespaces: prod },
        ingress: [{ action: 'Deny', from: [{ namespaces: {} }] }],
      }),
      anp('a', { priority: 1, subject: { namespaces: {} }, ingress: [{ action: 'Deny', from: [{ namespaces: {} }] }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, cnpRule(0), 'Accept allows'],
      ['shop/web > shop/db udp 9', 'allow', shop, cnpRule(0), 'a protocol without port is all of its ports'],
      ['shop/web > shop/db tcp 80', 'deny', shop, cnpRule(1), 'a range of ports'],
      [
        'shop/web > shop/db tcp 9090',
        'deny',
        shop,
        cnpRule(0, 'b'),
        'Calico leaves out named ports; the baseline denies',
      ],
      ['shop/web > dev/tool tcp 80', 'allow', shop, dev, 'AdminNetworkPolicies are not enforced from this release on'],
    ],
  },
  {
    about: 'ClusterNetworkPolicy before it is enforced',
    given: [
      tier('adminnetworkpolicy', 1000, 'Pass'),
      cnp('c', {
        tier: 'Admin',
        priority: 10,
        subject: { namespaces: {} },
        ingress: [{ action: 'Deny', from: [{ namespaces: {} }] }],
      }),
    ],
    flows: [['shop/web > shop/db tcp 5432', 'allow', shop, shop, 'Calico up to 3.31 does not know the kind']],
  },
];
