// This machine as a node, and network namespaces of this machine as nodes: programs are started without a shell.
import { existsSync } from 'node:fs';
import { type ChildWorld, runProgram, streamProgram } from './child-program.ts';
import { defaultTimeoutMs, type NodeExec, type NodeTarget, TransportError } from './node-exec.ts';
import { runSequentialSteps } from './sequential-steps.ts';

/** Where a node's programs run: words to put before a command. Errors: TransportError when the node is not here. */
type Prefix = (node: NodeTarget) => readonly string[];

/** The administration's programs are found even where a user's PATH lacks their folders. */
function withAdminPath(world: ChildWorld): ChildWorld {
  const { env, clock, signalGroup } = world;
  // C: what programs print is read by parsers.
  const all = { ...env, PATH: `${env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  return { env: all, clock, signalGroup };
}

function openPrefixed(transport: 'local' | 'netns', description: string, prefix: Prefix, given: ChildWorld): NodeExec {
  const world = withAdminPath(given);
  const exec: NodeExec = {
    transport,
    description,
    async run(node, argv, options) {
      return runProgram([...prefix(node), ...argv], node.name, world, options);
    },
    runSteps: (node, steps, options = {}) =>
      runSequentialSteps(
        steps,
        (argv, stepOptions) => exec.run(node, argv, stepOptions),
        { ...options, timeoutMs: options.timeoutMs ?? defaultTimeoutMs },
        () => world.clock.now().getTime(),
      ),
    stream: async (node, argv, options) => streamProgram([...prefix(node), ...argv], world, options),
    close: async () => undefined,
  };
  return exec;
}

/** This machine, whatever node is named. */
export function openLocal(world: ChildWorld): NodeExec {
  return openPrefixed('local', 'this machine', () => [], world);
}

const namespaces = '/var/run/netns';

/**
 * Network namespaces of this machine (`ip netns`), needs root. `template` is the name of a node's namespace, `{node}` in
 * it stands for the node's name. The file system stays this machine's.
 */
export function openNetns(template: string, world: ChildWorld): NodeExec {
  const prefix: Prefix = ({ name: node }) => {
    const name = template.replaceAll('{node}', node);
    const path = `${namespaces}/${name}`;
    if (name === '' || name.includes('/') || name.startsWith('.') || name.includes('\0') || !existsSync(path)) {
      throw new TransportError('unreachable', `${node}: there is no network namespace ${name}`, {
        hint: 'See ip netns list; --via netns:NAME takes {node} for the name of the node.',
      });
    }
    return ['nsenter', `--net=${path}`, '--'];
  };
  return openPrefixed('netns', 'network namespaces of this machine', prefix, world);
}
