// Values for the fields of Calico's kinds, from the schemas of the CRDs: mostly right ones, sometimes wrong ones.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Choices } from './random.ts';

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

type Values = Record<string, unknown>;

/** The spec of each kind, by the CRDs in a folder of test/fixtures. */
export function specSchemas(fixtures: string): ReadonlyMap<string, Schema> {
  const folder = fileURLToPath(new URL(`../../fixtures/${fixtures}`, import.meta.url));
  return new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => {
        const crd = parse(readFileSync(`${folder}/${file}`, 'utf8'));
        return [crd.spec.names.kind, crd.spec.versions[0].schema.openAPIV3Schema.properties.spec] as const;
      }),
  );
}

/** What fits fields whose name matches, and what does not. The first that matches counts. */
const byName: readonly (readonly [name: RegExp, right: readonly unknown[], wrong: readonly unknown[]])[] = [
  [
    /cidrs?$|nets$/i,
    ['10.0.0.0/8', '192.0.2.0/24', '10.9.0.1', 'fd00:9::/64'],
    ['10.0.0.1/8', '10.0.0.0/33', 'x', '', '0.0.0.0/0', '::/0'],
  ],
  [
    /selector$/i,
    ["a == 'b'", 'has(a)', 'all()', "a in {'x', 'y'} && !has(c)", "a not in {'x'}"],
    ['has(', 'a = b', 'global()', "a == 'b", '', 'a b'],
  ],
  [
    /ip$|ips$|ipv[46]|addr(ess)?$|gateway/i,
    ['192.0.2.7', '10.60.0.9', 'fd00:9::1'],
    ['192.0.2.300', '192.0.2.7/24', 'x', '', '::ffff:1.2.3.4', '192.0.2.7:179'],
  ],
  [
    /interval|timeout$|ttl|period|time$|delay|keepalive/i,
    ['90s', '1h30m', '0s', '1500ms', '125s'],
    ['5', '1d', '', '-5s', 'soon', 5],
  ],
  [/protocol$/i, ['TCP', 'UDP', 'ICMP', 'SCTP', 6, 17], ['tcp', 'HTTP', 0, 256, '', '6', true]],
  [/ports?$|portRanges?$/i, [80, 443, '8000:8080', 'http'], [0, 65536, '9:1', 'a b', '', -1, '70000:1', true]],
  [/asnumber$/i, [64512, 65001, '1.10', '64513'], [-1, 4294967296, '1.70000', 'x', 1.5, '']],
  [/^types$|policyTypes/i, ['Ingress', 'Egress'], ['ingress', 'Both', '']],
  [/^action$/i, ['Allow', 'Deny', 'Log', 'Pass', 'Accept', 'Reject'], ['allow', 'Drop', '', 'Next']],
  [
    /node$|profiles$|^name$|names$|filters$|tier$/i,
    ['node-a', 'default', 'platform', 'filter-1', 'kns.shop'],
    ['node 2', 'x_y', 'UPPER', '', 'nosuch', '-a'],
  ],
  [/interface/i, ['eth0', 'cali*', 'bond0.12'], ['an-interface-that-is-too-long', 'eth 0', '', '*']],
  [/severity|loglevel/i, ['Info', 'Debug', 'Warning'], ['info', 'Off', 'Loud', '']],
  [/communit|value$/i, ['65001:100', '65001:1:2'], ['65001', '70000:1', '1:2:3:4', 'x', '']],
  [/mac/i, ['02:00:00:00:00:01'], ['02:00', 'x', '']],
  [/key$/i, ['kK6VkmcRSPNhBJ8aBIYP4ZcA3hBHHQD3mrBvHpFl1mw='], ['x', '']],
  [/methods/i, ['GET', 'PUT'], ['get', '']],
  [/exact|prefix$/i, ['/a', '/b/c'], ['a', '/a?b', '']],
  [/order$/i, [10, 1000.5, 0, 1_000_000, 0.00001], ['10', -1, 'first', true]],
  [/min$|max$|length/i, [0, 8, 24, 32], [33, 129, -1, '8']],
]; // prettier-ignore

const bySchema: Readonly<Record<string, readonly [right: readonly unknown[], wrong: readonly unknown[]]>> = {
  string: [
    ['x', 'Enabled', 'default', 'a-b'],
    ['', 'a b', 7, true, ['x'], { x: 1 }, 1.5],
  ],
  integer: [
    [1, 0, 26, 100, 1500],
    [-1, '7', 1.5, 99_999_999_999, true, 'x'],
  ],
  number: [
    [0, 1.5, 1_000_000],
    ['1', true, 'x'],
  ],
  boolean: [
    [true, false],
    ['true', 'perhaps', 1, 0, 'yes'],
  ],
  object: [[{}], ['x', [], 1]],
}; // prettier-ignore

/** A value for a field, wrong in so many of a hundred cases. */
function valueFor(name: string, schema: Schema, choices: Choices, wrong: number): unknown {
  const isWrong = choices.percent(wrong);
  if (choices.percent(1)) return null;
  if (schema.enum !== undefined && choices.percent(isWrong ? 40 : 95)) return choices.one(schema.enum);
  switch (schema.type) {
    case 'array':
      if (isWrong && choices.percent(15)) return choices.one<unknown>(['x', 1, {}]);
      return Array.from(
        {
          length: choices.weighted([
            [1, 0],
            [5, 1],
            [3, 2],
          ] as const),
        },
        () => valueFor(name, schema.items ?? {}, choices, wrong),
      ); // prettier-ignore
    case 'object':
      if (isWrong && choices.percent(15)) return choices.one(bySchema['object']?.[1] ?? []);
      if (schema.properties !== undefined) return someFields(schema, choices, { most: 3, wrong });
      return mapOf(schema.additionalProperties ?? {}, choices, wrong);
  }
  const named = byName.find(([pattern]) => pattern.test(name));
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  const fits = named !== undefined && (isText || named[1].some((value) => typeof value === 'number'));
  const [right, bad] = fits ? [named[1], named[2]] : (bySchema[schema.type ?? 'string'] ?? [[], []]);
  return choices.one(isWrong ? bad : right);
}

function mapOf(values: Schema, choices: Choices, wrong: number): Values {
  const keys = choices.some(['a', 'team', 'example.com/b'], choices.between(0, 2));
  return Object.fromEntries(keys.map((key) => [key, valueFor('', values, choices, wrong)]));
}

/** An object with some of the fields of a schema. */
export function someFields(
  schema: Schema,
  choices: Choices,
  { most, wrong }: { readonly most: number; readonly wrong: number },
): Values {
  const names = choices.some(Object.keys(schema.properties ?? {}), choices.between(1, most));
  return Object.fromEntries(
    names.map((name) => [name, valueFor(name, schema.properties?.[name] ?? {}, choices, wrong)]),
  );
}
