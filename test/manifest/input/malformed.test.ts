// Every folder of test/fixtures/manifests holds a malformed manifest and problems.txt: for each problem its line and column,
// the path of the field (- for none) and words of the message.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemText, readManifests } from '../../../src/commands/load-manifests.ts';
import { testWorld } from '../../support/program/world.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/manifests');
const names = readdirSync(fixtures).sort();

describe('readManifests', () => {
  it.each(names)('readManifests reports what is wrong in %s, where, and nothing else', async (name) => {
    const folder = join(fixtures, name);
    const file = readdirSync(folder).find((one) => one.startsWith('manifest.')) ?? '';
    const text = readFileSync(join(folder, file), 'utf8');
    const input = { filename: ['-'], recursive: false, skipEmpty: true };
    const { problems } = await readManifests({ world: testWorld({ stdin: text }) }, input);
    const expected = readFileSync(join(folder, 'problems.txt'), 'utf8').trimEnd().split('\n');
    const found = problems.map(({ line, column, path }) => `${line}:${column} ${path || '-'}`);
    expect(found, problems.map(problemText).join('\n')).toEqual(
      expected.map((one) => one.split(' ').slice(0, 2).join(' ')),
    );
    expected.forEach((one, index) => {
      expect(problems[index]?.message).toContain(one.split(' ').slice(2).join(' '));
    });
  });

  it('the malformed manifests are at least sixty', () => {
    expect(names.length).toBeGreaterThanOrEqual(60);
  });
});
