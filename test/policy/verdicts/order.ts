// Tiers and the order of policies. Calico's documentation: "Tier", "Policy ordering"; Felix for ties.
import { gnp, knp, np, tier } from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, ops, type PolicyCase, shop } from './case.ts';

const onDb = (name: string, order: number | undefined, action: string, more: object = {}) =>
  np('shop', name, {
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: [{ action }],
    ...(order === undefined ? {} : { order }),
    ...more,
  });
const inTier = (tierName: string, name: string, spec: object) =>
  gnp(`${tierName}.${name}`, { tier: tierName, types: ['Ingress'], ...spec });

export const order: readonly PolicyCase[] = [
  {
    about: 'policies by order',
    given: [onDb('a', 20, 'Deny'), onDb('b', 10, 'Allow')],
    flows: [['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/b#0', 'the lower order is first']],
  },
  {
    about: 'order 0 and fractions',
    given: [onDb('a', 0.5, 'Deny'), onDb('b', 0, 'Allow')],
    flows: [['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/b#0', '0 is an order']],
  },
  {
    about: 'no order',
    given: [onDb('a', undefined, 'Deny'), onDb('b', 1_000_000, 'Allow')],
    flows: [['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/b#0', 'no order comes last']],
  },
  {
    about: 'negative order',
    given: [onDb('a', 0, 'Deny'), onDb('b', -5, 'Allow')],
    flows: [['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/b#0', 'a negative order is before 0']],
  },
  {
    about: 'ties by name as text',
    given: [onDb('policy-9', 10, 'Deny'), onDb('policy-10', 10, 'Allow')],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/policy-10#0', 'policy-10 is before policy-9'],
    ],
  },
  {
    about: 'ties between a global and a namespaced policy',
    given: [
      onDb('a', 10, 'Deny'),
      gnp('z', { order: 10, selector: "app == 'db'", types: ['Ingress'], ingress: [{ action: 'Allow' }] }),
    ],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        'GlobalNetworkPolicy z#0',
        'the key default.z is before shop/default.a',
      ],
    ],
  },
  {
    about: 'Kubernetes policies stand at 1000',
    given: [
      knp('shop', 'k', { podSelector: { matchLabels: { app: 'db' } }, ingress: [{ ports: [{ port: 5432 }] }] }),
      onDb('early', 999, 'Deny', { ingress: [{ action: 'Deny', source: { selector: "app == 'cache'" } }] }),
      onDb('late', 1001, 'Deny'),
    ],
    flows: [
      ['shop/cache > shop/db tcp 5432', 'deny', shop, 'NetworkPolicy shop/early#0', 'a policy before it'],
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        'KubernetesNetworkPolicy shop/k#0',
        'the Kubernetes policy itself',
      ],
      [
        'shop/web > shop/db tcp 80',
        'deny',
        shop,
        'NetworkPolicy shop/late#0',
        'a policy after it, though it selected the pod',
      ],
    ],
  },
  {
    about: 'a tie with a Kubernetes policy',
    given: [knp('shop', 'a', { podSelector: {}, ingress: [{}] }), onDb('z', 1000, 'Deny')],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'deny',
        shop,
        'NetworkPolicy shop/z#0',
        'shop/default.z is before shop/knp.default.a',
      ],
    ],
  },
  {
    about: 'a policy in which nothing fits',
    given: [
      onDb('a', 10, 'Deny', { ingress: [{ action: 'Deny', protocol: 'UDP' }] }),
      onDb('b', 20, 'Allow', { ingress: [{ action: 'Allow', protocol: 'TCP' }] }),
    ],
    flows: [
      ['shop/web > shop/db udp 53', 'deny', shop, 'NetworkPolicy shop/a#0', 'the first decides'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/b#0', 'it falls through to the second'],
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'and behind it the tier ends'],
    ],
  },
  {
    about: 'tiers by order',
    given: [
      tier('security', 100),
      tier('platform', 200),
      inTier('platform', 'open', { selector: 'all()', ingress: [{ action: 'Allow' }] }),
      inTier('security', 'close', { selector: "app == 'db'", ingress: [{ action: 'Deny' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', shop, 'GlobalNetworkPolicy security.close#0', 'the lower order is first'],
      [
        'shop/web > shop/cache tcp 6379',
        'allow',
        shop,
        'GlobalNetworkPolicy platform.open#0',
        'a tier without a policy for the pod is skipped',
      ],
    ],
  },
  {
    about: 'the end of a tier',
    given: [
      tier('security', 100),
      inTier('security', 'some', { selector: "app == 'db'", ingress: [{ action: 'Allow', protocol: 'TCP' }] }),
      onDb('a', 10, 'Allow'),
    ],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        'GlobalNetworkPolicy security.some#0',
        'Allow ends the evaluation',
      ],
      ['shop/web > shop/db udp 53', 'deny', shop, 'TierDefault security', 'what fits nothing in the tier is denied'],
      ['shop/db > shop/web tcp 8080', 'allow', shop, shop, 'not in the direction that the tier does not govern'],
    ],
  },
  {
    about: 'a tier that passes by default',
    given: [
      tier('security', 100, 'Pass'),
      inTier('security', 'some', { selector: "app == 'db'", ingress: [{ action: 'Deny', protocol: 'UDP' }] }),
      onDb('a', 10, 'Allow', { ingress: [{ action: 'Allow', protocol: 'TCP' }] }),
    ],
    flows: [
      ['shop/web > shop/db udp 53', 'deny', shop, 'GlobalNetworkPolicy security.some#0', 'a rule of it still denies'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/a#0', 'its end leads to the next tier'],
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'where the end denies'],
    ],
  },
  {
    about: 'Pass',
    given: [
      tier('security', 100),
      inTier('security', 'a', {
        order: 1,
        selector: "app == 'db'",
        ingress: [{ action: 'Pass', source: { selector: "app == 'web'" } }],
      }),
      inTier('security', 'b', { order: 2, selector: "app == 'db'", ingress: [{ action: 'Deny' }] }),
      onDb('x', 10, 'Allow', { ingress: [{ action: 'Allow', protocol: 'TCP' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/x#0', 'it skips the rest of the tier'],
      ['shop/web > shop/db udp 53', 'deny', shop, endOfDefault, 'the next tier may deny'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, 'GlobalNetworkPolicy security.b#0', 'others go on in the tier'],
    ],
  },
  {
    about: 'Pass in the default tier',
    given: [
      gnp('g', { order: 10, selector: "app == 'db'", types: ['Ingress'], ingress: [{ action: 'Pass' }] }),
      knp('shop', 'close', { podSelector: {}, policyTypes: ['Ingress'] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, shop, 'it skips Kubernetes policies and leads to the profiles'],
      ['shop/web > shop/cache tcp 6379', 'deny', shop, endOfDefault, 'other pods are closed'],
    ],
  },
  {
    about: 'tiers of one order and without order',
    given: [
      tier('beta', 100),
      tier('alpha', 100),
      tier('last'),
      inTier('beta', 'x', { selector: "app == 'db'", ingress: [{ action: 'Deny' }] }),
      inTier('alpha', 'x', { selector: "app == 'db'", ingress: [{ action: 'Allow' }] }),
      inTier('last', 'x', { selector: "app == 'cache'", ingress: [{ action: 'Allow' }] }),
      gnp('d', { selector: "app == 'cache'", types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'GlobalNetworkPolicy alpha.x#0', 'ties by name'],
      [
        'shop/web > shop/cache tcp 6379',
        'deny',
        shop,
        'GlobalNetworkPolicy d#0',
        'a tier without order is after the default tier',
      ],
    ],
  },
  {
    about: 'a tier that does not exist',
    given: [
      inTier('ghost', 'x', { selector: "app == 'db'", ingress: [{ action: 'Deny' }] }),
      tier('some', 5_000_000),
      inTier('some', 'x', { selector: "app == 'db'", ingress: [{ action: 'Allow' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'GlobalNetworkPolicy some.x#0', 'it comes after all that exist'],
    ],
  },
  {
    about: 'Allow in an early tier',
    given: [
      tier('security', 100),
      inTier('security', 'open', {
        selector: 'all()',
        ingress: [{ action: 'Allow', source: { nets: ['10.60.1.10/32'] } }, { action: 'Pass' }],
      }),
      knp('shop', 'close', { podSelector: {}, policyTypes: ['Ingress'] }),
    ],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        'GlobalNetworkPolicy security.open#0',
        'later tiers cannot take it back',
      ],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'what is passed on is for them to decide'],
      ['shop/web > ops/prom tcp 9090', 'allow', shop, 'GlobalNetworkPolicy security.open#0', 'in every namespace'],
      ['dev/tool > ops/prom tcp 9090', 'allow', dev, ops, 'passed on to no policy: the profile'],
    ],
  },
  {
    about: 'policies that only hosts know',
    given: [
      gnp('raw', {
        selector: 'all()',
        doNotTrack: true,
        applyOnForward: true,
        types: ['Ingress', 'Egress'],
        ingress: [{ action: 'Deny' }],
        egress: [{ action: 'Deny' }],
      }),
      gnp('nat', {
        selector: 'all()',
        preDNAT: true,
        applyOnForward: true,
        types: ['Ingress'],
        ingress: [{ action: 'Deny' }],
      }),
      gnp('forward', {
        selector: "app == 'db'",
        applyOnForward: true,
        types: ['Ingress'],
        ingress: [{ action: 'Allow', protocol: 'TCP' }],
      }),
    ],
    flows: [
      ['shop/web > shop/cache tcp 6379', 'allow', shop, shop, 'doNotTrack and preDNAT never touch workloads'],
      [
        'shop/web > shop/db tcp 5432',
        'allow',
        shop,
        'GlobalNetworkPolicy forward#0',
        'applyOnForward alone is an ordinary policy',
      ],
      ['shop/web > shop/db udp 53', 'deny', shop, endOfDefault, 'with an end of its tier'],
    ],
  },
];
