// What the tables of fields say about kinds and fields, and how unknown paths are refused.
import { describe, expect, it } from 'vitest';
import { explainField, explainKind, type FieldExplanation } from '../../src/resources/explain.ts';
import { bgpPeer } from '../../src/resources/kinds/bgp-peer.ts';
import { felixConfiguration } from '../../src/resources/kinds/felix-configuration.ts';
import { ipPool } from '../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../src/resources/kinds/ipam-block.ts';
import { calicoNode } from '../../src/resources/kinds/node.ts';
import { workloadEndpoint } from '../../src/resources/kinds/workload-endpoint.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { UsageError } from '../../src/world/errors.ts';

const refusal = (act: () => unknown): { message: string; hint: string | undefined; code: string } => {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return { message: error.message, hint: error.hint, code: error.code };
    throw error;
  }
  throw new Error('it was not refused');
};

describe('explainKind', () => {
  it('says what a kind is, what it is called and what its objects consist of', () => {
    const { fields, ...rest } = explainKind(ipPool);
    expect(rest).toEqual({
      kind: 'IPPool',
      apiVersion: 'projectcalico.org/v3',
      about: 'A range of addresses that Calico assigns to pods, tunnels and load balancers.',
      aliases: ['ippool', 'ippools', 'ipp', 'ipps', 'pool', 'pools'],
      namespaced: false,
    });
    expect(fields.map(({ name, required }) => [name, required])).toEqual([
      ['apiVersion', true],
      ['kind', true],
      ['metadata', true],
      ['spec', true],
      ['status', false],
    ]);
  });

  it('gives the stored API version of a kind without a v3 form', () => {
    expect(explainKind(ipamBlock).apiVersion).toBe('crd.projectcalico.org/v1');
  });

  it('says what workload endpoints are derived from', () => {
    expect(explainKind(workloadEndpoint).derivedFrom).toBe('Pod');
    expect(explainKind(ipPool)).not.toHaveProperty('derivedFrom');
  });

  it('describes nodes in the form that people see, not as Kubernetes stores them', () => {
    const names = (path: string) => explainField(calicoNode, path).fields.map(({ name }) => name);
    expect(names('spec')).toContain('bgp');
    expect(names('spec')).not.toContain('podCIDR');
    expect(names('status')).toEqual(['wireguardPublicKey', 'wireguardPublicKeyV6', 'podCIDRs']);
  });

  it('has one sentence about every field of every kind', () => {
    const all = (field: FieldExplanation): FieldExplanation[] => [field, ...field.fields.flatMap(all)];
    for (const kind of kinds) {
      for (const { path, about } of explainKind(kind).fields.flatMap(all)) {
        expect(about, `${kind.kind} ${path}`).toMatch(/^[A-Z0-9][^\n]*[.]$/);
        expect(about.length, `${kind.kind} ${path}`).toBeLessThan(130);
      }
    }
  });
});

describe('explainField', () => {
  it('says the type, default and range of a number', () => {
    expect(explainField(ipPool, 'spec.blockSize')).toEqual({
      name: 'blockSize',
      path: 'spec.blockSize',
      type: 'integer',
      range: { min: 20, max: 128 },
      required: false,
      default: '26 for IPv4, 122 for IPv6',
      about:
        'Prefix length of the blocks that the pool is cut into (IPv4: 20 to 32, IPv6: 116 to 128); it cannot be changed.',
      fields: [],
    });
  });

  it('says the accepted words of a string, and of the strings in a list', () => {
    expect(explainField(bgpPeer, 'spec.nextHopMode')).toMatchObject({
      type: 'string',
      values: ['Auto', 'Self', 'Keep'],
      default: 'Auto',
    });
    expect(explainField(ipPool, 'spec.allowedUses')).toMatchObject({
      type: 'list of strings',
      values: ['Workload', 'Tunnel', 'LoadBalancer'],
      default: 'Workload, Tunnel',
    });
  });

  it('says what a string contains', () => {
    expect(explainField(ipPool, 'spec.cidr')).toMatchObject({ type: 'string', format: 'CIDR', required: true });
    expect(explainField(felixConfiguration, 'spec.reportingInterval')).toMatchObject({
      format: 'duration',
      default: '30s',
    });
  });

  it('goes through objects and lists, with or without brackets', () => {
    const key = explainField(bgpPeer, 'spec.password.secretKeyRef.key');
    expect(key).toMatchObject({ path: 'spec.password.secretKeyRef.key', type: 'string', required: true });
    const list = explainField(ipamBlock, 'spec.attributes');
    expect(list).toMatchObject({ type: 'list of objects' });
    expect(list.fields.map(({ path }) => path)).toContain('spec.attributes.handle_id');
    expect(explainField(ipamBlock, 'spec.attributes[].handle_id')).toEqual(
      explainField(ipamBlock, 'spec.attributes.handle_id'),
    );
  });

  it('names maps, exact integers and types of several forms', () => {
    const type = (path: string) => explainField(ipamBlock, path).type;
    expect(type('spec.sequenceNumber')).toBe('64-bit integer');
    expect(type('spec.sequenceNumberForAllocation')).toBe('map of 64-bit integers');
    expect(type('spec.allocations')).toBe('list of integers');
    expect(explainField(felixConfiguration, 'spec.kubeNodePortRanges').type).toBe('list of integers or strings');
    expect(type('metadata.labels')).toBe('map of strings');
  });

  it('suggests the right case and the right spelling of a field that does not exist', () => {
    expect(refusal(() => explainField(ipPool, 'spec.blocksize'))).toEqual({
      message: 'IPPool has no field spec.blocksize',
      hint: 'did you mean spec.blockSize?',
      code: 'UNKNOWN_FIELD',
    });
    expect(refusal(() => explainField(ipPool, 'spec.nodeSelektor')).hint).toBe('did you mean spec.nodeSelector?');
  });

  it('suggests where a field is when the path leaves something out', () => {
    expect(refusal(() => explainField(ipPool, 'blockSize')).hint).toBe('did you mean spec.blockSize?');
    expect(refusal(() => explainField(calicoNode, 'spec.wireguardPublicKey')).hint).toBe(
      'did you mean status.wireguardPublicKey?',
    );
  });

  it('lists the fields next to one that is like no other', () => {
    expect(refusal(() => explainField(calicoNode, 'status.zzz')).hint).toBe(
      'the fields are wireguardPublicKey, wireguardPublicKeyV6, podCIDRs',
    );
    expect(refusal(() => explainField(ipPool, '')).hint).toBe(
      'the fields are apiVersion, kind, metadata, spec, status',
    );
  });

  it('says that a field of a simple type has no fields', () => {
    expect(refusal(() => explainField(ipPool, 'spec.cidr.prefix')).hint).toBe(
      'spec.cidr is of type string and has no fields',
    );
    expect(refusal(() => explainField(ipPool, 'metadata.labels.app')).hint).toBe(
      'metadata.labels is of type map of strings and has no fields',
    );
  });
});
