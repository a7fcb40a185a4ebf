// calictl get over a folder: tables, documents, names, errors.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { folderOf, type RunOptions, run, TestClock, testWorld } from '../support/program/world.ts';

const stored = (
  kind: string,
  name: string,
  rest: Record<string, unknown>,
  meta: Record<string, unknown> = {},
): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind,
  metadata: { name, uid: `uid-${name}`, resourceVersion: '7', creationTimestamp: '2025-06-15T15:00:00Z', ...meta },
  ...rest,
});
const pool = (name: string, cidr: string, spec: Record<string, unknown> = {}, labels?: Record<string, string>) =>
  stored(
    'IPPool',
    name,
    { spec: { cidr, nodeSelector: 'all()', natOutgoing: true, blockSize: 26, ...spec } },
    labels && { labels },
  );
const core = (
  kind: string,
  name: string,
  rest: Record<string, unknown>,
  meta: Record<string, unknown> = {},
): KubeObject => ({
  ...stored(kind, name, rest, meta),
  apiVersion: 'v1',
});
const node = (name: string, annotations: Record<string, string> = {}) =>
  core('Node', name, { spec: {} }, { annotations });
const pod = (namespace: string, name: string, ip: string, labels: Record<string, string> = {}) =>
  core(
    'Pod',
    name,
    {
      spec: { nodeName: 'node-a', serviceAccountName: 'default', containers: [] },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
    },
    { namespace, labels },
  );

const objects: readonly KubeObject[] = [
  pool('pool-b', '10.61.0.0/20', { ipipMode: 'CrossSubnet', disabled: true }),
  pool('pool-a', '10.60.0.0/20', {}, { 'projectcalico.org/site': 'x' }),
  node('node-a', { 'projectcalico.org/IPv4Address': '192.0.2.11/24' }),
  node('node-b'),
  pod('shop', 'cart-0', '10.60.0.1', { app: 'cart' }),
  pod('default', 'web-0', '10.60.0.2', { app: 'web' }),
  stored('IPAMBlock', '10-60-0-0-30', {
    spec: {
      cidr: '10.60.0.0/30',
      affinity: 'host:node-a',
      allocations: [null, 0, 1, null],
      unallocated: [0],
      attributes: [
        { handle_id: 'a', secondary: { node: 'node-a', pod: 'cart-0', namespace: 'shop' } },
        { handle_id: 'b', secondary: { node: 'node-b', pod: 'web-0', namespace: 'default' } },
      ],
      sequenceNumber: 1750000000123456790n,
      deleted: false,
      strictAffinity: false,
    },
  }),
];

const get = (line: string, options: RunOptions = {}) => run(`get ${line}`, { objects, ...options });
const calicoctl = (line: string, options: RunOptions = {}) => get(line, { programName: 'calicoctl', ...options });

describe('get: tables', () => {
  it('prints a list in order of names', async () => {
    expect(await get('ippools')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'NAME     CIDR           SELECTOR   ',
        'pool-a   10.60.0.0/20   all()      ',
        'pool-b   10.61.0.0/20   all()      ',
        '',
        '',
      ].join('\n'),
    });
  });

  it('prints a table for each name, in the order of the command line', async () => {
    expect((await get('pool pool-b pool-a')).stdout).toBe(
      'NAME     CIDR           SELECTOR   \npool-b   10.61.0.0/20   all()      \n\n' +
        'NAME     CIDR           SELECTOR   \npool-a   10.60.0.0/20   all()      \n\n',
    );
  });

  it('prints wide columns', async () => {
    const [heading, , row] = (await get('ippool -o wide')).stdout.split('\n');
    expect(heading?.split(/ +/).filter(Boolean).join(' ')).toBe(
      'NAME CIDR NAT IPIPMODE VXLANMODE DISABLED DISABLEBGPEXPORT SELECTOR ASSIGNMENTMODE',
    );
    expect(row?.split(/ +/).filter(Boolean)).toEqual([
      'pool-b',
      '10.61.0.0/20',
      'true',
      'CrossSubnet',
      'Never',
      'true',
      'false',
      'all()',
      'Automatic',
    ]);
  });

  it('prints custom columns', async () => {
    expect((await get('ippool -o custom-columns=CIDR,NAT')).stdout).toBe(
      'CIDR           NAT    \n10.60.0.0/20   true   \n10.61.0.0/20   true   \n\n',
    );
  });

  it('says which headings there are', async () => {
    const { code, stdout, stderr } = await get('ippool -o custom-columns=NAME,BOGUS');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/unknown heading BOGUS, valid values are: .*\bVXLANMODE\b/);
  });

  it('prints the heading of an empty list', async () => {
    expect((await get('bgppeers')).stdout).toBe('NAME   PEERIP   NODE   ASN   \n\n');
  });

  it.each([
    ['bgppeers', 'No BGPPeer found.\n'],
    ['bgppeers -o json', 'No BGPPeer found.\n'],
    ['ippools -l no=such', 'No IPPool found.\n'],
    ['wep -n empty', 'No WorkloadEndpoint found in namespace empty; -A shows those of all namespaces.\n'],
    ['wep -A -l no=such -o yaml', 'No WorkloadEndpoint found.\n'],
  ])('get %s explains on stderr that nothing was found', async (line, stderr) => {
    for (const terminal of [true, false]) expect(await get(line, { terminal })).toMatchObject({ code: 0, stderr });
  });

  it('get wep with the name of a pod fails, and names the endpoint of that pod', async () => {
    const { code, stdout, stderr } = await get('wep cart-0 -n shop');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('WorkloadEndpoint cart-0 does not exist in namespace shop');
    expect(stderr).toContain('hint: The WorkloadEndpoint of cart-0 is called node--a-k8s-cart--0-eth0.\n');
    expect((await get('wep node--a-k8s-cart--0-eth0 -n shop')).code).toBe(0);
    expect((await get('wep nosuch-0 -n shop')).stderr).toContain('calictl get workloadendpoints -A lists');
    expect((await get('wep cart-0 -n default')).stderr).not.toContain('is called');
  });

  it('calicoctl get says nothing about an empty list', async () => {
    expect(await calicoctl('bgppeers')).toMatchObject({ code: 0, stderr: '' });
  });

  it('takes the AS number of the cluster for nodes that have none', async () => {
    expect((await get('nodes -o wide')).stdout).toBe(
      'NAME     ASN       IPV4            IPV6   \nnode-a   (64512)   192.0.2.11/24          \nnode-b                                    \n\n',
    );
    const configured = [...objects, stored('BGPConfiguration', 'default', { spec: { asNumber: 65001 } })];
    expect((await get('node node-a -o custom-columns=ASN', { objects: configured })).stdout).toBe(
      'ASN       \n(65001)   \n\n',
    );
  });

  it('shows raw blocks with what can be seen from the block alone', async () => {
    const { stdout } = await get('ipamblocks -o wide');
    const [heading, row] = stdout.split('\n').map((line) => line.split(/ {2,}/).filter(Boolean));
    expect(heading).toEqual(['CIDR', 'POOL', 'AFFINITY', 'SIZE', 'USED', 'FREE', 'BORROWED', 'RESERVED', 'STATE']);
    expect(row).toEqual(['10.60.0.0/30', 'pool-a', 'host:node-a', '4', '2', '1', '1', '0', 'lost 1']);
  });

  it('makes endpoints from pods', async () => {
    expect((await get('wep')).stdout).toContain('web-0      node-a   10.60.0.2/32');
    expect((await get('wep')).stdout).not.toContain('cart-0');
    const all = (await get('wep -A')).stdout.split('\n');
    expect(all[0]).toMatch(/^NAMESPACE +WORKLOAD +NODE +NETWORKS +INTERFACE +$/);
    expect(all.slice(1, 3).map((line) => line.split(/ +/)[0])).toEqual(['default', 'shop']);
    const one = await get('wep node--a-k8s-cart--0-eth0 -n shop -o json');
    expect(JSON.parse(one.stdout)).toMatchObject({ kind: 'WorkloadEndpoint', spec: { ipNetworks: ['10.60.0.1/32'] } });
  });

  it('lets no name steer the terminal', async () => {
    const hostile = [pool('pool-\u001b[2J', '10.0.0.0/24')];
    const { stdout } = await get('ippool', { objects: hostile });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('pool-\\e[2J');
  });
});

describe('get: selection', () => {
  it('takes objects by label, in the form people see', async () => {
    expect((await get('ippool -l projectcalico.org/site=x -o name')).stdout).toBe('ippool/pool-a\n');
    expect((await get(['get', 'wep', '-A', '-l', 'app in (cart, x)', '-o', 'name'].slice(1).join(' '))).code).toBe(2);
    expect((await run(['get', 'wep', '-A', '-l', 'app in (cart, x)', '-o', 'name'], { objects })).stdout).toBe(
      'workloadendpoint/node--a-k8s-cart--0-eth0\n',
    );
  });

  it('get refuses a label selector together with names', async () => {
    expect(await get('ippool pool-a -l a=b')).toMatchObject({ code: 2 });
  });

  it.each([
    ['wep -A -n x', '--namespace and --all-namespaces cannot be used together'],
    ['wep w -A', '--all-namespaces and NAME cannot be used together'],
  ])('%s is wrong usage', async (line, text) => {
    const { code, stderr } = await get(line);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe('get: several kinds and names', () => {
  const peers = [
    stored('BGPPeer', 'rack-1', { spec: { peerIP: '192.0.2.1', asNumber: 64513 } }),
    stored('BGPPeer', 'rack-2', { spec: { peerIP: '192.0.2.2', asNumber: 64513 } }),
  ];
  const withPeers = { objects: [...objects, ...peers] };

  it.each([
    ['ippool/pool-a bgppeer/rack-2', 'ippool/pool-a\nbgppeer/rack-2\n'],
    ['ippools,bgppeers', 'ippool/pool-a\nippool/pool-b\nbgppeer/rack-1\nbgppeer/rack-2\n'],
    ['bgpp,pools,bgppeers', 'bgppeer/rack-1\nbgppeer/rack-2\nippool/pool-a\nippool/pool-b\n'],
    ['node node-b node-a', 'node/node-b\nnode/node-a\n'],
  ])('get %s finds them in the order of the command line', async (line, names) => {
    expect(await get(`${line} -o name`, withPeers)).toMatchObject({ code: 0, stdout: names, stderr: '' });
  });

  it('the tables of several kinds name their objects KIND/NAME', async () => {
    expect((await get('ippool/pool-a bgppeer/rack-1 bgppeer/rack-2', withPeers)).stdout).toBe(
      [
        'NAME            CIDR           SELECTOR   ',
        'ippool/pool-a   10.60.0.0/20   all()      ',
        '',
        'NAME             PEERIP      NODE       ASN     ',
        'bgppeer/rack-1   192.0.2.1   (global)   64513   ',
        '',
        'NAME             PEERIP      NODE       ASN     ',
        'bgppeer/rack-2   192.0.2.2   (global)   64513   ',
        '',
        '',
      ].join('\n'),
    );
  });

  it('a kind whose table has no name has one among the tables of several kinds', async () => {
    const { stdout } = await get('bgppeers,wep -n shop', withPeers);
    expect(stdout).toMatch(/^NAMESPACE +NAME +WORKLOAD +NODE/m);
    expect(stdout).toMatch(/^shop +workloadendpoint\/node--a-k8s-cart--0-eth0 +cart-0 +node-a/m);
  });

  it('get all prints the kinds of which users create objects, and leaves out those that have none', async () => {
    const { code, stdout, stderr } = await get('all -A', withPeers);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const kinds = new Set([...stdout.matchAll(/\b([a-z]+)\/\S/g)].map(([, kind]) => kind));
    expect([...kinds].sort()).toEqual(['bgppeer', 'ippool']);
  });

  it('get all of a store without such objects says so', async () => {
    const only = { objects: [core('Namespace', 'n', {})] };
    expect(await get('bgppeers,ippools', only)).toMatchObject({ code: 0, stdout: '', stderr: 'No objects found.\n' });
  });

  it('get prints several kinds as one List', async () => {
    const list = JSON.parse((await get('ippools,bgppeers -o json', withPeers)).stdout);
    expect(list).toMatchObject({ kind: 'List', apiVersion: 'v1' });
    expect(list.items.map(({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`)).toEqual([
      'IPPool/pool-a',
      'IPPool/pool-b',
      'BGPPeer/rack-1',
      'BGPPeer/rack-2',
    ]);
  });

  it.each(['ippool pool-a -A', 'ippools -n shop', 'ippools -A', 'ippool/pool-a -n shop'])(
    'get %s: namespaces mean nothing for a kind that has none',
    async (line) => {
      expect((await get(`${line} -o name`)).stdout).toMatch(/^ippool\/pool-a\n/);
    },
  );

  it.each([
    ['ippool/pool-a rack-1', 'rack-1 is not of the form KIND/NAME, unlike ippool/pool-a'],
    ['ippool bgppeer/rack-1', 'bgppeer/rack-1 names a kind, but ippool already did'],
    ['ippool/', 'ippool/ does not name an object'],
    ['ippool/a/b', 'ippool/a/b does not name an object'],
    ['pods -A', 'Calico knows pods as workloadendpoints'],
    ['po/web', 'Calico knows pods as workloadendpoints'],
    ['gadget/a', "resource type 'gadget' is not supported"],
    ['ippools,gadgets', "resource type 'gadgets' is not supported"],
    ['all pool-a', 'all takes no names'],
  ])('get %s is wrong usage', async (line, message) => {
    const { code, stdout, stderr } = await get(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('get --ignore-not-found leaves out what does not exist', async () => {
    expect(await get('ippool nosuch pool-a --ignore-not-found -o name')).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-a\n',
      stderr: '',
    });
    expect(await get('ippool nosuch --ignore-not-found')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('get: objects of manifests', () => {
  const manifest = [
    'apiVersion: projectcalico.org/v3',
    'kind: IPPool',
    'metadata: {name: pool-b}',
    'spec: {cidr: 10.61.0.0/20}',
    '---',
    'apiVersion: projectcalico.org/v3',
    'kind: WorkloadEndpoint',
    'metadata: {name: node--a-k8s-cart--0-eth0, namespace: shop}',
    'spec: {}',
    '---',
    'apiVersion: projectcalico.org/v3',
    'kind: IPPool',
    'metadata: {name: nosuch}',
    'spec: {cidr: 10.62.0.0/20}',
    '',
  ].join('\n');

  it('get -f prints the stored objects that a manifest names, and reports those that do not exist', async () => {
    const { code, stdout, stderr } = await get('-f - -o name', { stdin: manifest });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'ippool/pool-b\nworkloadendpoint/node--a-k8s-cart--0-eth0\n',
    });
    expect(stderr).toBe(
      'calictl: IPPool nosuch does not exist (DATASTORE_NOT_FOUND)\nhint: calictl get ippools lists those that exist.\n',
    );
    expect((await get('-f - -o name --ignore-not-found', { stdin: manifest })).code).toBe(0);
  });

  it.each([
    ['-f -', '', 'no objects in standard input'],
    ['-f - -n default', manifest, 'of the manifest is in namespace shop, not default'],
    ['-f - -A', manifest, '--all-namespaces and --filename cannot be used together'],
    ['-f - -l a=b', manifest, '--selector and --filename cannot be used together'],
    ['ippools -f -', manifest, 'KIND and --filename cannot be used together'],
    ['-f -', 'kind: IPPool\napiVersion: projectcalico.org/v3\nspec: {cidr: 10.0.0.0/8}\n', 'metadata.name is missing'],
  ])('get %s is wrong usage', async (line, stdin, message) => {
    const { code, stdout, stderr } = await get(line, { stdin });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('get: policies', () => {
  const policy = (name: string, tier: string, order?: number) =>
    stored('GlobalNetworkPolicy', `${tier}.${name}`, {
      spec: { tier, selector: 'all()', ...(order !== undefined && { order }) },
    });
  const policies = [
    policy('a', 'default'),
    policy('b', 'default', 100),
    policy('c', 'default', 20),
    policy('d', 'late', 1),
    policy('e', 'early', 5),
    policy('f', 'nosuch', 1),
    stored('Tier', 'early', { spec: { order: 10 } }),
    stored('Tier', 'default', { spec: {} }),
    stored('Tier', 'late', { spec: { order: 2000000 } }),
  ];

  it('get prints policies in the order in which they apply: by tier, then by order', async () => {
    const { stdout } = await get('gnp -o custom-columns=TIER:.spec.tier,ORDER:.spec.order --no-headers', {
      objects: policies,
    });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().split(/ +/).join(' ')),
    ).toEqual(['early 5', 'default 20', 'default 100', 'default <none>', 'late 1', 'nosuch 1']);
  });

  it('get --sort-by takes another order of policies', async () => {
    const { stdout } = await get('gnp --sort-by .spec.order -o jsonpath={.items[*].spec.order}', { objects: policies });
    expect(stdout).toBe('1 1 5 20 100');
  });
});

describe('get: order and columns', () => {
  const many = [
    pool('pool-10', '10.10.0.0/16', { blockSize: 26 }),
    pool('pool-2', '10.2.0.0/16', { blockSize: 28 }, { 'example.com/site': 'b', zone: 'z' }),
    pool('pool-1', '10.1.0.0/16', { blockSize: 24 }, { 'example.com/site': 'a' }),
  ];
  const names = async (line: string): Promise<string[]> => {
    const { stdout } = await get(`${line} -o name`, { objects: many });
    return stdout.trimEnd().split('\n');
  };

  it.each([
    ['ippools --sort-by .spec.blockSize', ['ippool/pool-1', 'ippool/pool-10', 'ippool/pool-2']],
    ['ippools --sort-by {.spec.cidr}', ['ippool/pool-1', 'ippool/pool-2', 'ippool/pool-10']],
    ['ippools --sort-by metadata.name', ['ippool/pool-1', 'ippool/pool-2', 'ippool/pool-10']],
    ['ippools --sort-by .metadata.labels.zone', ['ippool/pool-1', 'ippool/pool-10', 'ippool/pool-2']],
    ['ippool pool-10 pool-2 --sort-by .spec.cidr', ['ippool/pool-2', 'ippool/pool-10']],
    ['ippools --field-selector metadata.name=pool-2', ['ippool/pool-2']],
    ['ippools --field-selector metadata.name!=pool-2', ['ippool/pool-1', 'ippool/pool-10']],
  ])('get %s', async (line, expected) => {
    expect(await names(line)).toEqual(expected);
  });

  it('get --field-selector selects by namespace', async () => {
    const { stdout } = await get('wep -A --field-selector metadata.namespace=shop -o name');
    expect(stdout).toBe('workloadendpoint/node--a-k8s-cart--0-eth0\n');
  });

  it.each([
    ['ippools --sort-by .spec.nosuch', 'no object has a value at .spec.nosuch'],
    ['ippools --sort-by .spec[', 'invalid JSONPath'],
    ['ippools --field-selector spec.cidr=x', 'invalid field selector for --field-selector: spec.cidr=x'],
    ['ippool pool-1 --field-selector metadata.name=x', '--field-selector and NAME cannot be used together'],
  ])('get %s is wrong usage', async (line, message) => {
    const { code, stderr } = await get(line, { objects: many });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('get shows labels as columns', async () => {
    const { stdout } = await get('ippools -L example.com/site,zone --show-labels', { objects: many });
    expect(stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['NAME', 'CIDR', 'SELECTOR', 'SITE', 'ZONE', 'LABELS'],
      ['pool-1', '10.1.0.0/16', 'all()', 'a', 'example.com/site=a'],
      ['pool-10', '10.10.0.0/16', 'all()', '<none>'],
      ['pool-2', '10.2.0.0/16', 'all()', 'b', 'z', 'example.com/site=b,zone=z'],
      [''],
      [''],
    ]);
  });

  it('get --no-headers prints rows only', async () => {
    expect((await get('ippool pool-a --no-headers')).stdout).toBe('pool-a   10.60.0.0/20   all()   \n');
    expect((await get('ippools --no-headers -o custom-columns=NAME')).stdout).toBe('pool-a   \npool-b   \n');
  });

  it('get prints columns that are written as paths', async () => {
    const line = 'ippools -o custom-columns=POOL:.metadata.name,USES:.spec.allowedUses[*],SITE:.metadata.labels.zone';
    expect((await get(line, { objects: many.slice(1) })).stdout).toBe(
      [
        'POOL     USES              SITE     ',
        'pool-1   Workload,Tunnel   <none>   ',
        'pool-2   Workload,Tunnel   z        ',
        '',
        '',
      ].join('\n'),
    );
    expect(await get('ippools -o custom-columns=A:.b,NAME')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid custom column: NAME'),
    });
  });
});

describe('get: templates', () => {
  const template = (kind: string, format: string, ...more: string[]) =>
    run(['get', ...kind.split(' '), '-o', format, ...more], { objects });

  it.each([
    ['ippool pool-a', 'jsonpath={.metadata.name}', 'pool-a'],
    ['ippools', 'jsonpath={.items[*].metadata.name}', 'pool-a pool-b'],
    [
      'ippools',
      'jsonpath={range .items[*]}{.metadata.name}={.spec.cidr}{"\\n"}{end}',
      'pool-a=10.60.0.0/20\npool-b=10.61.0.0/20\n',
    ],
    ['ippool pool-b pool-a', 'jsonpath={.items[*].metadata.name}', 'pool-b pool-a'],
    ['ippools,nodes', 'jsonpath={.items[*].kind}', 'IPPool IPPool Node Node'],
    ['block', 'jsonpath={.items[0].spec.sequenceNumber}', '1750000000123456790'],
    ['ippool pool-a', 'go-template={{.metadata.name}} {{.spec.blockSize}}', 'pool-a 26'],
    ['ippools', 'go-template={{range .items}}{{.spec.cidr}};{{end}}', '10.60.0.0/20;10.61.0.0/20;'],
    ['block', 'go-template={{range .items}}{{printf "%d" .spec.sequenceNumber}}{{end}}', '1750000000123456790'],
  ])('get %s -o %s', async (kind, format, expected) => {
    expect(await template(kind, format)).toMatchObject({ code: 0, stdout: expected, stderr: '' });
  });

  it('get reads templates from files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'calictl-template-'));
    try {
      writeFileSync(join(folder, 'paths'), '{.items[0].metadata.name}\n');
      writeFileSync(join(folder, 'go'), '{{len .items}}\n');
      const options = { objects, cwd: folder };
      expect((await run('get ippools -o jsonpath-file=paths', options)).stdout).toBe('pool-a\n');
      expect((await run('get ippools -o go-template-file=go', options)).stdout).toBe('2\n');
      expect(await run('get ippools -o go-template-file=nosuch', options)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/cannot read .*nosuch: no such file or directory/),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['jsonpath=', 'need to specify a template'],
    ['go-template-file=', 'need to specify a template file'],
    ['jsonpath={.a', 'invalid JSONPath'],
    ['go-template={{.a', 'template: output:1: unclosed action'],
  ])('get -o %s is wrong usage', async (format, message) => {
    const { code, stdout, stderr } = await template('ippools', format);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('get fails when a template does not fit the objects', async () => {
    expect(await template('ippools', 'go-template={{range .items}}{{.spec.cidr.x}}{{end}}')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining("can't evaluate field x"),
    });
  });

  it('get lets no value steer the terminal through a template', async () => {
    const hostile = [pool('p', '10.0.0.0/24', {}, { a: 'x\u001b[2Jy\nz' })];
    for (const format of [
      'jsonpath={.items[0].metadata.labels.a}',
      'go-template={{(index .items 0).metadata.labels.a}}',
    ]) {
      const { stdout } = await run(['get', 'ippools', '-o', format], { objects: hostile });
      expect(stdout).toBe('x\\e[2Jy\nz');
    }
  });
});

describe('get: watch', () => {
  /** Runs the command on a folder that changes during its pauses, until the steps are used up. */
  async function watch(line: string, steps: readonly (() => void)[], folder: string) {
    const ended = new AbortController();
    const clock = new TestClock('2025-06-15T16:00:00Z');
    const rest = [...steps];
    clock.onSleep = () => {
      const step = rest.shift();
      if (step === undefined) ended.abort();
      else step();
    };
    return run(`get ${line}`, { folder, clock, signal: ended.signal });
  }

  async function watched(line: string) {
    const folder = folderOf([pool('pool-a', '10.60.0.0/20')]);
    const file = join(folder, 'b.json');
    const write = (object: KubeObject) => writeFileSync(file, JSON.stringify(object));
    try {
      const steps = [
        () => write(pool('pool-b', '10.61.0.0/20')),
        () => write(pool('pool-b', '10.61.0.0/20', { nodeSelector: 'zone == "a"' })),
        () => rmSync(file),
      ];
      return await watch(line, steps, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('get --watch prints the objects, then a row for each change, until it is interrupted', async () => {
    expect(await watched('ippools -w')).toMatchObject({
      code: 130,
      stdout: [
        'NAME     CIDR           SELECTOR',
        'pool-a   10.60.0.0/20   all()',
        'pool-b   10.61.0.0/20   all()',
        'pool-b   10.61.0.0/20   zone == "a"',
        'pool-b   10.61.0.0/20   zone == "a"',
        '',
      ].join('\n'),
      stderr: 'calictl: interrupted\n',
    });
  });

  it('get --watch-only --output-watch-events leaves out what existed and says what happened', async () => {
    const { stdout } = await watched('ippools --watch-only --output-watch-events -o name');
    expect(stdout).toBe('ADDED ippool/pool-b\nMODIFIED ippool/pool-b\nDELETED ippool/pool-b\n');
  });

  it('get --watch prints one document for each change', async () => {
    const { stdout } = await watched('ippools -w -o json --output-watch-events');
    const documents = stdout.split(/\n(?=\{)/).map((text) => JSON.parse(text));
    expect(documents.map(({ type, object }) => `${type} ${object.apiVersion} ${object.metadata.name}`)).toEqual([
      'ADDED projectcalico.org/v3 pool-a',
      'ADDED projectcalico.org/v3 pool-b',
      'MODIFIED projectcalico.org/v3 pool-b',
      'DELETED projectcalico.org/v3 pool-b',
    ]);
    expect((await watched('ippools -w -o jsonpath={.metadata.name},')).stdout).toBe('pool-a,pool-b,pool-b,pool-b,');
  });

  it('get --watch of one object leaves the others out', async () => {
    expect((await watched('ippool pool-a -w -o name')).stdout).toBe('ippool/pool-a\n');
    expect(await watched('ippool nosuch -w')).toMatchObject({ code: 1, stdout: '' });
  });

  it('get --watch reports an endpoint when its pod changes', async () => {
    const folder = folderOf(objects.slice(0, 1));
    const file = join(folder, 'pod.json');
    const write = (ip: string) => writeFileSync(file, JSON.stringify(pod('shop', 'cart-0', ip)));
    write('10.60.0.1');
    const ended = new AbortController();
    const world = testWorld({ env: { DATASTORE_TYPE: folder }, signal: ended.signal });
    const steps = [() => write('10.60.0.19'), () => rmSync(file), () => ended.abort()];
    // Pods and stored endpoints are both watched, each with pauses of its own: the next change waits for the last row.
    let printed = 0;
    world.clock.onSleep = () => {
      if (world.io.stdout.bytes === printed) return;
      printed = world.io.stdout.bytes;
      steps.shift()?.();
    };
    try {
      await runCli(['get', 'wep', '-n', 'shop', '-w', '--output-watch-events', '--no-headers'], world);
      expect(world.io.stdout.text.split('\n').map((line) => line.trim().split(/ +/).slice(0, 5))).toEqual([
        ['ADDED', 'shop', 'cart-0', 'node-a', '10.60.0.1/32'],
        ['MODIFIED', 'shop', 'cart-0', 'node-a', '10.60.0.19/32'],
        ['DELETED', 'shop', 'cart-0', 'node-a', '10.60.0.19/32'],
        [''],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['ippools,nodes -w', '--watch takes one kind, or one object'],
    ['ippools --watch-only -w', '--watch and --watch-only cannot be used together'],
    ['ippools -w --sort-by .spec.cidr', '--watch and --sort-by cannot be used together'],
    ['ippools --output-watch-events', '--output-watch-events requires --watch or --watch-only'],
  ])('get %s is wrong usage', async (line, message) => {
    const { code, stderr } = await get(line);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('get: documents', () => {
  it('prints one object bare and several as an array', async () => {
    expect(JSON.parse((await get('ippool pool-a -o json')).stdout)).toMatchObject({
      kind: 'IPPool',
      apiVersion: 'projectcalico.org/v3',
      metadata: { name: 'pool-a' },
    });
    const two = JSON.parse((await get('ippool pool-b pool-a -o json')).stdout);
    expect(two.map((item: KubeObject) => item.metadata.name)).toEqual(['pool-b', 'pool-a']);
  });

  it('prints a query as a list', async () => {
    const list = JSON.parse((await get('ippool -o json')).stdout);
    expect(list).toMatchObject({ kind: 'IPPoolList', apiVersion: 'projectcalico.org/v3' });
    expect(list.items).toHaveLength(2);
    expect((await get('ippool -o yml')).stdout).toMatch(/^apiVersion: projectcalico.org\/v3\nitems:\n- apiVersion/);
  });

  it('keeps every bit of a sequence number', async () => {
    const { stdout } = await get('block 10-60-0-0-30 -o json');
    expect(stdout).toContain('"sequenceNumber": 1750000000123456790');
    expect(JSON.parse((await get('blocks -o json')).stdout)).toMatchObject({
      kind: 'IPAMBlockList',
      apiVersion: 'crd.projectcalico.org/v1',
    });
  });

  it('exports what another cluster can take', async () => {
    const { metadata } = JSON.parse((await get('ippool pool-a --export -o json')).stdout);
    expect(metadata).toEqual({
      name: 'pool-a',
      creationTimestamp: null,
      labels: { 'projectcalico.org/site': 'x' },
    });
    const list = JSON.parse((await get('ippool --export -o json')).stdout);
    expect(list.items[0].metadata.uid).toBeDefined();
  });
});

describe('get: what is not there', () => {
  it('prints what was found, then the error', async () => {
    const { code, stdout, stderr } = await get('ippool pool-a nosuch -o json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ metadata: { name: 'pool-a' } });
    expect(stderr).toBe(
      'calictl: IPPool nosuch does not exist (DATASTORE_NOT_FOUND)\nhint: calictl get ippools lists those that exist.\n',
    );
  });

  it('prints null when nothing was found', async () => {
    expect(await get('ippool nosuch -o yaml')).toMatchObject({ code: 1, stdout: 'null\n' });
    expect(await get('ippool nosuch')).toMatchObject({ code: 1, stdout: '' });
  });

  it.each([
    ['gadgets', /gadgets/],
    ['ippool -o xml', /xml/],
    ['ippool -o custom-columns=', /at least one column/],
    ['', /KIND/],
  ])('"%s" is wrong usage', async (line, text) => {
    const { code, stderr } = await get(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
  });

  it('takes no empty name', async () => {
    expect(await run(['get', 'ippool', ''], { objects })).toMatchObject({ code: 2 });
  });
});

describe('get: as calicoctl', () => {
  it.each([
    ['gadgets', "failed to get resources: resource type 'gadgets' is not supported\n"],
    ['ipamblocks', "failed to get resources: resource type 'ipamblocks' is not supported\n"],
    ['ippool -o xml', "unrecognized output format 'xml'\n"],
    ['ippool -o=yaml', "unrecognized output format '=yaml'\n"],
    ['ippool -o name', "unrecognized output format 'name'\n"],
    ['ippool -o custom-columns=', 'need to specify at least one column\n'],
    ['ippool -n x', 'IPPool is not namespaced\n'],
    ['ippool a b -a', 'IPPool is not namespaced\nIPPool is not namespaced\n'],
    ['wep -A -n x', 'cannot use both --namespace and --all-namespaces flags at the same time\n'],
    ['wep w -A', 'cannot use --all-namespace flag for getting a single resource\n'],
  ])('%s', async (line, stderr) => {
    expect(await calicoctl(line)).toMatchObject({ code: 1, stdout: '', stderr });
  });

  it('refuses an empty name', async () => {
    expect(await run(['get', 'ippool', ''], { objects, programName: 'calicoctl' })).toMatchObject({
      code: 1,
      stderr: 'failed to get resources: resource name may not be empty\n',
    });
  });

  it('prints found objects first, then one line per error', async () => {
    const { code, stdout, stderr } = await calicoctl('ippool pool-a nosuch');
    expect(code).toBe(1);
    expect(stdout).toBe('NAME     CIDR           SELECTOR   \npool-a   10.60.0.0/20   all()      \n\n');
    expect(stderr).toMatch(/^resource does not exist: IPPool\(nosuch\) with error: .+\n$/);
  });

  it('calicoctl get refuses a cluster of another version, unless --allow-version-mismatch is given', async () => {
    const other = [...objects, stored('ClusterInformation', 'default', { spec: { calicoVersion: 'v3.30.2-0.dev' } })];
    expect(await calicoctl('ippool', { objects: other })).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'failed to get resources: version mismatch.\nClient Version:   v3.31.4\nCluster Version:  3.30.2\nUse --allow-version-mismatch to override\n',
    });
    expect(await calicoctl('ippool --allow-v', { objects: other })).toMatchObject({ code: 0, stderr: '' });
    // A format is checked before the datastore is opened.
    expect(await calicoctl('ippool -o xml', { objects: other })).toMatchObject({
      code: 1,
      stderr: "unrecognized output format 'xml'\n",
    });
  });

  it('aligns all rows, however many', async () => {
    const many = Array.from({ length: 600 }, (_, n) => pool(n === 599 ? 'z-very-long-name' : `p${n}`, '10.0.0.0/24'));
    const lines = (await calicoctl('ippool -o custom-columns=NAME', { objects: many })).stdout.trimEnd().split('\n');
    expect(new Set(lines.slice(0, 601).map((line) => line.padEnd(19).length))).toEqual(new Set([19]));
    expect(lines[0]).toBe('NAME               ');
  });
});
