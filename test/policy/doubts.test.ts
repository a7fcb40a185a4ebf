// What was not read or not said leads to a doubt where the verdict depends on it, and only there.
import { describe, expect, it } from 'vitest';
import { Cluster } from '../../src/policy/cluster.ts';
import type { ObjectList, PolicyObjects } from '../../src/policy/cluster-objects.ts';
import { endNamed } from '../../src/policy/ends.ts';
import { type FlowQuestion, flowVerdict } from '../../src/policy/flow-verdict.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import {
  anp,
  baseObjects,
  gnp,
  hostEndpoint,
  knp,
  np,
  policyObjects,
  tier,
} from '../support/clusters/policy-objects.ts';

const tcp: FlowQuestion = { protocol: 'tcp', port: 5432 };

function judged(
  given: readonly KubeObject[],
  unread: readonly ObjectList[],
  question: FlowQuestion = tcp,
  [source, destination] = ['shop/web', 'shop/db'],
) {
  const all = policyObjects([...baseObjects, ...given]);
  const objects = { ...all, ...Object.fromEntries(unread.map((list) => [list, []])) } as PolicyObjects;
  const cluster = new Cluster(objects, new Map(unread.map((list) => [list, `${list} were not read`])));
  const { verdict, doubts } = flowVerdict(
    cluster,
    endNamed(cluster, source),
    endNamed(cluster, destination),
    question,
    4,
  );
  return [verdict, ...doubts];
}

const allowDb = (selector: string, more: object = {}) =>
  np('shop', 'p', {
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: [{ action: 'Allow', source: { selector, ...more } }],
  });

describe('what was not read', () => {
  it.each<[ObjectList, string]>([
    ['networkPolicies', 'allow'],
    ['globalNetworkPolicies', 'allow'],
    ['kubernetesNetworkPolicies', 'allow'],
    ['adminNetworkPolicies', 'allow'],
    ['baselineAdminNetworkPolicies', 'allow'],
    ['clusterNetworkPolicies', 'allow'],
  ])('a verdict without policies is not certain when %s were not read', (list, verdict) => {
    expect(judged([], [list])).toEqual([verdict, `${list} were not read`]);
  });

  it.each<ObjectList>([
    'stagedNetworkPolicies',
    'stagedGlobalNetworkPolicies',
    'stagedKubernetesNetworkPolicies',
    'felixConfigurations',
    'tiers',
    'profiles',
    'endpointSlices',
    'networkSets',
    'hostEndpoints',
    'serviceAccounts',
    'namespaces',
  ])('a verdict without policies does not rest on %s', (list) => {
    expect(judged([], [list])).toEqual(['allow']);
  });

  it('a Kubernetes policy that was not read can only allow: before an Allow it changes nothing', () => {
    const open = np('shop', 'p', {
      order: 2000,
      selector: 'all()',
      types: ['Ingress', 'Egress'],
      ingress: [{ action: 'Allow' }],
      egress: [{ action: 'Allow' }],
    });
    expect(judged([open], ['kubernetesNetworkPolicies'])).toEqual(['allow']);
  });

  it('a Kubernetes policy that was not read may allow what a later policy denies', () => {
    const close = np('shop', 'p', {
      order: 2000,
      selector: 'all()',
      types: ['Ingress'],
      ingress: [{ action: 'Deny' }],
    });
    expect(judged([close], ['kubernetesNetworkPolicies'])).toEqual(['deny', 'kubernetesNetworkPolicies were not read']);
  });

  it('a Kubernetes policy that was not read cannot change what an earlier policy decided', () => {
    const both = { order: 10, selector: 'all()', types: ['Ingress', 'Egress'] };
    const deny = np('shop', 'p', { ...both, ingress: [{ action: 'Deny' }], egress: [{ action: 'Allow' }] });
    expect(judged([deny], ['kubernetesNetworkPolicies'])).toEqual(['deny']);
  });

  it('a side that certainly denies decides, whatever is not known of the other', () => {
    const denied = [
      knp('shop', 'k', { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Egress'] }),
      allowDb("app == 'web'", { namespaceSelector: "team == 'a'" }),
    ];
    expect(judged(denied, ['namespaces'])).toEqual(['deny']);
  });

  it('labels of a namespace matter only where a selector looks at them', () => {
    const byTeam = allowDb("app == 'web'", { namespaceSelector: "team == 'a'" });
    const byName = allowDb("app == 'web'", { namespaceSelector: "projectcalico.org/name == 'shop'" });
    const byKubernetesName = allowDb("app == 'web'", { namespaceSelector: "kubernetes.io/metadata.name == 'shop'" });
    const notSelected = allowDb("app == 'other'", { namespaceSelector: "team == 'a'" });
    expect(judged([byTeam], ['namespaces'])).toEqual(['deny', 'namespaces were not read']);
    expect(judged([byName], ['namespaces'])).toEqual(['allow']);
    expect(judged([byKubernetesName], ['namespaces'])).toEqual(['allow']);
    expect(judged([notSelected], ['namespaces'])).toEqual(['deny']);
  });

  it('network sets that were not read may contain an address that no selector matched', () => {
    expect(judged([allowDb("app == 'other'")], ['networkSets'])).toEqual(['deny', 'networkSets were not read']);
    expect(judged([allowDb("app == 'web'")], ['networkSets'])).toEqual(['allow']);
  });

  it('network sets do not matter for Kubernetes policies', () => {
    const k = knp('shop', 'k', {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'other' } } }] }],
    });
    expect(judged([k], ['networkSets', 'globalNetworkSets'])).toEqual(['deny']);
  });

  it('labels of service accounts matter only for selectors on them', () => {
    const byLabel = allowDb('all()', { serviceAccounts: { selector: "role == 'frontend'" } });
    const byName = allowDb('all()', { serviceAccounts: { names: ['web-sa'] } });
    expect(judged([byLabel], ['serviceAccounts'])).toEqual(['deny', 'serviceAccounts were not read']);
    expect(judged([byName], ['serviceAccounts'])).toEqual(['allow']);
  });

  it('services matter for rules that name one', () => {
    const p = np('shop', 'p', {
      selector: "app == 'web'",
      types: ['Egress'],
      egress: [{ action: 'Allow', destination: { services: { name: 'db' } } }],
    });
    expect(judged([p], ['endpointSlices'])).toEqual(['deny', 'endpointSlices were not read']);
  });

  it('a policy in a tier that was not read has no known place', () => {
    const inTier = gnp('security.g', {
      tier: 'security',
      selector: 'all()',
      types: ['Ingress'],
      ingress: [{ action: 'Allow' }],
    });
    expect(judged([tier('security', 1), inTier], ['tiers'])).toEqual(['allow', 'tiers were not read']);
    const inDefault = gnp('g', { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Allow' }] });
    expect(judged([inDefault], ['tiers'])).toEqual(['allow']);
  });

  it('AdminNetworkPolicies that were not read do not matter behind an earlier tier that decides', () => {
    const first = gnp('first.g', {
      tier: 'first',
      selector: 'all()',
      types: ['Ingress', 'Egress'],
      ingress: [{ action: 'Allow' }],
      egress: [{ action: 'Allow' }],
    });
    expect(judged([tier('first', 5), first], ['adminNetworkPolicies'])).toEqual(['allow']);
    const late = gnp('late.g', {
      tier: 'late',
      selector: 'all()',
      types: ['Ingress', 'Egress'],
      ingress: [{ action: 'Allow' }],
      egress: [{ action: 'Allow' }],
    });
    expect(judged([tier('late', 5000), late], ['adminNetworkPolicies'])).toEqual([
      'allow',
      'adminNetworkPolicies were not read',
    ]);
  });
});

describe('what was not said', () => {
  const ports = np('shop', 'p', {
    selector: "app == 'db'",
    types: ['Ingress'],
    ingress: [{ action: 'Allow', protocol: 'TCP', destination: { ports: [5432] } }],
  });

  it('without a port rules on ports are not judged', () => {
    expect(judged([ports], [], { protocol: 'tcp' })).toEqual([
      'deny',
      'a port decides, and none was specified: use --port',
    ]);
    expect(judged([ports], [], { protocol: 'udp' })).toEqual(['deny']);
    expect(judged([], [], { protocol: 'tcp' })).toEqual(['allow']);
  });

  it('without a source port rules on it are not judged', () => {
    const fromPort = np('shop', 'p', {
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Deny', protocol: 'TCP', source: { ports: [1000] } }, { action: 'Allow' }],
    });
    expect(judged([fromPort], [])).toEqual(['allow', 'a port decides, and none was specified: use --port']);
    expect(judged([fromPort], [], { ...tcp, sourcePort: 1000 })).toEqual(['deny']);
    expect(judged([fromPort], [], { ...tcp, sourcePort: 1001 })).toEqual(['allow']);
  });
});

describe('what has no meaning', () => {
  it.each<[string, object]>([
    ['a selector', { selector: 'app = db', types: ['Ingress'], ingress: [{ action: 'Deny' }] }],
    [
      'a selector in a rule',
      { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny', source: { selector: 'x' } }] },
    ],
    ['an action', { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Drop' }] }],
    [
      'a net',
      { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny', source: { nets: ['10.0.0.0/40'] } }] },
    ],
    [
      'ports without a protocol',
      { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny', destination: { ports: [5432] } }] },
    ],
    ['a protocol', { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny', protocol: 'TPC' }] }],
    [
      'a range of ports',
      {
        selector: 'all()',
        types: ['Ingress'],
        ingress: [{ action: 'Deny', protocol: 'TCP', destination: { ports: ['9:1'] } }],
      },
    ],
  ])('%s that is not valid makes the policy one that is not judged', (_, spec) => {
    const [verdict, doubt] = judged([np('shop', 'odd', spec)], []);
    expect([verdict, doubt?.replace(/: .*/, '')]).toEqual(['allow', 'NetworkPolicy shop/odd']);
  });

  it('such a policy of another namespace does not matter', () => {
    expect(judged([np('dev', 'odd', { selector: 'app = db' })], [])).toEqual(['allow']);
  });

  it('an AdminNetworkPolicy without subject is not judged', () => {
    expect(judged([anp('a', { priority: 1, ingress: [] })], [])).toEqual([
      'allow',
      'AdminNetworkPolicy a: it has no subject',
    ]);
  });
});

describe('what depends on the way of a flow', () => {
  const closed = hostEndpoint('n2-eth9', { role: 'node' }, { node: 'n2', interfaceName: 'eth9' });

  it('a host endpoint of an interface that the flow may not use makes the verdict uncertain', () => {
    expect(judged([closed], [], tcp, ['192.0.2.7', 'node/n2'])).toEqual([
      'allow',
      'host endpoint n2-eth9 of node n2 denies it if the flow uses its interface',
    ]);
  });

  it('an applyOnForward policy of a host endpoint on the way makes the verdict uncertain when it denies', () => {
    const forward = gnp('f', {
      selector: "role == 'node'",
      applyOnForward: true,
      types: ['Ingress'],
      ingress: [{ action: 'Deny' }],
    });
    expect(judged([closed, forward], [], tcp, ['192.0.2.7', 'dev/tool'])).toEqual([
      'allow',
      'host endpoint n2-eth9 of node n2 denies it if the flow uses its interface',
    ]);
    expect(judged([closed], [], tcp, ['192.0.2.7', 'dev/tool'])).toEqual(['allow']);
  });

  it('a node may send from the address of its tunnel, for which another rule fits', () => {
    const byNet = np('shop', 'p', {
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Allow', source: { nets: ['10.0.0.0/24'] } }],
    });
    expect(judged([byNet], [], tcp, ['node/n2', 'shop/db'])).toEqual([
      'allow',
      'node n2 may send from 10.60.2.1, for which the verdict is deny',
    ]);
    expect(judged([byNet], [], tcp, ['10.0.0.2', 'shop/db'])).toEqual(['allow']);
  });
});
