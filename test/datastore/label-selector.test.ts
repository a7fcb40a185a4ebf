import { describe, expect, it } from 'vitest';
import { DatastoreError } from '../../src/datastore/datastore.ts';
import { labelSelector } from '../../src/datastore/label-selector.ts';

const labels = { app: 'web', 'projectcalico.org/tier': 'one', empty: '' };

describe('labelSelector', () => {
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,empty=', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    // Without the label, "not equal" and "not in" hold.
    ['missing!=web', true],
    ['missing notin (a, b)', true],
    ['app notin (web)', false],
    ['app in (db, web)', true],
    ['missing in (web)', false],
    ['projectcalico.org/tier', true],
    ['!projectcalico.org/tier', false],
    ['!missing', true],
    ['toString', false],
    ['app in (db,web), !missing', true],
  ])('labelSelector of %j is %s', (text, expected) => {
    expect(labelSelector(text)(labels)).toBe(expected);
  });

  it('labelSelector without labels selects everything', () => {
    expect(labelSelector('!app')(undefined)).toBe(true);
    expect(labelSelector('app')(undefined)).toBe(false);
  });

  it.each(['a in b', 'a,,b', 'a = b c', '(a)', 'a>1'])('labelSelector refuses %j', (text) => {
    expect(() => labelSelector(text)).toThrow(DatastoreError);
  });
});
