// This machine as a node, and network namespaces of this machine as nodes: programs are started without a shell.
import { existsSync } from 'node:fs';
import { type ChildWorld, runProgram, streamProgram } from './child-program.ts';
import { type NodeExec, type NodeTarget, TransportError } from './node-exec.ts';
import { runSequentialSteps } from './sequential-steps.ts';

/** The words to put before a command of a node. Errors: TransportError when the node is not on this machine. */
type Prefix = (node: NodeTarget) => readonly string[];

/** Adds the folders of administration programs, which may be missing from a user's PATH, and the C locale for parsers. */
function withAdminPath({ env, clock, signalGroup }: ChildWorld): ChildWorld {
  const PATH = `${env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`;
  return { env: { ...env, PATH, LC_ALL: 'C' }, clock, signalGroup };
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
        options,
        () => world.clock.now().getTime(),
      ),
    stream: async (node, argv, options) => streamProgram([...prefix(node), ...argv], world, options),
    close: async () => undefined,
  };
  return exec;
}

/** Opens this machine as a transport; every node name means this machine. */
export function openLocal(world: ChildWorld): NodeExec {
  return openPrefixed('local', 'this machine', () => [], world);
}

const namespaces = '/var/run/netns';

/**
 * Opens the network namespaces of this machine (`ip netns`) as a transport; needs root. `template` is the name of a
 * node's namespace, in which `{node}` stands for the node name. Only the network is the namespace's; the file system is
 * this machine's.
 */
export function openNetns(template: string, world: ChildWorld): NodeExec {
  const prefix: Prefix = ({ name: node }) => {
    const name = template.replaceAll('{node}', node);
    const path = `${namespaces}/${name}`;
    if (name === '' || name.includes('/') || name.startsWith('.') || name.includes('\0') || !existsSync(path)) {
      throw new TransportError('unreachable', `${node}: network namespace '${name}' not found`, {
        hint: 'Run ip netns list to see the namespaces. In --via netns:NAME, {node} stands for the node name.',
      });
    }
    return ['nsenter', `--net=${path}`, '--'];
  };
  return openPrefixed('netns', 'network namespaces of this machine', prefix, world);
}
