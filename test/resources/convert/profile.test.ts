// Profiles of namespaces and service accounts. Expectations were printed by calicoctl 3.31.4 for the same objects.
import { describe, expect, it } from 'vitest';
import { defaultProfile, profileOfNamespace, profileOfServiceAccount } from '../../../src/resources/convert/profile.ts';
import { profile } from '../../../src/resources/kinds/profile.ts';
import type { ObjectMeta } from '../../../src/resources/object.ts';

const metadata: ObjectMeta = {
  name: 'shop',
  uid: '0f1e2d3c-4b5a-4697-8899-a0b1c2d3e4f5',
  resourceVersion: '12',
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { zone: 'a', 'kubernetes.io/metadata.name': 'shop' },
  annotations: { note: 'x' },
};
const allow = [{ action: 'Allow', source: {}, destination: {} }];

describe('profiles', () => {
  it('the profile of a namespace allows everything and gives its labels to pods', () => {
    expect(profileOfNamespace({ apiVersion: 'v1', kind: 'Namespace', metadata })).toEqual({
      apiVersion: 'projectcalico.org/v3',
      kind: 'Profile',
      metadata: {
        name: 'kns.shop',
        uid: 'f078b43c-d25a-46e9-8899-058d43cb27af',
        resourceVersion: '12/',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        ingress: allow,
        egress: allow,
        labelsToApply: {
          'pcns.kubernetes.io/metadata.name': 'shop',
          'pcns.projectcalico.org/name': 'shop',
          'pcns.zone': 'a',
        },
      },
    });
  });

  it('the profile of a service account has no rules, and a revision with an empty first part', () => {
    const account = { name: 'cart', namespace: 'shop', resourceVersion: '7', labels: { role: 'a' } };
    const made = profileOfServiceAccount({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    expect(made.metadata).toEqual({ name: 'ksa.shop.cart', resourceVersion: '/7', creationTimestamp: null });
    expect(made.spec).toEqual({ labelsToApply: { 'pcsa.projectcalico.org/name': 'cart', 'pcsa.role': 'a' } });
  });

  it('the profile that every cluster has allows everything, gives no labels, and has revision 1', () => {
    expect(defaultProfile().metadata.resourceVersion).toBe('1');
    expect(defaultProfile().spec).toEqual({ ingress: allow, egress: allow });
  });

  it.each([
    ['kns.shop', [{ name: 'shop' }, undefined]],
    ['ksa.shop.cart', [undefined, { namespace: 'shop', name: 'cart' }]],
    ['ksa.shop.a.b', [undefined, { namespace: 'shop', name: 'a.b' }]],
    ['ksa.shop', [undefined, undefined]],
    ['kns.', [undefined, undefined]],
    ['shop', [undefined, undefined]],
  ])('the sources of the name %s are found', (name, expected) => {
    expect(profile.derived?.sources.map(({ sourceOf }) => sourceOf({ name }))).toEqual(expected);
  });

  it.each([
    ['shop', 'Invalid name shop'],
    ['ksa.shop', 'Profile ksa.shop is not formatted correctly'],
    ['kns.', 'resource name may not be empty'],
  ])('the name %s is refused in calicoctl words', (name, text) => {
    expect(profile.derived?.malformedName(name, false)).toEqual({ text, isWhole: true });
  });
});
