// Flags of every command that reaches nodes: by which transport, for how long, how many at once.
import { flag, type InputOf } from './parameters.ts';

/** The longest that a timer of Node takes: 24 days. */
export const noDeadlineMs = 2 ** 31 - 1;

/** How a node is reached; the flags of SSH count with `--via ssh` only. */
export const transportFlags = {
  via: flag.text(
    'TRANSPORT',
    'kube (exec in the calico-node pod), ssh, local, netns[:NAME] or replay; {node} in NAME is replaced by the ' +
      "node's name (default: kube for a cluster, replay for a snapshot)",
  ),
  sshUser: flag.text('USER', 'user on the nodes'),
  sshKey: flag.text('FILE', 'private key').repeatable(),
  sshConfig: flag.text('FILE', 'SSH configuration (default: ~/.ssh/config)'),
  sshKnownHosts: flag.text('FILE', 'known hosts (default: those of the configuration, else ~/.ssh/known_hosts)'),
  sshHost: flag.pair('NODE=HOST', 'reach this node at HOST[:PORT]').repeatable(),
  sshCommand: flag.text('COMMAND', "run this SSH client instead of the built-in one, e.g. 'ssh -F file'"),
  sshAskPassword: flag.on('ask for a password when no key is accepted'),
};

export type TransportInput = InputOf<typeof transportFlags>;

/** How long, and how many nodes at once. */
export const readingFlags = {
  timeout: flag.duration('time limit per node', { min: 1 }).default('30s'),
  parallel: flag.count('N', 'maximum number of nodes queried in parallel', { max: 10_000 }).default('128'),
};

export type ReadingInput = TransportInput & InputOf<typeof readingFlags>;

/** For commands that ask BIRD. */
export const birdFlags = {
  birdDir: flag.text(
    'DIR',
    "directory of BIRD's control sockets on a node; {node} is replaced by the node's name (default: /var/run/calico, " +
      'then /var/run/bird)',
  ),
};

export type BirdInput = InputOf<typeof birdFlags>;
