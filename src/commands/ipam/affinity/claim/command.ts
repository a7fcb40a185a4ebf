// calictl ipam affinity claim: what it is called and takes.
import { defineCommand } from '../../../command.ts';
import { arg, flag, type InputOf } from '../../../parameters.ts';
import { outputFlag, yesFlag } from '../../../shared-flags.ts';

export const flags = {
  node: flag.text('NODE', 'the node that gets the blocks').required(),
  dryRun: flag.on('show which blocks would be claimed, write nothing'),
  yes: yesFlag,
  output: outputFlag('text', 'json'),
};

export const args = {
  range: arg.text('CIDR', 'the range: one block or more, inside one enabled pool').required(),
};

export type AffinityClaimInput = InputOf<typeof flags, typeof args>;

export const ipamAffinityClaim = defineCommand({
  path: ['ipam', 'affinity', 'claim'],
  summary: 'Claim the free blocks of a range for a node',
  description:
    'Each block of the range that does not exist is created for the node; affinities that the node already has are ' +
    'confirmed. Blocks of other owners, blocks without an owner and blocks that would overlap one of another size are ' +
    "listed and left alone. The node's block limit does not apply; exceeding it prints a warning.",
  examples: [
    { command: 'calictl ipam affinity claim 10.60.4.0/26 --node worker-1', about: 'claim one block' },
    {
      command: 'calictl ipam affinity claim 10.60.4.0/24 --node worker-1 --dry-run',
      about: 'show which blocks would be claimed',
    },
  ],
  exitCodes: { 0: 'every block of the range is claimed', 1: 'no block was claimed', 5: 'some blocks were not claimed' },
  args,
  flags,
  load: () => import('./run.ts'),
});
