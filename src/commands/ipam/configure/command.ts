// calictl ipam configure: what it is called and takes.
import { mostBlocksPerHost } from '../../../ipam/config.ts';
import { parseGoBool, parseGoInt } from '../../../text/go-scalars.ts';
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf, type Parameter, some } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

/** true or false, in all the ways in which Go reads them. */
function boolFlag(about: string): Parameter<boolean | undefined, boolean> {
  return flag.parsed('true/false', about, { noun: 'value', hint: 'use true or false', parse: parseGoBool });
}

function parseLimit(text: string): number | undefined {
  const value = parseGoInt(text);
  return typeof value === 'string' || value < 0n || value > mostBlocksPerHost ? undefined : Number(value);
}

export const flags = {
  strictaffinity: boolFlag('whether a node takes addresses only from its own blocks, so that none is borrowed'),
  maxBlocksPerHost: flag.parsed('number', 'how many blocks of a family a node may own; 0 for the default', {
    noun: 'number',
    hint: `use a number from 0 (the default limit) to ${mostBlocksPerHost}`,
    parse: parseLimit,
  }),
  autoAllocateBlocks: boolFlag('whether a node claims a new block when its own are full'),
  kubevirtIpPersistence: flag.choice(
    'Enabled/Disabled',
    ['Enabled', 'Disabled'],
    'whether a KubeVirt VM keeps its addresses when its pod is replaced (Calico 3.32 and later)',
  ),
  dryRun: flag.on('show what would change, write nothing'),
  force: flag.on('turn strict affinity on even if addresses are borrowed'),
  output: outputFlag('text', 'json'),
};

export type ConfigureInput = InputOf<typeof flags>;

const calicoctlFlags = {
  strictaffinity: flag
    .text('true/false', 'true: a node takes addresses of its own blocks only, and none is borrowed')
    .required(),
  maxBlocksPerHost: flag.text('number', 'how many blocks of a family a node may own; 0 for the default'),
};

export type CalicoctlConfigureInput = InputOf<typeof calicoctlFlags>;

export const ipamConfigure = defineCommand({
  path: ['ipam', 'configure'],
  summary: 'Change the settings of IPAM, such as strict affinity and the block limit',
  description:
    'Only the settings given change. A configuration that cannot work is refused, and so is strict affinity while nodes ' +
    'hold addresses in blocks that are not theirs (exit 4). If there is no IPAMConfig object, one is created with the ' +
    'defaults for the rest.',
  examples: [
    { command: 'calictl ipam configure --strictaffinity true --dry-run', about: 'show what would change' },
    {
      command: 'calictl ipam configure --strictaffinity true --max-blocks-per-host 4',
      about: 'allow each node at most four blocks, and no borrowing',
    },
    { command: 'calictl ipam configure --auto-allocate-blocks true -o json', about: 'print the change for a script' },
  ],
  exitCodes: { 4: 'refused: addresses are borrowed' },
  args: {},
  flags,
  rules: [
    some(
      ['strictaffinity', 'maxBlocksPerHost', 'autoAllocateBlocks', 'kubevirtIpPersistence'],
      'nothing to configure',
      'name a setting, for example --strictaffinity true; ipam configure show prints the settings',
    ),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: true,
    usage:
      'ipam configure --strictaffinity=<true/false> [--max-blocks-per-host=<number>] [--config=<CONFIG>] [--allow-version-mismatch]',
    load: () => import('./calicoctl.ts'),
  }),
});
