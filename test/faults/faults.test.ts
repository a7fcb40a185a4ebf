// The catalogue of faults: complete entries, unique ids, and that rules refer to entries by name, each to at least one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bgpFinding } from '../../src/bgp/finding.ts';
import type { Fault } from '../../src/faults/fault.ts';
import { faultGroups, faultOfId, faults, isAdvice } from '../../src/faults/faults.ts';
import { nodeFinding } from '../../src/faults/finding.ts';

const source = join(import.meta.dirname, '..', '..', 'src');
const rules = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('faults/'))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));

const entries = Object.entries<Fault>(faults);

describe('the catalogue of faults', () => {
  it('every fault of the groups is in the catalogue once', () => {
    const ids = Object.values(faultGroups).flatMap((group) => Object.values<Fault>(group).map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(entries.map(([, { id }]) => id).sort()).toEqual(ids.sort());
    expect(ids.length).toBeGreaterThan(60);
  });

  it.each(entries)('%s has an id, a heading and whole sentences', (_, { id, title, meaning, whatToDo }) => {
    expect(id).toMatch(/^F(0[1-9]|[1-9]\d|1[0-2]\d)$/);
    expect(title).toMatch(/^\S.*[^.]$/);
    expect(meaning).toMatch(/^[^a-z].*\.$/s);
    expect(whatToDo).toMatch(/.\.$/s);
  });

  it.each(entries)('a rule outside of the catalogue reports %s', (name) => {
    expect(rules.filter(({ text }) => text.includes(`faults.${name}`)).map(({ path }) => path)).not.toEqual([]);
  });

  it('no source file writes the id of a fault instead of its name', () => {
    expect(rules.filter(({ text }) => /['"`]F\d{2,3}['"`]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it.each(['F62', 'f62', '62', ' F62 '])('"%s" is the fault F62', (text) => {
    expect(faultOfId(text)).toBe(faults.peerUnreachable);
  });

  it('leading zeros of an id may be left out', () => {
    expect(faultOfId('F1')).toBe(faults.proxyArpOff);
  });

  it.each(['', 'F', 'F0', 'F999', 'F62x', 'INV-45', 'peerUnreachable'])('"%s" is not a fault', (text) => {
    expect(faultOfId(text)).toBeUndefined();
  });

  it('only the two faults that break nothing are advice', () => {
    expect(Object.values(faults).filter(({ id }) => isAdvice(id))).toEqual([
      faults.reflectorsNotRedundant,
      faults.meshTooLarge,
    ]);
  });
});

describe('findings', () => {
  const parts = { node: 'node-a', message: 'it is so', hint: 'change it' };

  it('a finding has the usual severity of its fault, unless another one is given', () => {
    expect(nodeFinding(faults.foreignRoute, parts)).toMatchObject({ id: 'F47', severity: 'error' });
    expect(nodeFinding(faults.foreignRoute, parts, 'warning')).toMatchObject({ id: 'F47', severity: 'warning' });
  });

  it('a BGP finding is about its node alone unless nodes are given', () => {
    const { message, hint } = parts;
    expect(bgpFinding(faults.birdRecovering, 'node-a', { message, hint })).toEqual({
      id: 'F69',
      severity: 'warning',
      node: 'node-a',
      nodes: ['node-a'],
      version: undefined,
      peer: undefined,
      message,
      object: undefined,
      hint,
      sessions: [],
    });
  });
});
