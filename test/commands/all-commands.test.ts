// What every command owes its users: help with examples that are real command lines, a page, JSON.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from '../../src/cli/parser.ts';
import { commands, groups } from '../../src/commands/tree.ts';
import { run } from '../support/program/world.ts';

const root = join(import.meta.dirname, '..', '..');

describe.each(commands.map((command) => [command.path.join(' '), command] as const))('%s', (path, command) => {
  it('is where its path says', () => {
    expect(existsSync(join(root, 'src', 'commands', ...command.path, 'command.ts'))).toBe(true);
  });

  it('has help with a summary, examples and every flag', async () => {
    const { code, stdout, stderr } = await run(`${path} --help`, { columns: 200 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: calictl ${path} `);
    expect(stdout).toContain(command.summary);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { command: line, about } of command.examples) expect(stdout).toContain(`  # ${about}\n  ${line}\n`);
    for (const { name } of command.flags) expect(stdout).toContain(`--${name}`);
  });

  it('has examples that are command lines of its own', () => {
    for (const { command: line } of command.examples) {
      const words = line
        .replace(/ [|>] .*$/, '')
        .split(' ')
        .slice(1);
      const parsed = parse(words, commands, groups, 80);
      expect(parsed.type === 'command' && parsed.command.path).toEqual(command.path);
    }
  });

  it('answers as JSON too', () => {
    expect(Object.keys(command.formats)).toContain('json');
  });

  it('has one name and one letter a flag', () => {
    const names = command.flags.flatMap(({ name, short }) => (short === undefined ? [name] : [name, `-${short}`]));
    expect(new Set(names).size).toBe(names.length);
  });

  it('is in the help of compat mode only when calicoctl has it', async () => {
    const parent = command.path.slice(0, -1).join(' ');
    const { stdout } = await run(`${parent} --help`, { programName: 'calicoctl' });
    // calicoctl answers for a group that it does not have with the help of the one above.
    const ofParent = stdout.startsWith(`Usage:\n  calicoctl ${parent === '' ? '[options]' : parent} <command>`);
    expect(ofParent && stdout.includes(`    ${command.path.at(-1)} `)).toBe(command.calicoctl);
  });
});

it('no two commands have the same path', () => {
  const paths = commands.map(({ path }) => path.join(' '));
  expect(new Set(paths).size).toBe(paths.length);
});

it('every group has commands', () => {
  for (const { path } of groups) expect(commands.some((command) => command.path[0] === path[0])).toBe(true);
});
