// calictl bird check: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { environmentFlag } from '../environment-flag.ts';

export const flags = {
  bird: flag
    .text('PROGRAM', 'BIRD 1.6 for IPv4; the one for IPv6 has the same name with a 6 at the end')
    .default('bird'),
  env: environmentFlag,
  output: outputFlag('table', 'json'),
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type CheckInput = InputOf<typeof flags, typeof args>;

export const birdCheck = defineCommand({
  path: ['bird', 'check'],
  summary: 'Check whether BIRD accepts the rendered configuration',
  description:
    'Renders the configuration of each node as bird render does, and has BIRD on this machine parse it (bird -p). ' +
    'calico-node keeps the previous configuration when BIRD refuses a new one. BIRD 1.6 of distributions lacks the ' +
    "tunnel attribute of Calico's BIRD: a variable of that name takes its place. No node is queried.",
  examples: [
    { command: 'calictl bird check', about: 'the configurations of all nodes' },
    { command: 'calictl bird check node-a --bird /opt/bird/bird', about: 'one node, with this BIRD' },
  ],
  exitCodes: {
    0: 'BIRD accepts all configurations',
    1: 'BIRD could not be run, or no configuration could be rendered',
    3: 'BIRD refuses a configuration',
    5: 'the configuration of some nodes could not be rendered',
  },
  args,
  flags,
  load: () => import('./run.ts'),
});
