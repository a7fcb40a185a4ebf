// calicoctl's command line: the same register, read as calicoctl reads it (global options first, docopt's rules).
import type { CalicoctlFace, Command } from '../../commands/command.ts';
import { flagName, type Parameter, type Parameters } from '../../commands/parameters.ts';
import type { CommandGroup } from '../../commands/tree.ts';
import { exitCodes } from '../../world/errors.ts';
import { type ParsedText, textFor } from '../parsed.ts';
import { versionHint } from '../version-fast-path.ts';
import type { ConnectionFlags } from './datastore-location.ts';
import { DocoptError, type DocoptOption, type Scanned, scan } from './docopt.ts';
import { allFlags, commandHelp, globalFlags, groupHelp, groupUsage, usageBlock } from './usage.ts';

/** A command to run. */
export interface CalicoctlLine {
  readonly type: 'command';
  readonly command: Command;
  readonly face: CalicoctlFace;
  /** The values of the face's flags and arguments, as texts. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly connection: ConnectionFlags;
  readonly allowsMismatch: boolean;
}

const logLevels = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];

const docoptOption = ([key, { spec }]: [string, Parameter]): DocoptOption => ({
  name: flagName(key),
  short: spec.short,
  takesValue: spec.placeholder !== undefined,
  repeatable: spec.repeatable,
});

interface Attempt {
  readonly scanned?: Scanned;
  /** Why the arguments cannot be read, as a line; empty when there is nothing to say. */
  readonly reason: string;
}

function attempt(argv: readonly string[], flags: Parameters, optionsFirst: boolean): Attempt {
  try {
    return { scanned: scan(argv, Object.entries(flags).map(docoptOption), optionsFirst), reason: '' };
  } catch (error) {
    if (error instanceof DocoptError) return { reason: `${error.message}\n` };
    throw error;
  }
}

/** One value as a face gets it: a switch as a boolean, everything else as its texts. */
function textsOf({ spec }: Parameter, texts: readonly string[] | undefined): unknown {
  if (spec.placeholder === undefined) return texts !== undefined;
  if (spec.repeatable) return texts ?? [];
  return texts?.at(-1) ?? spec.default;
}

function inputOf(face: CalicoctlFace, { given, args }: Scanned): Readonly<Record<string, unknown>> {
  const flags = Object.entries(face.flags).map(([key, flag]) => [key, textsOf(flag, given.get(flagName(key)))]);
  let rest: readonly string[] = args;
  const values = Object.entries(face.args).map(([key, argument]) => {
    const taken = rest.slice(0, argument.spec.repeatable ? rest.length : 1);
    rest = rest.slice(taken.length);
    return [key, textsOf(argument, taken.length === 0 ? undefined : taken)];
  });
  return Object.fromEntries([...flags, ...values]);
}

/** Whether docopt's usage patterns allow what was scanned. */
function fits(face: CalicoctlFace, { misfit, given, args }: Scanned): boolean {
  const takes = Object.values(face.args).map(({ spec }) => spec);
  const least = takes.filter(({ required }) => required).length;
  const most = takes.some(({ repeatable }) => repeatable) ? Number.POSITIVE_INFINITY : takes.length;
  const lacks = Object.entries(face.flags).some(([key, { spec }]) => spec.required && !given.has(flagName(key)));
  if (misfit || lacks || args.length > most) return false;
  if (face.takesArgumentsOrFile) {
    if (given.has('filename')) return args.length === 0;
    if (given.has('recursive') || given.has('skip-empty') || args.length === 0) return false;
  }
  return args.length >= least;
}

function parseCommand(
  command: Command,
  face: CalicoctlFace,
  argv: readonly string[],
  program: string,
  globals: Scanned,
): CalicoctlLine | ParsedText {
  const tokens = face.rewrite === undefined ? argv : argv.map(face.rewrite);
  const { scanned, reason } = attempt(tokens, allFlags(face), false);
  if (scanned?.given.has('help')) return textFor('stdout', commandHelp(command, face, program), exitCodes.ok);
  if (scanned === undefined || !fits(face, scanned)) {
    return textFor('stderr', reason + usageBlock(command, face, program), exitCodes.failed);
  }
  const given = new Map([...globals.given, ...scanned.given]);
  return {
    type: 'command',
    command,
    face,
    input: inputOf(face, scanned),
    connection: {
      config: given.get('config')?.at(-1),
      context: given.get('context')?.at(-1),
      kubeconfig: given.get('kubeconfig')?.at(-1),
    },
    allowsMismatch: given.has('allow-version-mismatch'),
  };
}

function hasCalicoctlCommand({ path }: CommandGroup, commands: readonly Command[]): boolean {
  return commands.some((command) => command.calicoctl && path.every((word, index) => command.path[index] === word));
}

/** Parses arguments (without program and script) over those commands of the register that calicoctl has. */
export function parseCalicoctl(
  argv: readonly string[],
  commands: readonly Command[],
  allGroups: readonly CommandGroup[],
  program: string,
): CalicoctlLine | ParsedText {
  const groups = allGroups.filter((group) => hasCalicoctlCommand(group, commands));
  if (argv[0] === '--version') return textFor('stdout', versionHint, exitCodes.ok);
  const { scanned: globals, reason } = attempt(argv, globalFlags, true);
  if (globals?.given.has('help')) return textFor('stdout', groupHelp([], program, commands, groups), exitCodes.ok);
  if (globals === undefined || globals.misfit || globals.args.length === 0) {
    const stdout = `Invalid option: '${argv.join(' ')}'. Use flag '--help' to read about a specific subcommand.\n`;
    return { type: 'text', stdout, stderr: reason + groupUsage([], program), exit: exitCodes.failed };
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
    if (command?.calicoctl !== undefined) return parseCommand(command, command.calicoctl, after, program, globals);
    if (!groups.some((group) => group.path.join(' ') === next.join(' '))) {
      const help = groupHelp(path, program, commands, groups);
      if (path.length > 0) return textFor('stdout', help, exitCodes.ok);
      return textFor('stderr', `unknown command: "${word}"\n${help}`, exitCodes.failed);
    }
    path = next;
    const inner = attempt(after, { help: globalFlags.help }, true).scanned;
    if (after.length === 0 && !globals.given.has('allow-version-mismatch')) {
      return textFor('stderr', groupUsage(path, program), exitCodes.failed);
    }
    if (inner === undefined || inner.misfit || inner.given.has('help') || inner.args.length === 0) {
      return textFor('stdout', groupHelp(path, program, commands, groups), exitCodes.ok);
    }
    rest = inner.args;
  }
}
