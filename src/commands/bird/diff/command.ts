// calictl bird diff: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { readingFlags, transportFlags } from '../../transport-flags.ts';
import { environmentFlag } from '../environment-flag.ts';

export const flags = {
  configDir: flag.text(
    'DIR',
    "directory of BIRD's configuration on a node; {node} is replaced by the node's name (default: " +
      '/etc/calico/confd/config)',
  ),
  env: environmentFlag,
  output: outputFlag('text', 'json'),
  ...transportFlags,
  ...readingFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type BirdDiffInput = InputOf<typeof flags, typeof args>;

export const birdDiff = defineCommand({
  path: ['bird', 'diff'],
  summary: 'Show how the configuration of BIRD on nodes differs from the datastore',
  description:
    'Renders the configuration of each node as bird render does and compares it with the files in its calico-node ' +
    'container: first what would change in the behaviour of BIRD (sessions, filters, exports, routes), then the text ' +
    'without comments. A node differs when calico-node has not rendered a change yet, or when BIRD refuses it. ' +
    'Passwords never leave the node: only whether a session has one is compared. Sessions with local workloads are ' +
    'left out.',
  examples: [
    { command: 'calictl bird diff', about: 'all nodes of the cluster' },
    { command: 'calictl bird diff node-a node-b', about: 'some of them' },
    { command: 'calictl --datastore case-17.tgz bird diff', about: 'those of a snapshot with nodes' },
  ],
  exitCodes: {
    0: 'no differences',
    1: 'no node could be compared',
    3: 'there are differences',
    5: 'no differences, but some nodes could not be compared',
  },
  args,
  flags,
  load: () => import('./run.ts'),
});
