// Manifests for scenarios: objects of all kinds, right or with something wrong in them, written as YAML or JSON.
import { stringify } from 'yaml';
import { someFields } from './field-values.ts';
import type { Choices } from './random.ts';
import type { Subject } from './subjects.ts';

type Values = Record<string, unknown>;

/** Stands for the revision of a stored object; replaced before a command runs, as each server has its own. */
const revisionOf = (kind: string, namespace: string | undefined, name: string): string =>
  `revision-of(${kind}/${namespace ?? ''}/${name})`;

export interface Named {
  readonly subject: Subject;
  readonly name: string;
}

const labels = [
  { team: 'a' },
  { 'projectcalico.org/site': 'x', team: 'b' },
  { 'bad key': 'x' },
  { team: 'bad value' },
  { '/x': 'y' },
  { n: 7 },
  {},
  ['a'],
  { 'projectcalico.org/namespace': 'shop' },
  { 'projectcalico.org/tier': 'other' },
  null,
]; // prettier-ignore

const badNames = [undefined, '', 'Upper', '-a', 'a b', 'a..b', 'x'.repeat(254), 'default.x', 'platform.x', 7, null];

/** Where a value of a spec is. */
function places(value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Object.entries(value).flatMap(([key, member]) =>
    places(member, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? inner : [at, ...inner];
}

/** A copy with another value at the place. */
function withValue(root: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  return { ...(root as Values), [key]: withValue((root as Values)[key], rest, value) };
}

type Flaw = (object: Values, named: Named, choices: Choices) => Values;

const spec = (object: Values): Values => (object['spec'] ?? {}) as Values;
const metadata = (object: Values): Values => (object['metadata'] ?? {}) as Values;

const inSpec = (object: Values, more: Values): Values => ({ ...object, spec: { ...spec(object), ...more } });
const inMetadata = (object: Values, more: Values): Values => ({
  ...object,
  metadata: { ...metadata(object), ...more },
});

const flaws: readonly (readonly [weight: number, flaw: Flaw])[] = [
  [
    3,
    (object, _, choices) =>
      inSpec(object, { [choices.one(['bogus', 'Spec', 'kind', 'x-y'])]: choices.one([1, 'x', {}]) }),
  ],
  [1, (object) => inSpec(object, { bogus: 1, other: 2, third: {} })],
  [1, (object) => inSpec(object, { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 })],
  [
    8,
    (object, _, choices) => {
      const all = places(spec(object));
      if (all.length === 0) return inSpec(object, { bogus: true });
      const wrong = choices.one<unknown>([
        'x',
        '',
        7,
        -1,
        1.5,
        true,
        'yes',
        null,
        [],
        {},
        ['x'],
        { x: 1 },
        'Bogus',
        '7',
      ]);
      return { ...object, spec: withValue(spec(object), choices.one(all), wrong) };
    },
  ],
  [8, (object, { subject }, choices) => inSpec(object, someFields(subject.schema, choices, { most: 2, wrong: 60 }))],
  [
    2,
    (object, _, choices) => {
      const names = Object.keys(spec(object));
      if (names.length === 0) return object;
      const name = choices.one(names);
      const { [name]: value, ...rest } = spec(object);
      const other = choices.one([name.toUpperCase(), name[0]?.toUpperCase() + name.slice(1), name.toLowerCase()]);
      return {
        ...object,
        spec: choices.percent(70) ? { ...rest, [other]: value } : { ...spec(object), [other]: value },
      };
    },
  ],
  [
    2,
    (object, _, choices) => {
      const names = Object.keys(spec(object));
      if (names.length === 0) return object;
      const { [choices.one(names)]: _gone, ...rest } = spec(object);
      return { ...object, spec: rest };
    },
  ],
  [4, (object, _, choices) => inMetadata(object, { name: choices.one(badNames) })],
  [
    2,
    (object, _, choices) => ({
      ...object,
      kind: choices.one(['Gadget', 'ippool', undefined, '', 7, 'List', 'BlockAffinity', 'IPPoolList']),
    }),
  ],
  [
    2,
    (object, _, choices) => ({
      ...object,
      apiVersion: choices.one(['v1', 'crd.projectcalico.org/v1', undefined, '', 'projectcalico.org/v4', 3]),
    }),
  ],
  [3, (object, _, choices) => inMetadata(object, { namespace: choices.one(['shop', 'default', 'nosuch', '', 7]) })],
  [3, (object, _, choices) => inMetadata(object, { [choices.one(['labels', 'annotations'])]: choices.one(labels) })],
  [
    4,
    (object, { subject, name }, choices) =>
      inMetadata(object, {
        resourceVersion: choices.one([
          revisionOf(subject.kind, subject.namespaced ? 'shop' : undefined, name),
          '1',
          'x',
          '',
          1,
        ]),
      }),
  ],
  [
    2,
    (object, _, choices) =>
      inMetadata(
        object,
        choices.one<Values>([
          { uid: '11111111-2222-4333-8444-555555555555' },
          { generateName: 'x-' },
          { creationTimestamp: '2025-01-01T00:00:00Z' },
          { creationTimestamp: null },
          { creationTimestamp: 'yesterday' },
          { finalizers: ['example.com/keep'] },
          { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '1' }] },
          { generation: 3 },
          { bogus: 1 },
          { selfLink: '/x' },
          { managedFields: [] },
        ]),
      ),
  ],
  [
    1,
    (object, _, choices) => ({
      ...object,
      [choices.one(['status', 'bogus', 'Kind'])]: choices.one<unknown>([{}, 'x', { a: 1 }]),
    }),
  ],
  [1, (object, _, choices) => ({ ...object, metadata: choices.one<unknown>([undefined, null, 'x', {}, []]) })],
  [1, (object, _, choices) => ({ ...object, spec: choices.one<unknown>([undefined, null, 'x', {}, []]) })],
]; // prettier-ignore

/** An object in projectcalico.org/v3 form with so many of a hundred chances of something wrong in it. */
export function objectOf(named: Named, choices: Choices, wrong: number): Values {
  const { subject, name } = named;
  const given = {
    ...subject.spec(choices),
    ...(choices.percent(25) && someFields(subject.schema, choices, { most: 2, wrong: 10 })),
  };
  const isPlaced = subject.namespaced && choices.percent(60);
  let object: Values = {
    apiVersion: 'projectcalico.org/v3',
    kind: subject.kind,
    metadata: {
      name,
      ...(isPlaced && { namespace: 'shop' }),
      ...(choices.percent(20) && { labels: { team: choices.one(['a', 'b']) } }),
      ...(choices.percent(10) && { annotations: { note: 'n' } }),
    },
    spec: given,
  };
  for (let chance = wrong; choices.percent(chance); chance /= 3) {
    object = choices.weighted(flaws)(object, named, choices);
  }
  return object;
}

/** Documents that hold no object, or none that calicoctl can read. */
const oddities = [
  '',
  '# nothing',
  'hello',
  '7',
  '[]',
  '[x]',
  '{}',
  '{"a":"b"}',
  'a: b: c',
  '- \t- x',
  'kind: IPPool',
  '"',
  'null',
  '[{"kind":""}]',
  'a: *b',
  '\tx: 1',
]; // prettier-ignore

function printed(object: unknown, choices: Choices): string {
  return choices.weighted<() => string>([
    [5, () => stringify(object)],
    [2, () => JSON.stringify(object)],
    [1, () => JSON.stringify(object, null, 2)],
  ])();
}

/** The second of two equal keys in YAML that has a name. */
function withDoubledKey(text: string): string {
  return text.replace(/^( *)(name|cidr|selector|node|kind): (.*)$/m, '$1$2: doubled\n$1$2: $3');
}

/** A text for `-f` with these objects in it, and sometimes with something else. */
export function manifestOf(objects: readonly Values[], choices: Choices): string {
  const [first] = objects;
  const form = choices.weighted([
    [10, 'documents'],
    [1, 'list'],
    [1, 'array'],
    [1, 'list of v1'],
  ] as const);
  if (form === 'list') {
    const kind = `${String(first?.['kind'])}List`;
    const items = choices.percent(85) ? objects : objects.map(({ kind: _, apiVersion: __, ...rest }) => rest);
    return printed({ apiVersion: 'projectcalico.org/v3', kind, items }, choices);
  }
  if (form === 'array') return printed(objects, choices);
  if (form === 'list of v1' && choices.percent(30))
    return printed({ apiVersion: 'v1', kind: 'List', items: objects }, choices);
  const documents = objects.map((object) => printed(object, choices));
  if (choices.percent(8)) documents.splice(choices.number(documents.length + 1), 0, choices.one(oddities));
  const start = choices.percent(20) ? '---\n' : '';
  const text = start + documents.map((one) => (one.endsWith('\n') ? one : `${one}\n`)).join('---\n');
  return choices.percent(3) ? withDoubledKey(text) : text;
} // prettier-ignore
