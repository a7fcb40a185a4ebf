// JSONPath templates: the examples of https://kubernetes.io/docs/reference/kubectl/jsonpath/, worked out by hand, and what
// kubectl 1.34 prints for others. Objects are JSON, as kubectl prints them since 1.17.
import { describe, expect, it } from 'vitest';
import { jsonPath, jsonPathTemplate } from '../../src/template/jsonpath.ts';

const data = {
  kind: 'List',
  items: [
    {
      kind: 'None',
      metadata: { name: '127.0.0.1', labels: { 'kubernetes.io/hostname': '127.0.0.1' } },
      status: {
        capacity: { cpu: '4' },
        n: 4,
        f: 1000.5,
        b: true,
        z: null,
        addresses: [{ type: 'LegacyHostIP', address: '127.0.0.1' }],
      },
    },
    {
      kind: 'None',
      metadata: { name: '127.0.0.2' },
      status: {
        capacity: { cpu: '8' },
        n: 5,
        f: 1e-7,
        b: false,
        addresses: [
          { type: 'LegacyHostIP', address: '127.0.0.2' },
          { type: 'another', address: '127.0.0.3' },
        ],
      },
    },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
  e: { y: '<', z: [1, 2, 3, 4] },
};

function text(template: string, value: unknown = data): string {
  return jsonPathTemplate(template)(value)
    .map((piece) => piece.text)
    .join('');
}

describe('jsonPathTemplate', () => {
  it.each([
    ['kind is {.kind}', 'kind is List'],
    ['{.kind}', 'List'],
    ["{['kind']}", 'List'],
    ['{..name}', '127.0.0.1 127.0.0.2 myself e2e'],
    ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.users[0].name}', 'myself'],
    ["{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}'],
    ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
    [
      '{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}',
      '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] ',
    ],
    ["{range .items[*]}{.metadata.name}{'\\t'}{end}", '127.0.0.1\t127.0.0.2\t'],
    ['{.items[0].metadata.labels.kubernetes\\.io/hostname}', '127.0.0.1'],
  ])('JSONPath of the documentation: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{.items[*].status.f}', '1000.5 1e-07'],
    ["{.items[0].metadata.labels['kubernetes\\.io/hostname']}", '127.0.0.1'],
    ['{.users[-1].name}', 'e2e'],
    ['{.e.z[0:4:2]}', '1 3'],
    ['{.e.z[:2]}', '1 2'],
    ['{.e.z[-2:]}', '3 4'],
    ['{.e.z[1,3]}', '2 4'],
    ['{.e}', '{"y":"\\u003c","z":[1,2,3,4]}'],
    ['{.items[0].status.z}', 'null'],
    ['{.items[?(@.status.n>4)].metadata.name}', '127.0.0.2'],
    ['{.items[?(@.status.n<=4)].metadata.name}', '127.0.0.1'],
    ["{.items[?(@.metadata.name!='127.0.0.1')].metadata.name}", '127.0.0.2'],
    ['{.items[?(@.status.b==true)].metadata.name}', '127.0.0.1'],
    ['{.items[?(@.metadata.labels)].metadata.name}', '127.0.0.1'],
    ['{range .nosuch[*]}x{end}y', 'y'],
    ['{range .items[*]}{range .status.addresses[*]}{.type} {end}|{end}', 'LegacyHostIP |LegacyHostIP another |'],
    ['{1}{true}{"x"}', '1truex'],
    ['{range .users[*].name}{@},{end}', 'myself,e2e,'],
    ['{.users[*].nosuch}', ''],
    ['plain', 'plain'],
    ['{$.kind}{ .kind }{@.kind}', 'ListListList'],
  ])('JSONPath prints what kubectl prints: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it('JSONPath finds a quoted key with dots as it is written, which kubectl does not', () => {
    expect(text("{.items[0].metadata.labels['kubernetes.io/hostname']}")).toBe('127.0.0.1');
  });

  it('JSONPath prints and compares 64-bit integers exactly', () => {
    const list = { items: [{ n: 1764000000000000101n }, { n: 1764000000000000100n }] };
    expect(text('{.items[*].n} {.items[0]}', list)).toBe(
      '1764000000000000101 1764000000000000100 {"n":1764000000000000101}',
    );
    expect(text('{.items[?(@.n>5)].n}', list)).toBe('1764000000000000101 1764000000000000100');
  });

  it.each([
    ['{.users[5].name}', 'JSONPath: no item 5 in a list of 2'],
    ['{.kind[0]}', 'JSONPath: a string where the path needs a list'],
    ['{.e[?(@.y)]}', 'JSONPath: an object where the path needs a list'],
    ['{.items[?(@.status.addresses[*].type=="x")]}', 'JSONPath: a filter compares one value with one value'],
  ])('JSONPath that does not fit the data is an error: %s', (template, message) => {
    expect(() => jsonPathTemplate(template)(data)).toThrow(expect.objectContaining({ message, exit: 1 }));
  });

  it.each([
    ['{.kind', /a } is missing/],
    ['{range .items[*]}{.kind}', /\{range} without \{end}/],
    ['{end}', /\{end} without \{range}/],
    ['{.users[?(@.name=="e2e"}', /unexpected character at "}"/],
    ['{.a[?(@.b=="c" && @.d)]}', /a filter compares once, with one of == != <= >= < >, unlike at "&& @.d\)]}"/],
    ['{.users[}', /expected a position, a slice or a quoted name at "}"/],
    ['{"open}', /a quote is not closed/],
    ['{metadata.name}', /expected a path, which begins with a dot/],
    ['{.e.z[0:4:0]}', /step of a slice must be above 0/],
  ])('JSONPath that cannot be read is wrong usage: %s', (template, message) => {
    expect(() => jsonPathTemplate(template)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message), exit: 2 }),
    );
  });
});

describe('jsonPath', () => {
  it.each(['{.e.y}', '.e.y', 'e.y', "['e'].y", '$.e.y'])('a path may be written %s', (path) => {
    expect(jsonPath(path)(data)).toEqual(['<']);
  });

  it('a path reaches no property that is not in the data', () => {
    expect(jsonPath('.constructor')(data)).toEqual([]);
    expect(jsonPath('.e.__proto__')(data)).toEqual([]);
  });
});
