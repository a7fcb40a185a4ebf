// calictl explain: findings of both catalogues, kinds and fields, as text and as JSON.
import { describe, expect, it } from 'vitest';
import { faults } from '../../src/faults/faults.ts';
import { invariantIds, invariants } from '../../src/ipam-check/invariants.ts';
import { isOnCommandLine } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { run } from '../support/program/world.ts';

describe('explain', () => {
  it('explain prints title, severity, meaning and what to do for a finding of ipam check', async () => {
    const { code, stdout, stderr } = await run('explain inv-45');
    const { title, meaning, whatToDo } = invariants['INV-45'];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('FINDING:   INV-45\n');
    expect(stdout).toContain(`TITLE:     ${title}\n`);
    expect(stdout).toContain('SEVERITY:  warning\n');
    const flat = stdout.replace(/\s+/g, ' ');
    expect(flat).toContain(`MEANING: ${meaning} WHAT TO DO: ${whatToDo}`);
  });

  it('explain prints a finding on nodes as JSON', async () => {
    const { code, stdout } = await run('explain F62 -o json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: 'calictl/v1',
      kind: 'Explanation',
      type: 'finding',
      finding: { id: 'F62', severities: ['error'] },
    });
  });

  it.each([...invariantIds, ...Object.values(faults).map(({ id }) => id)])('explain knows %s', async (id) => {
    const { code, stdout } = await run(`explain ${id}`);
    expect(code).toBe(0);
    expect(stdout).toContain(`FINDING:   ${id}\n`);
  });

  it.each(kinds.filter(isOnCommandLine).map(({ kind }) => kind))('explain lists the fields of %s', async (kind) => {
    const { code, stdout } = await run(`explain ${kind}`);
    expect(code).toBe(0);
    expect(stdout).toContain(`KIND:      ${kind}\n`);
    expect(stdout).toMatch(/\n {2}spec {2}<object/);
  });

  it('explain prints type, default and sentence of a field', async () => {
    const { stdout } = await run('explain ippool.spec.vxlanMode');
    expect(stdout).toBe(
      [
        'KIND:      IPPool',
        'FIELD:     spec.vxlanMode',
        'TYPE:      string, Always | CrossSubnet | Never, default: Never',
        '',
        'DESCRIPTION:',
        '    When traffic to the pool is encapsulated in VXLAN.',
        '',
      ].join('\n'),
    );
  });

  it('explain invariants has one row for each invariant, with its severity and title', async () => {
    const { code, stdout, stderr } = await run('explain invariants', { columns: 200 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ID +SEVERITY +TITLE$/);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(invariantIds);
    expect(rows.find((row) => row.startsWith('INV-45'))).toMatch(new RegExp(`warning +${invariants['INV-45'].title}$`));
  });

  it('explain faults has one row for each fault, in the order of the numbers', async () => {
    const { code, stdout } = await run('explain faults', { columns: 200 });
    expect(code).toBe(0);
    const numbers = [...stdout.matchAll(/^F(\d+)/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(numbers).toHaveLength(Object.keys(faults).length);
  });

  it('explain kinds lists the kinds that get takes, also as JSON', async () => {
    const names = kinds.filter(isOnCommandLine).map(({ aliases }) => aliases[0]);
    const { stdout } = await run('explain kinds', { columns: 200 });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split(' ')[0]),
    ).toEqual(names);
    const document = JSON.parse((await run('explain kinds -o json')).stdout);
    expect(document).toMatchObject({ kind: 'Explanation', type: 'list' });
    expect(document.kinds.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it('explain wraps at the width of the terminal', async () => {
    const { stdout } = await run('explain ippool', { terminal: true, columns: 60 });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it.each([
    ['INV-99', 'no finding has the ID INV-99', 'hint: calictl explain invariants lists the IDs.'],
    ['F999', 'no finding has the ID F999', 'hint: calictl explain faults lists the IDs.'],
    ['ipool', 'nothing to explain: ipool', 'Did you mean ippool?'],
    ['pod', 'nothing to explain: pod', 'Did you mean workloadendpoint?'],
    ['namespaces', 'nothing to explain: namespaces', 'Did you mean profile?'],
    ['po', 'nothing to explain: po', 'Use an ID such as INV-45 or F62, or a kind'],
    ['fault', 'nothing to explain: fault', 'Did you mean faults?'],
    ['xyzzy', 'nothing to explain: xyzzy', 'Use an ID such as INV-45 or F62, or a kind'],
    ['ippool.spec.blocksize', 'IPPool has no field spec.blocksize', 'Did you mean spec.blockSize?'],
    ['45', 'nothing to explain: 45', 'INV-45'],
  ])('explain %s is wrong usage with a hint', async (topic, message, hint) => {
    const { code, stdout, stderr } = await run(`explain ${topic}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});
