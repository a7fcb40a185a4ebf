// BGPFilters as functions of BIRD: names, the fields of Calico 3.32, and what cannot be written.
import { describe, expect, it } from 'vitest';
import { filterCall, filterFunctions, filterRemarks, functionName } from '../../src/bird-config/filter-functions.ts';
import { UnrenderableError } from '../../src/bird-config/objects.ts';
import type { BGPFilter } from '../../src/resources/kinds/bgp-filter.ts';

const filter = (spec: BGPFilter['spec'], name = 'f'): BGPFilter => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'BGPFilter',
  metadata: { name },
  spec,
});

type Rule = NonNullable<BGPFilter['spec']['importV4']>[number];
/** The one statement of a filter with this rule. */
const statement = (rule: Partial<Rule>): string =>
  filterFunctions([filter({ importV4: [{ action: 'Accept', ...rule }] })], 4)[1]?.trim() ?? '';

describe('names of functions', () => {
  it('a name has at most 64 characters: of longer ones the end is replaced by a part of their SHA-256', () => {
    expect(functionName('plain', 'import', 4)).toBe("'bgp_plain_importFilterV4'");
    expect(functionName('a'.repeat(45), 'export', 6)).toBe(`'bgp_${'a'.repeat(45)}_exportFilterV6'`);
    // printf a46 | sha256sum begins with 6643110c5628fff5.
    const long = functionName('a'.repeat(46), 'export', 6);
    expect(long).toBe(`'bgp_${'a'.repeat(28)}_6643110C5628FFF5_exportFilterV6'`);
    expect(long).toHaveLength(64 + 2);
  });

  it.each(["x'; accept; #", 'x y', '', 'ä', 'a\nb'])('the name %j is refused', (name) => {
    expect(() => functionName(name, 'import', 4)).toThrow(UnrenderableError);
  });
});

describe('the fields of Calico 3.32', () => {
  it('peerType makes the function depend on whether the session is internal', () => {
    const both = filter({
      exportV4: [
        { action: 'Reject', peerType: 'eBGP', cidr: '10.0.0.0/8', matchOperator: 'In' },
        { action: 'Accept', peerType: 'iBGP' },
      ],
    });
    expect(filterFunctions([both], 4)).toEqual([
      "function 'bgp_f_exportFilterV4'(bool is_same_as) {",
      '  if (!is_same_as) then { if ((net ~ 10.0.0.0/8)) then { reject; } }',
      '  if (is_same_as) then { accept; }',
      '}',
    ]);
    expect(filterCall(both, 'export', 4, true)).toBe("'bgp_f_exportFilterV4'(true);");
    expect(filterCall(both, 'import', 4, true)).toBeUndefined();
  });

  it('communities, AS paths and priorities are conditions', () => {
    expect(statement({ communities: { values: ['65000:1'] } })).toBe(
      'if (((65000, 1) ~ bgp_community)) then { accept; }',
    );
    expect(statement({ communities: { values: ['1:2:3'] }, asPathPrefix: [65001, 65002] })).toBe(
      'if (((1, 2, 3) ~ bgp_large_community)&&(bgp_path ~ [= 65001 65002 * =])) then { accept; }',
    );
    // 2147483647 - 1024
    expect(statement({ priority: 1024 })).toBe('if ((bgp_local_pref = 2147482623)) then { accept; }');
  });

  it('operations come before the action, and a path is prepended from its end', () => {
    expect(
      statement({
        operations: [
          { addCommunity: { value: '65000:1' } },
          { prependASPath: { prefix: [65001, 65002] } },
          { setPriority: { value: 512 } },
        ],
      }),
    ).toBe(
      'bgp_community.add((65000, 1)); bgp_path.prepend(65002); bgp_path.prepend(65001); bgp_local_pref = 2147483135; accept;',
    );
  });
});

describe('values that cannot be written', () => {
  it.each<[string, Partial<Rule>]>([
    ['cidr', { cidr: '10.0.0.0/8) then { accept; } if (net', matchOperator: 'In' }],
    ['matchOperator', { cidr: '10.0.0.0/8' }],
    ['matchOperator', { cidr: '10.0.0.0/8', matchOperator: 'toString' as never }],
    ['interface', { interface: 'eth0"' }],
    ['interface', { interface: 'eth0\n' }],
    ['source', { source: 'Other' as never }],
    ['community', { communities: { values: ['1:2); reject'] } }],
    ['community', { communities: { values: ['1'] } }],
    ['asPathPrefix', { asPathPrefix: ['65000 * =]' as never] }],
    ['action', { action: 'accept' as never }],
    ['operation', { operations: [{}] }],
  ])('%s of %j is refused, and the error names the rule', (field, rule) => {
    expect(() => statement(rule)).toThrow(new RegExp(`${field}|importV4`));
    expect(() => statement(rule)).toThrow(/importV4\[0\] of BGPFilter f/);
  });
});

it('rules that BIRD refuses, and those that never or always match, are remarked on', () => {
  const importV4: Rule[] = [
    { action: 'Accept', cidr: '10.1.2.3/8', matchOperator: 'In' },
    { action: 'Accept', cidr: '10.0.0.0/16', matchOperator: 'In', prefixLength: { max: 8 } },
    { action: 'Accept', cidr: '10.0.0.0/8', matchOperator: 'Equal', prefixLength: { min: 24 } },
    { action: 'Accept', cidr: '10.0.0.0/8', matchOperator: 'NotIn', prefixLength: { min: 24 } },
  ];
  expect(filterRemarks([filter({ importV4 })], 4)).toEqual([
    { refused: true, message: 'cidr of importV4[0] of BGPFilter f, 10.1.2.3/8, has bits beyond its prefix length' },
    { refused: true, message: 'prefixLength of importV4[1] of BGPFilter f is empty: from 16 to 8' },
    {
      refused: false,
      message: 'importV4[2] of BGPFilter f never matches: with a prefixLength only In and NotIn have a meaning',
    },
  ]);
});
