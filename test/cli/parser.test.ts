// calictl's own command line: global flags anywhere, help, wrong usage.
import { describe, expect, it } from 'vitest';
import { type GlobalInput, globalFlags } from '../../src/cli/global-flags.ts';
import { inputOf } from '../../src/cli/input.ts';
import type { ParsedCommand } from '../../src/cli/parsed.ts';
import { parse } from '../../src/cli/parser.ts';
import type { Command } from '../../src/commands/command.ts';
import { arg, exclusive, flag, type InputOf, needs } from '../../src/commands/parameters.ts';
import { UsageError } from '../../src/world/errors.ts';

const showArgs = { shelf: arg.text('SHELF', 'where').required(), items: arg.text('ITEM', 'what').repeatable() };
const showFlags = {
  output: flag.choice('FORMAT', ['table', 'json'], 'format').short('o').default('table'),
  tag: flag.text('TAG', 'only these').repeatable(),
  owner: flag.text('NAME', 'whose'),
  all: flag.on('hidden ones too').short('a'),
  noLease: flag.on('without a lease'),
};
const show: Command = {
  path: ['store', 'show'],
  summary: 'Show what is stored',
  description: 'More about it.',
  examples: [{ command: 'calictl store show shelf -o json', about: 'a shelf for a script' }],
  args: showArgs,
  flags: showFlags,
  rules: [exclusive(['owner', 'all'], 'choose one'), needs(['noLease'], 'tag', 'add --tag')],
  load: async () => ({ run: async () => undefined, formats: {} }),
};

/** A command that is also the first words of another one. */
const tidy: Command = { ...show, path: ['store', 'tidy'], args: {}, examples: [] };
const tidyPlan: Command = { ...tidy, path: ['store', 'tidy', 'plan'], summary: 'Show what tidying would do' };

const parseLine = (line: string) =>
  parse(line.split(' ').filter(Boolean), [show, tidy, tidyPlan], [{ path: ['store'], summary: 'The store' }], 80);
const command = (line: string): ParsedCommand => {
  const parsed = parseLine(line);
  if (parsed.type !== 'command') throw new Error(`a text: ${parsed.stdout}${parsed.stderr}`);
  return parsed;
};

type ShowInput = InputOf<typeof showFlags, typeof showArgs>;
const input = async (line: string): Promise<ShowInput> => {
  const { command: found, flags, args } = command(line);
  return (await inputOf(found, flags, args)) as ShowInput;
};
const globals = async (line: string): Promise<GlobalInput> =>
  (await inputOf({ flags: globalFlags, args: {}, rules: [] }, command(line).globals)) as GlobalInput;

describe('parse', () => {
  it.each(['-o json', '-o=json', '-ojson', '--output json', '--output=json'])(
    'a format may be given as %s',
    async (form) => {
      expect((await input(`store show shelf ${form}`)).output).toBe('json');
      expect((await input(`store show ${form} shelf`)).output).toBe('json');
    },
  );

  it('a value may begin with an equals sign', async () => {
    expect((await input('store show shelf --tag =x')).tag).toEqual(['=x']);
  });

  it.each(['datastore'])('%s is refused as a command that is not there yet, whatever follows', (word) => {
    for (const line of [
      word,
      `${word} -f x.yaml --dry-run`,
      `--debug ${word} ippool x`,
      `${word} --help`,
      `help ${word}`,
    ]) {
      expect(() => parseLine(line)).toThrow(`this version of calictl has no command '${word}'`);
    }
  });

  it('-v prints the version', () => {
    expect(parseLine('-v')).toMatchObject({ type: 'text', stdout: expect.stringMatching(/^calictl v/), exit: 0 });
  });

  it('--allow-version-mismatch is accepted before and after the command', async () => {
    expect((await globals('--allow-version-mismatch store show shelf')).allowVersionMismatch).toBe(true);
    expect((await globals('store show shelf --allow-version-mismatch')).allowVersionMismatch).toBe(true);
  });

  it.each([
    ['0', 0],
    ['7', 7000],
    ['1m30s', 90_000],
  ])('--request-timeout %s is read as kubectl reads it', async (text, ms) => {
    expect((await globals(`store show shelf --request-timeout ${text}`)).requestTimeout).toBe(ms);
  });

  it('--request-timeout refuses what is not a duration', async () => {
    for (const text of ['x', '-1s', '99999h']) {
      await expect(globals(`store show shelf --request-timeout=${text}`)).rejects.toThrow('invalid duration');
    }
  });

  it('a command gets its arguments and flags', async () => {
    expect(command('store show shelf').command).toBe(show);
    expect(await input('store show shelf -o json a --tag x b --tag=y -a')).toEqual({
      shelf: 'shelf',
      items: ['a', 'b'],
      output: 'json',
      tag: ['x', 'y'],
      owner: undefined,
      all: true,
      noLease: false,
    });
  });

  it('flags that were not given are absent', async () => {
    expect(await input('store show shelf')).toEqual({
      shelf: 'shelf',
      items: [],
      output: 'table',
      tag: [],
      owner: undefined,
      all: false,
      noLease: false,
    });
  });

  it('a flag that begins with no- is a flag of that name', async () => {
    expect(await input('store show shelf --tag x --no-lease')).toMatchObject({ noLease: true });
  });

  it.each([
    '--datastore d --no-color store show shelf',
    'store --datastore d show --no-color shelf',
    'store show --datastore=d shelf --no-color',
    'store show shelf --no-color --datastore d',
  ])('global flags are accepted anywhere: %s', async (line) => {
    expect(await globals(line)).toMatchObject({ datastore: 'd', noColor: true });
    expect(await input(line)).toMatchObject({ shelf: 'shelf', items: [] });
  });

  it("--config defaults to the path of calicoctl's configuration file", async () => {
    expect(await globals('store show s')).toMatchObject({ config: '/etc/calico/calicoctl.cfg' });
    expect(await globals('store show s -c f')).toMatchObject({ config: 'f' });
    expect(await globals('-c f store show s')).toMatchObject({ config: 'f' });
  });

  it.each([
    ['stor', /unknown command 'stor'/, /did you mean store\?/],
    ['store sho', /unknown command 'sho'/, /did you mean show\?/],
    ['store show s --ownr x', /unknown option '--ownr'/, /did you mean --owner\?/],
    ['store show s --output xml', /^invalid value for --output: xml$/, /table, json/],
    ['store show s --owner a --owner b', /^--owner can be given only once$/, undefined],
    ['store show s --owner=', /^--owner is empty$/, /NAME/],
    ['store show s --owner a --all', /^--owner and --all cannot be used together$/, /choose one/],
    ['store show s --no-lease', /^--no-lease requires --tag$/, /add --tag/],
    ['store show', /missing required argument 'SHELF'/, /calictl store show --help/],
    ['store show s --owner', /argument missing/, /calictl store show --help/],
  ])('"%s" is wrong usage', async (line, message, hint) => {
    const caught = await (async () => input(line))().catch((error: unknown) => error);
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
  expect(() => parseLine(line)).toThrow(`unknown command '${line.slice(5)}'`);
});

it.each(['help', 'help store', 'help store show', 'help store tidy plan', 'help -h'])('"%s" prints help', (line) => {
  expect(parseLine(line)).toMatchObject({ type: 'text', exit: 0, stdout: expect.stringContaining('Usage: calictl') });
});

it('help gives a flag that is too wide a line of its own, and wraps its description', () => {
  const flags = { theMethodOfFindingAddresses: flag.text('METHOD', `${'word '.repeat(20)}end`) };
  const parsed = parse(['store', '--help'], [{ ...show, path: ['store'], flags }], [], 80);
  const lines = parsed.type === 'text' ? parsed.stdout.split('\n') : [];
  expect(lines).toContain('  --the-method-of-finding-addresses <METHOD>');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it('every help lists the global options after its own', () => {
  for (const line of ['--help', 'store --help', 'store show --help']) {
    const help = parseLine(line);
    const text = help.type === 'text' ? help.stdout : '';
    expect(text.indexOf('Options:\n'), line).toBeGreaterThan(0);
    expect(text.indexOf('\nOptions:\n'), line).toBeLessThan(text.indexOf('\nGlobal options:\n'));
  }
});

describe('a command whose path begins the path of another one', () => {
  it('the shorter command runs, with its flags', async () => {
    expect(command('store tidy').command).toBe(tidy);
    expect(command('store tidy -o json --owner ann').command).toBe(tidy);
    expect(await input('store tidy -o json --owner ann')).toMatchObject({ output: 'json', owner: 'ann' });
  });

  it('the longer command gets what follows its last word', async () => {
    expect(command('store tidy plan -o json --all').command).toBe(tidyPlan);
    expect(await input('store tidy plan -o json --all')).toMatchObject({ output: 'json', all: true });
  });

  it('global flags are accepted before the last word of the longer command', async () => {
    const line = 'store tidy --datastore ./dump plan --debug';
    expect(command(line).command).toBe(tidyPlan);
    expect(await globals(line)).toMatchObject({ datastore: './dump', debug: true });
  });

  it.each(['store tidy --owner ann plan', 'store tidy -a plan', 'store tidy -o json plan'])(
    '"%s" puts a flag of the shorter command before the last word of the longer one',
    (line) => {
      expect(() => parseLine(line)).toThrow(/^--(owner|all|output) comes before 'plan' but is a flag of store tidy$/);
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
