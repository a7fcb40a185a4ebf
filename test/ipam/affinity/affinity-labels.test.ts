// Affinities that their node does not see get the labels and the type that Calico uses to list them.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { relabelled, upgradeHost } from '../../../src/ipam/affinity/affinity-labels.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { affinitiesIn, affinityTo, marked } from '../../support/clusters/ipam-state.ts';

const owner = { type: 'host', name: 'node-a' } as const;
const cidr = '10.244.174.128/29';
const right = affinityTo('node-a', cidr, 'confirmed');
const labels = {
  'projectcalico.org/affinity-type': 'host',
  'projectcalico.org/hostname-hash': 'PY3TQE2E3XMTETLM2MJO3UITKPFB27YUJ4T4E5XGPEJON3SM4QAA',
  'projectcalico.org/ip-version': '4',
};
const annotation = 'projectcalico.org/metadata';

/** The affinity without labels, with `metadata` as its annotation. */
function unlabelled(metadata?: string, spec: Partial<BlockAffinity['spec']> = {}): BlockAffinity {
  return {
    ...right,
    metadata: {
      name: right.metadata.name,
      ...(metadata === undefined ? {} : { annotations: { [annotation]: metadata } }),
    },
    spec: { ...right.spec, ...spec },
  };
}

function withoutType(affinity: BlockAffinity): BlockAffinity {
  const { type: _type, ...spec } = affinity.spec;
  return { ...affinity, spec };
}

describe('relabelling one affinity', () => {
  it.each([
    ['{"creationTimestamp":null}', { creationTimestamp: null, labels }],
    [undefined, { creationTimestamp: null, labels }],
    ['not JSON', { creationTimestamp: null, labels }],
    ['[1]', { creationTimestamp: null, labels }],
    [
      '{"creationTimestamp":null,"labels":{"mine":"x"},"annotations":{"a":"b"}}',
      { creationTimestamp: null, labels: { mine: 'x', ...labels }, annotations: { a: 'b' } },
    ],
  ])('an affinity with the annotation %j gets the labels in addition to those in it', (metadata, expected) => {
    const after = relabelled(unlabelled(metadata));
    expect(after?.metadata.labels).toEqual(labels);
    expect(JSON.parse(after?.metadata.annotations?.[annotation] ?? '')).toEqual(expected);
    expect(after?.spec).toEqual(right.spec);
  });

  it('an affinity without a type gets the type of a node, also with the empty label of an earlier upgrade', () => {
    const halfway = withoutType(unlabelled());
    halfway.metadata.labels = { ...labels, 'projectcalico.org/affinity-type': '' };
    expect(relabelled(halfway)).toMatchObject({ metadata: { labels }, spec: { type: 'host' } });
    expect(relabelled(withoutType(right))?.spec.type).toBe('host');
  });

  it('relabelling keeps other labels, annotations and unknown fields', () => {
    const before = unlabelled('{}', { future: 1n } as object);
    before.metadata.labels = { mine: 'x' };
    before.metadata.annotations = { ...before.metadata.annotations, other: 'y' };
    before.metadata.finalizers = ['f'];
    expect(relabelled(before)).toMatchObject({
      metadata: { labels: { mine: 'x', ...labels }, annotations: { other: 'y' }, finalizers: ['f'] },
      spec: { future: 1n },
    });
  });

  it('a valid affinity is not relabelled', () => {
    expect(relabelled(right)).toBeUndefined();
  });
});

describe('relabelling the affinities of a node', () => {
  const other = affinityTo('node-b', '10.0.1.0/26', 'confirmed');
  const [foreign, tombstone] = [
    { ...other, metadata: { name: other.metadata.name } },
    marked({ ...affinityTo('node-a', '10.0.2.0/26', 'confirmed'), metadata: { name: 'node-a-10-0-2-0-26' } }),
  ];

  it('relabelled affinities of a node are found by their labels, and others are left unchanged', async () => {
    const store = new MemoryDatastore([withoutType(unlabelled()), foreign, tombstone]);
    const ipam = ipamStoreOf(store);
    expect(await ipam.affinitiesOf(owner, 4)).toEqual([]);
    expect(await upgradeHost(ipam, owner)).toEqual([right.metadata.name]);
    expect((await ipam.affinitiesOf(owner, 4)).map(({ spec }) => spec)).toEqual([right.spec]);
    expect(store.writes).toBe(1);
    expect(await upgradeHost(ipam, owner)).toEqual([]);
    expect(store.writes).toBe(1);
  });

  it('relabelling reads an affinity again after a conflict, and skips one that is gone', async () => {
    const store = new MemoryDatastore([unlabelled()]);
    store.faults = (call) => (call.nthWrite === 1 ? 'conflict' : undefined);
    await upgradeHost(ipamStoreOf(store), owner);
    expect(affinitiesIn(store)[0]?.metadata.labels).toEqual(labels);
    const gone = new MemoryDatastore([]);
    const ipam = ipamStoreOf(gone);
    const listed = { ...ipam, affinities: { ...ipam.affinities, list: async () => [unlabelled()] } };
    expect(await upgradeHost(listed, owner)).toEqual([]);
  });

  it('relabelling ends with an error when every write is a conflict', async () => {
    const store = new MemoryDatastore([unlabelled()]);
    store.faults = (call) => (call.nthWrite > 0 ? 'conflict' : undefined);
    await expect(upgradeHost(ipamStoreOf(store), owner)).rejects.toMatchObject({ code: 'IPAM_CONFLICT' });
  });
});
