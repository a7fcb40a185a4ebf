// Configurations as statements, and what would change in behaviour from one to another.
import { describe, expect, it } from 'vitest';
import { behaviourDifferences } from '../../src/bird-config/compare.ts';
import { parseStatements, textOf, withoutComments } from '../../src/bird-config/parse.ts';
import { readRecordings } from '../support/bird/recordings.ts';
import { renderedSet } from '../support/bird/render-set.ts';

const oneLine = (text: string): string => parseStatements(text).map(textOf).join(' ');

describe('statements', () => {
  it.each([
    ['router  id 1.2.3.4 ; # here', 'router id 1.2.3.4;'],
    ['protocol device {\n debug { states };\n}', 'protocol device { debug { states; } }'],
    [
      'function f ()\n{ if ( net ~ 10.0.0.0/8 ) then { accept; } }',
      'function f() { if (net ~ 10.0.0.0/8) then { accept; } }',
    ],
    ["function 'a-b.c'() { }", "function 'a-b.c'() { }"],
    ['interface -"cali*", "*";', 'interface -"cali*", "*";'],
    ['password "a # {b}; c";', 'password "a # {b}; c";'],
    ['if (net ~ [ 10.0.0.0/8{16,24} ]) then { accept; }', 'if (net ~ [10.0.0.0/8{16,24}]) then { accept; }'],
    ['/* a; */ x; /* open', 'x;'],
    ['a { b;', 'a { b; }'],
    ['a; } b;', 'a; b;'],
    ['x "open\ny;', 'x " open y;'],
  ])('%j is read as %j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  it('a text without comments has the statements of the text', () => {
    for (const { files } of readRecordings()) {
      for (const text of Object.values(files)) {
        expect(oneLine(withoutComments(text))).toBe(oneLine(text));
        expect(withoutComments(withoutComments(text))).toBe(withoutComments(text));
      }
    }
  });
});

describe('differences in behaviour', () => {
  const mesh = (name: string, lines: string): string => `protocol bgp ${name} from bgp_template {\n${lines}\n}\n`;

  it('there are none between what Calico and calictl make of the same objects', () => {
    const recordings = readRecordings();
    expect(recordings).toHaveLength(60);
    for (const recording of recordings) {
      const { files } = renderedSet(recording);
      for (const [name, text] of Object.entries(recording.files)) {
        expect(behaviourDifferences(text, files[name as keyof typeof files])).toEqual([]);
      }
    }
  });

  it('sessions are added, removed and changed, whatever the order of their statements', () => {
    const before = mesh('Mesh_1', 'a;\nb;\nc;') + mesh('Mesh_2', 'a;') + mesh('Mesh_3', 'a; b;');
    const after = mesh('Mesh_4', 'x;') + mesh('Mesh_3', 'b; a;') + mesh('Mesh_1', 'c;\na;\nd;');
    const none = { removed: [], added: [], reordered: false, subject: 'session' };
    expect(behaviourDifferences(before, after)).toEqual([
      { ...none, name: 'Mesh_1', change: 'changed', removed: ['b;'], added: ['d;'] },
      { ...none, name: 'Mesh_2', change: 'removed' },
      { ...none, name: 'Mesh_4', change: 'added' },
    ]);
  });

  it('in functions the order of statements matters', () => {
    const rules = (...cidrs: string[]): string =>
      `function 'bgp_f_importFilterV4'() {\n${cidrs.map((cidr) => `if (net ~ ${cidr}) then { accept; }`).join('\n')}\n}`;
    expect(behaviourDifferences(rules('10.0.0.0/8', '10.1.0.0/16'), rules('10.1.0.0/16', '10.0.0.0/8'))).toEqual([
      {
        subject: 'filter',
        name: 'bgp_f_importFilterV4',
        change: 'changed',
        removed: [],
        added: [],
        reordered: true,
      },
    ]);
  });

  it('exports, kernel routes, static routes, communities and settings are different subjects', () => {
    const before =
      'router id 1.1.1.1;\nprotocol static { route 10.0.0.0/26 blackhole; }\nfunction calico_aggr () { }\n';
    const after = [
      'router id 2.2.2.2;',
      'protocol static { route 10.0.1.0/26 blackhole; }',
      'function calico_aggr () { x; }',
      'function apply_communities () { y; }',
      'filter calico_kernel_programming { accept; }',
      'protocol direct { interface "*"; }',
    ].join('\n');
    expect(
      behaviourDifferences(before, after).map(({ subject, name, change }) => `${subject} ${name} ${change}`),
    ).toEqual([
      'export calico_aggr changed',
      'communities apply_communities added',
      'kernel calico_kernel_programming added',
      'static routes  changed',
      'setting  changed',
      'setting protocol direct added',
    ]);
  });

  it('sessions with local workloads are left out', () => {
    expect(behaviourDifferences(mesh('Local_Workload_10_0_0_1', 'a;'), '')).toEqual([]);
  });
});
