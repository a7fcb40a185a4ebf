// calictl ipam split: what it is called and takes.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../../parameters.ts';
import { outputFlag, yesFlag } from '../../shared-flags.ts';

export const flags = {
  cidr: flag.text('CIDR', 'the pool with this CIDR'),
  name: flag.text('POOL_NAME', 'the pool with this name'),
  dryRun: flag.on('show what would be written, write nothing'),
  yes: yesFlag,
  output: outputFlag('text', 'json'),
};

export const args = {
  number: arg
    .parsed('NUMBER', 'how many parts: 2, 4, 8 and so on', {
      noun: 'number of parts',
      hint: 'use a power of two: 2, 4, 8 and so on',
      parse: async (text) => {
        const { isSplitNumber } = await import('../../../ipam/pool/pool-split.ts');
        const number = /^[0-9]+$/.test(text) ? Number(text) : 0;
        return isSplitNumber(number) ? number : undefined;
      },
    })
    .required(),
};

export type SplitInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  cidr: flag.text('CIDR', 'the pool with this CIDR'),
  name: flag.text('POOL_NAME', 'the pool of this name'),
};
const calicoctlArgs = { number: arg.text('NUMBER', 'how many parts: 2, 4, 8 and so on').required() };

export type CalicoctlSplitInput = InputOf<typeof calicoctlFlags, typeof calicoctlArgs>;

export const ipamSplit = defineCommand({
  path: ['ipam', 'split'],
  summary: 'Replace a pool with smaller pools of the same range',
  description:
    'The pool is disabled, its parts are created with its settings, and it is deleted; blocks and addresses stay as ' +
    'they are and belong to the parts. The datastore must be locked. Everything is checked before the first write, ' +
    'and an interrupted split is finished by running it again.',
  examples: [
    { command: 'calictl ipam split 4 --name default-pool --dry-run', about: 'show what would be written' },
    { command: 'calictl ipam split 4 --name default-pool', about: 'replace one pool with four' },
    { command: 'calictl ipam split 2 --cidr 10.60.0.0/18 --yes -o json', about: 'print the result for a script' },
  ],
  exitCodes: {
    4: 'refused: the datastore is not locked, or the stored state does not allow the split',
    5: 'the split was interrupted; run it again to finish it',
  },
  args,
  flags,
  rules: [
    exclusive(['name', 'cidr'], 'use one of them'),
    some(['name', 'cidr'], 'no pool given', 'specify it with --name or --cidr'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: calicoctlArgs,
    flags: calicoctlFlags,
    guarded: true,
    usage: 'ipam split <NUMBER> [--cidr=<CIDR>] [--name=<POOL_NAME>] [--config=<CONFIG>] [--allow-version-mismatch]',
    load: () => import('./calicoctl.ts'),
  }),
});
