// Names of policies: which are right in which tier, under which they are stored, and the tier that they mean.
import { describe, expect, it } from 'vitest';
import { policyNameProblem, storedPolicyNames, tierOfPolicyName } from '../../src/resources/policy-names.ts';

describe('storedPolicyNames', () => {
  it('a name without a dot is stored behind default., by Calico from 3.32 as it is', () => {
    expect(storedPolicyNames('allow-dns')).toEqual(['default.allow-dns', 'allow-dns']);
  });

  it.each([
    'default.allow-dns',
    'platform.deny',
    'knp.default.web',
    'kanp.adminnetworkpolicy.web',
    'kbanp.baselineadminnetworkpolicy.default',
    'ossg.default.web',
  ])('the name %s has a dot and is stored as it is', (name) => {
    expect(storedPolicyNames(name)).toEqual([name]);
  });
});

describe('policyNameProblem', () => {
  it.each([
    ['default', 'allow-dns'],
    [undefined, 'allow-dns'],
    ['', 'default.allow-dns'],
    ['default', 'default.allow-dns'],
    ['default', 'knp.default.web'],
    ['platform', 'platform.deny'],
    ['adminnetworkpolicy', 'kanp.adminnetworkpolicy.web'],
  ])('in tier %s the name %s is right', (tier, name) => {
    expect(policyNameProblem(tier, name)).toBeUndefined();
  });

  it.each([
    ['default', 'platform.deny'],
    [undefined, 'a.b'],
    ['platform', 'deny'],
    ['platform', 'default.deny'],
    ['platform', 'platformdeny'],
    ['platform', 'knp.default.web'],
  ])('in tier %s the name %s is refused in calicoctl words', (tier, name) => {
    expect(policyNameProblem(tier, name)).toBe(`Incorrectly formatted policy name ${name}`);
  });

  it('an empty name is refused', () => {
    expect(policyNameProblem('default', '')).toBe('Policy name is empty');
  });
});

it.each([
  ['allow-dns', 'default'],
  ['default.allow-dns', 'default'],
  ['platform.deny.all', 'platform'],
  ['knp.default.web', 'default'],
  ['ossg.platform.web', 'default'],
  ['kanp.adminnetworkpolicy.web', 'adminnetworkpolicy'],
  ['kbanp.baselineadminnetworkpolicy.default', 'baselineadminnetworkpolicy'],
])('the name %s means tier %s', (name, tier) => {
  expect(tierOfPolicyName(name)).toBe(tier);
});
