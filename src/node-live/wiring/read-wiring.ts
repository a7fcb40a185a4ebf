// Reads both ends of a pod's wiring over a transport, in one round trip where the transport can.
import { inNamespace } from '../../datapath/wire/batches.ts';
import type { Side, Step } from '../../datapath/wire/effect.ts';
import type { LinksToRemove } from '../../datapath/wire/wiring-plan.ts';
import {
  type EndAnswer,
  type EndState,
  endProbes,
  endState,
  isOtherEnd,
  saysAbsent,
  type WiringState,
} from '../../datapath/wire/wiring-state.ts';
import type { CommandResult, NodeExec, NodeTarget, RunOptions, StepOutcome } from '../../node-exec/node-exec.ts';
import { parseInterfaces } from '../../node-state/iproute/interfaces.ts';
import { CalictlError, RefusedError } from '../../world/errors.ts';

/** The place of a pod's wiring. */
export interface WiringPlace {
  /** Path of the pod's network namespace on the node. */
  readonly netns: string;
  readonly hostInterface: string;
  readonly podInterface: string;
}

export interface ReadWiring {
  readonly state: WiringState;
  /** The pod's network namespace, by the kernel's own number: another namespace at the same path has another. */
  readonly namespaceId: string;
}

const english = ['env', 'LC_ALL=C'] as const;
/** Prints the kernel's number of the network namespace that it runs in. */
export const namespaceProbe = ['readlink', '/proc/self/ns/net'] as const;

/**
 * What is there of what the steps make. Errors: TransportError; CalictlError when the pod's namespace cannot be entered or an
 * answer was not understood; RefusedError when the namespace is that of the node itself.
 */
export async function readWiring(
  exec: NodeExec,
  node: NodeTarget,
  { netns, hostInterface, podInterface }: WiringPlace,
  steps: readonly Step[],
  options: RunOptions,
): Promise<ReadWiring> {
  // What the pod works without is read too: it is a step like the others.
  const all = steps.map(({ optional: _, ...step }) => step as Step);
  const ends = [
    { side: 'node', device: hostInterface, prefix: [...english] },
    { side: 'pod', device: podInterface, prefix: [...english, ...inNamespace(netns)] },
  ] as const satisfies readonly { side: Side; device: string; prefix: readonly string[] }[];
  const commands = ends.map(({ side, device, prefix }) => {
    const probes = endProbes(device, all, side);
    return { probes, argvs: [namespaceProbe, ...probes.map(({ argv }) => argv)].map((argv) => [...prefix, ...argv]) };
  });
  const outcomes = await exec.runSteps(
    node,
    commands.flatMap(({ argvs }) => argvs.map((argv) => ({ argv }))),
    options,
  );
  const results = outcomes.map(resultOf);
  const [own, pod] = [results[0], results[commands[0]?.argvs.length ?? 0]] as const;
  const namespaceId = enteredNamespace(node, netns, own, pod);
  const states = ends.map(({ device }, index): EndState => {
    const from = index === 0 ? 1 : (commands[0]?.argvs.length ?? 0) + 1;
    const answers = (commands[index]?.probes ?? []).map((probe, i): EndAnswer => {
      const result = results[from + i];
      if (result === undefined) throw unreadable(device, probe.argv, 'no answer');
      const { exit, stdout, stderr } = result;
      if (exit !== 0 && !saysAbsent(stderr)) throw unreadable(device, probe.argv, stderr.trim() || `exit code ${exit}`);
      return { subject: probe.subject, stdout };
    });
    const { state, problems } = endState(device, answers);
    if (problems.length > 0) throw unreadable(device, [], problems.join('; '));
    return state;
  });
  const [nodeEnd, podEnd] = states as [EndState, EndState];
  return { state: { node: nodeEnd, pod: podEnd }, namespaceId };
}

function resultOf(outcome: StepOutcome): CommandResult | undefined {
  if (outcome.kind === 'lost') throw outcome.error;
  return outcome.kind === 'ran' ? outcome.result : undefined;
}

function unreadable(device: string, argv: readonly string[], why: string): CalictlError {
  const command = argv.length === 0 ? '' : `${argv.join(' ')}: `;
  return new CalictlError(`the state of ${device} could not be read: ${command}${why}`, { code: 'WIRING_UNREADABLE' });
}

function enteredNamespace(
  node: NodeTarget,
  netns: string,
  own: CommandResult | undefined,
  pod: CommandResult | undefined,
): string {
  const id = pod?.exit === 0 ? pod.stdout.trim() : '';
  if (!/^net:\[\d+\]$/.test(id)) {
    const isMissing = pod?.exit === 126 || pod?.exit === 127;
    throw new CalictlError(
      `${node.name}: the network namespace ${netns} cannot be entered: ${pod?.stderr.trim() || `exit code ${pod?.exit}`}`,
      {
        code: 'NO_NAMESPACE',
        hint: isMissing
          ? 'the image of calico-node has no nsenter and does not see the namespaces of pods: use --via ssh'
          : 'run ip netns list on the node, or name the namespace of a process: --netns /proc/PID/ns/net',
      },
    );
  }
  if (own?.stdout.trim() === id) {
    throw new RefusedError(`${netns} is the network namespace of ${node.name} itself, not of a pod`, 'NODE_NAMESPACE');
  }
  return id;
}

/**
 * The links on the node and in the namespace, for a removal: fewer answers are needed, and the namespace may be gone.
 * Errors: as of readWiring.
 */
export async function readLinks(
  exec: NodeExec,
  node: NodeTarget,
  { netns, hostInterface, podInterface }: Omit<WiringPlace, 'netns'> & { readonly netns: string | undefined },
  options: RunOptions,
): Promise<LinksToRemove> {
  const run = (prefix: readonly string[], argv: readonly string[]): Promise<CommandResult> =>
    exec.run(node, [...english, ...prefix, ...argv], options);
  const linkOf = async (prefix: readonly string[], device: string): Promise<EndState['link']> => {
    const argv = ['ip', '-j', '-d', 'link', 'show', 'dev', device];
    const { exit, stdout, stderr } = await run(prefix, argv);
    if (exit !== 0 && !saysAbsent(stderr)) throw unreadable(device, argv, stderr.trim() || `exit code ${exit}`);
    const { state, problems } = endState(device, [{ subject: 'link', stdout }]);
    if (problems.length > 0) throw unreadable(device, [], problems.join('; '));
    return state.link;
  };
  const own = await linkOf([], hostInterface);
  const entered = netns === undefined ? undefined : await run(inNamespace(netns), namespaceProbe);
  const isGone =
    entered?.exit !== 0 && /^nsenter: can(not|'t) open .*No such file or directory/.test(entered?.stderr ?? '');
  if (netns === undefined || isGone) return { node: own, pod: 'unknown', otherEnd: undefined };
  enteredNamespace(node, netns, await run([], namespaceProbe), entered);
  const pod = await linkOf(inNamespace(netns), podInterface);
  if (own !== undefined || pod === undefined) return { node: own, pod, otherEnd: undefined };
  const argv = ['ip', '-j', '-d', 'link', 'show', 'type', 'veth'];
  const { exit, stdout, stderr } = await run([], argv);
  const links = parseInterfaces(stdout);
  if (exit !== 0 || !links.ok) throw unreadable(podInterface, argv, links.ok ? stderr.trim() : links.problem);
  return { node: own, pod, otherEnd: links.value.find((link) => isOtherEnd(link, pod)) };
}
