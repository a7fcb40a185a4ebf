import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedForm } from '../../src/manifest/forms.ts';
import { Manifest, type ManifestObject, newManifest } from '../../src/manifest/manifest.ts';
import { ManifestError } from '../../src/manifest/object-position.ts';
import type { KubeObject } from '../../src/resources/object.ts';

const crd = 'crd.projectcalico.org/v1';
const pool = (name: string, more = ''): string =>
  `apiVersion: ${crd}\nkind: IPPool\nmetadata:\n  name: ${name}\nspec:\n  cidr: 10.0.0.0/16\n${more}`;

type Stored = ManifestObject & { readonly object: KubeObject };

/** The objects with their form in crd.projectcalico.org/v1. */
const storedIn = (manifest: Manifest): Stored[] =>
  manifest.objects.map((found) => ({ ...found, object: storedForm(found, crd) }));

function find(manifest: Manifest, name: string): Stored {
  const found = storedIn(manifest).find(({ object }) => object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

/** The text after a field of spec was set. */
function withSpec(text: string, name: string, change: Record<string, unknown>, isJson = false): string {
  const manifest = new Manifest(text, isJson);
  const stored = find(manifest, name);
  const object = structuredClone(stored.object);
  Object.assign(object.spec as Record<string, unknown>, change);
  const changed = manifest.withChanged(stored, object);
  expect(find(changed, name).object).toEqual(object);
  expect(storedIn(new Manifest(changed.text, isJson)).map((other) => other.object)).toEqual(
    storedIn(changed).map((other) => other.object),
  );
  return changed.text;
}

function without(text: string, name: string, isJson = false): Manifest {
  const manifest = new Manifest(text, isJson);
  const rest = manifest.without(find(manifest, name));
  expect(storedIn(rest).map(({ object }) => object.metadata.name)).toEqual(
    storedIn(manifest)
      .map(({ object }) => object.metadata.name)
      .filter((other) => other !== name),
  );
  return rest;
}

function errorOf(text: string, isJson = false): ManifestError {
  try {
    new Manifest(text, isJson);
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error('no error');
}

const namesOf = (text: string, isJson = false): string[] =>
  storedIn(new Manifest(text, isJson)).map(({ object }) => `${object.kind}/${object.metadata.name}`);

describe('YAML documents of a manifest', () => {
  const text = [
    '# Our pools. Keep this line.\n',
    pool('one', '  natOutgoing: true # not to the data centre\n  nodeSelector:   all()\n'),
    '\n# About two.\n--- # the second\n# before two\n\n',
    pool('two', "  odd: [1,2,   'x']\n"),
    '---\n',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name:   web}\nweird:    spacing\n',
    '--- \n',
    pool('three'),
  ].join('');

  it('documents are separated by their marks', () => {
    expect(namesOf(text)).toEqual(['IPPool/one', 'IPPool/two', 'IPPool/three']);
    expect(storedIn(new Manifest(text, false)).map(({ position }) => position.line)).toEqual([2, 15, 28]);
  });

  it('a changed document leaves the rest of the file byte for byte', () => {
    const changed = withSpec(text, 'two', { cidr: '10.9.0.0/16' });
    expect(changed).toBe(text.replace(pool('two'), pool('two').replace('10.0', '10.9')).replace('[1,2,   ', '[1, 2, '));
    const before = text.slice(0, text.indexOf('--- # the second'));
    const after = text.slice(text.indexOf('---\napiVersion: apps'));
    expect(changed.startsWith(before)).toBe(true);
    expect(changed.endsWith(after)).toBe(true);
  });

  it('a changed document keeps its comments', () => {
    const changed = withSpec(text, 'one', { natOutgoing: false, extra: 'yes' });
    expect(changed).toContain('  natOutgoing: false # not to the data centre\n');
    expect(changed).toContain("  nodeSelector: all()\n  extra: 'yes'\n");
    expect(changed.startsWith('# Our pools. Keep this line.\n')).toBe(true);
    expect(changed).toContain('\n# About two.\n--- # the second\n');
  });

  it('a removed document goes with its mark', () => {
    const rest = without(text, 'two');
    const start = text.indexOf('--- # the second');
    const end = text.indexOf('---\napiVersion: apps');
    expect(rest.text).toBe(text.slice(0, start) + text.slice(end));
    expect(without(rest.text, 'one').text).not.toContain('name: one');
  });

  it('removing the last document leaves an empty file', () => {
    expect(without(`# mine\n---\n${pool('one')}...\n`, 'one').isEmpty).toBe(true);
    expect(without(`---\n${pool('one')}---\nkind: Unknown\n`, 'one').isEmpty).toBe(false);
  });

  it('a change keeps the line ends and the byte order mark of the file', () => {
    const windows = `\uFEFF${pool('one')}---\n${pool('two')}`.replaceAll('\n', '\r\n');
    const changed = withSpec(windows, 'two', { cidr: '10.9.0.0/16' });
    expect(changed).toBe(windows.replace(/10\.0(?!.*10\.0)/s, '10.9'));
  });

  it('a file without a final line end is changed in place', () => {
    const changed = withSpec(`---\n${pool('one').trimEnd()}`, 'one', { cidr: '10.9.0.0/16' });
    expect(changed).toBe(`---\n${pool('one').replace('10.0', '10.9').trimEnd()}`);
  });

  it('text that looks like a document mark is kept', () => {
    const tricky = pool('one', '  note: |\n    a\n    ---\n    # no comment\n  other: "x --- y"\n');
    const changed = withSpec(`${tricky}---\n${pool('two')}`, 'two', { cidr: '10.9.0.0/16' });
    expect(changed.startsWith(tricky)).toBe(true);
    const one = find(new Manifest(changed, false), 'one').object;
    expect(one.spec).toEqual({ cidr: '10.0.0.0/16', note: 'a\n---\n# no comment\n', other: 'x --- y' });
  });

  it('documents in flow style, behind the mark, with directives and end marks are changed in place', () => {
    const flow = `{apiVersion: ${crd}, kind: IPPool, metadata: {name: one}, spec: {cidr: 10.0.0.0/16}}`;
    const mixed = `%YAML 1.2\n--- ${flow}\n...\n# between\n---\n${pool('two')}...\n`;
    expect(namesOf(mixed)).toEqual(['IPPool/one', 'IPPool/two']);
    const changed = withSpec(mixed, 'one', { cidr: '10.9.0.0/16' });
    expect(changed.endsWith(`\n...\n# between\n---\n${pool('two')}...\n`)).toBe(true);
    expect(withSpec(mixed, 'two', { cidr: '10.9.0.0/16' }).startsWith(`%YAML 1.2\n--- ${flow}\n...\n`)).toBe(true);
    expect(without(`--- ${flow}\n---\n${pool('two')}`, 'one').text).toContain(pool('two'));
  });

  it('a document with anchors is changed correctly', () => {
    const shared = pool('one', '  a: &x [1, 2]\n  b: *x\n');
    expect(withSpec(shared, 'one', { cidr: '10.9.0.0/16' })).toContain('b: *x');
    const changed = withSpec(shared, 'one', { a: 'gone' });
    expect(find(new Manifest(changed, false), 'one').object.spec).toEqual({
      cidr: '10.0.0.0/16',
      a: 'gone',
      b: [1, 2],
    });
  });
});

describe('YAML values', () => {
  it('values are read as YAML 1.2, integers exactly', () => {
    const text = pool(
      'one',
      '  big: 9223372036854775807\n  safe: 9007199254740991\n  yes: yes\n  time: 12:30\n  f: 1e3\n',
    );
    expect(storedIn(new Manifest(text, false))[0]?.object.spec).toEqual({
      cidr: '10.0.0.0/16',
      big: 9223372036854775807n,
      safe: 9007199254740991,
      yes: 'yes',
      time: '12:30',
      f: 1000,
    });
    const changed = withSpec(text, 'one', { big: 9223372036854775806n, when: '2025-01-01', on: 'off', n: 1e21 });
    expect(changed).toContain('big: 9223372036854775806\n');
    // Readers of YAML 1.1 must see the same.
    expect(changed).toContain("when: '2025-01-01'\n");
    expect(changed).toContain(": 'off'\n");
  });
});

describe('texts that YAML readers read differently', () => {
  it.each([
    ['a\u0085b', '"a\\u0085b"'],
    ['\u2028', '"\\u2028"'],
    ['a\tb', '"a\\tb"'],
    ['=', '"="'],
    ['no', "'no'"],
    ['1_000', "'1_000'"],
    ['0o17', "'0o17'"],
  ])('the text %j is quoted', (value, printed) => {
    expect(withSpec(pool('one'), 'one', { cidr: value })).toBe(pool('one').replace('10.0.0.0/16', () => printed));
  });
});

describe('lists in a manifest', () => {
  const item = (name: string, indent: string, more = ''): string =>
    pool(name, more)
      .trimEnd()
      .split('\n')
      .map((line, i) => `${indent}${i === 0 ? '- ' : '  '}${line}\n`)
      .join('');

  for (const indent of ['', '  ']) {
    it(`a list indented by ${indent.length} is changed item by item`, () => {
      const head = 'apiVersion: v1 # as kubectl writes it\nitems:\n';
      const two = item('two', indent, '  tags:\n  - a # first\n  - b\n');
      const tail = `${indent}# about three\n${item('three', indent)}kind: List\nmetadata:\n  resourceVersion: ""\n`;
      const text = head + item('one', indent) + two + tail;
      expect(namesOf(text)).toEqual(['IPPool/one', 'IPPool/two', 'IPPool/three']);
      const changed = withSpec(text, 'two', { cidr: '10.9.0.0/16' });
      expect(changed).toBe(head + item('one', indent) + two.replace('10.0', '10.9') + tail);
      expect(without(text, 'two').text).toBe(head + item('one', indent) + tail);
      expect(without(text, 'one').text).toBe(head + two + tail);
    });
  }

  it('a list is removed with its last item', () => {
    const text = `---\napiVersion: v1\nkind: List\nitems:\n${item('one', '')}---\n${pool('two')}`;
    expect(without(text, 'one').text).toBe(`---\n${pool('two')}`);
    expect(without(text.slice(0, text.lastIndexOf('---')), 'one').isEmpty).toBe(true);
  });

  it('a list of a kind gives its items kind and version', () => {
    const text = 'apiVersion: v1\nkind: NodeList\nitems:\n- metadata:\n    name: a\n- metadata:\n    name: b\n';
    expect(namesOf(text)).toEqual(['Node/a', 'Node/b']);
    expect(storedIn(new Manifest(text, false))[1]?.object.apiVersion).toBe('v1');
  });

  it('lists in flow style, plain sequences, empty and nested lists are read and changed', () => {
    expect(namesOf(item('one', '') + item('two', ''))).toEqual(['IPPool/one', 'IPPool/two']);
    expect(namesOf('apiVersion: v1\nkind: List\nitems: []\n')).toEqual([]);
    const flow = `{apiVersion: ${crd}, kind: IPPool, metadata: {name: NAME}, spec: {cidr: 10.0.0.0/16}}`;
    const list = `kind: List\napiVersion: v1\nitems: [${['a', 'b', 'c'].map((n) => flow.replace('NAME', n)).join(', ')}]\n`;
    expect(namesOf(list)).toEqual(['IPPool/a', 'IPPool/b', 'IPPool/c']);
    for (const name of ['a', 'b', 'c']) {
      without(list, name);
      withSpec(list, name, { cidr: '10.9.0.0/16' });
    }
    const nested = `kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items:\n${item('a', '  ')}${item('b', '  ')}`;
    expect(namesOf(nested)).toEqual(['IPPool/a', 'IPPool/b']);
    without(nested, 'a');
    without(nested, 'b');
    withSpec(nested, 'a', { cidr: '10.9.0.0/16' });
  });

  it('a list is read as a whole when an item refers to another', () => {
    const text = `apiVersion: v1\nkind: List\nitems:\n${item('one', '', '  x: &x [1]\n')}${item('two', '', '  x: *x\n')}`;
    expect((find(new Manifest(text, false), 'two').object.spec as { x: unknown }).x).toEqual([1]);
    withSpec(text, 'two', { x: 2 });
    const manifest = new Manifest(text, false);
    expect(() => manifest.without(find(manifest, 'one'))).toThrow(ManifestError);
  });
});

describe('JSON manifests', () => {
  const one = `{"apiVersion":"${crd}","kind":"IPPool","metadata":{"name":"one"},"spec":{"cidr":"10.0.0.0/16","n":9223372036854775807}}`;

  it('JSON is changed in place, in its own layout', () => {
    const object = (name: string, cidr: string): string =>
      `    {\n      "apiVersion": "${crd}",\n      "kind": "IPPool",\n      "metadata": {\n        "name": "${name}"\n      },\n` +
      `      "spec": {\n        "cidr": "${cidr}",\n        "n": 9223372036854775807\n      }\n    }`;
    const list = (...objects: string[]): string =>
      `{\n  "kind": "List", "items": [\n${objects.join(',\n')}\n  ],\n   "apiVersion": "v1"}\n`;
    const text = list(object('one', '10.0.0.0/16'), object('two', '10.1.0.0/16'));
    expect(withSpec(text, 'two', { cidr: '10.9.0.0/16' }, true)).toBe(
      list(object('one', '10.0.0.0/16'), object('two', '10.9.0.0/16')),
    );
    expect(JSON.parse(without(text, 'one', true).text).items).toHaveLength(1);
    expect(JSON.parse(without(text, 'two', true).text).items).toHaveLength(1);
    expect(without(without(text, 'two', true).text, 'one', true).isEmpty).toBe(true);
  });

  it('JSON on one line stays on one line, with exact integers', () => {
    expect(withSpec(one, 'one', { cidr: '10.9.0.0/16' }, true)).toBe(one.replace('10.0', '10.9'));
    expect(namesOf(`[${one}, ${one.replace('one', 'two')}]`, true)).toEqual(['IPPool/one', 'IPPool/two']);
    expect(without(one, 'one', true).isEmpty).toBe(true);
    expect(namesOf(' \n', true)).toEqual([]);
  });

  it('broken JSON is reported with its line', () => {
    expect(errorOf(`{\n"kind": "List",\n"items": [}\n`, true).line).toBe(3);
  });
});

describe('forms of objects', () => {
  it('v3 exports are read as stored objects, and written back as v3', () => {
    const text =
      'apiVersion: projectcalico.org/v3\nkind: Node\nmetadata:\n  name: a\nspec:\n  bgp:\n    ipv4Address: 192.0.2.1/24\n---\n' +
      pool('one').replace(crd, 'projectcalico.org/v3');
    const manifest = new Manifest(text, false);
    const node = find(manifest, 'a').object;
    expect(node.apiVersion).toBe('v1');
    expect(node.metadata.annotations?.['projectcalico.org/IPv4Address']).toBe('192.0.2.1/24');
    const stored = find(manifest, 'one');
    expect(stored.object.apiVersion).toBe(crd);
    const spec = { ...(stored.object.spec as object), cidr: '10.9.0.0/16' };
    const changed = manifest.withChanged(stored, { ...stored.object, spec } as KubeObject);
    expect(changed.text.startsWith(text.slice(0, text.indexOf('---')))).toBe(true);
    expect(find(changed, 'one').object.spec).toEqual(spec);
  });

  it('an object without a namespace is in default', () => {
    const text = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {}\n';
    expect(storedIn(new Manifest(text, false))[0]?.object.metadata.namespace).toBe('default');
  });

  it('numbers of 64-bit fields are read as bigints', () => {
    const text = `apiVersion: ${crd}\nkind: IPAMBlock\nmetadata:\n  name: b\nspec:\n  cidr: 10.0.0.0/30\n  sequenceNumber: 5\n`;
    expect(storedIn(new Manifest(text, false))[0]?.object.spec).toMatchObject({ sequenceNumber: 5n });
  });
});

describe('broken manifests', () => {
  it('a broken manifest is reported with its line', () => {
    expect(errorOf(`${pool('one')}---\n${pool('two')}  bad: [1,\n`).line).toBeGreaterThanOrEqual(14);
    expect(errorOf(`${pool('one')}---\n${pool('two', '  cidr: again\n')}`).line).toBe(14);
    expect(errorOf(`${pool('one')}\tx: 1\n`).line).toBe(7);
    expect(errorOf(`---\na: &a [1]\nb: *c\n`).line).toBe(2);
    expect(errorOf(`kind: List\napiVersion: v1\nitems:\n- a: "x\n- b: y"\n`).line).toBeGreaterThanOrEqual(4);
  });

  it('an object of a known kind without a name is an error', () => {
    expect(errorOf(`---\n${pool('one').replace('name: one', 'labels: {}')}`)).toMatchObject({ line: 2 });
  });

  it('content that is not an object is ignored', () => {
    for (const text of ['', '# nothing\n', 'just text\n', '- 1\n- 2\n', 'a: b\n', '42\n', '--- |\n  text\n']) {
      expect(namesOf(text)).toEqual([]);
    }
  });
});

describe('random content', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...' \n\t:#-\'"[]{}&*!|>%@`,?~yn01.\u2028\u0085\r') }),
    fc.constantFrom(
      'yes',
      'null',
      '~',
      '1e3',
      '0x1f',
      '012',
      '2025-01-01',
      '12:30',
      '<<',
      '=',
      '...',
      '---',
      '- a',
      '',
    ),
  );
  const leaf = fc.oneof(
    text,
    fc.integer(),
    fc.bigInt({ min: 1n << 53n, max: 1n << 70n }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const objectOf = (name: string, spec: unknown): KubeObject => ({
    apiVersion: crd,
    kind: 'IPPool',
    metadata: { name },
    spec: { cidr: '10.0.0.0/16', spec },
  });

  it('random content is read as it was written, new or in place of other content', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const before = `${newManifest(objectOf('one', a)).text}---\n${newManifest(objectOf('two', b)).text}`;
        const manifest = new Manifest(before, false);
        expect(storedIn(manifest).map(({ object }) => object)).toEqual([objectOf('one', a), objectOf('two', b)]);
        const changed = manifest.withChanged(find(manifest, 'one'), objectOf('one', c));
        expect(changed.text.endsWith(`---\n${newManifest(objectOf('two', b)).text}`)).toBe(true);
        expect(storedIn(new Manifest(changed.text, false)).map(({ object }) => object)).toEqual([
          objectOf('one', c),
          objectOf('two', b),
        ]);
        const list = `apiVersion: v1\nkind: List\nitems:\n${['x', 'y'].map((name) => `- ${JSON.stringify(objectOf(name, 1))}\n`).join('')}`;
        const items = new Manifest(list, false);
        const item = items.withChanged(find(items, 'x'), objectOf('x', c));
        expect(storedIn(new Manifest(item.text, false))[0]?.object).toEqual(objectOf('x', c));
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});
