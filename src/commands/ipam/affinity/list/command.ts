// calictl ipam affinity list: what it is called and takes.
import { defineCommand } from '../../../command.ts';
import { flag, type InputOf } from '../../../parameters.ts';
import { outputFlag } from '../../../shared-flags.ts';

export const flags = {
  node: flag.text('NODE', 'only affinities of this node'),
  output: outputFlag('table', 'wide', 'json', 'yaml'),
};

export type AffinityListInput = InputOf<typeof flags>;

export const ipamAffinityList = defineCommand({
  path: ['ipam', 'affinity', 'list'],
  summary: 'List block affinities: which node owns which blocks',
  description:
    'One row per affinity: the block, its pool, how full it is, and what is wrong with it, if anything. A block whose ' +
    'owner has no affinity object for it has a row too.',
  examples: [
    { command: 'calictl ipam affinity list', about: 'list all affinities' },
    { command: 'calictl ipam affinity list --node worker-1 -o wide', about: 'those of one node, with object names' },
    { command: 'calictl ipam affinity list -o json', about: 'the same for a script' },
  ],
  exitCodes: { 1: 'failed, or the node does not exist and owns nothing' },
  args: {},
  flags,
  load: () => import('./run.ts'),
});
