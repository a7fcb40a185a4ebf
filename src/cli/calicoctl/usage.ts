// Usage and help texts of calicoctl. The usage lines are its own; the rest of the help is made from the register.
import type { CalicoctlFace, Command } from '../../commands/command.ts';
import { flag, flagName, type Parameters } from '../../commands/parameters.ts';
import type { CommandGroup } from '../../commands/tree.ts';
import { wrap } from '../../output/wrap.ts';
import { defaultConfigPath } from '../global-flags.ts';

/** For descriptions of flags and commands; calicoctl's own usage lines are not wrapped. */
const width = 80;

const help = flag.on('Show this screen.').short('h');
const allowVersionMismatch = flag.on('Allow client and cluster versions mismatch.');
const context = flag.text('context', 'The name of the kubeconfig context to use.');
const config = flag
  .text('CONFIG', 'Path to the file containing connection configuration in YAML or JSON format.')
  .short('c')
  .default(defaultConfigPath);

/** The flags before a command. */
export const globalFlags = {
  help,
  logLevel: flag
    .text('level', 'Set the log level (one of panic, fatal, error, warn, info, debug)')
    .short('l')
    .default('panic'),
  context,
  allowVersionMismatch,
};

/** The flags that calicoctl has for a command, the common ones included. */
export function allFlags(face: CalicoctlFace): Parameters {
  const common: Parameters = {
    help,
    allowVersionMismatch,
    ...(face.takesNoConfig ? {} : { config }),
    ...(face.isResourceCommand ? { context } : {}),
  };
  return { ...face.flags, ...Object.fromEntries(Object.entries(common).filter(([key]) => !(key in face.flags))) };
}

function generatedLine({ path }: Command, face: CalicoctlFace): string {
  const flags = Object.entries(allFlags(face))
    .filter(([key]) => key !== 'help')
    .map(([key, { spec }]) =>
      spec.placeholder === undefined ? `[--${flagName(key)}]` : `[--${flagName(key)}=<${spec.placeholder}>]`,
    );
  const args = Object.values(face.args).map(({ spec }) => {
    const shown = spec.repeatable ? `<${spec.placeholder}>...` : `<${spec.placeholder}>`;
    return spec.required ? shown : `[${shown}]`;
  });
  return [...path, ...args, ...flags].join(' ');
}

/** The `Usage:` block of a command. */
export function usageBlock(command: Command, face: CalicoctlFace, program: string): string {
  return `Usage:\n  ${program} ${face.usage ?? generatedLine(command, face)}\n`;
}

/** The usage block of the program or of a group. */
export function groupUsage(path: readonly string[], program: string): string {
  return `Usage:\n  ${[program, ...path].join(' ')}${path.length === 0 ? ' [options]' : ''} <command> [<args>...]\n`;
}

function optionLines(flags: Parameters): string {
  return Object.entries(flags)
    .map(([key, { spec }]) => {
      const { short, placeholder, about, default: standard } = spec;
      const value = placeholder === undefined ? '' : `=<${placeholder}>`;
      const names = `${short === undefined ? '  ' : `-${short}`} --${flagName(key)}${value}`;
      const said = `${about}${standard === undefined ? '' : ` [default: ${standard}]`}`;
      return `${wrap(said, width, `  ${names.padEnd(28)} `, ' '.repeat(31))}\n`;
    })
    .join('');
}

/** The complete help of a command. */
export function commandHelp(command: Command, face: CalicoctlFace, program: string): string {
  const own = command.description === undefined ? command.summary : `${command.summary}.\n${command.description}`;
  const description = (face.description ?? own)
    .split('\n')
    .map((line) => wrap(line, width, '  '))
    .join('\n');
  const options = optionLines(allFlags(face));
  return `${usageBlock(command, face, program)}\nOptions:\n${options}\nDescription:\n${description}\n`;
}

/** The complete help of the program or of a group. */
export function groupHelp(
  path: readonly string[],
  program: string,
  commands: readonly Command[],
  groups: readonly CommandGroup[],
): string {
  const inside = (candidate: readonly string[]): boolean =>
    candidate.length === path.length + 1 && path.every((part, index) => candidate[index] === part);
  const rows = [...commands.filter(({ calicoctl }) => calicoctl !== undefined), ...groups]
    .filter(({ path: candidate }) => inside(candidate))
    .map(({ path: candidate, summary }) => `    ${(candidate.at(-1) ?? '').padEnd(12)} ${summary}\n`);
  const flags: Parameters = path.length === 0 ? globalFlags : { help };
  const about =
    path.length > 0
      ? `See '${[program, ...path].join(' ')} <command> --help' to read about a specific subcommand.`
      : program === 'kubectl-calico'
        ? 'calico kubectl plugin'
        : 'calicoctl command line tool';
  return `${groupUsage(path, program)}\n${rows.join('')}\nOptions:\n${optionLines(flags)}\nDescription:\n  ${about}\n`;
}
