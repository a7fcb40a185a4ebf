// Derived names against the published vectors, and the properties that hold for all of them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  affinityLabels,
  affinityMetadata,
  affinityName,
  blockName,
  handleName,
  hostnameHash,
  isObjectName,
  loadBalancerHandle,
  sanitiseHandle,
  translateUid,
  workloadEndpointName,
} from '../../src/resources/names.ts';

fc.configureGlobal({ seed: 20260102 });

describe('blockName', () => {
  it.each([
    ['192.168.1.0/26', '192-168-1-0-26'],
    ['fd80:24e2:f998:72d6::/122', 'fd80-24e2-f998-72d6---122'],
    ['fd80:24e2:f998:72d6::40/122', 'fd80-24e2-f998-72d6--40-122'],
    ['fd00:1:2:3:4:5:6:40/122', 'fd00-1-2-3-4-5-6-40-122'],
  ])('makes the name of block %s from its CIDR', (cidr, name) => expect(blockName(cidr)).toBe(name));
});

describe('affinityName', () => {
  it('names an affinity by node and CIDR, whatever its type', () => {
    expect(affinityName('node-a', '10.0.0.0/26')).toBe('node-a-10-0-0-0-26');
    expect(affinityName('load-balancer', '172.16.0.0/26')).toBe('load-balancer-172-16-0-0-26');
  });

  it('keeps affinity names of 252 characters as they are', () => {
    expect(affinityName('a'.repeat(240), '10.0.0.0/26')).toBe(`${'a'.repeat(240)}-10-0-0-0-26`);
  });

  it.each([
    ['a'.repeat(241), '10.0.0.0/26', `${'a'.repeat(228)}-10-0-0-0-26-f2d0b24ba4a`],
    ['long--hostna'.repeat(21), '10.0.0.0/26', `${'long--hostna'.repeat(19)}-10-0-0-0-26-fb0ffb1c45a`],
  ])('shortens longer affinity names and ends them with a hash', (node, cidr, name) => {
    expect(affinityName(node, cidr)).toBe(name);
    expect(name).toHaveLength(252);
  });

  it('shortens the IPv6 affinity name of a node with a long name', () => {
    const name = affinityName('a'.repeat(253), 'fe80:ba:ad:beef::c0/122');
    expect(name).toMatch(/a-fe80-ba-ad-beef--c0-122-1d3e4e37816$/);
    expect(name).toHaveLength(252);
  });
});

it.each([
  ['node-a', 'PY3TQE2E3XMTETLM2MJO3UITKPFB27YUJ4T4E5XGPEJON3SM4QAA'],
  ['node-b', 'CMAXSCEQN2FQX6QTO46RNUSW2SYX5B4KAJRNYFFLLCEBP5WWXSDA'],
  ['load-balancer', 'TAU2RK2F2FG7MIS72DPZYC6FJ3U3BIWIDZAMUTQY7ZXMSKQZ5GSQ'],
  ['test-host', 'YUGVMNOGERIXBZCX73F6HIUKM7Q77FCJQ7DDNGZ3BMNOPIEXXT3A'],
])('hostnameHash of %s is that of Calico', (node, hash) => expect(hostnameHash(node)).toBe(hash));

it('an affinity gets labels, and an annotation that repeats them', () => {
  const labels = affinityLabels('node-a', 'host', 'fd00::/122');
  expect(labels).toEqual({
    'projectcalico.org/affinity-type': 'host',
    'projectcalico.org/hostname-hash': hostnameHash('node-a'),
    'projectcalico.org/ip-version': '6',
  });
  expect(affinityLabels('node-a', '', '10.0.0.0/26')).toMatchObject({
    'projectcalico.org/affinity-type': '',
    'projectcalico.org/ip-version': '4',
  });
  expect(affinityMetadata({ b: '2', a: '1' })).toBe('{"creationTimestamp":null,"labels":{"a":"1","b":"2"}}');
});

describe('handles', () => {
  it('names the object of a handle by its id in lower case', () => {
    expect(handleName('k8s-pod-network.AbC')).toBe('k8s-pod-network.abc');
  });

  it('derives the handle id of a LoadBalancer service', () => {
    expect(loadBalancerHandle('my-svc', 'default', '11111111-2222-4333-8444-555555555555')).toBe(
      'lb-Nb3T3hY5rEIOMuHNYhlTUTx0HKl5E2LFKvdNm7t0gQ',
    );
  });

  it('ignores what follows a carriage return in a handle id', () => {
    expect(sanitiseHandle('k8s-pod-network.abc\r\neth0')).toBe('k8s-pod-network.abc');
    expect(sanitiseHandle('k8s-pod-network.abc')).toBe('k8s-pod-network.abc');
  });
});

describe('translateUid', () => {
  it.each([
    ['11111111-2222-4333-8444-555555555555', '88888888-4444-43cc-8422-aaaaaaaaaaaa'],
    ['0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5', 'f078b43c-d25a-46e9-8899-058d43cb27af'],
  ])('translates UID %s', (stored, shown) => {
    expect(translateUid(stored)).toBe(shown);
    expect(translateUid(shown)).toBe(stored);
  });

  it('gives a UID back when it is translated twice', () => {
    fc.assert(fc.property(fc.uuid(), (uid) => translateUid(translateUid(uid)) === uid));
  });

  it('translates no two UIDs alike, and keeps version and variant', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(translateUid(a) === translateUid(b)).toBe(a === b);
        expect(translateUid(a).slice(14, 16)).toBe(a.slice(14, 16));
        expect(translateUid(a).slice(19, 21)).toBe(a.slice(19, 21));
      }),
    );
  });

  it('keeps a text that is not a UUID', () => expect(translateUid('abc')).toBe('abc'));
});

it('the name of a workload endpoint doubles the dashes in its parts', () => {
  expect(workloadEndpointName('node-a', 'web-0')).toBe('node--a-k8s-web--0-eth0');
});

it.each(['a', '0', 'a-b.c', `${'a'.repeat(251)}.b`])('%s is a valid object name', (name) => {
  expect(isObjectName(name)).toBe(true);
});
it.each(['', '.', 'a.', '.a', 'a..b', 'a.-b', 'a-.b', '-a', 'A', 'a_b', 'a\n', 'ä', 'a'.repeat(254)])(
  '%j is not a valid object name',
  (name) => expect(isObjectName(name)).toBe(false),
);
