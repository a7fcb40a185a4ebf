// Flags of every command that reaches nodes: by which way, for how long, how many at once; and reading their values.
import { UsageError } from '../../world/errors.ts';
import type { FlagSpec, Input } from '../command.ts';

/** How a node is reached; the flags of SSH count with `--via ssh` only. */
export const transportFlags: readonly FlagSpec[] = [
  {
    name: 'via',
    value: 'WAY',
    about:
      'kube (exec in the calico-node pod), ssh, local, netns[:NAME], or replay; default: what the datastore is. ' +
      '{node} in NAME stands for the node',
  },
  { name: 'timeout', value: 'DURATION', about: 'longest time for one node, like 10s', default: '30s' },
  { name: 'parallel', value: 'N', about: 'nodes asked at the same time', default: '128' },
  { name: 'ssh-user', value: 'USER', about: 'user on the nodes' },
  { name: 'ssh-key', value: 'FILE', about: 'private key', repeatable: true },
  { name: 'ssh-config', value: 'FILE', about: 'default: ~/.ssh/config' },
  { name: 'ssh-known-hosts', value: 'FILE', about: 'default: what the configuration says, else ~/.ssh/known_hosts' },
  { name: 'ssh-host', value: 'NODE=HOST', about: 'reach this node at HOST[:PORT]', repeatable: true },
  { name: 'ssh-command', value: 'COMMAND', about: "use this program instead: 'ssh -F file'" },
  { name: 'ssh-ask-password', about: 'ask for a password when no key is accepted' },
];

/** For commands that ask BIRD. */
export const birdFlag: FlagSpec = {
  name: 'bird-dir',
  value: 'FOLDER',
  about: "BIRD's control sockets on a node, {node} stands for its name; default: /var/run/calico, then /var/run/bird",
};

/** The longest that a timer of Node takes: 24 days. */
export const noDeadlineMs = 2 ** 31 - 1;

/** --timeout in milliseconds, at most what a timer takes. Errors: UsageError for what is no duration above 0. */
export async function timeoutOf(input: Input): Promise<number> {
  const text = input.text('timeout') ?? '30s';
  const { parseGoDuration } = await import('../../text/go-duration.ts');
  const ms = parseGoDuration(text);
  if (ms === undefined || ms <= 0) throw new UsageError(`--timeout ${text} is no duration`, 'write it like 10s or 1m');
  return Math.min(ms, noDeadlineMs);
}

/** --parallel. Errors: UsageError for what is no number from 1 to 10000. */
export function parallelOf(input: Input): number {
  const text = input.text('parallel') ?? '128';
  const parallel = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (parallel < 1 || parallel > 10_000) throw new UsageError(`--parallel does not take '${text}'`, 'a number from 1');
  return parallel;
}
