// What reads fill in, for a kind made up for this test: defaults by rule, durations at any depth, fields of older versions.
import { describe, expect, it } from 'vitest';
import { withDefaults } from '../../src/resources/defaults.ts';
import { duration, field, fields, list, map, object, text } from '../../src/resources/field.ts';
import type { Kind } from '../../src/resources/kind.ts';
import { namespace } from '../../src/resources/kinds/namespace.ts';
import type { KubeObject } from '../../src/resources/object.ts';

const spec = fields(() => ({
  documented: field(text, 'A default that is only documented.', { default: 'a' }),
  whenUnset: field(text, 'A default for the unset field.', { default: 'b', fill: 'unset' }),
  whenEmpty: field(list(text), 'A default for the empty field too.', { default: ['c'], fill: 'empty' }),
  computed: field(text, 'A default made from another field.', {
    default: { about: 'twice documented', of: ({ documented }) => `${documented}${documented}` },
    fill: 'empty',
  }),
  wait: field(duration, 'A duration.'),
  waits: field(list(duration), 'Durations in a list.'),
  named: field(map(duration), 'Durations in a map.'),
  inner: field(object({ waits: field(list(object({ wait: field(duration, 'One.') })), 'Some.') }), 'Durations below.'),
}));

const kind: Kind = { ...namespace, fields: { spec, status: spec } };

const objectWith = (members: Partial<KubeObject>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'MadeUp',
  metadata: { name: 'x' },
  ...members,
});
const specOf = (given: unknown) => withDefaults(kind, objectWith({ spec: given })).spec;
const filled = { whenUnset: 'b', whenEmpty: ['c'] };

describe('withDefaults', () => {
  it('fills in defaults of unset fields, but not those that are only documented', () => {
    expect(specOf({ documented: 'z' })).toEqual({ documented: 'z', ...filled, computed: 'zz' });
  });

  it('fills in defaults of empty fields only where their table says so', () => {
    expect(specOf({ documented: '', whenUnset: '', whenEmpty: [], computed: 'k' })).toEqual({
      documented: '',
      whenUnset: '',
      whenEmpty: ['c'],
      computed: 'k',
    });
    expect(specOf({ whenUnset: null, whenEmpty: null, computed: 'k' })).toEqual({ ...filled, computed: 'k' });
  });

  it('prints durations as Go does, in lists, maps and objects too', () => {
    const given = {
      computed: 'k',
      wait: '90s',
      waits: ['60m', 'nonsense'],
      named: { a: '1500ms' },
      inner: { waits: [{ wait: '0', other: '90s' }, 'no object'], other: '90s' },
    };
    expect(specOf(given)).toEqual({
      ...filled,
      computed: 'k',
      wait: '1m30s',
      waits: ['1h0m0s', 'nonsense'],
      named: { a: '1.5s' },
      inner: { waits: [{ wait: '0s', other: '90s' }, 'no object'], other: '90s' },
    });
  });

  it('completes a missing spec, but makes no status', () => {
    expect(withDefaults(kind, objectWith({}))).toEqual(
      objectWith({ spec: { ...filled, computed: 'undefinedundefined' } }),
    );
    expect(withDefaults(kind, objectWith({ status: { wait: '90s' } })).status).toMatchObject({
      wait: '1m30s',
      whenUnset: 'b',
    });
  });

  it('leaves values of the wrong type, and the object itself, as they are', () => {
    const given = objectWith({ spec: { wait: 5, waits: '90s', inner: [], whenEmpty: 7, computed: 'k' } });
    const before = structuredClone(given);
    expect(withDefaults(kind, given).spec).toEqual({ ...(before.spec as object), whenUnset: 'b' });
    expect(given).toEqual(before);
    expect(specOf('text')).toBe('text');
  });

  it('replaces fields of older versions before it fills in defaults', () => {
    const upgraded = (old: KubeObject): KubeObject => ({ ...old, spec: { whenUnset: 'from an old field' } });
    const { spec: completed } = withDefaults({ ...kind, upgraded }, objectWith({ spec: { old: 1 } }));
    expect(completed).toMatchObject({ whenUnset: 'from an old field', whenEmpty: ['c'] });
    expect(completed).not.toHaveProperty('old');
  });
});
