// What a datastore keeps, in crd.projectcalico.org/v1 and in projectcalico.org/v3. The objects of the latter are as
// calico-ipam 3.32.1 writes them, those of the former as calico-ipam 3.31.4 does.
import { describe, expect, it } from 'vitest';
import { fromV3, inStoredForm, toV3 } from '../../../src/resources/convert/v3.ts';
import { blockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../../src/resources/kinds/ipam-config.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import type { KubeObject } from '../../../src/resources/object.ts';

const crd = 'crd.projectcalico.org/v1';
const v3 = 'projectcalico.org/v3';
const uid = '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5';

const labels = { 'projectcalico.org/affinity-type': 'host', 'projectcalico.org/ip-version': '4' };
const annotation = (metadata: object) => ({ 'projectcalico.org/metadata': JSON.stringify(metadata) });
const claim = { cidr: '10.60.0.0/26', node: 'node-a', type: 'host', state: 'confirmed' };

const crdAffinity: KubeObject = {
  apiVersion: crd,
  kind: 'BlockAffinity',
  metadata: { name: 'node-a-10-60-0-0-26', labels, annotations: annotation({ creationTimestamp: null, labels }) },
  spec: { ...claim, deleted: 'false' },
};
const nativeAffinity: KubeObject = {
  apiVersion: v3,
  kind: 'BlockAffinity',
  metadata: { name: 'node-a-10-60-0-0-26', creationTimestamp: null, labels },
  spec: { ...claim, deleted: false },
};

describe('inStoredForm', () => {
  it('inStoredForm makes an affinity of one API from that of the other', () => {
    expect(inStoredForm(blockAffinity, crdAffinity, v3)).toEqual(nativeAffinity);
    expect(inStoredForm(blockAffinity, nativeAffinity, crd)).toEqual(crdAffinity);
    expect(inStoredForm(blockAffinity, crdAffinity, crd)).toBe(crdAffinity);
  });

  it.each([
    ['true', true, 'true'],
    ['T', true, 'true'],
    ['', false, 'false'],
    [true, true, 'true'],
    [false, false, 'false'],
    [undefined, undefined, undefined],
  ])(
    'the deletion mark %j of an affinity is %j in projectcalico.org/v3, and %j in crd.projectcalico.org/v1',
    (mark, native, text) => {
      const marked = (object: KubeObject) => ({ ...object, spec: { ...claim, deleted: mark } });
      const deletedOf = (object: KubeObject) => (object.spec as { deleted?: unknown }).deleted;
      expect(deletedOf(inStoredForm(blockAffinity, marked(nativeAffinity), v3))).toBe(native);
      expect(deletedOf(inStoredForm(blockAffinity, marked(crdAffinity), v3))).toBe(native);
      expect(deletedOf(inStoredForm(blockAffinity, marked(nativeAffinity), crd))).toBe(text);
    },
  );

  it('a block without an owner has no affinity in projectcalico.org/v3, where an empty one is refused', () => {
    const block = (affinity: unknown): KubeObject => ({
      apiVersion: v3,
      kind: 'IPAMBlock',
      metadata: { name: '10-60-0-0-30' },
      spec: { cidr: '10.60.0.0/30', affinity, other: 1 },
    });
    for (const none of ['', null, undefined]) {
      expect(inStoredForm(ipamBlock, block(none), v3).spec).toEqual({ cidr: '10.60.0.0/30', other: 1 });
    }
    expect(inStoredForm(ipamBlock, block('host:a'), v3)).toEqual(block('host:a'));
  });

  it('the configuration of IPAM is of another kind in projectcalico.org/v3', () => {
    const config = {
      apiVersion: crd,
      kind: 'IPAMConfig',
      metadata: { name: 'default' },
      spec: { strictAffinity: true },
    };
    const native = inStoredForm<KubeObject>(ipamConfig, config, v3);
    expect(native).toMatchObject({ apiVersion: v3, kind: 'IPAMConfiguration', spec: { strictAffinity: true } });
    expect(inStoredForm(ipamConfig, native, crd)).toMatchObject({ apiVersion: crd, kind: 'IPAMConfig' });
  });

  it('finalizers, owners, labels and unknown fields of a native object stay as they are', () => {
    const handle: KubeObject = {
      apiVersion: v3,
      kind: 'IPAMHandle',
      metadata: {
        name: 'h',
        uid,
        labels: { team: 'blue' },
        finalizers: ['example.com/f'],
        ownerReferences: [{ apiVersion: v3, kind: 'IPPool', name: 'p', uid }],
        unknown: { a: 1 },
      },
      spec: { handleID: 'h', block: {}, deleted: false, later: [1] },
      status: { s: 1 },
    };
    expect(inStoredForm(ipamHandle, handle, v3)).toEqual(handle);
  });
});

describe('a pool that is stored in projectcalico.org/v3', () => {
  const pool: KubeObject = {
    apiVersion: v3,
    kind: 'IPPool',
    metadata: {
      name: 'pool6',
      uid,
      generation: 2,
      resourceVersion: '9',
      creationTimestamp: '2025-06-15T15:00:00Z',
      labels: { team: 'blue' },
      finalizers: ['projectcalico.org/ippool-finalizer'],
    },
    spec: { cidr: 'fd00:10::/64', blockSize: 122 },
    status: { conditions: [{ type: 'Allocatable', status: 'True' }] },
  };

  it('toV3 shows it with its own uid and labels, and with defaults', () => {
    expect(toV3(ipPool, pool)).toEqual({
      ...pool,
      spec: {
        cidr: 'fd00:10::/64',
        blockSize: 122,
        allowedUses: ['Workload', 'Tunnel'],
        assignmentMode: 'Automatic',
        ipipMode: 'Never',
        vxlanMode: 'Never',
        nodeSelector: 'all()',
      },
    });
  });

  it('fromV3 stores it as it is written, with its labels and uid and without the annotation of custom resources', () => {
    expect(fromV3(ipPool, pool, v3)).toEqual(pool);
    expect(fromV3(ipPool, pool).metadata.annotations?.['projectcalico.org/metadata']).toContain('"team":"blue"');
  });
});
