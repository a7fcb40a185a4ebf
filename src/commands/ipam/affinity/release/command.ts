// calictl ipam affinity release: what it is called and takes. Addresses are released by calictl ipam release.
import { defineCommand } from '../../../command.ts';
import { arg, flag, type InputOf, some } from '../../../parameters.ts';
import { outputFlag, yesFlag } from '../../../shared-flags.ts';

export const flags = {
  node: flag.text('NODE', 'only blocks of this node'),
  keepAddresses: flag.on('also release blocks that hold addresses: they stay, in a block without an owner'),
  dryRun: flag.on('show what would be released, write nothing'),
  yes: yesFlag,
  output: outputFlag('text', 'json'),
};

export const args = { range: arg.text('CIDR', 'only blocks in this range, whoever owns them') };

export type AffinityReleaseInput = InputOf<typeof flags, typeof args>;

export const ipamAffinityRelease = defineCommand({
  path: ['ipam', 'affinity', 'release'],
  summary: 'Release blocks from their owner',
  description:
    'Releases the blocks in a CIDR, the blocks of a node, or those that match both. An empty block is deleted with its ' +
    'affinity; one that holds addresses stays (exit 4 if nothing was released, 5 if other blocks were), unless ' +
    '--keep-addresses allows it to lose its owner. Addresses are never released. The node need not exist any more.',
  examples: [
    { command: 'calictl ipam affinity release 10.60.8.0/26 --dry-run', about: 'show what would happen to a block' },
    { command: 'calictl ipam affinity release --node worker-9', about: 'release all empty blocks of a node' },
    {
      command: 'calictl ipam affinity release --node worker-9 --keep-addresses --yes',
      about: 'release all blocks of a node, including those with addresses',
    },
  ],
  exitCodes: { 4: 'none of the requested blocks is empty, or you declined', 5: 'some blocks were not released' },
  args,
  flags,
  rules: [some(['range', 'node'], 'no block selected', 'specify a CIDR, or the owner with --node')],
  load: () => import('./run.ts'),
});
