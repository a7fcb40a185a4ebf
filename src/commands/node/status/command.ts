// calictl node status: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { arg, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  output: outputFlag('table', 'wide', 'json', 'yaml'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type StatusInput = InputOf<typeof flags, typeof args>;

export const nodeStatus = defineCommand({
  path: ['node', 'status'],
  summary: 'Show BIRD, Felix and BGP peers of nodes, and why a peer is down',
  description:
    'Queries all nodes, or those named, in parallel. For a peer that is not Established, shows the reason that follows ' +
    'from the state of both ends and from the Node, BGPPeer and BGPConfiguration objects, and the object to change. ' +
    '`calictl explain F60` says what a finding means. Unreachable nodes are reported as unreachable, never as down.',
  examples: [
    { command: 'calictl node status', about: 'all nodes of the cluster, through the API server' },
    { command: 'calictl node status node-a node-b -o wide', about: 'one row per peer of two nodes' },
    { command: 'calictl node status --via ssh --ssh-user core', about: 'the same over SSH' },
    { command: 'calictl node status --datastore ./snapshot -o json', about: 'from a snapshot, for a script' },
  ],
  exitCodes: {
    0: 'no problem was found',
    1: 'no node could be reached',
    3: 'a problem was found',
    5: 'no problem was found, but some nodes or objects could not be read',
  },
  args,
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: {},
    guarded: false,
    takesNoConfig: true,
    description:
      'Show BIRD and the BGP peers of this machine.\nRuns on the node itself, as root; called as calictl it asks all nodes.',
    load: () => import('./calicoctl.ts'),
  }),
});
