// calictl version: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { flag, type InputOf } from '../parameters.ts';
import { outputFlag } from '../shared-flags.ts';

export const flags = {
  client: flag.on('show only this program, without cluster access'),
  poll: flag.duration('check again at this interval, e.g. 10s or 1m'),
  output: outputFlag('text', 'json'),
};

export type VersionInput = InputOf<typeof flags>;

const calicoctlFlags = {
  client: flag.on('only this program, no cluster access'),
  poll: flag.text('POLL', 'look again after this time (10s, 1m)'),
};

export type CalicoctlVersionInput = InputOf<typeof calicoctlFlags>;

export const version = defineCommand({
  path: ['version'],
  summary: 'Show the versions of this program and of the cluster',
  examples: [
    { command: 'calictl version', about: 'this program and the cluster' },
    { command: 'calictl version --client', about: 'without a cluster' },
    {
      command: 'calictl version --poll 10s',
      about: 'until interrupted, print a line whenever the cluster changes',
    },
  ],
  args: {},
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    usage: 'version [--config=<CONFIG>] [--poll=<POLL>] [--allow-version-mismatch] [--client]',
    load: () => import('./calicoctl.ts'),
  }),
});
