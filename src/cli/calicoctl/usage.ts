// Usage and help texts of compat mode. The usage lines are calicoctl's, the help is made from the register.
import type { ArgumentSpec, Command, FlagSpec } from '../../commands/command.ts';
import type { CommandGroup } from '../../commands/tree.ts';
import { wrap } from '../../output/wrap.ts';
import { defaultConfigPath } from '../global-flags.ts';

/** Of what is said of flags and commands; calicoctl's own usage lines are as long as they are. */
const width = 80;

const common = '[--config=<CONFIG>] [--allow-version-mismatch]';

/** Usage lines that differ from what the flags alone would give. */
const usageLines: Readonly<Record<string, string>> = {
  get: `get ( (<KIND> [<NAME>...]) |
                --filename=<FILENAME> [--recursive] [--skip-empty] )
                [--output=<OUTPUT>] [--config=<CONFIG>] [--namespace=<NS>] [--all-namespaces] [--export] [--context=<context>] [--allow-version-mismatch]`,
  version: 'version [--config=<CONFIG>] [--poll=<POLL>] [--allow-version-mismatch] [--client]',
  'ipam check':
    'ipam check [--config=<CONFIG>] [--show-all-ips] [--show-problem-ips] [-o <FILE>] [--kubeconfig <KUBECONFIG>] [--allow-version-mismatch]',
  'ipam configure': `ipam configure --strictaffinity=<true/false> [--max-blocks-per-host=<number>] ${common}`,
  'ipam show': `ipam show [--ip=<IP> | --show-blocks | --show-borrowed | --show-configuration] ${common}`,
  'node run': `node run [--ip=<IP>] [--ip6=<IP6>] [--as=<AS_NUM>]
                     [--name=<NAME>]
                     [--ip-autodetection-method=<IP_AUTODETECTION_METHOD>]
                     [--ip6-autodetection-method=<IP6_AUTODETECTION_METHOD>]
                     [--log-dir=<LOG_DIR>]
                     [--node-image=<DOCKER_IMAGE_NAME>]
                     [--backend=(bird|none)]
                     [--config=<CONFIG>]
                     [--felix-config=<CONFIG>]
                     [--no-default-ippools]
                     [--dryrun]
                     [--init-system]
                     [--allow-version-mismatch]`,
  'ipam split': `ipam split <NUMBER> [--cidr=<CIDR>] [--name=<POOL_NAME>] ${common}`,
};

/** Of commands that do less, or other things, as calicoctl. */
const descriptions: Readonly<Record<string, string>> = {
  'cluster diags':
    'Collect logs, objects and node outputs of a whole cluster.\n' +
    'Writes calico-diagnostics-TIME.tar.gz into the working directory. Uses kubectl. Logs may hold what programs write ' +
    'into them.',
  'node diags': 'Collect what this machine says of its network and of Calico.\nRuns on the node itself, as root.',
  'node status':
    'Show BIRD and the BGP peers of this machine.\nRuns on the node itself, as root; called as calictl it asks all nodes.',
};

/** Commands that take --context after their name. */
const withContext = new Set(['create', 'apply', 'replace', 'patch', 'delete', 'get', 'label']);
const withoutConfig = (path: string): boolean =>
  path === 'validate' || path === 'convert' || (path.startsWith('node ') && path !== 'node run');

/** The arguments that calicoctl has for a command. */
export function compatArgs(command: Command): readonly ArgumentSpec[] {
  return command.args.filter(({ calicoctl }) => calicoctl !== false);
}

/** The flags that calicoctl has for a command, the common ones included. */
export function compatFlags(command: Command): readonly FlagSpec[] {
  const path = command.path.join(' ');
  const own = command.flags.filter(({ calicoctl }) => calicoctl);
  const has = new Set(own.map(({ name }) => name));
  const extra: FlagSpec[] = [
    { name: 'help', short: 'h', about: 'Show this screen.' },
    {
      name: 'allow-version-mismatch',
      about: 'Allow client and cluster versions mismatch.',
    },
  ];
  if (!withoutConfig(path)) {
    extra.push({
      name: 'config',
      short: 'c',
      value: 'CONFIG',
      about: 'Path to the file containing connection configuration in YAML or JSON format.',
      default: defaultConfigPath,
    });
  }
  if (withContext.has(path)) {
    extra.push({
      name: 'context',
      value: 'context',
      about: 'The name of the kubeconfig context to use.',
    });
  }
  return [...own, ...extra.filter(({ name }) => !has.has(name))];
}

function generatedLine(command: Command): string {
  const flags = compatFlags(command)
    .filter(({ name }) => name !== 'help')
    .map(({ name, value }) => (value === undefined ? `[--${name}]` : `[--${name}=<${value}>]`));
  const args = compatArgs(command).map(({ name, required, variadic }) => {
    const shown = variadic ? `<${name}>...` : `<${name}>`;
    return required ? shown : `[${shown}]`;
  });
  return [...command.path, ...args, ...flags].join(' ');
}

/** The `Usage:` block of a command. */
export function usageBlock(command: Command, program: string): string {
  return `Usage:\n  ${program} ${usageLines[command.path.join(' ')] ?? generatedLine(command)}\n`;
}

/** The usage block of the program or of a group. */
export function groupUsage(path: readonly string[], program: string): string {
  return `Usage:\n  ${[program, ...path].join(' ')}${path.length === 0 ? ' [options]' : ''} <command> [<args>...]\n`;
}

function optionLines(flags: readonly FlagSpec[]): string {
  return flags
    .map(({ name, short, value, about, default: standard }) => {
      const names = `${short === undefined ? '  ' : `-${short}`} --${name}${value === undefined ? '' : `=<${value}>`}`;
      const said = `${about}${standard === undefined ? '' : ` [default: ${standard}]`}`;
      return `${wrap(said, width, `  ${names.padEnd(28)} `, ' '.repeat(31))}\n`;
    })
    .join('');
}

/** The complete help of a command. */
export function commandHelp(command: Command, program: string): string {
  const own = command.description === undefined ? command.summary : `${command.summary}.\n${command.description}`;
  const about = descriptions[command.path.join(' ')] ?? own;
  const description = about
    .split('\n')
    .map((line) => wrap(line, width, '  '))
    .join('\n');
  return `${usageBlock(command, program)}\nOptions:\n${optionLines(compatFlags(command))}\nDescription:\n${description}\n`;
}

/** The flags before a command. */
export const compatGlobalFlags: readonly FlagSpec[] = [
  { name: 'help', short: 'h', about: 'Show this screen.' },
  {
    name: 'log-level',
    short: 'l',
    value: 'level',
    about: 'Set the log level (one of panic, fatal, error, warn, info, debug)',
    default: 'panic',
  },
  {
    name: 'context',
    value: 'context',
    about: 'The name of the kubeconfig context to use.',
  },
  {
    name: 'allow-version-mismatch',
    about: 'Allow client and cluster versions mismatch.',
  },
];

/** The complete help of the program or of a group. */
export function groupHelp(
  path: readonly string[],
  program: string,
  commands: readonly Command[],
  groups: readonly CommandGroup[],
): string {
  const inside = (candidate: readonly string[]): boolean =>
    candidate.length === path.length + 1 && path.every((part, index) => candidate[index] === part);
  const rows = [...commands.filter(({ calicoctl }) => calicoctl), ...groups]
    .filter(({ path: candidate }) => inside(candidate))
    .map(({ path: candidate, summary }) => `    ${(candidate.at(-1) ?? '').padEnd(12)} ${summary}\n`);
  const flags = path.length === 0 ? compatGlobalFlags : compatGlobalFlags.slice(0, 1);
  const about =
    path.length > 0
      ? `See '${[program, ...path].join(' ')} <command> --help' to read about a specific subcommand.`
      : program === 'kubectl-calico'
        ? 'calico kubectl plugin'
        : 'calicoctl command line tool';
  return `${groupUsage(path, program)}\n${rows.join('')}\nOptions:\n${optionLines(flags)}\nDescription:\n  ${about}\n`;
}
