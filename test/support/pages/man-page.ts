// Manual pages as the register of commands says it: one for each command, and one for calictl itself, in man(7).
import { globalFlags } from '../../../src/cli/global-flags.ts';
import { type Command, exitCodeMeanings } from '../../../src/commands/command.ts';
import { flagName, type ParameterSpec, type Parameters } from '../../../src/commands/parameters.ts';

/** Text as roff takes it: nothing in it is a request or an escape. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...').replaceAll("'", '\\(aq');
  return escaped.replace(/^([.])/gm, '\\&$1');
}

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;
const italic = (text: string): string => `\\fI${roff(text)}\\fR`;

function argumentText({ placeholder = '', required, repeatable }: ParameterSpec): string {
  const name = `${italic(placeholder)}${repeatable ? '...' : ''}`;
  return required ? name : `[${name}]`;
}

/** A term and what it means. */
const entry = (term: string, meaning: string): string => `.TP\n${term}\n${meaning}`;

function flagEntry(
  key: string,
  { short, placeholder, about, choices, repeatable, default: standard }: ParameterSpec,
): string {
  const names = [...(short === undefined ? [] : [bold(`-${short}`)]), bold(`--${flagName(key)}`)].join(', ');
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const often = repeatable ? ' (may be repeated)' : '';
  const holds = standard === undefined ? '' : ` (default: ${standard})`;
  return entry(
    `${names}${placeholder === undefined ? '' : ` ${italic(placeholder)}`}`,
    roff(`${about}${values}${often}${holds}`),
  );
}

const flagEntries = (flags: Parameters): string[] =>
  Object.entries(flags).map(([key, { spec }]) => flagEntry(key, spec));

/** `calictl-ipam-check`. */
export const manName = ({ path }: Pick<Command, 'path'>): string => ['calictl', ...path].join('-');

function title(name: string, version: string): string {
  return `.\\" Made from the register of commands.\n.TH ${roff(name.toUpperCase())} 1 "" "calictl ${version}" "calictl manual"`;
}

/** The page of one command. */
export function manPage(command: Command, version: string): string {
  const { path, summary, description, args, flags, examples } = command;
  const positional = Object.values(args).map(({ spec }) => ` ${argumentText(spec)}`);
  const required = Object.entries(flags).flatMap(([key, { spec }]) =>
    spec.required ? [` ${bold(`--${flagName(key)}`)} ${italic(spec.placeholder ?? '')}`] : [],
  );
  const sections = [
    title(manName(command), version),
    `.SH NAME\n${roff(manName(command))} \\- ${roff(summary.charAt(0).toLowerCase() + summary.slice(1))}`,
    `.SH SYNOPSIS\n${bold(['calictl', ...path].join(' '))}${positional.join('')}${required.join('')} [${italic('flags')}]`,
    `.SH DESCRIPTION\n${roff(description ?? `${summary}.`)}`,
    ...(positional.length === 0
      ? []
      : [
          ['.SH ARGUMENTS', ...Object.values(args).map(({ spec }) => entry(argumentText(spec), roff(spec.about)))].join(
            '\n',
          ),
        ]),
    ['.SH OPTIONS', ...flagEntries(flags), entry(`${bold('-h')}, ${bold('--help')}`, 'show help')].join('\n'),
    `.PP\nThe options of all commands are in\n.BR calictl (1).`,
    [
      '.SH EXIT STATUS',
      ...Object.entries(exitCodeMeanings(command)).map(([code, meaning]) => entry(bold(code), roff(meaning))),
    ].join('\n'),
    [
      '.SH EXAMPLES',
      examples
        .map(({ command: line, about }) => `${roff(about)}:\n.PP\n.nf\n.RS\n${roff(line)}\n.RE\n.fi`)
        .join('\n.PP\n'),
    ].join('\n'),
    '.SH SEE ALSO\n.BR calictl (1)',
  ];
  return `${sections.join('\n')}\n`;
}

/** The page of calictl: its commands, the options that all of them have, the exit codes. */
export function mainPage(commands: readonly Command[], version: string): string {
  const codes: Readonly<Record<string, string>> = {
    0: 'done',
    1: 'failed',
    2: 'wrong usage or invalid input',
    3: 'problems found',
    4: 'refused',
    5: 'partly done',
    130: 'interrupted',
  };
  const sections = [
    title('calictl', version),
    '.SH NAME\ncalictl \\- administer Calico networking',
    `.SH SYNOPSIS\n${bold('calictl')} ${italic('command')} [${italic('arguments')}] [${italic('flags')}]`,
    `.SH DESCRIPTION\n${roff('calictl shows, checks and repairs the IP address management of Calico; checks BGP, routes and the data path of nodes; and reads and writes the objects of Calico, in a cluster or in a directory of manifests.')}`,
    [
      '.SH COMMANDS',
      ...commands.map((command) => entry(`\\fB${roff(manName(command))}\\fR(1)`, roff(command.summary))),
    ].join('\n'),
    ['.SH OPTIONS', ...flagEntries(globalFlags)].join('\n'),
    ['.SH EXIT STATUS', ...Object.entries(codes).map(([code, meaning]) => entry(bold(code), meaning))].join('\n'),
  ];
  return `${sections.join('\n')}\n`;
}
