// calictl's own command line: global flags anywhere, help, wrong usage.
import { describe, expect, it } from 'vitest';
import type { ParsedCommand } from '../../src/cli/parsed.ts';
import { parse } from '../../src/cli/parser.ts';
import type { Command } from '../../src/commands/command.ts';
import { UsageError } from '../../src/world/errors.ts';

const show: Command = {
  path: ['store', 'show'],
  summary: 'Show what is stored',
  description: 'More about it.',
  examples: [{ command: 'calictl store show shelf -o json', about: 'a shelf for a script' }],
  args: [
    { name: 'SHELF', about: 'where', required: true },
    { name: 'ITEM', about: 'what', variadic: true },
  ],
  flags: [
    { name: 'output', short: 'o', value: 'FORMAT', about: 'format', choices: ['table', 'json'], default: 'table' },
    { name: 'tag', value: 'TAG', about: 'only these', repeatable: true },
    { name: 'owner', value: 'NAME', about: 'whose' },
    { name: 'all', short: 'a', about: 'hidden ones too' },
    { name: 'no-lease', about: 'without a lease' },
  ],
  calicoctl: false,
  guarded: false,
  run: async () => undefined,
  format: () => 'table',
  formats: {},
  exit: () => 0,
};

/** A command that is also the first words of another one. */
const tidy: Command = { ...show, path: ['store', 'tidy'], args: [], examples: [] };
const tidyPlan: Command = { ...tidy, path: ['store', 'tidy', 'plan'], summary: 'Show what tidying would do' };

const parseLine = (line: string) =>
  parse(line.split(' ').filter(Boolean), [show, tidy, tidyPlan], [{ path: ['store'], summary: 'The store' }], 80);
const command = (line: string): ParsedCommand => {
  const parsed = parseLine(line);
  if (parsed.type !== 'command') throw new Error(`a text: ${parsed.stdout}${parsed.stderr}`);
  return parsed;
};

describe('parse', () => {
  it('a command gets its arguments and flags', () => {
    const { input, command: found } = command('store show shelf -o json a --tag x b --tag=y -a');
    expect(found).toBe(show);
    expect(input.args).toEqual(['shelf', 'a', 'b']);
    expect(input.text('output')).toBe('json');
    expect(input.texts('tag')).toEqual(['x', 'y']);
    expect(input.on('all')).toBe(true);
    expect(input.text('owner')).toBeUndefined();
  });

  it('flags that were not given are absent', () => {
    const { input } = command('store show shelf');
    expect(input.text('output')).toBe('table');
    expect(input.texts('tag')).toEqual([]);
    expect(input.on('all')).toBe(false);
    expect(input.on('no-lease')).toBe(false);
  });

  it('a flag that begins with no- is a flag of that name', () => {
    expect(command('store show shelf --no-lease').input.on('no-lease')).toBe(true);
  });

  it.each([
    '--datastore d --no-color store show shelf',
    'store --datastore d show --no-color shelf',
    'store show --datastore=d shelf --no-color',
    'store show shelf --no-color --datastore d',
  ])('global flags are accepted anywhere: %s', (line) => {
    const { globals, input } = command(line);
    expect(globals.text('datastore')).toBe('d');
    expect(globals.on('no-color')).toBe(true);
    expect(input.args).toEqual(['shelf']);
  });

  it("--config defaults to the path of calicoctl's configuration file", () => {
    expect(command('store show s').globals.text('config')).toBe('/etc/calico/calicoctl.cfg');
    expect(command('store show s -c f').globals.text('config')).toBe('f');
    expect(command('-c f store show s').globals.text('config')).toBe('f');
  });

  it.each([
    ['stor', /unknown command 'stor'/, /did you mean store\?/],
    ['store sho', /unknown command 'sho'/, /did you mean show\?/],
    ['store show s --ownr x', /unknown option '--ownr'/, /did you mean --owner\?/],
    ['store show s --output xml', /--output does not take 'xml'/, /table, json/],
    ['store show s --owner a --owner b', /--owner is given twice/, undefined],
    ['store show', /missing required argument 'SHELF'/, /calictl store show --help/],
    ['store show s --owner', /argument missing/, /calictl store show --help/],
  ])('"%s" is wrong usage', (line, message, hint) => {
    let caught: unknown;
    try {
      parseLine(line);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: 'USAGE', exit: 2, message: expect.stringMatching(message) });
    if (hint !== undefined) expect(caught).toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it('a group without a command shows its help, as wrong usage', () => {
    expect(parseLine('store')).toMatchObject({
      type: 'text',
      stdout: '',
      stderr: expect.stringContaining('show'),
      exit: 2,
    });
  });

  it.each(['store show --help', 'store show -h', 'store show s --bogus --help', 'store help show'])(
    '"%s" prints the help of the command',
    (line) => {
      const parsed = parseLine(line);
      expect(parsed).toMatchObject({ type: 'text', exit: 0, stderr: '' });
      const text = parsed.type === 'text' ? parsed.stdout : '';
      expect(text).toContain('Usage: calictl store show [options] <SHELF> [ITEM...]');
      expect(text).toContain('More about it.');
      expect(text).toContain('  # a shelf for a script\n  calictl store show shelf -o json\n');
      expect(text).toContain('--datastore');
      expect(text).toContain('(default: table)');
      expect(text).toContain('only these (may be repeated)');
    },
  );
});

it.each(['help stor', 'help store shw', 'help F62'])('"%s" names an unknown command', (line) => {
  expect(() => parseLine(line)).toThrow(`there is no command '${line.slice(5)}'`);
});

it.each(['help', 'help store', 'help store show', 'help store tidy plan', 'help -h'])('"%s" prints help', (line) => {
  expect(parseLine(line)).toMatchObject({ type: 'text', exit: 0, stdout: expect.stringContaining('Usage: calictl') });
});

it('help gives a flag that is too wide a line of its own, and wraps its description', () => {
  const flag = { name: 'the-method-of-finding-addresses', value: 'METHOD', about: `${'word '.repeat(20)}end` };
  const parsed = parse(['store', '--help'], [{ ...show, path: ['store'], flags: [flag] }], [], 80);
  const lines = parsed.type === 'text' ? parsed.stdout.split('\n') : [];
  expect(lines).toContain('  --the-method-of-finding-addresses <METHOD>');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it('every help lists the global options last', () => {
  for (const line of ['--help', 'store --help', 'store show --help']) {
    const help = parseLine(line);
    const text = help.type === 'text' ? help.stdout : '';
    expect(text.indexOf('Options:\n'), line).toBeGreaterThan(0);
    expect(text.indexOf('\nOptions:\n'), line).toBeLessThan(text.indexOf('\nGlobal options:\n'));
  }
});

describe('a command whose path begins the path of another one', () => {
  it('the shorter command runs, with its flags', () => {
    expect(command('store tidy').command).toBe(tidy);
    const { command: found, input } = command('store tidy -o json --owner ann');
    expect(found).toBe(tidy);
    expect([input.text('output'), input.text('owner')]).toEqual(['json', 'ann']);
  });

  it('the longer command gets what follows its last word', () => {
    const { command: found, input } = command('store tidy plan -o json --all');
    expect(found).toBe(tidyPlan);
    expect([input.text('output'), input.on('all')]).toEqual(['json', true]);
  });

  it('global flags are accepted before the last word of the longer command', () => {
    const { command: found, globals } = command('store tidy --datastore ./dump plan --debug');
    expect(found).toBe(tidyPlan);
    expect([globals.text('datastore'), globals.on('debug')]).toEqual(['./dump', true]);
  });

  it.each(['store tidy --owner ann plan', 'store tidy -a plan', 'store tidy -o json plan'])(
    '"%s" puts a flag of the shorter command before the last word of the longer one',
    (line) => {
      expect(() => parseLine(line)).toThrow(/^--(owner|all|output) stands before 'plan' and is a flag of store tidy$/);
    },
  );

  it.each(['store tidy plans', 'store tidy plan x', 'store tidy --owner ann x'])('"%s" is wrong usage', (line) => {
    expect(() => parseLine(line)).toThrow(UsageError);
  });

  it('the help of the shorter command lists the longer one', () => {
    const help = parseLine('store tidy --help');
    expect(help.type === 'text' && help.stdout).toContain('  plan ');
    const other = parseLine('store tidy plan --help');
    expect(other.type === 'text' && other.stdout).toContain('Usage: calictl store tidy plan [');
  });
});
