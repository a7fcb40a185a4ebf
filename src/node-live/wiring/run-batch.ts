// Runs a process of a plan on a node, and says what it means when it fails. Not which processes those are.
import { type Batch, failureIn } from '../../datapath/wire/batches.ts';
import type { Step } from '../../datapath/wire/effect.ts';
import type { CommandResult, NodeExec, NodeTarget, RunOptions } from '../../node-exec/node-exec.ts';

/** Messages are read, so they must be in English whatever the node speaks. */
export const inEnglish = ['env', 'LC_ALL=C'] as const;

/**
 * Makes settings without sysctl, which the image of calico-node does not have. Each argument is `path=value`; like sysctl, it
 * goes on after one that fails.
 */
const settingsScript = `failed=0
for setting; do
  printf '%s\\n' "\${setting#*=}" >"/proc/sys/\${setting%%=*}" || failed=1
done
exit "$failed"`;

const isNotFound = ({ exit }: CommandResult): boolean => exit === 126 || exit === 127;

/** The command that makes the same settings without sysctl; undefined for a command that makes none. */
export function settingsAlternative(argv: readonly string[]): readonly string[] | undefined {
  const at = argv.indexOf('sysctl');
  return at < 0 ? undefined : [...argv.slice(0, at), 'sh', '-c', settingsScript, 'sh', ...argv.slice(at + 2)];
}

/** Runs a command on the node, with messages in English. Errors: TransportError. */
export async function runOnNode(
  exec: NodeExec,
  node: NodeTarget,
  argv: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> {
  const result = await exec.run(node, [...inEnglish, ...argv], options);
  const other = isNotFound(result) ? settingsAlternative(argv) : undefined;
  return other === undefined ? result : exec.run(node, [...inEnglish, ...other], options);
}

/** How a process of a plan ended: all of it done, all but steps that a pod works without, or failed. */
export type BatchOutcome =
  | { readonly outcome: 'made' }
  | { readonly outcome: 'not needed'; readonly step: Step; readonly why: string }
  | {
      readonly outcome: 'failed';
      readonly step: Step | undefined;
      readonly why: string;
      /** The program gave a reason; else it may have been ended from outside, after it had done its work. */
      readonly isRefused: boolean;
    };

/** Errors: TransportError, after which it is not known what was done. */
export async function runBatch(
  exec: NodeExec,
  node: NodeTarget,
  batch: Batch,
  options: RunOptions = {},
): Promise<BatchOutcome> {
  const { argv, stdin } = batch;
  const result = await runOnNode(exec, node, argv, { ...options, stdin });
  const { exit, stderr } = result;
  if (exit === 0) return { outcome: 'made' };
  if (isNotFound(result)) {
    const why = stderr.trim() || `${argv[0]} could not be started`;
    return { outcome: 'failed', step: undefined, why, isRefused: false };
  }
  const { step, text } = failureIn(batch, stderr);
  const why = text || stderr.trim() || `exit code ${exit}`;
  if (step?.type === 'no-link' && isGone(stderr)) return { outcome: 'made' };
  return step?.optional
    ? { outcome: 'not needed', step, why }
    : { outcome: 'failed', step, why, isRefused: text !== '' };
}

/** True when a program says that what it was to remove does not exist. */
export function isGone(stderr: string): boolean {
  return /Cannot find device|No such device|does not exist|No such process|No such file or directory|Cannot assign requested address/.test(
    stderr,
  );
}
