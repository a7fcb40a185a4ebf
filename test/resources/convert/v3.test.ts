// Stored form to v3 form and back: metadata annotation, uid, defaults, omitted fields, key order. Expectations were
// printed by calicoctl 3.31.4 for the same stored objects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromV3, toV3 } from '../../../src/resources/convert/v3.ts';
import { orderKeys } from '../../../src/resources/field-order.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import { kindNamed } from '../../../src/resources/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';

fc.configureGlobal({ seed: 20260104 });

const kind = (name: string) => kindNamed(name) as Kind;
const uid = '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5';
const shownUid = 'f078b43c-d25a-46e9-8899-058d43cb27af';

const stored = (name: string, spec: unknown, metadata: Partial<ObjectMeta> = {}, more = {}): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: name,
  metadata: { name: 'x', uid, resourceVersion: '12', creationTimestamp: '2025-06-15T15:00:00Z', ...metadata },
  spec,
  ...more,
});

const poolDefaults = {
  allowedUses: ['Workload', 'Tunnel'],
  assignmentMode: 'Automatic',
  blockSize: 26,
  ipipMode: 'Never',
  nodeSelector: 'all()',
  vxlanMode: 'Never',
};

const shownSpec = (name: string, spec: unknown) => toV3(kind(name), stored(name, spec)).spec;

describe('toV3: metadata', () => {
  it('toV3 takes metadata from the annotation, whose labels and annotations win', () => {
    const object = stored(
      'IPPool',
      { cidr: '10.0.0.0/16' },
      {
        generation: 3,
        finalizers: ['of the CR'],
        labels: { a: 'CR', z: 'CR' },
        annotations: {
          'projectcalico.org/metadata':
            '{"creationTimestamp":"2025-01-01T10:00:00Z","labels":{"a":"v3"},"annotations":{"n":"v3"},"generation":9}',
          other: 'CR',
        },
      },
    );
    expect(toV3(kind('IPPool'), object)).toEqual({
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: {
        name: 'x',
        uid: shownUid,
        resourceVersion: '12',
        generation: 9,
        creationTimestamp: '2025-01-01T10:00:00Z',
        labels: { a: 'v3', z: 'CR' },
        annotations: { n: 'v3', other: 'CR' },
      },
      spec: { cidr: '10.0.0.0/16', ...poolDefaults },
    });
  });

  it('toV3 takes the creation time of the CR when the annotation has none, and translates owners of Calico kinds', () => {
    const owners = [
      { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPPool', name: 'a', uid },
      { apiVersion: 'v1', kind: 'Pod', name: 'b', uid },
    ];
    const annotation = JSON.stringify({ creationTimestamp: null, ownerReferences: owners });
    const { metadata } = toV3(
      kind('IPPool'),
      stored(
        'IPPool',
        { cidr: '10.0.0.0/16' },
        {
          annotations: { 'projectcalico.org/metadata': annotation },
        },
      ),
    );
    expect(metadata.creationTimestamp).toBe('2025-06-15T15:00:00Z');
    expect(metadata.annotations).toBeUndefined();
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'projectcalico.org/v3', kind: 'IPPool', name: 'a', uid: shownUid },
      { apiVersion: 'v1', kind: 'Pod', name: 'b', uid },
    ]);
  });

  it('toV3 keeps metadata without a readable annotation, except for the uid', () => {
    for (const annotations of [
      { n: '1' },
      { 'projectcalico.org/metadata': '{' },
      { 'projectcalico.org/metadata': '[]' },
    ]) {
      const object = stored(
        'IPPool',
        { cidr: '10.0.0.0/16' },
        { annotations, generation: 3, managedFields: [{ manager: 'kubectl' }] },
      );
      expect(toV3(kind('IPPool'), object).metadata).toEqual({ ...object.metadata, uid: shownUid });
    }
  });

  it('toV3 prints null for a creation time that is not known', () => {
    const object = { ...stored('IPPool', { cidr: '10.0.0.0/16' }), metadata: { name: 'x' } };
    expect(toV3(kind('IPPool'), object).metadata).toEqual({ name: 'x', creationTimestamp: null });
  });
});

describe('toV3: spec', () => {
  it('toV3 adds defaults and leaves out zero values', () => {
    expect(
      shownSpec('IPPool', {
        cidr: 'fd00::/64',
        disabled: true,
        natOutgoing: false,
        ipipMode: '',
        allowedUses: [],
        namespaceSelector: '',
        assignmentMode: 'Manual',
      }),
    ).toEqual({ ...poolDefaults, cidr: 'fd00::/64', disabled: true, blockSize: 122, assignmentMode: 'Manual' });
  });

  it.each([
    [{ enabled: true, mode: 'cross-subnet' }, 'CrossSubnet'],
    [{ enabled: true, mode: 'always' }, 'Always'],
    [{ enabled: true, mode: '' }, 'Always'],
    [{ enabled: false, mode: 'always' }, 'Never'],
    [{}, 'Never'],
  ])('toV3 reads the IPIP mode of an old pool: %j', (ipip, ipipMode) => {
    expect(shownSpec('IPPool', { cidr: '10.0.0.0/16', ipip, 'nat-outgoing': true })).toEqual({
      ...poolDefaults,
      cidr: '10.0.0.0/16',
      ipipMode,
      natOutgoing: true,
    });
  });

  it('toV3 keeps zero in pointers and empty structs, and prints durations as Go does', () => {
    expect(
      shownSpec('BGPPeer', {
        asNumber: 0,
        localASNumber: 0,
        ttlSecurity: null,
        password: {},
        filters: [],
        keepOriginalNextHop: false,
        maxRestartTime: '1h',
      }),
    ).toEqual({ localASNumber: 0, password: {}, maxRestartTime: '1h0m0s' });
    expect(
      shownSpec('BGPConfiguration', {
        nodeToNodeMeshEnabled: false,
        serviceClusterIPs: [{ cidr: '10.0.0.0/8' }, {}],
        prefixAdvertisements: [{ cidr: '1.2.3.0/24', communities: [] }],
        nodeMeshMaxRestartTime: '90s',
      }),
    ).toEqual({
      nodeToNodeMeshEnabled: false,
      serviceClusterIPs: [{ cidr: '10.0.0.0/8' }, {}],
      prefixAdvertisements: [{ cidr: '1.2.3.0/24' }],
      nodeMeshMaxRestartTime: '1m30s',
    });
  });

  it('toV3 always prints the controllers of KubeControllersConfiguration', () => {
    const shown = toV3(kind('KubeControllersConfiguration'), stored('KubeControllersConfiguration', {}));
    expect(shown.spec).toEqual({ controllers: {} });
    expect(shown.status).toEqual({ runningConfig: { controllers: {} } });
  });

  it('toV3 keeps fields that the kind does not know, zero or not', () => {
    expect(shownSpec('IPReservation', { future: 0, reservedCIDRs: [], more: { a: '' } })).toEqual({
      future: 0,
      more: { a: '' },
    });
  });

  it('toV3 does not change the stored object', () => {
    const object = stored('IPPool', { cidr: '10.0.0.0/16', disabled: false });
    const before = structuredClone(object);
    toV3(kind('IPPool'), object);
    expect(object).toEqual(before);
  });
});

it('toV3 and fromV3 return IPAM objects, and objects already in the right form, as they are', () => {
  const block = stored('IPAMBlock', {});
  expect(toV3(kind('IPAMBlock'), block)).toBe(block);
  expect(fromV3(kind('IPAMBlock'), block)).toBe(block);
  const shown = toV3(kind('IPPool'), stored('IPPool', { cidr: '10.0.0.0/16' }));
  expect(toV3(kind('IPPool'), shown)).toEqual(shown);
});

describe('fromV3', () => {
  it('fromV3 writes a v3 object as calicoctl does', () => {
    const written = fromV3(kind('IPReservation'), {
      kind: 'IPReservation',
      apiVersion: 'projectcalico.org/v3',
      metadata: {
        name: 'r',
        uid: shownUid,
        resourceVersion: '12',
        generation: 3,
        creationTimestamp: '2025-06-15T15:00:00Z',
        labels: { z: '1', 'x/y': '<&>', 'projectcalico.org/l': 'v', b: '' },
        annotations: { 'projectcalico.org/a': '1', other: '2' },
        finalizers: [],
        ownerReferences: [{ apiVersion: 'projectcalico.org/v3', kind: 'IPPool', name: 'a', uid: shownUid }],
      },
      spec: { reservedCIDRs: ['10.0.0.0/30'] },
    });
    expect(written).toEqual({
      kind: 'IPReservation',
      apiVersion: 'crd.projectcalico.org/v1',
      metadata: {
        name: 'r',
        uid,
        resourceVersion: '12',
        labels: { 'projectcalico.org/l': 'v' },
        annotations: {
          'projectcalico.org/a': '1',
          'projectcalico.org/metadata':
            '{"generation":3,"creationTimestamp":"2025-06-15T15:00:00Z",' +
            '"labels":{"b":"","projectcalico.org/l":"v","x/y":"\\u003c\\u0026\\u003e","z":"1"},' +
            '"annotations":{"other":"2","projectcalico.org/a":"1"},' +
            `"ownerReferences":[{"apiVersion":"crd.projectcalico.org/v1","kind":"IPPool","name":"a","uid":"${uid}"}]}`,
        },
      },
      spec: { reservedCIDRs: ['10.0.0.0/30'] },
    });
  });

  it('fromV3 gives a bare object the empty annotation', () => {
    const bare = {
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: { name: 'x' },
      spec: { cidr: '10.0.0.0/16' },
    };
    expect(fromV3(kind('IPPool'), bare).metadata).toEqual({
      name: 'x',
      annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' },
    });
  });

  it('toV3 of fromV3 gives the same v3 object', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/);
    const map = fc.dictionary(
      fc.oneof(
        word,
        word.map((key) => `projectcalico.org/${key}`),
      ),
      fc.string(),
      {
        minKeys: 1,
        noNullPrototype: true,
      },
    );
    const metadata = fc.record(
      {
        name: word,
        uid: fc.uuid(),
        resourceVersion: fc.nat().map(String),
        creationTimestamp: fc.constant('2025-01-01T10:00:00Z'),
        labels: map,
        annotations: map,
      },
      { requiredKeys: ['name', 'creationTimestamp'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(metadata, (meta) => {
        const shown = {
          apiVersion: 'projectcalico.org/v3',
          kind: 'IPPool',
          metadata: meta as ObjectMeta,
          spec: { cidr: '10.0.0.0/16', ...poolDefaults },
        };
        expect(toV3(kind('IPPool'), fromV3(kind('IPPool'), shown))).toEqual(shown);
      }),
    );
  });
});

describe('orderKeys', () => {
  it('orderKeys puts kind first, metadata and spec as Go prints them, and sorts maps', () => {
    const object = {
      spec: {
        zz: 1,
        nodeSelector: 'all()',
        blockSize: 26,
        cidr: '10.0.0.0/16',
        ipip: { mode: 'always', enabled: true },
      },
      metadata: { labels: { b: '1', a: '2' }, creationTimestamp: null, resourceVersion: '1', name: 'x' },
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
    };
    expect(printJson(orderKeys(kind('IPPool'), object))).toBe(
      '{"kind":"IPPool","apiVersion":"projectcalico.org/v3",' +
        '"metadata":{"name":"x","resourceVersion":"1","creationTimestamp":null,"labels":{"a":"2","b":"1"}},' +
        '"spec":{"cidr":"10.0.0.0/16","blockSize":26,"nodeSelector":"all()","ipip":{"enabled":true,"mode":"always"},"zz":1}}',
    );
  });

  it('orderKeys orders inside lists and keeps 64-bit integers exact', () => {
    const block = stored(
      'IPAMBlock',
      parseJson(
        '{"sequenceNumber":1764412800000000004,"attributes":[{"secondary":{"pod":"p","node":"n"},"handle_id":"h"}],"cidr":"10.0.0.0/30"}',
      ),
    );
    expect(printJson(orderKeys(kind('IPAMBlock'), block).spec)).toBe(
      '{"cidr":"10.0.0.0/30","attributes":[{"handle_id":"h","secondary":{"node":"n","pod":"p"}}],"sequenceNumber":1764412800000000004}',
    );
  });
});
