// What a runtime asks for: the CNI_* variables, checked in the order in which Calico's plugins check them.
import { CniError, cniErrorCodes } from './cni-error.ts';

export const cniCommands = ['ADD', 'CHECK', 'DEL', 'GC', 'STATUS', 'VERSION'] as const;
export type CniCommand = (typeof cniCommands)[number];

export interface CniRequest {
  readonly command: CniCommand;
  readonly containerId: string;
  /** Path of the pod's network namespace; empty for a DEL after it is gone. */
  readonly netns: string;
  readonly ifName: string;
  /** CNI_ARGS as given. */
  readonly args: string;
  /** Directories with plugins. */
  readonly path: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly name: string;
  /** The commands that need it. */
  readonly neededBy: readonly string[];
  check?(value: string): void;
}

function invalid(message: string, details = ''): CniError {
  return new CniError(message, cniErrorCodes.invalidEnvironment, details);
}

const ofContainer = ['ADD', 'CHECK', 'DEL'];

const variables: readonly Variable[] = [
  {
    name: 'CNI_CONTAINERID',
    neededBy: ofContainer,
    check(id) {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id)) throw invalid('invalid characters in containerID', id);
    },
  },
  { name: 'CNI_NETNS', neededBy: ['ADD', 'CHECK'] },
  { name: 'CNI_IFNAME', neededBy: ofContainer, check: checkInterfaceName },
  { name: 'CNI_PATH', neededBy: [...ofContainer, 'GC', 'STATUS'] },
];

/** The longest name of an interface in Linux. */
const longestInterfaceName = 15;

function checkInterfaceName(name: string): void {
  if (new TextEncoder().encode(name).length > longestInterfaceName) {
    throw invalid('interface name is too long', 'interface name should be less than 16 characters');
  }
  if (name === '.' || name === '..') throw invalid('interface name is . or ..');
  if (/[/:\s]/.test(name)) throw invalid('interface name contains / or : or whitespace characters');
}

/**
 * Reads the variables. Undefined when there is no CNI_COMMAND: then the plugin only says what it is.
 * Errors: CniError 4 for a missing or invalid variable, and for an unknown command.
 */
export function requestOf(env: Env): CniRequest | undefined {
  const command = env['CNI_COMMAND'] ?? '';
  if (command === '') return undefined;
  const missing: string[] = [];
  for (const { name, neededBy, check } of variables) {
    if (!neededBy.includes(command)) continue;
    const value = env[name] ?? '';
    if (value === '') missing.push(name);
    else check?.(value);
  }
  if (missing.length > 0) throw invalid(`required env variables [${missing.join(',')}] missing`);
  return {
    command: command as CniCommand,
    containerId: env['CNI_CONTAINERID'] ?? '',
    netns: env['CNI_NETNS'] ?? '',
    ifName: env['CNI_IFNAME'] ?? '',
    args: env['CNI_ARGS'] ?? '',
    path: (env['CNI_PATH'] ?? '').split(':').filter((directory) => directory !== ''),
  };
}

/** Errors: CniError for a command that the specification does not have. */
export function requireKnown(command: string): asserts command is CniCommand {
  if (!(cniCommands as readonly string[]).includes(command)) throw invalid(`unknown CNI_COMMAND: ${command}`);
}
