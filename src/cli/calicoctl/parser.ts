// The command line of compat mode: the same register, read as calicoctl reads it (global options first, docopt's rules).
import type { Command, FlagSpec } from '../../commands/command.ts';
import type { CommandGroup } from '../../commands/tree.ts';
import { exitCodes } from '../../world/errors.ts';
import { ParsedInput } from '../input.ts';
import { type Parsed, textFor } from '../parsed.ts';
import { versionHint } from '../version-fast-path.ts';
import { DocoptError, type DocoptOption, type Scanned, scan } from './docopt.ts';
import { commandHelp, compatArgs, compatFlags, compatGlobalFlags, groupHelp, groupUsage, usageBlock } from './usage.ts';

const logLevels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];

/** The only flag that calicoctl takes several times; calictl takes others too. */
const repeatable = 'from-report';

const docoptOption = ({ name, short, value }: FlagSpec): DocoptOption => ({
  name,
  short,
  takesValue: value !== undefined,
  repeatable: name === repeatable,
});

interface Attempt {
  readonly scanned?: Scanned;
  /** Why the arguments cannot be read, as a line; empty when there is nothing to say. */
  readonly reason: string;
}

function attempt(argv: readonly string[], flags: readonly FlagSpec[], optionsFirst: boolean): Attempt {
  try {
    return {
      scanned: scan(argv, flags.map(docoptOption), optionsFirst),
      reason: '',
    };
  } catch (error) {
    if (error instanceof DocoptError) return { reason: `${error.message}\n` };
    throw error;
  }
}

function parseCommand(command: Command, argv: readonly string[], program: string, globals: Scanned): Parsed {
  const path = command.path.join(' ');
  const flags = compatFlags(command);
  const tokens = path === 'get' ? argv.map((token) => (token === '-a' ? '-A' : token)) : argv;
  const { scanned, reason } = attempt(tokens, flags, false);
  if (scanned?.given.has('help')) return textFor('stdout', commandHelp(command, program), exitCodes.ok);
  const takes = compatArgs(command);
  const least = takes.filter(({ required }) => required).length;
  const most = takes.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : takes.length;
  const count = scanned?.args.length ?? 0;
  const lacks = flags.some(({ name, calicoctl }) => calicoctl === 'required' && !scanned?.given.has(name));
  if (scanned === undefined || scanned.misfit || lacks || count < least || count > most) {
    return textFor('stderr', reason + usageBlock(command, program), exitCodes.failed);
  }
  const defaults = new Map(flags.flatMap((spec) => (spec.default === undefined ? [] : [[spec.name, spec.default]])));
  const input = new ParsedInput(scanned.args, scanned.given, defaults);
  const given = new Map([...globals.given, ...scanned.given]);
  return {
    type: 'command',
    command,
    input,
    globals: new ParsedInput([], given, defaults),
  };
}

function hasCalicoctlCommand({ path }: CommandGroup, commands: readonly Command[]): boolean {
  return commands.some((command) => command.calicoctl && path.every((word, index) => command.path[index] === word));
}

/** Parses arguments (without program and script) over those commands of the register that calicoctl has. */
export function parseCompat(
  argv: readonly string[],
  commands: readonly Command[],
  allGroups: readonly CommandGroup[],
  program: string,
): Parsed {
  const groups = allGroups.filter((group) => hasCalicoctlCommand(group, commands));
  if (argv[0] === '--version') return textFor('stdout', versionHint, exitCodes.ok);
  const { scanned: globals, reason } = attempt(argv, compatGlobalFlags, true);
  if (globals?.given.has('help')) return textFor('stdout', groupHelp([], program, commands, groups), exitCodes.ok);
  if (globals === undefined || globals.misfit || globals.args.length === 0) {
    const stdout = `Invalid option: '${argv.join(' ')}'. Use flag '--help' to read about a specific subcommand.\n`;
    return {
      type: 'text',
      stdout,
      stderr: reason + groupUsage([], program),
      exit: exitCodes.failed,
    };
  }
  const level = globals.given.get('log-level')?.[0];
  if (level !== undefined && !logLevels.includes(level.toLowerCase())) {
    const text = `Unknown log level: ${level}, expected one of: \npanic, fatal, error, warn, info, debug.\n`;
    return textFor('stdout', text, exitCodes.failed);
  }

  let path: string[] = [];
  let rest = globals.args;
  for (;;) {
    const [word = '', ...after] = rest;
    const next = [...path, word];
    const command = commands.find((candidate) => candidate.calicoctl && candidate.path.join(' ') === next.join(' '));
    if (command !== undefined) return parseCommand(command, after, program, globals);
    if (!groups.some((group) => group.path.join(' ') === next.join(' '))) {
      const help = groupHelp(path, program, commands, groups);
      if (path.length > 0) return textFor('stdout', help, exitCodes.ok);
      return textFor('stderr', `unknown command: "${word}"\n${help}`, exitCodes.failed);
    }
    path = next;
    const inner = attempt(after, compatGlobalFlags.slice(0, 1), true).scanned;
    if (after.length === 0 && !globals.given.has('allow-version-mismatch')) {
      return textFor('stderr', groupUsage(path, program), exitCodes.failed);
    }
    if (inner === undefined || inner.misfit || inner.given.has('help') || inner.args.length === 0) {
      return textFor('stdout', groupHelp(path, program, commands, groups), exitCodes.ok);
    }
    rest = inner.args;
  }
}
