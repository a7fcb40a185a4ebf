// The register: every kind is found by each of its names, no name is taken twice, headings are those of the reference.
import { describe, expect, it } from 'vitest';
import { joinedAndCut } from '../../src/resources/cells.ts';
import { toV3 } from '../../src/resources/convert/v3.ts';
import { isCalicoKind, isOnCommandLine, type RelatedObjects, storedApiVersion } from '../../src/resources/kind.ts';
import { calicoNode } from '../../src/resources/kinds/node.ts';
import { distinctName, findKind, kindNamed, kindOf, kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';

const headings: Readonly<Record<string, readonly [string, string]>> = {
  bgpconfig: ['NAME LOGSEVERITY MESHENABLED ASNUMBER', 'NAME LOGSEVERITY MESHENABLED ASNUMBER'],
  bgppeer: ['NAME PEERIP NODE ASN', 'NAME PEERIP NODE ASN'],
  clusterinfo: [
    'NAME CLUSTERGUID CLUSTERTYPE CALICOVERSION DATASTOREREADY',
    'NAME CLUSTERGUID CLUSTERTYPE CALICOVERSION DATASTOREREADY',
  ],
  felixconfig: ['NAME', 'NAME'],
  ippool: ['NAME CIDR SELECTOR', 'NAME CIDR NAT IPIPMODE VXLANMODE DISABLED DISABLEBGPEXPORT SELECTOR ASSIGNMENTMODE'],
  reservation: ['NAME', 'NAME CIDRS'],
  kubecontrollersconfig: ['NAME', 'NAME'],
  node: ['NAME', 'NAME ASN IPV4 IPV6'],
  wep: ['WORKLOAD NODE NETWORKS INTERFACE', 'NAME WORKLOAD NODE NETWORKS INTERFACE PROFILES NATS'],
  bf: ['NAME NUMEXPORTV4 NUMIMPORTV4 NUMEXPORTV6 NUMIMPORTV6', 'NAME NUMEXPORTV4 NUMIMPORTV4 NUMEXPORTV6 NUMIMPORTV6'],
  gnp: ['NAME TIER', 'NAME TIER ORDER SELECTOR'],
  gnetsets: ['NAME', 'NAME NETS'],
  hep: ['NAME NODE', 'NAME NODE INTERFACE IPS PROFILES'],
  pol: ['NAME TIER', 'NAME TIER ORDER SELECTOR'],
  netsets: ['NAME', 'NAME NETS'],
  pro: ['NAME', 'NAME LABELS'],
  sgnp: ['NAME TIER', 'NAME TIER ORDER SELECTOR'],
  skpol: ['NAME', 'NAME PODSELECTOR'],
  spol: ['NAME TIER', 'NAME TIER ORDER SELECTOR'],
  tier: ['NAME ORDER', 'NAME ORDER'],
  nodestatus: ['NAME NODE', 'NAME NODE CLASSES'],
  blocks: ['NAME CIDR AFFINITY USED FREE', 'CIDR POOL AFFINITY SIZE USED FREE BORROWED RESERVED STATE'],
  affinities: ['NAME NODE CIDR STATE', 'NAME NODE CIDR STATE TYPE DELETED'],
  handles: ['NAME ADDRESSES BLOCKS', 'NAME ADDRESSES BLOCKS'],
};

describe('finding a kind', () => {
  it('findKind finds a kind by each alias in any case, the plural of the API among them', () => {
    for (const kind of kinds.filter(isOnCommandLine)) {
      expect(kind.aliases).toContain(kind.api.plural);
      expect(kind.aliases).toContain(kind.kind.toLowerCase());
      for (const alias of kind.aliases) expect(findKind(alias.toUpperCase())).toBe(kind);
    }
  });

  it('no alias belongs to two kinds', () => {
    const aliases = kinds.flatMap((kind) => kind.aliases);
    expect(new Set(aliases).size).toBe(aliases.length);
  });

  it('pods, services and leases cannot be named on a command line', () => {
    for (const alias of ['pod', 'pods', 'service', 'services', 'lease', 'nonsense'])
      expect(findKind(alias)).toBeUndefined();
    expect(kindNamed('Pod')?.api.plural).toBe('pods');
  });

  it('kindOf finds a kind by its stored apiVersion, and by v3 where it has a v3 form or can be stored there', () => {
    for (const kind of kinds) {
      expect(kindOf(storedApiVersion(kind), kind.kind)).toBe(kind);
      const isInV3 = kind.codec !== undefined || isCalicoKind(kind);
      const inV3 = kindOf('projectcalico.org/v3', kind.native?.kind ?? kind.kind);
      if (isInV3) expect(inV3).toBe(kind);
      else expect(inV3).not.toBe(kind);
      expect(kindOf('example.com/v1', kind.kind)).toBeUndefined();
    }
    expect(kindOf('crd.projectcalico.org/v1', 'Node')).toBeUndefined();
    expect(kindOf('projectcalico.org/v3', 'IPAMConfig')).toBeUndefined();
    expect(kindOf('crd.projectcalico.org/v1', 'IPAMConfiguration')).toBeUndefined();
  });

  it('a NetworkPolicy without an apiVersion is that of Calico', () => {
    expect(kindNamed('NetworkPolicy')?.api.group).toBe('crd.projectcalico.org');
    expect(kindOf('networking.k8s.io/v1', 'NetworkPolicy')?.api.group).toBe('networking.k8s.io');
    expect(kinds.map(distinctName).filter((name) => name.includes('.'))).toEqual(['NetworkPolicy.networking.k8s.io']);
  });
});

it.each(Object.entries(headings))('tables of %s have the headings of the reference', (alias, [standard, wide]) => {
  const columns = findKind(alias)?.columns;
  expect(columns?.default.map(({ heading }) => heading).join(' ')).toBe(standard);
  expect(columns?.wide.map(({ heading }) => heading).join(' ')).toBe(wide);
});

describe('cells', () => {
  const none: RelatedObjects = { all: () => [], one: () => undefined };
  const cells = (alias: string, object: KubeObject, related: RelatedObjects): string[] | undefined =>
    findKind(alias)?.columns.wide.map((column) => column.cell(object, related));
  const row = (alias: string, fields: Record<string, unknown>) =>
    cells(alias, { apiVersion: 'v1', kind: '', metadata: { name: 'x' }, spec: {}, ...fields }, none);

  it('cells of BGP kinds show unset fields as calicoctl does', () => {
    expect(row('bgppeer', {})).toEqual(['x', '', '(global)', '0']);
    expect(row('bgppeer', { spec: { nodeSelector: 'all()', node: '' } })?.[2]).toBe('all()');
    expect(row('bgpconfig', {})).toEqual(['x', '', '-', '-']);
    expect(row('bgpconfig', { spec: { nodeToNodeMeshEnabled: false, asNumber: 64512 } })).toEqual([
      'x',
      '',
      'false',
      '64512',
    ]);
  });

  it('cell DATASTOREREADY is <nil> when ClusterInformation does not say', () => {
    expect(row('clusterinfo', {})?.[4]).toBe('<nil>');
    expect(row('clusterinfo', { spec: { datastoreReady: false } })?.[4]).toBe('false');
  });

  it('cell ASN of a node is empty without BGP, its own number, or that of the cluster in parentheses', () => {
    const node = (annotations: Record<string, string>, related = none) => {
      const stored = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', annotations } };
      return cells('node', toV3(calicoNode, stored), related);
    };
    expect(node({})).toEqual(['n', '', '', '']);
    expect(node({ 'projectcalico.org/IPv4Address': '10.0.0.1/24' })).toEqual(['n', '(64512)', '10.0.0.1/24', '']);
    expect(node({ 'projectcalico.org/ASNumber': '1.10' })?.[1]).toBe('65546');
    expect(node({ 'projectcalico.org/IPv4Address': 'fd00::1/64' })).toEqual(['n', '', '', '']);
    const configuration = { apiVersion: 'v1', kind: '', metadata: { name: 'default' }, spec: { asNumber: 65000 } };
    const ownAsNumber = (one: unknown) =>
      node({ 'projectcalico.org/IPv4Address': '10.0.0.1/24' }, { ...none, one: () => one as never })?.[1];
    expect(ownAsNumber(configuration)).toBe('(65000)');
    expect(ownAsNumber({ ...configuration, spec: {} })).toBe('(64512)');
    expect(ownAsNumber('unreadable')).toBe('(unknown)');
  });

  it('cells of a stored pool without defaults show what is unset', () => {
    expect(row('pool', { spec: { cidr: '10.0.0.0/16' } })).toEqual([
      'x',
      '10.0.0.0/16',
      'false',
      'Never',
      'Never',
      'false',
      'false',
      '',
      '<nil>',
    ]);
  });

  it('cell NATS of an endpoint is in Go struct form', () => {
    const spec = {
      pod: 'p',
      ipNATs: [
        { internalIP: '10.0.0.1', externalIP: '1.1.1.1' },
        { internalIP: '::1', externalIP: '::2' },
      ],
    };
    expect(row('wep', { spec })).toEqual(['x', 'p', '', '', '', '', '{10.0.0.1 1.1.1.1},{::1 ::2}']);
  });

  it('cells of handles count addresses, cells of affinities fill in state and type', () => {
    expect(row('handle', { spec: { handleID: 'A.b', block: { '10.0.0.0/26': 2, '10.0.0.64/26': 1 } } })).toEqual([
      'x',
      '3',
      '10.0.0.0/26,10.0.0.64/26',
    ]);
    expect(row('affinity', { spec: { node: 'n', cidr: '10.0.0.0/26', state: '', deleted: 'true' } })).toEqual([
      'x',
      'n',
      '10.0.0.0/26',
      'confirmed',
      'host',
      'true',
    ]);
  });

  it('joinedAndCut cuts lists of more than 80 bytes to 77 and three dots', () => {
    expect(joinedAndCut(['a'.repeat(40), 'b'.repeat(39)])).toBe(`${'a'.repeat(40)},${'b'.repeat(39)}`);
    expect(joinedAndCut(['a'.repeat(40), 'b'.repeat(40)])).toBe(`${'a'.repeat(40)},${'b'.repeat(36)}...`);
  });
});
