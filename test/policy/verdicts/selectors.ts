// What selectors of Calico's policies mean: namespaces, service accounts, network sets, services. Calico's documentation:
// "Selectors", "Network set", "Service accounts", "Services in policy".
import { globalSet, gnp, hostEndpoint, netset, np, slice } from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, ops, type PolicyCase, shop } from './case.ts';

const rule = (index: number): string => `NetworkPolicy shop/p#${index}`;
const globalRule = (index: number): string => `GlobalNetworkPolicy g#${index}`;
const onDb = (...sources: object[]) =>
  np('shop', 'p', {
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: sources.map((source) => ({ action: 'Allow', source })),
  });
const globalOnDb = (...sources: object[]) =>
  gnp('g', {
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: sources.map((source) => ({ action: 'Allow', source })),
  });

export const selectors: readonly PolicyCase[] = [
  {
    about: 'a selector in a namespaced policy means its own namespace',
    given: [onDb({ selector: "app in { 'web', 'prom' }" })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'a workload of the namespace'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'one that is not selected'],
      ['ops/prom > shop/db tcp 5432', 'deny', ops, endOfDefault, 'one of another namespace'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address outside has no labels'],
      ['node/n2 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'nor has a node'],
    ],
  },
  {
    about: 'all() in a namespaced policy',
    given: [onDb({ selector: 'all()' })],
    flows: [
      ['shop/cache > shop/db tcp 5432', 'allow', shop, rule(0), 'everything of the namespace'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'nothing of another one'],
    ],
  },
  {
    about: 'a selector in a global policy means every namespace',
    given: [globalOnDb({ selector: "app in { 'web', 'prom' }" })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, globalRule(0), 'a workload of one namespace'],
      ['ops/prom > shop/db tcp 5432', 'allow', ops, globalRule(0), 'and of another'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'one that is not selected'],
    ],
  },
  {
    about: 'namespaceSelector',
    given: [
      onDb(
        { namespaceSelector: "env == 'prod'", selector: "app == 'prom'" },
        { namespaceSelector: "projectcalico.org/name == 'dev'" },
      ),
    ],
    flows: [
      ['ops/prom > shop/db tcp 5432', 'allow', ops, rule(0), 'labels of the namespace and of the workload fit'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the own namespace is no longer meant by itself'],
      ['dev/tool > shop/db tcp 5432', 'allow', dev, rule(1), 'a namespace by its name'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address outside is in no namespace'],
    ],
  },
  {
    about: 'namespaceSelector all() and negated labels',
    given: [
      np('shop', 'p', {
        selector: "app == 'db'",
        types: ['Ingress'],
        ingress: [
          { action: 'Deny', source: { namespaceSelector: "env != 'prod'" } },
          { action: 'Allow', source: { namespaceSelector: 'all()' } },
        ],
      }),
      globalSet('lab', { kind: 'lab' }, '192.0.2.0/24'),
    ],
    flows: [
      ['dev/tool > shop/db tcp 5432', 'deny', dev, rule(0), 'a namespace with another value'],
      ['ops/prom > shop/db tcp 5432', 'allow', ops, rule(1), 'all() is every namespace'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(1), 'the own one too'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', rule(0), 'a global set is in no namespace with env=prod'],
      ['198.51.100.1 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address of nothing fits neither'],
    ],
  },
  {
    about: 'global()',
    given: [
      onDb({ namespaceSelector: 'global()', selector: "kind == 'lab'" }),
      globalSet('lab', { kind: 'lab' }, '192.0.2.0/24', '10.60.2.50/32'),
      netset('shop', 'own', { kind: 'lab' }, '198.51.100.0/24'),
    ],
    flows: [
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', rule(0), 'an address of a global set'],
      ['dev/tool > shop/db tcp 5432', 'allow', dev, rule(0), 'a workload inside a global set, whatever its own labels'],
      ['198.51.100.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'a set of the namespace is not global'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'a workload is not global'],
    ],
  },
  {
    about: 'network sets of a namespace',
    given: [
      onDb({ selector: "kind == 'partner'" }),
      netset('shop', 'partners', { kind: 'partner' }, '192.0.2.0/24', '10.60.2.40'),
      netset('dev', 'partners', { kind: 'partner' }, '198.51.100.0/24'),
      globalSet('partners', { kind: 'partner' }, '203.0.113.0/24'),
    ],
    flows: [
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', rule(0), 'an address of a set of the namespace'],
      ['ops/prom > shop/db tcp 5432', 'allow', ops, rule(0), 'a workload inside the set'],
      ['198.51.100.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'a set of another namespace'],
      ['203.0.113.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'global sets need global()'],
    ],
  },
  {
    about: 'network sets in a global policy',
    given: [
      globalOnDb({ selector: "kind == 'partner'" }, { selector: "kind == 'lab'", namespaceSelector: "env == 'test'" }),
      netset('dev', 'partners', { kind: 'partner' }, '198.51.100.0/24'),
      globalSet('partners', { kind: 'partner' }, '203.0.113.0/24'),
      netset('dev', 'lab', { kind: 'lab' }, '192.0.2.0/24'),
      netset('ops', 'lab', { kind: 'lab' }, '192.0.3.0/24'),
    ],
    flows: [
      ['198.51.100.7 > shop/db tcp 5432', 'allow', '-', globalRule(0), 'a set of any namespace'],
      ['203.0.113.7 > shop/db tcp 5432', 'allow', '-', globalRule(0), 'a global set'],
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', globalRule(1), 'a set has the labels of its namespace'],
      ['192.0.3.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'its namespace has others'],
    ],
  },
  {
    about: 'notSelector alone in a namespaced policy',
    given: [onDb({ notSelector: "app == 'cache'" })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'a workload of the namespace that is not selected'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the one that is'],
      ['ops/prom > shop/db tcp 5432', 'deny', ops, endOfDefault, 'it narrows to the namespace all the same'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'and leaves out addresses outside'],
    ],
  },
  {
    about: 'notSelector alone in a global policy',
    given: [globalOnDb({ notSelector: "app == 'cache'" })],
    flows: [
      ['ops/prom > shop/db tcp 5432', 'allow', ops, globalRule(0), 'a workload that is not selected'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'one that is'],
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', globalRule(0), 'addresses outside are not selected either'],
    ],
  },
  {
    about: 'selector and notSelector',
    given: [globalOnDb({ selector: 'has(app)', notSelector: "app == 'tool'" })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, globalRule(0), 'selected and not excluded'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'excluded'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'not selected'],
    ],
  },
  {
    about: 'a set that covers an excluded workload',
    given: [
      globalOnDb({ selector: "zone == 'lab'", notSelector: "app == 'tool'" }),
      globalSet('lab', { zone: 'lab' }, '10.60.2.0/24'),
    ],
    flows: [
      [
        'dev/tool > shop/db tcp 5432',
        'allow',
        dev,
        globalRule(0),
        'the set is selected and not excluded, and it has the address',
      ],
    ],
  },
  {
    about: 'service accounts by name',
    given: [onDb({ serviceAccounts: { names: ['web-sa', 'prom-sa'] } })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'the service account of the workload'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'another service account'],
      ['ops/prom > shop/db tcp 5432', 'deny', ops, endOfDefault, 'the name is one of another namespace'],
    ],
  },
  {
    about: 'service accounts by label',
    given: [
      onDb(
        { serviceAccounts: { selector: "role == 'frontend'" } },
        {
          namespaceSelector: "env == 'prod'",
          serviceAccounts: { selector: "role == 'monitor'", names: ['prom-sa'] },
        },
      ),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'the labels of the service account'],
      [
        'shop/cache > shop/db tcp 5432',
        'deny',
        shop,
        endOfDefault,
        'the service account default has no object, so no labels',
      ],
      ['ops/prom > shop/db tcp 5432', 'allow', ops, rule(1), 'name and labels, in another namespace'],
    ],
  },
  {
    about: 'service accounts by name without an object',
    given: [onDb({ serviceAccounts: { names: ['default'] } })],
    flows: [['shop/cache > shop/db tcp 5432', 'allow', shop, rule(0), 'a name needs no ServiceAccount object']],
  },
  {
    about: 'policies that select by service account and namespace',
    given: [
      gnp('g', {
        namespaceSelector: "team == 'b'",
        types: ['Ingress'],
        ingress: [{ action: 'Deny' }],
      }),
      gnp('h', {
        serviceAccountSelector: "role == 'store'",
        types: ['Ingress'],
        ingress: [{ action: 'Deny', protocol: 'TCP' }, { action: 'Allow' }],
      }),
    ],
    flows: [
      ['shop/web > ops/prom tcp 9090', 'deny', shop, globalRule(0), 'the namespace of the destination is selected'],
      ['shop/web > dev/tool tcp 80', 'allow', shop, dev, 'another namespace is not'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, 'GlobalNetworkPolicy h#0', 'the service account is selected'],
      ['shop/web > shop/cache tcp 6379', 'allow', shop, shop, 'another service account is not'],
    ],
  },
  {
    about: 'labels that Calico sets',
    given: [
      globalOnDb(
        { selector: "projectcalico.org/namespace == 'ops'" },
        { selector: "projectcalico.org/serviceaccount == 'web-sa'" },
        { selector: "projectcalico.org/orchestrator == 'openstack'" },
      ),
    ],
    flows: [
      ['ops/prom > shop/db tcp 5432', 'allow', ops, globalRule(0), 'the namespace as a label'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, globalRule(1), 'the service account as a label'],
      ['dev/tool > shop/db tcp 5432', 'deny', dev, endOfDefault, 'the orchestrator is k8s'],
    ],
  },
  {
    about: 'services as destinations',
    given: [
      np('shop', 'p', {
        selector: "app == 'web'",
        types: ['Egress'],
        egress: [{ action: 'Allow', destination: { services: { name: 'db', namespace: 'shop' } } }],
      }),
      slice('db', 'db-1', ['10.60.1.20', '192.0.2.7'], [['TCP', 5432]]),
      slice('other', 'other-1', ['10.60.2.30'], [['TCP', 6379]]),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', rule(0), shop, 'an endpoint with its port, ready or not'],
      ['shop/web > shop/db tcp 9090', 'deny', endOfDefault, shop, 'another port of the endpoint'],
      ['shop/web > shop/db udp 5432', 'deny', endOfDefault, shop, 'another protocol'],
      ['shop/web > 192.0.2.7 tcp 5432', 'allow', rule(0), '-', 'an endpoint outside the cluster'],
      ['shop/web > shop/cache tcp 6379', 'deny', endOfDefault, shop, 'an endpoint of another service'],
    ],
  },
  {
    about: 'services as sources',
    given: [
      np('shop', 'p', {
        selector: "app == 'db'",
        types: ['Ingress'],
        ingress: [{ action: 'Allow', source: { services: { name: 'web' } } }],
      }),
      slice('web', 'web-1', ['10.60.1.10'], [['TCP', 8080]]),
    ],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        rule(0),
        'an endpoint, whatever its port; the namespace is that of the policy',
      ],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'no endpoint'],
    ],
  },
  {
    about: 'host endpoints have labels and addresses too',
    given: [
      globalOnDb({ selector: "role == 'node'" }),
      hostEndpoint(
        'n2',
        { role: 'node' },
        { node: 'n2', expectedIPs: ['10.0.0.2'], profiles: ['projectcalico-default-allow'] },
      ),
      hostEndpoint(
        'n2-tunnel',
        { role: 'node' },
        { node: 'n2', expectedIPs: ['10.60.2.1'], profiles: ['projectcalico-default-allow'] },
      ),
    ],
    flows: [
      ['10.0.0.2 > shop/db tcp 5432', 'allow', '-', globalRule(0), 'an expected address of a host endpoint'],
      ['node/n2 > shop/db tcp 5432', 'allow', '-', globalRule(0), 'all addresses of the node are expected ones'],
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'another address'],
    ],
  },
  {
    about: 'operators of selectors',
    given: [
      gnp('g', {
        selector: "app == 'db'",
        types: ['Ingress'],
        ingress: [
          { action: 'Deny', source: { selector: "app starts with 'to'" } },
          { action: 'Deny', source: { selector: "app contains 'ach'" } },
          { action: 'Allow', source: { selector: "!has(layer) && app not in { 'web' }" } },
          { action: 'Allow', source: { selector: "layer ends with 'nt' || zone == 'x'" } },
        ],
      }),
    ],
    flows: [
      ['dev/tool > shop/db tcp 5432', 'deny', dev, globalRule(0), 'starts with'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, globalRule(1), 'contains'],
      ['ops/prom > shop/db tcp 5432', 'allow', ops, globalRule(2), 'not has, not in'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, globalRule(3), 'ends with, or'],
    ],
  },
];
