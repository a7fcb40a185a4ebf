// calictl get over a folder: tables, documents, names, errors.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { type RunOptions, run } from '../support/program/world.ts';

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
    expect((await get('wep nosuch-0 -n shop')).stderr).not.toContain('hint');
    expect((await get('wep cart-0 -n default')).stderr).not.toContain('hint');
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
    ['ippool -n x', 'IPPool is not namespaced'],
    ['ippool -A', 'IPPool is not namespaced'],
    ['wep -A -n x', '--namespace and --all-namespaces cannot be used together'],
    ['wep w -A', '--all-namespaces and NAME cannot be used together'],
  ])('%s is wrong usage', async (line, text) => {
    const { code, stderr } = await get(line);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
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
    expect(stderr).toBe('calictl: IPPool nosuch does not exist (DATASTORE_NOT_FOUND)\n');
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
