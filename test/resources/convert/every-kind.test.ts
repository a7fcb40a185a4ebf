// Every kind from the stored form to the one that people see and back: nothing is lost, exact integers and unknown fields
// stay, and the table of the kind knows every field of the samples.
import { describe, expect, it } from 'vitest';
import { fromV3, toV3 } from '../../../src/resources/convert/v3.ts';
import type { FieldTable, FieldType } from '../../../src/resources/field.ts';
import { orderKeys } from '../../../src/resources/field-order.ts';
import { isOnCommandLine, type Kind, shownFields } from '../../../src/resources/kind.ts';
import { kindOf, kinds } from '../../../src/resources/kinds.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { problemsOf } from '../../../src/resources/validate.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';
import { commonKinds, everyKind } from '../../support/clusters/every-kind.ts';

const kind = (object: KubeObject): Kind => kindOf(object.apiVersion, object.kind) as Kind;
const title = (object: KubeObject): string =>
  `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
const all = [...everyKind, ...commonKinds];
const samples = all.map((object) => [title(object), object] as const);
const calicos = samples.filter(([, object]) => kind(object).codec !== undefined);

/** Paths of fields that the table does not have. */
function unknownFields(table: FieldTable, members: object, path: string): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const type = Object.hasOwn(table, name) ? table[name]?.type : undefined;
    return type === undefined ? [`${path}.${name}`] : unknownIn(type, value, `${path}.${name}`);
  });
}

function unknownIn(type: FieldType, value: unknown, path: string): string[] {
  if (type.form === 'list') return (value as unknown[]).flatMap((entry) => unknownIn(type.items, entry, path));
  return type.form === 'object' ? unknownFields(type.fields(), value as object, path) : [];
}

describe('a sample of every kind', () => {
  it('the samples have every kind that Calico does not derive, except those of IPAM', () => {
    const sampled = new Set(all.map(kind));
    const rest = kinds.filter((one) => !sampled.has(one)).map((one) => one.kind);
    expect(rest).toEqual([
      'AdminNetworkPolicy',
      'BaselineAdminNetworkPolicy',
      'BlockAffinity',
      'ClusterInformation',
      'ClusterNetworkPolicy',
      'EndpointSlice',
      'IPAMBlock',
      'IPAMConfig',
      'IPAMHandle',
      'Lease',
      'Namespace',
      'Node',
      'Pod',
      'Profile',
      'Secret',
      'Service',
      'WorkloadEndpoint',
    ]);
  });

  it.each(samples)('%s is as its kind says, and the kind knows its fields', (_, object) => {
    expect(problemsOf(kind(object), object)).toEqual([]);
    const { spec, status } = shownFields(kind(object));
    const shown = toV3(kind(object), object);
    expect(spec === undefined ? [] : unknownFields(spec(), (shown.spec ?? {}) as object, 'spec')).toEqual([]);
    expect(status === undefined ? [] : unknownFields(status(), (shown.status ?? {}) as object, 'status')).toEqual([]);
  });

  it.each(calicos)(
    '%s keeps fields that no version knows, and exact integers, on the way to v3 and back',
    (_, object) => {
      const more = { ...(object.spec as object), later: { count: 2n ** 60n + 1n, list: [{ a: 9007199254740993n }] } };
      const given = parseJson(printJson({ ...object, spec: more, extra: 'kept' })) as unknown as KubeObject;
      const shown = toV3(kind(object), given);
      const back = fromV3(kind(object), shown);
      expect(shown.spec).toMatchObject({ later: more.later });
      expect(back).toMatchObject({ apiVersion: object.apiVersion, kind: object.kind, extra: 'kept' });
      expect(back.spec).toMatchObject({ later: more.later });
      expect(toV3(kind(object), back).spec).toEqual(shown.spec);
      expect(toV3(kind(object), back).status).toEqual(shown.status);
    },
  );

  it.each(calicos.filter(([, { metadata }]) => metadata.annotations?.['projectcalico.org/metadata'] !== undefined))(
    '%s keeps its stored name and all metadata on the way to v3 and back',
    (_, object) => {
      const shown = toV3(kind(object), object);
      const back = fromV3(kind(object), shown);
      expect(back.metadata.name).toBe(object.metadata.name);
      expect(toV3(kind(object), back).metadata).toEqual(shown.metadata);
    },
  );

  it.each(calicos)('%s prints known fields in the order of their table', (_, object) => {
    const shown = orderKeys(kind(object), toV3(kind(object), object));
    const known = Object.keys(shownFields(kind(object)).spec?.() ?? {});
    const printed = Object.keys(shown.spec as object);
    expect(printed).toEqual(known.filter((name) => printed.includes(name)));
  });
});

it('every kind on the command line has an explanation for each of its fields', () => {
  const without = kinds.filter(isOnCommandLine).flatMap((one) =>
    Object.entries(shownFields(one).spec?.() ?? {})
      .filter(([, { about }]) => !about.endsWith('.'))
      .map(([name]) => `${one.kind}.${name}`),
  );
  expect(without).toEqual([]);
});
