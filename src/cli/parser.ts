// calictl's own command line: commander, fed from the register of commands. calicoctl/parser.ts has calicoctl's.
import { Argument, CommanderError, Command as Node, Option } from 'commander';
import type { Command } from '../commands/command.ts';
import { flagName, type Parameter, type Parameters } from '../commands/parameters.ts';
import type { CommandGroup } from '../commands/tree.ts';
import { exitCodes, UsageError } from '../world/errors.ts';
import { globalFlags } from './global-flags.ts';
import { aboutFlag, examplesText, globalLabel, helpLayout } from './help.ts';
import { notBuiltCommands, refuseNotBuilt } from './not-built.ts';
import { type Parsed, type ParsedCommand, textFor } from './parsed.ts';
import { versionLine } from './version-fast-path.ts';

/** Texts by the key of their flag, filled while commander reads the command line. */
type Texts = Map<string, string[]>;

interface Register {
  readonly commands: readonly Command[];
  readonly groups: readonly CommandGroup[];
  readonly columns: number;
  /** What is being parsed. */
  readonly argv: readonly string[];
}

const pathText = (path: readonly string[]): string => path.join(' ');

/** `=json` of `-o=json` is `json`, as kubectl reads it. `argv` tells it from a value that begins with this sign. */
function withoutSign(text: string, short: string | undefined, argv: readonly string[]): string {
  return text.startsWith('=') && short !== undefined && argv.includes(`-${short}${text}`) ? text.slice(1) : text;
}

function optionOf(key: string, { spec }: Parameter, given: Texts, label: string, argv: readonly string[]): Option {
  const name = flagName(key);
  const names = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`;
  const option = new Option(spec.placeholder === undefined ? names : `${names} <${spec.placeholder}>`, aboutFlag(spec));
  option.helpGroup(label);
  if (spec.placeholder !== undefined) {
    option.argParser((text: string) => {
      given.set(key, [...(given.get(key) ?? []), withoutSign(text, spec.short, argv)]);
      return text;
    });
  }
  return option;
}

/** Adds the flags to a command and returns where their texts will be. */
function addFlags(target: Node, flags: Parameters, label: string, argv: readonly string[]): Texts {
  const given: Texts = new Map();
  for (const [key, parameter] of Object.entries(flags)) {
    const option = optionOf(key, parameter, given, label, argv);
    target.addOption(option);
    // For a switch, and for one that begins with "no-", commander says only that it was there.
    if (parameter.spec.placeholder === undefined) target.on(`option:${option.name()}`, () => given.set(key, []));
  }
  return given;
}

/** Errors: UsageError when a flag of a command comes before the word of another one, where it would mean nothing. */
function refuseMisplaced(command: Command, given: Texts | undefined, parent: readonly string[]): void {
  const [key] = given?.keys() ?? [];
  if (key === undefined) return;
  throw new UsageError(
    `--${flagName(key)} comes before '${command.path.at(-1)}' but is a flag of ${pathText(parent)}`,
    `run 'calictl ${pathText(command.path)} --help'`,
  );
}

/** Errors: UsageError when the words after `help` name neither a command nor a group. */
function refuseUnknownTopic(words: readonly string[], { commands, groups }: Register): void {
  const isBeginning = (path: readonly string[]): boolean => path.every((word, i) => word === words[i]);
  const isTopic =
    words.every((word) => word.startsWith('-')) ||
    commands.some(({ path }) => isBeginning(path)) ||
    groups.some(({ path }) => isBeginning(path) && path.length === words.length);
  if (!isTopic) throw new UsageError(`unknown command '${pathText(words)}'`, "run 'calictl --help'");
}

/** `error: unknown command 'gett'\n(Did you mean get?)` as our own error. */
function usageError({ message }: CommanderError, path: readonly string[]): UsageError {
  const [first = '', second] = message.replace(/^error: /, '').split('\n');
  const guess = /^\(Did you mean (.*)\?\)$/.exec(second ?? '')?.[1];
  const help = `run '${['calictl', ...path].join(' ')} --help'`;
  return new UsageError(first, guess === undefined ? help : `did you mean ${guess}? Otherwise ${help}`);
}

/** The tree of commander's commands, and what came out when it read a command line. */
class Program {
  readonly root: Node;
  stdout = '';
  stderr = '';
  parsed: ParsedCommand | undefined;
  /** The words of groups and commands that were recognised. */
  reached: readonly string[] = [];
  readonly #register: Register;
  /** Groups, and commands that are also the first words of others, by their path. */
  readonly #parents = new Map<string, Node>();
  /** Global flags given before the last word of the command. */
  readonly #before: Texts[] = [];
  /** What commands that are also the first words of others were given of their own. */
  readonly #ownOfParents = new Map<string, Texts>();

  constructor(register: Register) {
    this.#register = register;
    this.root = this.#node([], 'calictl')
      .description(
        'Administers Calico networking: shows, checks and repairs IPAM; checks BGP, routes and the data path of nodes.\n\n' +
          'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 problems found, 4 refused, 5 partly done.',
      )
      .version(versionLine, '-v, --version', 'version of this program');
    this.#addParent([], this.root);
    for (const { path, summary } of register.groups) {
      const group = this.#node(path, path.at(-1) ?? '').description(summary);
      this.#parentOf(path).addCommand(group);
      this.#addParent(path, group);
    }
    for (const command of register.commands) this.#addCommand(command);
    for (const node of notBuiltCommands()) this.root.addCommand(node, { hidden: true });
  }

  #node(path: readonly string[], name: string): Node {
    const { columns } = this.#register;
    return new Node(name)
      .exitOverride()
      .configureOutput({
        writeOut: (text) => {
          this.stdout += text;
        },
        writeErr: (text) => {
          this.stderr += text;
        },
        outputError: () => undefined,
        getOutHelpWidth: () => columns,
        getErrHelpWidth: () => columns,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .helpOption('-h, --help', 'show this help')
      .configureHelp(helpLayout(columns))
      .hook('preSubcommand', (_, sub) => {
        this.reached = [...path, sub.name()];
      });
  }

  #parentOf(path: readonly string[]): Node {
    return this.#parents.get(pathText(path.slice(0, -1))) ?? this.root;
  }

  #addParent(path: readonly string[], node: Node): void {
    node.enablePositionalOptions().helpCommand('help [command]', 'show help for a command');
    this.#before.push(addFlags(node, globalFlags, globalLabel, this.#register.argv));
    this.#parents.set(pathText(path), node);
  }

  #addCommand(command: Command): void {
    const { path, summary, description } = command;
    const leaf = this.#node(path, path.at(-1) ?? '')
      .summary(summary)
      .description(description === undefined ? summary : `${summary}.\n\n${description}`)
      .addHelpText('after', examplesText(command));
    for (const { spec } of Object.values(command.args)) {
      const name = spec.repeatable ? `${spec.placeholder}...` : `${spec.placeholder}`;
      leaf.addArgument(new Argument(spec.required ? `<${name}>` : `[${name}]`, spec.about));
    }
    const own = addFlags(leaf, command.flags, 'Options:', this.#register.argv);
    const after = addFlags(leaf, globalFlagsBeside(command.flags), globalLabel, this.#register.argv);
    if (this.#register.commands.some((other) => pathText(other.path.slice(0, -1)) === pathText(path))) {
      leaf.enablePositionalOptions();
      this.#before.push(after);
      this.#parents.set(pathText(path), leaf);
      this.#ownOfParents.set(pathText(path), own);
    }
    const parent = path.slice(0, -1);
    leaf.action(() => {
      refuseMisplaced(command, this.#ownOfParents.get(pathText(parent)), parent);
      // A command's own flag of a global name means the same thing there.
      const globals = new Map([...this.#before, after, own].flatMap((texts) => [...texts]));
      this.parsed = { type: 'command', command, args: leaf.args, flags: own, globals };
    });
    this.#parentOf(path).addCommand(leaf);
  }
}

/** The global flags whose name the command does not use itself; without their letter where the command uses that. */
function globalFlagsBeside(own: Parameters): Parameters {
  const letters = new Set(Object.values(own).flatMap(({ spec }) => spec.short ?? []));
  return Object.fromEntries(
    Object.entries(globalFlags as Parameters).flatMap(([key, parameter]) => {
      if (key in own) return [];
      return [[key, letters.has(parameter.spec.short ?? '') ? parameter.withoutShort() : parameter]];
    }),
  );
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
  const register = { commands, groups, columns, argv };
  // `help ipam check` is `ipam check --help`; the parser's own help command knows one word.
  if (argv[0] === 'help') {
    refuseNotBuilt(argv[1]);
    refuseUnknownTopic(argv.slice(1), register);
    return parse([...argv.slice(1), '--help'], commands, groups, columns);
  }
  const program = new Program(register);
  try {
    program.root.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return textFor('stdout', program.stdout, exitCodes.ok);
    if (error.code === 'commander.help') return textFor('stderr', program.stderr, exitCodes.usage);
    throw usageError(error, program.reached);
  }
  if (program.parsed === undefined) throw new UsageError('no command given', "run 'calictl --help'");
  return program.parsed;
}
