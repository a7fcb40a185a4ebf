// calictl policy test over folders: verdicts, documents, exit codes, what a folder lacks, and what is refused.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';
import { baseObjects, gnp, knp, np, pod, stagedNp, tier } from '../../support/clusters/policy-objects.ts';
import { type RunOptions, run } from '../../support/program/world.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'examples', 'shop-policies');
const withBase = (...objects: KubeObject[]): RunOptions => ({ objects: [...baseObjects, ...objects] });
const closeShop = knp('shop', 'close', { podSelector: {}, policyTypes: ['Ingress'] });

interface Document {
  readonly verdict: string;
  readonly partial: boolean;
  readonly egress: { readonly decidedBy: object; readonly staged?: readonly object[] } | null;
  readonly ingress: { readonly decidedBy: object; readonly staged?: readonly object[] } | null;
  readonly doubts: readonly string[];
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
}

async function tested(line: string, options: RunOptions): Promise<{ code: number; document: Document }> {
  const { code, stdout } = await run(`policy test ${line} -o json`, options);
  return { code, document: JSON.parse(stdout) as Document };
}

describe('calictl policy test', () => {
  it('policy test prints the verdict, who decides on each side, and what was looked at before', async () => {
    const { code, stdout, stderr } = await run('policy test shop/web shop/db --proto tcp --port 5432', {
      folder,
      columns: 80,
    });
    expect(stdout.split('\n')).toEqual([
      'allowed: TCP port 5432',
      '  from shop/web (10.60.1.10)',
      '  to   shop/db (10.60.2.20)',
      '',
      'egress of shop/web: allow',
      '  Profile kns.shop, rule 0: Allow',
      '  staged, not enforced:',
      '    StagedNetworkPolicy shop/web-egress, rule 0: would allow',
      'ingress of shop/db: allow',
      '  NetworkPolicy shop/db of tier default, rule 0: Allow',
      '  before it:',
      '    GlobalNetworkPolicy security.environments of tier security: rule 1 passes to the next tier',
      '',
      'not read, and not needed here: EndpointSlice, ServiceAccount',
      '',
    ]);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('policy test wraps its text at 80 columns on a terminal', async () => {
    const { stdout } = await run('policy test monitoring/prometheus shop/db --proto tcp --port 5432', {
      folder,
      terminal: true,
      columns: 80,
    });
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
    const widest = Math.max(
      ...stdout
        .replaceAll(escapes, '')
        .split('\n')
        .map((line) => line.length),
    );
    expect(widest).toBeLessThanOrEqual(80);
    expect(widest).toBeGreaterThan(60);
  });

  it('policy test -o json has the verdict and the deciding rule of each side, and ends with 3 when denied', async () => {
    const { code, document } = await tested('dev/tool shop/db --protocol tcp --port 5432', withBase(closeShop));
    expect(code).toBe(3);
    expect(document).toMatchObject({
      apiVersion: 'calictl/v1',
      kind: 'PolicyVerdict',
      verdict: 'deny',
      partial: false,
      egress: {
        verdict: 'allow',
        decidedBy: { kind: 'Profile', tier: null, namespace: null, name: 'kns.dev', rule: 0, action: 'Allow' },
      },
      ingress: {
        verdict: 'deny',
        decidedBy: { kind: 'TierDefault', tier: 'default', namespace: null, name: null, rule: null, action: 'Deny' },
      },
    });
  });

  it('policy test -o json has null for a side that is not a workload', async () => {
    const { code, document } = await tested('192.0.2.7 shop/db --proto tcp --port 5432', withBase(closeShop));
    expect([code, document.egress, document.verdict]).toEqual([3, null, 'deny']);
  });

  it('policy test -o yaml says the same as -o json', async () => {
    const line = 'policy test shop/web shop/db --proto tcp --port 5432';
    const [json, yaml] = await Promise.all([run(`${line} -o json`, { folder }), run(`${line} -o yaml`, { folder })]);
    expect(parseYaml(yaml.stdout)).toEqual(JSON.parse(json.stdout));
  });

  it('policy test names what decided among all kinds of policies', async () => {
    const policies = [
      tier('security', 100),
      gnp('security.g', {
        tier: 'security',
        selector: "app == 'cache'",
        types: ['Ingress'],
        ingress: [{ action: 'Deny' }],
      }),
      np('shop', 'p', {
        selector: "app == 'web'",
        types: ['Ingress'],
        ingress: [{ action: 'Log' }, { action: 'Allow' }],
      }),
      knp('shop', 'k', { podSelector: { matchLabels: { app: 'db' } }, ingress: [{ ports: [{ port: 1 }] }, {}] }),
    ];
    const decided = async (destination: string): Promise<object | undefined> =>
      (await tested(`dev/tool ${destination} --proto tcp --port 5432`, withBase(...policies))).document.ingress
        ?.decidedBy;
    const common = { tier: 'default', namespace: 'shop', rule: 1, action: 'Allow' };
    expect(await decided('shop/cache')).toEqual({
      kind: 'GlobalNetworkPolicy',
      tier: 'security',
      namespace: null,
      name: 'security.g',
      rule: 0,
      action: 'Deny',
    });
    expect(await decided('shop/web')).toEqual({ kind: 'NetworkPolicy', name: 'p', ...common });
    expect(await decided('shop/db')).toEqual({ kind: 'KubernetesNetworkPolicy', name: 'k', ...common });
  });

  it('policy test shows what staged policies would do, and does not count them', async () => {
    const staged = stagedNp('shop', 's', {
      selector: 'all()',
      types: ['Ingress'],
      ingress: [{ action: 'Deny', protocol: 'TCP' }],
    });
    const { code, document } = await tested(
      'shop/web shop/db --proto tcp --port 5432',
      withBase(staged, np('dev', 'x', {})),
    );
    expect(code).toBe(0);
    expect(document.ingress?.staged).toEqual([
      { kind: 'StagedNetworkPolicy', tier: 'default', namespace: 'shop', name: 's', rule: 0, action: 'Deny' },
    ]);
  });

  it('policy test takes pods by name with -n, and addresses and nodes all the same', async () => {
    const options = withBase(closeShop);
    expect((await run('policy test web db -n shop --proto tcp --port 5432', options)).code).toBe(3);
    expect((await run('policy test 10.60.1.10 db -n shop --proto tcp --port 5432', options)).code).toBe(3);
    expect((await run('policy test node/n1 db -n shop --proto tcp --port 5432', options)).code).toBe(0);
    expect((await run('policy test fd60::1:10 db -n shop --proto tcp --port 5432', options)).code).toBe(3);
  });

  it('policy test says when the other family has another verdict', async () => {
    const only4 = gnp('g', {
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Allow', ipVersion: 4 }],
    });
    const { stdout } = await run('policy test shop/web shop/db --proto tcp --port 5432', withBase(only4));
    expect(stdout).toContain('note: over IPv6 the verdict is deny');
  });

  it('policy test reads policies as Calico stores them', async () => {
    const stored: KubeObject = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'NetworkPolicy',
      metadata: {
        name: 'default.close',
        namespace: 'shop',
        annotations: { 'projectcalico.org/metadata': '{"name":"close","creationTimestamp":null}' },
      },
      spec: { tier: 'default', order: 1, selector: "app == 'db'", types: ['Ingress'], ingress: [{ action: 'Deny' }] },
    };
    const { document } = await tested('shop/web shop/db --proto tcp --port 5432', withBase(stored));
    expect(document.ingress?.decidedBy).toMatchObject({
      kind: 'NetworkPolicy',
      namespace: 'shop',
      name: 'close',
      rule: 0,
    });
  });

  it('policy test uses the labels that network sets keep in their annotation', async () => {
    const set: KubeObject = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'GlobalNetworkSet',
      metadata: {
        name: 'lab',
        annotations: { 'projectcalico.org/metadata': '{"labels":{"kind":"lab"},"creationTimestamp":null}' },
      },
      spec: { nets: ['192.0.2.0/24'] },
    };
    const fromLab = gnp('g', {
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Allow', source: { selector: "kind == 'lab'" } }],
    });
    expect((await run('policy test 192.0.2.7 shop/db --proto tcp --port 1', withBase(set, fromLab))).code).toBe(0);
    expect((await run('policy test 198.51.100.7 shop/db --proto tcp --port 1', withBase(set, fromLab))).code).toBe(3);
  });
});

describe('policy test on what a directory lacks', () => {
  const line = 'shop/web shop/db --proto tcp --port 5432';

  it('without any policy the verdict is not certain', async () => {
    const { code, document } = await tested(line, withBase());
    expect([code, document.verdict, document.partial]).toEqual([5, 'allow', true]);
    expect(document.doubts).toEqual([
      'the directory holds no GlobalNetworkPolicy objects',
      'the directory holds no KubernetesNetworkPolicy objects',
      'the directory holds no NetworkPolicy objects',
    ]);
  });

  it('a directory written by hand with policies is the whole cluster', async () => {
    expect(await tested(line, withBase(closeShop))).toMatchObject({
      code: 3,
      document: { partial: false, doubts: [] },
    });
  });

  it('a dump with one kind of policies may lack the others', async () => {
    const dumped = baseObjects.map((object, index) => ({
      ...object,
      metadata: { ...object.metadata, uid: `u-${index}` },
    }));
    const { code, document } = await tested(line, { objects: [...dumped, closeShop] });
    expect([code, document.verdict]).toEqual([5, 'deny']);
    expect(document.doubts).toEqual([
      'the directory holds no GlobalNetworkPolicy objects',
      'the directory holds no NetworkPolicy objects',
    ]);
  });

  it('a policy of a tier without Tier object has no known place', async () => {
    const lost = gnp('lost.g', {
      tier: 'lost',
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Allow' }],
    });
    const { code, document } = await tested(line, withBase(lost));
    expect([code, document.doubts]).toEqual([5, ['the directory holds no Tier lost, which a policy names']]);
  });

  it('a namespace without object has no known labels', async () => {
    const objects = baseObjects.filter(({ kind }) => kind !== 'Namespace');
    const byLabel = np('shop', 'p', {
      selector: "app == 'db'",
      types: ['Ingress'],
      ingress: [{ action: 'Allow', source: { namespaceSelector: "team == 'a'" } }],
    });
    const { code, document } = await tested(line, { objects: [...objects, byLabel] });
    expect([code, document.doubts]).toEqual([5, ['the labels of namespace shop are not known']]);
  });

  it('a policy with a field of the wrong type is not judged', async () => {
    const odd = np('shop', 'odd', { selector: 'all()', types: 'Ingress' });
    const { code, document } = await tested(line, withBase(odd, closeShop));
    expect(code).toBe(5);
    expect(document.doubts).toEqual(['NetworkPolicy shop/odd: spec.types must be a list']);
  });
});

describe('policy test refuses', () => {
  const pending = pod('shop/new', { node: '', ips: [] });
  const lines: readonly [line: string, code: number, message: string][] = [
    ['shop/ghost shop/db --proto tcp --port 1', 1, 'pod shop/ghost does not exist'],
    ['shop/web node/ghost --proto tcp --port 1', 1, 'node ghost does not exist'],
    ['shop/job shop/db --proto tcp --port 1', 2, 'pod shop/job has ended'],
    ['shop/new shop/db --proto tcp --port 1', 2, 'pod shop/new is not scheduled to a node yet'],
    ['web shop/db --proto tcp --port 1', 2, 'web is neither a pod nor a node nor an address'],
    ['shop/web 10.60.1.0/24 --proto tcp --port 1', 2, '10.60.1.0/24 is a network, not an address'],
    ['shop/web fd00::1:300 --proto tcp --port 99999', 2, 'invalid number for --port: 99999'],
    ['shop/web shop/db --proto icmp --port 8', 2, 'ICMP has no ports'],
    ['shop/web shop/db --proto tcp --icmp-type 8', 2, 'TCP has no types and codes'],
    ['shop/web shop/db', 2, 'no protocol specified'],
    ['shop/web shop/db --proto tcp --protocol tcp', 2, '--protocol and --proto cannot be used together'],
    ['shop/web shop/db --proto gre', 2, 'invalid value for --proto: gre'],
    ['shop/cache fd60::1:20 --proto tcp --port 1', 2, 'shop/cache has only IPv4'],
    ['shop/web', 2, 'DST'],
  ];

  it.each(lines)('policy test refuses: %s', async (line, code, message) => {
    const ran = await run(`policy test ${line}`, withBase(closeShop, pending));
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});
