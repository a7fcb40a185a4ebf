// What the schemas refuse and how they say it.
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/resources/kind.ts';
import { blockAffinity, isDeletedAffinity } from '../../src/resources/kinds/block-affinity.ts';
import { ipPool } from '../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../src/resources/kinds/ipam-block.ts';
import { ipamHandle } from '../../src/resources/kinds/ipam-handle.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { problemsOf } from '../../src/resources/validate.ts';

const object = (kind: Kind, spec: unknown, more: Record<string, unknown> = {}) => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: kind.kind,
  metadata: { name: 'x' },
  spec,
  ...more,
});

const texts = (kind: Kind, spec: unknown, more?: Record<string, unknown>) =>
  problemsOf(kind, object(kind, spec, more)).map(({ path, message }) => `${path} ${message}`);

const block = {
  cidr: '10.0.0.0/30',
  allocations: [0, null, null, null],
  unallocated: [1, 2, 3],
  attributes: [{ handle_id: null, secondary: null }],
  strictAffinity: false,
};

describe('problemsOf', () => {
  it('finds no problem in what a cluster holds, unknown fields included', () => {
    expect(texts(ipamBlock, block)).toEqual([]);
    expect(texts(ipamBlock, { ...block, affinity: null, future: { a: [1] }, sequenceNumber: 2n ** 62n })).toEqual([]);
    expect(texts(ipamBlock, block, { extra: 1, metadata: { name: 'x', labels: null, other: true } })).toEqual([]);
  });

  it('names the path and the expected type of wrong fields of a block', () => {
    const { cidr: _cidr, ...withoutCidr } = block;
    expect(texts(ipamBlock, withoutCidr)).toEqual(['spec.cidr is missing']);
    expect(texts(ipamBlock, { ...block, allocations: { 0: null } })).toEqual(['spec.allocations must be a list']);
    expect(texts(ipamBlock, { ...block, allocations: [0, 'x', null, 1.5] })).toEqual([
      'spec.allocations[1] must be an integer',
      'spec.allocations[3] must be an integer',
    ]);
    expect(texts(ipamBlock, { ...block, unallocated: [1, null] })).toEqual(['spec.unallocated[1] must be an integer']);
    expect(texts(ipamBlock, { ...block, attributes: null })).toEqual(['spec.attributes must be a list']);
    expect(texts(ipamBlock, { ...block, attributes: [{ secondary: { 'a b': 1 } }] })).toEqual([
      'spec.attributes[0].secondary["a b"] must be a string',
    ]);
    expect(texts(ipamBlock, { ...block, deleted: 'true' })).toEqual(['spec.deleted must be true or false']);
  });

  it('takes 64-bit integers only when they are whole and within range', () => {
    const at = (value: unknown) => texts(ipamBlock, { ...block, sequenceNumber: value });
    expect(at(1764412800000000004n)).toEqual([]);
    expect(at(5)).toEqual([]);
    for (const wrong of [1.5, '5', 2n ** 63n, 2 ** 60, true]) {
      expect(at(wrong)).toEqual(['spec.sequenceNumber must be a 64-bit integer']);
    }
    expect(texts(ipamBlock, { ...block, sequenceNumberForAllocation: { 3: 'x' } })).toEqual([
      'spec.sequenceNumberForAllocation["3"] must be a 64-bit integer',
    ]);
  });

  it('takes true or false, also as strings, as the delete mark of an affinity', () => {
    const at = (deleted: unknown) =>
      texts(blockAffinity, { node: 'n', cidr: '10.0.0.0/26', state: 'confirmed', deleted });
    for (const fine of ['true', 'false', '', 'T', '0', undefined, true]) expect(at(fine)).toEqual([]);
    expect(at('yes')).toEqual(['spec.deleted must be "true" or "false"']);
    expect(at(1)).toEqual(['spec.deleted must be true or false or a string']);
  });

  it('finds problems of handles, pools and metadata', () => {
    expect(texts(ipamHandle, { handleID: 'a' })).toEqual(['spec.block is missing']);
    expect(texts(ipamHandle, { handleID: 'a', block: { '10.0.0.0/26': '1' } })).toEqual([
      'spec.block["10.0.0.0/26"] must be an integer',
    ]);
    expect(texts(ipPool, { cidr: '10.0.0.0/16', blockSize: '26' })).toEqual(['spec.blockSize must be an integer']);
    expect(texts(ipPool, { cidr: '10.0.0.0/16' }, { metadata: { name: '', labels: { a: 1 } } })).toEqual([
      'metadata.name must not be empty',
      'metadata.labels.a must be a string',
    ]);
  });

  it('finds problems in values that are not objects', () => {
    for (const kind of kinds) {
      expect(problemsOf(kind, null).length).toBeGreaterThan(0);
      expect(problemsOf(kind, { apiVersion: 'v1', kind: kind.kind }).map(({ path }) => path)).toContain('metadata');
    }
  });
});

it('isDeletedAffinity recognises the delete mark in every spelling', () => {
  const affinity = (deleted: string | boolean) => ({
    ...object(blockAffinity, null),
    spec: { node: 'n', cidr: 'c', deleted },
  });
  for (const yes of ['true', 'True', 't', '1', true]) expect(isDeletedAffinity(affinity(yes))).toBe(true);
  for (const no of ['false', '', 'F', '0', false]) expect(isDeletedAffinity(affinity(no))).toBe(false);
});
