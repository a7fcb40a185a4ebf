// calictl node bgp: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  desired: flag.on('show only the configured sessions, without querying nodes'),
  output: outputFlag('table', 'json', 'yaml', 'dot', 'svg'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type BgpInput = InputOf<typeof flags, typeof args>;

export const nodeBgp = defineCommand({
  path: ['node', 'bgp'],
  summary: 'Show the configured BGP sessions and their state',
  description:
    'Shows one row for each session that Node, BGPPeer and BGPConfiguration objects configure or that BIRD has, with ' +
    'the object that configures it and its state. -o dot and -o svg draw all sessions; lines differ by colour and by dashes. ' +
    '--desired queries no node.',
  examples: [
    { command: 'calictl node bgp', about: 'all sessions of the cluster' },
    { command: 'calictl node bgp node-a', about: 'those of one node' },
    { command: 'calictl node bgp --desired', about: 'configured sessions, without querying nodes' },
    { command: 'calictl node bgp -o svg > bgp.svg', about: 'a picture for a browser' },
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
});
