// calictl policy effective over folders: the order of evaluation, documents, and what is refused.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  anp,
  banp,
  baseObjects,
  gnp,
  hostEndpoint,
  knp,
  np,
  pod,
  stagedGnp,
  tier,
} from '../../support/clusters/policy-objects.ts';
import { run } from '../../support/program/world.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'examples', 'shop-policies');

interface Shown {
  readonly tiers: readonly {
    readonly name: string;
    readonly policies: readonly { readonly kind: string; readonly name: string; readonly staged: boolean }[];
  }[];
  readonly profiles: readonly { readonly name: string }[];
}

async function order(
  line: string,
  objects: Parameters<typeof run>[1],
): Promise<Record<'ingress' | 'egress', string[]>> {
  const { stdout } = await run(`policy effective ${line} -o json`, objects);
  const document = JSON.parse(stdout) as Record<'ingress' | 'egress', Shown>;
  const of = ({ tiers, profiles }: Shown): string[] => [
    ...tiers.flatMap(({ name, policies }) =>
      policies.map((policy) => `${name}: ${policy.kind} ${policy.name}${policy.staged ? ' (staged)' : ''}`),
    ),
    ...profiles.map(({ name }) => `profile ${name}`),
  ];
  return { ingress: of(document.ingress), egress: of(document.egress) };
}

const all = { selector: 'all()', types: ['Ingress', 'Egress'] };

describe('calictl policy effective', () => {
  it('policy effective prints tiers, policies and rules in the order of evaluation', async () => {
    const { code, stdout, stderr } = await run('policy effective shop/db', { folder, columns: 100 });
    expect(stdout.split('\n').slice(0, 17)).toEqual([
      'shop/db on node node-b (10.60.2.20)',
      'profiles: kns.shop, ksa.shop.default',
      '',
      'ingress',
      '  tier security (order 100, ends with Deny)',
      "    GlobalNetworkPolicy security.environments (order 10) for namespace env == 'prod'",
      "      0 Deny from namespace env == 'test'",
      '      1 Pass',
      '  tier default (order 1000000, ends with Deny)',
      "    NetworkPolicy shop/db (order 100) for app == 'db'",
      "      0 Allow TCP from app == 'web', namespace shop to ports pg",
      "      1 Allow TCP from service account prometheus, namespace projectcalico.org/name == 'monitoring' to ports metrics",
      '    KubernetesNetworkPolicy shop/default-deny (order 1000) for all pods',
      '      no rules',
      '  profile kns.shop',
      '    0 Allow',
      '  profile ksa.shop.default',
    ]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('policy effective has all kinds of policies in their order, staged ones in their place', async () => {
    const objects = [
      ...baseObjects,
      tier('security', 100),
      np('shop', 'none', all),
      np('shop', 'b', { order: 5, ...all, types: ['Ingress'] }),
      np('shop', 'a', { order: 5, ...all, types: ['Ingress'] }),
      gnp('z', { order: 5, ...all }),
      gnp('security.s', { tier: 'security', ...all }),
      stagedGnp('q', { order: 6, ...all }),
      knp('shop', 'k', { podSelector: {}, policyTypes: ['Ingress'] }),
      anp('admin', {
        priority: 3,
        subject: { namespaces: {} },
        ingress: [{ action: 'Pass', from: [{ namespaces: {} }] }],
      }),
      banp({ subject: { namespaces: {} }, egress: [{ action: 'Deny', to: [{ namespaces: {} }] }] }),
      gnp('other', { ...all, selector: "app == 'other'" }),
      gnp('raw', { ...all, doNotTrack: true, applyOnForward: true }),
      gnp('nat', { ...all, types: ['Ingress'], preDNAT: true, applyOnForward: true }),
    ];
    expect(await order('db -n shop', { objects })).toEqual({
      ingress: [
        'security: GlobalNetworkPolicy security.s',
        'adminnetworkpolicy: AdminNetworkPolicy admin',
        'default: GlobalNetworkPolicy z',
        'default: NetworkPolicy a',
        'default: NetworkPolicy b',
        'default: StagedGlobalNetworkPolicy q (staged)',
        'default: KubernetesNetworkPolicy k',
        'default: NetworkPolicy none',
        'profile kns.shop',
        'profile ksa.shop.db-sa',
      ],
      egress: [
        'security: GlobalNetworkPolicy security.s',
        'default: GlobalNetworkPolicy z',
        'default: StagedGlobalNetworkPolicy q (staged)',
        'default: NetworkPolicy none',
        'baselineadminnetworkpolicy: BaselineAdminNetworkPolicy default',
        'profile kns.shop',
        'profile ksa.shop.db-sa',
      ],
    });
  });

  it('policy effective -o yaml says the same as -o json', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((format) => run(`policy effective shop/web -o ${format}`, { folder })),
    );
    expect(parseYaml(yaml?.stdout ?? '')).toEqual(JSON.parse(json?.stdout ?? ''));
  });

  it('policy effective of a node shows its host endpoints, with doNotTrack and preDNAT policies apart', async () => {
    const onHosts = { selector: "role == 'node'", types: ['Ingress'], ingress: [{ action: 'Allow' }] };
    const objects = [
      ...baseObjects,
      hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', interfaceName: 'eth0' }),
      gnp('raw', { ...onHosts, doNotTrack: true, applyOnForward: true }),
      gnp('nat', { ...onHosts, preDNAT: true, applyOnForward: true }),
      gnp('forward', { ...onHosts, applyOnForward: true }),
    ];
    const { code, stdout } = await run('policy effective node/n1', { objects });
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => /^\w|Policy /.test(line))).toEqual([
      'host endpoint n1-eth0 on node n1',
      'ingress, doNotTrack policies',
      "    GlobalNetworkPolicy raw (no order, doNotTrack, applyOnForward) for role == 'node'",
      'ingress, preDNAT policies',
      "    GlobalNetworkPolicy nat (no order, preDNAT, applyOnForward) for role == 'node'",
      'ingress',
      "    GlobalNetworkPolicy forward (no order, applyOnForward) for role == 'node'",
      'egress',
      'not read: the directory holds no EndpointSlice objects',
    ]);
  });

  it('policy effective of a pod without address shows what will apply to it', async () => {
    const objects = [
      ...baseObjects,
      pod('shop/starting', { labels: { app: 'db' }, node: 'n1', ips: [] }),
      np('shop', 'p', { selector: "app == 'db'" }),
    ];
    const { code, stdout } = await run('policy effective shop/starting', { objects });
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'shop/starting on node n1']);
    expect(stdout).toContain('NetworkPolicy shop/p');
  });

  it('policy effective ends with 5 when it is not known whether a policy applies', async () => {
    const objects = [
      ...baseObjects.filter(({ kind }) => kind !== 'Namespace'),
      gnp('g', { namespaceSelector: "env == 'prod'" }),
    ];
    const { code, stdout } = await run('policy effective shop/db', { objects });
    expect(code).toBe(5);
    expect(stdout).toContain('it is not known whether it applies: the labels of namespace shop are not known');
  });

  it('policy effective ends with 5 when the directory holds no policies', async () => {
    const { code, stdout } = await run('policy effective shop/db', { objects: baseObjects });
    expect(code).toBe(5);
    expect(stdout).toContain('not known: the directory holds no NetworkPolicy objects');
  });

  it.each<[string, number, string]>([
    ['shop/ghost', 1, 'pod shop/ghost does not exist'],
    ['ghost', 1, 'pod default/ghost does not exist'],
    ['ops/agent', 2, 'pod ops/agent uses the network of its node'],
    ['shop/job', 2, 'pod shop/job has ended'],
    ['node/n2', 1, 'node n2 has no host endpoint'],
    ['node/ghost', 1, 'node ghost does not exist'],
  ])('policy effective refuses %s', async (name, code, message) => {
    const ran = await run(`policy effective ${name}`, { objects: [...baseObjects, np('shop', 'p', {})] });
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});
