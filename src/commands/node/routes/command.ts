// calictl node routes: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  all: flag.on('also show the routes that are as expected'),
  output: outputFlag('table', 'json', 'yaml'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type RoutesInput = InputOf<typeof flags, typeof args>;

export const nodeRoutes = defineCommand({
  path: ['node', 'routes'],
  summary: 'Compare the routes of nodes with those that Calico should have programmed',
  description:
    'Works out from pools, blocks, nodes and pods which routes each node must have (no encapsulation, IPIP, VXLAN, ' +
    'CrossSubnet, borrowed addresses, blackholes, own pods) and reads those of the kernel and of BIRD. Shows what is ' +
    'missing, wrong, masked or left over, and why; --all shows every route. `calictl explain F47` says ' +
    'what a finding means. Unreachable nodes are reported as unreachable, never as wrong.',
  examples: [
    { command: 'calictl node routes', about: 'what differs on any node' },
    { command: 'calictl node routes node-a --all', about: 'every route of one node, with the reason for it' },
    { command: 'calictl node routes --via ssh -o json', about: 'the same over SSH, for a script' },
    { command: 'calictl node routes --datastore ./snapshot', about: 'from a snapshot' },
  ],
  exitCodes: {
    0: 'all routes are as expected',
    1: 'no node could be reached',
    3: 'a route differs',
    5: 'no difference was found, but some nodes or objects could not be read',
  },
  args,
  flags,
  load: () => import('./run.ts'),
});
