// What every command must have: help with examples that are real command lines, a page in docs/commands, JSON output.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from '../../src/cli/parser.ts';
import { flagName } from '../../src/commands/parameters.ts';
import { commands, groups } from '../../src/commands/tree.ts';
import { run } from '../support/program/world.ts';

const root = join(import.meta.dirname, '..', '..');

describe.each(commands.map((command) => [command.path.join(' '), command] as const))('calictl %s', (path, command) => {
  it(`calictl ${path} is defined in the directory of its path`, () => {
    expect(existsSync(join(root, 'src', 'commands', ...command.path, 'command.ts'))).toBe(true);
  });

  it(`calictl ${path} has a page in docs/commands with its usage`, () => {
    // A group of small commands may share the page of the words that they begin with.
    const page = command.path
      .map((_, index) => join(root, 'docs', 'commands', `${command.path.slice(0, index + 1).join('-')}.md`))
      .findLast(existsSync);
    const usage = new RegExp(`^calictl ${path}(?= [<[(A-Z-]|$)`, 'm');
    expect(readFileSync(page ?? 'no page', 'utf8')).toMatch(usage);
  });

  it(`calictl ${path} --help shows the summary, the examples and every flag`, async () => {
    const { code, stdout, stderr } = await run(`${path} --help`, { columns: 200 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: calictl ${path} `);
    expect(stdout).toContain(command.summary);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { command: line, about } of command.examples) expect(stdout).toContain(`  # ${about}\n  ${line}\n`);
    for (const key of Object.keys(command.flags)) expect(stdout).toContain(`--${flagName(key)}`);
  });

  it(`the examples of calictl ${path} are command lines of that command`, () => {
    for (const { command: line } of command.examples) {
      const words = line
        .replace(/ [|>] .*$/, '')
        .split(' ')
        .slice(1);
      const parsed = parse(words, commands, groups, 80);
      expect(parsed.type === 'command' && parsed.command.path).toEqual(command.path);
    }
  });

  it(`calictl ${path} can print JSON`, async () => {
    const { formats } = await command.load();
    const choices = command.flags['output']?.spec.choices ?? Object.keys(formats);
    expect(Object.keys(formats).sort()).toEqual([...choices].sort());
    expect(choices).toContain('json');
  });

  it(`no two flags of calictl ${path} share a name or a letter`, () => {
    const letters = Object.values(command.flags).flatMap(({ spec }) => spec.short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it(`the help of compat mode lists ${path} exactly when calicoctl has it`, async () => {
    const parent = command.path.slice(0, -1).join(' ');
    const { stdout } = await run(`${parent} --help`, { programName: 'calicoctl' });
    // calicoctl answers for a group that it does not have with the help of the one above.
    const ofParent = stdout.startsWith(`Usage:\n  calicoctl ${parent === '' ? '[options]' : parent} <command>`);
    expect(ofParent && stdout.includes(`    ${command.path.at(-1)} `)).toBe(command.calicoctl !== undefined);
  });
});

it('no two commands have the same path', () => {
  const paths = commands.map(({ path }) => path.join(' '));
  expect(new Set(paths).size).toBe(paths.length);
});

it('every group has a command or a group below it, and every command with a longer path is in a group', () => {
  const parents = commands.filter(({ path }) => path.length > 1).map(({ path }) => path.slice(0, -1).join(' '));
  const known = new Set([...groups.map(({ path }) => path.join(' ')), ...commands.map(({ path }) => path.join(' '))]);
  expect(parents.filter((parent) => !known.has(parent))).toEqual([]);
  expect(groups.map(({ path }) => path.join(' ')).filter((group) => !parents.includes(group))).toEqual([]);
});
