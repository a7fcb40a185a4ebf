// calictl ipam release: what it is called and takes.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { exclusive, flag, type InputOf, needs, some } from '../../parameters.ts';
import { outputFlag, yesFlag } from '../../shared-flags.ts';

export const flags = {
  ip: flag.ip('an address to release').repeatable(),
  handle: flag.text('HANDLE', 'release all addresses of this handle').repeatable(),
  node: flag.text('NODE', 'release all addresses recorded for this node'),
  affinities: flag.on('with --node: also its block affinities, if the node does not exist any more'),
  pod: flag.pod('release all addresses recorded for this pod'),
  fromReport: flag
    .text('REPORT', 'release what this report lists as leaked; if repeated, only what every report lists')
    .repeatable(),
  force: flag.on('also release addresses that are in use'),
  dryRun: flag.on('show what would be released, write nothing'),
  yes: yesFlag,
  output: outputFlag('text', 'json'),
};

export type ReleaseInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ip: flag.text('IP', 'an address to release'),
  fromReport: flag.text('REPORT', 'release what this report calls leaked; of several, what all do').repeatable(),
  force: flag.on('release also what is in use'),
};

export type CalicoctlReleaseInput = InputOf<typeof calicoctlFlags>;

export const ipamRelease = defineCommand({
  path: ['ipam', 'release'],
  summary: 'Release addresses that nothing uses',
  description:
    'Releases single addresses, all addresses of a handle, node or pod, or those that a report written by ' +
    'ipam check --report lists as leaked. An address that a pod, node or service uses is refused (exit 4). Each ' +
    'release is guarded by handle and sequence number: an address that has been reassigned in the meantime is left alone.',
  examples: [
    { command: 'calictl ipam release --ip 10.61.0.2 --dry-run', about: 'show what would be released' },
    { command: 'calictl ipam release --ip 10.61.0.2', about: 'release one address' },
    { command: 'calictl ipam release --handle manual-1', about: 'release all addresses of a handle' },
    {
      command: 'calictl ipam release --node worker-9 --affinities --dry-run',
      about: 'show what a node that is gone left behind',
    },
    { command: 'calictl ipam release --pod shop/job-4', about: 'release what is recorded for a pod that is gone' },
    { command: 'calictl ipam release --from-report leaks.json', about: 'release what a report lists as leaked' },
  ],
  exitCodes: {
    1: 'the address is not assigned, or nothing is recorded',
    4: 'refused: an address is in use, or you declined',
    5: 'some addresses were not released',
  },
  args: {},
  flags,
  rules: [
    some(
      ['ip', 'handle', 'node', 'pod', 'fromReport'],
      'no address selected',
      'specify addresses with --ip, --handle, --node, --pod or --from-report',
    ),
    exclusive(['ip', 'handle', 'node', 'pod', 'fromReport'], 'release by one of them at a time'),
    needs(['affinities'], 'node', 'name a node'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: true,
    load: () => import('./calicoctl.ts'),
  }),
});
