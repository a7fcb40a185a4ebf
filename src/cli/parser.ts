// calictl's own command line: commander, fed from the register of commands. Compat mode has compat-parser.ts.
import { Argument as CommanderArgument, Command as CommanderCommand, CommanderError, Help, Option } from 'commander';
import type { Command, FlagSpec } from '../commands/command.ts';
import type { CommandGroup } from '../commands/tree.ts';
import { exitCodes, UsageError } from '../world/errors.ts';
import { globalFlags } from './global-flags.ts';
import { ParsedInput } from './input.ts';
import { type Parsed, textFor } from './parsed.ts';
import { versionLine } from './version-fast-path.ts';

const globalLabel = 'Global options:';

interface Values {
  readonly given: Map<string, string[]>;
  readonly specs: readonly FlagSpec[];
}

function optionOf(spec: FlagSpec, given: Map<string, string[]>, label: string): Option {
  const names = spec.short === undefined ? `--${spec.name}` : `-${spec.short}, --${spec.name}`;
  const often = spec.repeatable ? ' (may be repeated)' : '';
  const about = spec.default === undefined ? `${spec.about}${often}` : `${spec.about} (default: ${spec.default})`;
  const option = new Option(spec.value === undefined ? names : `${names} <${spec.value}>`, about);
  option.helpGroup(label);
  if (spec.choices !== undefined && spec.value !== undefined) {
    option.description = `${spec.about}: ${spec.choices.join(', ')}${spec.default === undefined ? '' : ` (default: ${spec.default})`}`;
  }
  if (spec.value !== undefined) {
    option.argParser((value: string) => {
      if (spec.choices !== undefined && !spec.choices.includes(value)) {
        throw new UsageError(`--${spec.name} does not take '${value}'`, `use one of ${spec.choices.join(', ')}`);
      }
      const before = given.get(spec.name);
      if (before !== undefined && !spec.repeatable) throw new UsageError(`--${spec.name} is given twice`);
      given.set(spec.name, [...(before ?? []), value]);
      return value;
    });
  }
  return option;
}

/** Adds the flags to a command and answers where their values will be. */
function addFlags(target: CommanderCommand, specs: readonly FlagSpec[], label: string): Values {
  const given = new Map<string, string[]>();
  for (const spec of specs) {
    const option = optionOf(spec, given, label);
    target.addOption(option);
    // A flag without a value, and one that begins with "no-", only tells that it was there.
    if (spec.value === undefined) target.on(`option:${option.name()}`, () => given.set(spec.name, []));
  }
  return { given, specs };
}

/** Items by group for the help. A group of commands has `--help` alone of its own, which would come last. */
function ownBeforeGlobal<T>(_unsorted: T[], shown: T[], groupOf: (item: T) => string): Map<string, T[]> {
  const names = [...new Set(shown.map(groupOf))].sort((a, b) => Number(a === globalLabel) - Number(b === globalLabel));
  return new Map(names.map((name) => [name, shown.filter((item) => groupOf(item) === name)]));
}

/** Beside flags that are wider there would be no room for what is said of them. */
const widestTerm = (columns: number): number => Math.max(columns - 44, 24);

/** As commander formats it; a term that is too wide has a line of its own. */
function formattedItem(this: Help, term: string, width: number, description: string, helper: Help): string {
  const format = (shown: string): string => Help.prototype.formatItem.call(this, shown, width, description, helper);
  return description === '' || term.length <= width ? format(term) : `  ${term}\n${format('')}`;
}

function inputOf(args: readonly string[], ...all: readonly Values[]): ParsedInput {
  const given = new Map<string, readonly string[]>();
  const defaults = new Map<string, string>();
  for (const { given: values, specs } of all) {
    for (const [name, texts] of values) given.set(name, texts);
    for (const spec of specs) if (spec.default !== undefined) defaults.set(spec.name, spec.default);
  }
  return new ParsedInput(args, given, defaults);
}

function examplesText(command: Command): string {
  if (command.examples.length === 0) return '';
  const lines = command.examples.map(({ command: line, about }) => `  # ${about}\n  ${line}`);
  return `\nExamples:\n${lines.join('\n\n')}\n`;
}

/** Errors: UsageError when a flag of a command stands before the word of another one, where it would mean nothing. */
function refuseMisplaced(command: Command, own: Values | undefined, path: readonly string[]): void {
  const [flag] = own?.given.keys() ?? [];
  if (flag === undefined) return;
  throw new UsageError(
    `--${flag} stands before '${command.path.at(-1)}' and is a flag of ${path.join(' ')}`,
    `run 'calictl ${command.path.join(' ')} --help'`,
  );
}

/** Errors: UsageError when the words after `help` name neither a command nor a group. */
function refuseUnknownTopic(
  words: readonly string[],
  commands: readonly Command[],
  groups: readonly CommandGroup[],
): void {
  const isBeginning = (path: readonly string[]): boolean => path.every((word, i) => word === words[i]);
  const isTopic =
    words.every((word) => word.startsWith('-')) ||
    commands.some(({ path }) => isBeginning(path)) ||
    groups.some(({ path }) => isBeginning(path) && path.length === words.length);
  if (!isTopic) throw new UsageError(`there is no command '${words.join(' ')}'`, "run 'calictl --help'");
}

/** `error: unknown command 'gett'\n(Did you mean get?)` as our own error. */
function usageError({ message }: CommanderError, path: readonly string[]): UsageError {
  const [first = '', second] = message.replace(/^error: /, '').split('\n');
  const guess = /^\(Did you mean (.*)\?\)$/.exec(second ?? '')?.[1];
  const help = `run '${['calictl', ...path].join(' ')} --help'`;
  return new UsageError(first, guess === undefined ? help : `did you mean ${guess}? Else ${help}`);
}

/**
 * Parses arguments (without program and script) over the register.
 * Errors: UsageError for anything that is not a command line of calictl.
 */
export function parse(
  argv: readonly string[],
  commands: readonly Command[],
  groups: readonly CommandGroup[],
  columns: number,
): Parsed {
  // `help ipam check` is `ipam check --help`; the parser's own help command knows one word.
  if (argv[0] === 'help') {
    refuseUnknownTopic(argv.slice(1), commands, groups);
    return parse([...argv.slice(1), '--help'], commands, groups, columns);
  }
  let parsed: Parsed | undefined;
  let stdout = '';
  let stderr = '';
  let reached: readonly string[] = [];

  const setUp = (target: CommanderCommand, path: readonly string[]): CommanderCommand =>
    target
      .exitOverride()
      .configureOutput({
        writeOut: (text) => {
          stdout += text;
        },
        writeErr: (text) => {
          stderr += text;
        },
        outputError: () => undefined,
        getOutHelpWidth: () => columns,
        getErrHelpWidth: () => columns,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .helpOption('-h, --help', 'this text')
      .configureHelp({
        subcommandTerm: (sub) => sub.name(),
        groupItems: ownBeforeGlobal,
        padWidth: (shown, helper) => Math.min(Help.prototype.padWidth(shown, helper), widestTerm(columns)),
        formatItem: formattedItem,
      })
      .hook('preSubcommand', (_, sub) => {
        reached = [...path, sub.name()];
      });

  const root = setUp(new CommanderCommand('calictl'), []);
  root
    .description(
      'Administers Calico networking: sees, checks and repairs IPAM; judges BGP, routes and the data path of nodes.\n\n' +
        'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 found something, 4 refused, 5 partly done.',
    )
    .enablePositionalOptions()
    .version(versionLine, '--version', 'version of this program')
    .helpCommand('help [command]', 'help for a command');
  const before = [addFlags(root, globalFlags, globalLabel)];

  const groupCommands = new Map<string, CommanderCommand>([['', root]]);
  for (const { path, summary } of groups) {
    const parent = groupCommands.get(path.slice(0, -1).join(' ')) ?? root;
    const group = setUp(new CommanderCommand(path.at(-1)), path)
      .description(summary)
      .enablePositionalOptions()
      .helpCommand('help [command]', 'help for a command');
    before.push(addFlags(group, globalFlags, globalLabel));
    parent.addCommand(group);
    groupCommands.set(path.join(' '), group);
  }

  // What commands that are also the first words of others were given of their own.
  const ownOf = new Map<string, Values>();
  for (const command of commands) {
    const above = command.path.slice(0, -1);
    const parent = groupCommands.get(above.join(' ')) ?? root;
    const leaf = setUp(new CommanderCommand(command.path.at(-1)), command.path)
      .summary(command.summary)
      .description(
        command.description === undefined ? command.summary : `${command.summary}.\n\n${command.description}`,
      )
      .addHelpText('after', examplesText(command));
    for (const { name, about, required, variadic } of command.args) {
      const inner = variadic ? `${name}...` : name;
      leaf.addArgument(new CommanderArgument(required ? `<${inner}>` : `[${inner}]`, about));
    }
    const own = addFlags(leaf, command.flags, 'Options:');
    const taken = new Set(
      command.flags.flatMap(({ name, short }) => (short === undefined ? [name] : [name, `-${short}`])),
    );
    const free = globalFlags
      .filter(({ name }) => !taken.has(name))
      .map(
        ({ short, ...spec }): FlagSpec => (short === undefined || taken.has(`-${short}`) ? spec : { ...spec, short }),
      );
    const after = addFlags(leaf, free, globalLabel);
    if (commands.some(({ path }) => path.slice(0, -1).join(' ') === command.path.join(' '))) {
      leaf.enablePositionalOptions();
      before.push(after);
      groupCommands.set(command.path.join(' '), leaf);
      ownOf.set(command.path.join(' '), own);
    }
    leaf.action(() => {
      refuseMisplaced(command, ownOf.get(above.join(' ')), above);
      parsed = {
        type: 'command',
        command,
        input: inputOf(leaf.args, own),
        // A command's own flag of a global name means the same thing there.
        globals: inputOf([], ...before, after, { given: own.given, specs: [] }),
      };
    });
    parent.addCommand(leaf);
  }

  try {
    root.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return textFor('stdout', stdout, exitCodes.ok);
    if (error.code === 'commander.help') return textFor('stderr', stderr, exitCodes.usage);
    throw usageError(error, reached);
  }
  if (parsed === undefined) throw new UsageError('no command given', "run 'calictl --help'");
  return parsed;
}
