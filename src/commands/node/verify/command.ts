// calictl node verify: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, exclusive, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  pod: flag.pod('verify one pod, on the node that it runs on'),
  all: flag.on('also show the facts that are as expected'),
  output: outputFlag('table', 'json', 'yaml'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type VerifyInput = InputOf<typeof flags, typeof args>;

export const nodeVerify = defineCommand({
  path: ['node', 'verify'],
  summary: 'Verify the data path of nodes or of a pod: interfaces, settings, tunnels, routes, packet filters',
  description:
    'Checks everything that packets of pods need on a node, and shows for each fact its expected and its actual ' +
    'value: the host end of each pod, proxy_arp and forwarding, the route to 169.254.1.1, tunnel devices with their ' +
    'neighbours and forwarding entries, routes, rules, MTUs, packet filters. What could not be seen is reported as not ' +
    'observed, never as correct. Shows what is wrong or was not observed; --all shows everything. ' +
    '`calictl explain F01` says what a finding means.',
  examples: [
    { command: 'calictl node verify', about: 'all nodes' },
    { command: 'calictl node verify node-a --all', about: 'every fact of one node' },
    { command: 'calictl node verify --pod default/web-1', about: 'one pod, and what its node must do for it' },
    { command: 'calictl node verify --via local node-a -o json', about: 'this machine, for a script' },
  ],
  exitCodes: {
    0: 'nothing is wrong',
    1: 'no node could be reached',
    3: 'something is wrong',
    5: 'no problem was found, but some nodes or objects could not be read',
  },
  args,
  flags,
  rules: [exclusive(['pod', 'nodes'], 'the node of a pod is known')],
  load: () => import('./run.ts'),
});
