// The programs of the node that the plugin needs: ip, sysctl, nsenter, flock. Runtimes start plugins with almost no
// environment, so the usual directories are searched too.
import { type ChildWorld, runProgram } from '../node-exec/child-program.ts';
import type { CommandResult, RunOptions } from '../node-exec/node-exec.ts';
import type { World } from '../world/world.ts';

export type RunHelper = (argv: readonly string[], options?: RunOptions) => Promise<CommandResult>;

/** Directories after those of PATH. */
const usualDirectories = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The environment of programs that the plugin starts. */
export function helperEnv(env: World['env']): Record<string, string | undefined> {
  const given = (env['PATH'] ?? '').split(':').filter((directory) => directory !== '');
  return { ...env, PATH: [...given, ...usualDirectories].join(':'), LC_ALL: 'C' };
}

/** Runs programs on this node. Errors of the returned function: TransportError at a deadline. */
export function helperRunner(world: World): RunHelper {
  const child: ChildWorld = { env: helperEnv(world.env), clock: world.clock, signalGroup: world.signalGroup };
  return (argv, options = {}) => runProgram(argv, 'this node', child, options);
}
