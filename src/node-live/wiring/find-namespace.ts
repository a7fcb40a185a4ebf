// Finds the network namespace of a pod on its node by the control groups of its processes, and reads the MTU of new pods there.
import { mtuFile, mtuOfFile } from '../../datapath/wire/mtu.ts';
import type { NodeExec, NodeTarget, RunOptions } from '../../node-exec/node-exec.ts';
import { CalictlError } from '../../world/errors.ts';
import { runOnNode } from './run-batch.ts';

/** Prints the files of /proc in which one of its arguments is found: the shell only expands the pattern. */
const groupScript = 'grep -lsF -e "$1" -e "$2" /proc/[0-9]*/cgroup';

/**
 * The path of the network namespace of the pod with this uid: that of one of its processes. Kubelet names the control group of
 * a pod after its uid, with underscores where systemd manages them.
 * Errors: TransportError; CalictlError when no process of the pod is found.
 */
export async function namespaceOfPod(
  exec: NodeExec,
  node: NodeTarget,
  pod: { readonly name: string; readonly uid: string },
  options: RunOptions,
): Promise<string> {
  const group = `pod${pod.uid}`;
  const argv = ['sh', '-c', groupScript, 'sh', group, group.replaceAll('-', '_')];
  const { stdout } = await runOnNode(exec, node, argv, options);
  const pid = /^\/proc\/(\d+)\/cgroup$/m.exec(stdout)?.[1];
  if (pid !== undefined) return `/proc/${pid}/ns/net`;
  throw new CalictlError(`no process of pod ${pod.name} was found on ${node.name}`, {
    code: 'NO_POD_PROCESS',
    hint: 'name its network namespace with --netns; over the API server processes of other pods cannot be seen: use --via ssh',
  });
}

/**
 * The MTU that Felix wrote on the node for new pods; undefined when there is no such file.
 * Errors: TransportError; CalictlError for a file that is not a number, as the CNI plugin refuses it.
 */
export async function mtuOnNode(exec: NodeExec, node: NodeTarget, options: RunOptions): Promise<number | undefined> {
  const { exit, stdout, stderr } = await runOnNode(exec, node, ['cat', mtuFile], options);
  if (exit !== 0) {
    if (stderr.includes('No such file or directory')) return undefined;
    throw new CalictlError(`${node.name}: ${mtuFile} could not be read: ${stderr.trim()}`, { code: 'MTU_UNREADABLE' });
  }
  const mtu = mtuOfFile(stdout);
  if (mtu === undefined) {
    throw new CalictlError(`${node.name}: ${mtuFile} is not a number`, {
      code: 'MTU_UNREADABLE',
      hint: 'restart calico-node there, which writes it, or specify --mtu',
    });
  }
  return mtu;
}
