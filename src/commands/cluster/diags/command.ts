// calictl cluster diags: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  since: flag.parsed('DURATION', 'collect only logs of this last period, e.g. 10s, 5m or 1h (default: all)', {
    noun: 'duration',
    hint: 'use a duration such as 10s, 5m or 1h',
    parse: (text) => (/^[0-9]+[smh]$/.test(text) ? text : undefined),
  }),
  maxLogs: flag.count('N', 'collect logs of at most this many pods of each kind', { min: 0 }).default('5'),
  maxParallelism: flag.count('N', 'maximum number of commands run in parallel', { min: 0 }).default('10'),
  focusNodes: flag.parsed('NODES', 'comma-separated names of nodes whose pods come first', {
    noun: 'list',
    hint: 'write it like node-a,node-b',
    parse: namesIn,
  }),
  skipTempDirCleanup: flag.on('keep the temporary directory'),
  resume: flag.text('DIR', 'continue in the temporary directory of an interrupted run'),
  output: outputFlag('text', 'json'),
};

export type DiagsInput = InputOf<typeof flags>;

const calicoctlFlags = {
  since: flag.text('SINCE', 'only logs that are newer, like 10s, 5m or 1h'),
  maxLogs: flag.text('MAXLOGS', 'logs of so many pods of each kind').default('5'),
  maxParallelism: flag.text('MAXPARALLELISM', 'commands at the same time').default('10'),
  focusNodes: flag.text('NODES', 'nodes whose pods are taken first, with commas'),
  skipTempDirCleanup: flag.on('keep the temporary directory'),
};

export type CalicoctlDiagsInput = InputOf<typeof calicoctlFlags>;

/** The names in a comma-separated list. */
export function namesIn(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}

export const clusterDiags = defineCommand({
  path: ['cluster', 'diags'],
  summary: 'Collect logs, objects and node state from a whole cluster',
  description:
    'Writes calico-diagnostics-TIME.tar.gz to the working directory: logs of the Calico pods, the state of each node ' +
    'as its calico-node pod sees it, and Calico and Kubernetes objects. Uses kubectl. Values whose names suggest ' +
    'secrets are removed from objects; logs are not redacted. What was collected before Ctrl-C is kept, so that ' +
    '--resume can continue.',
  examples: [
    { command: 'calictl cluster diags', about: 'with the logs of five pods of each kind' },
    {
      command: 'calictl cluster diags --since 1h --focus-nodes node-a,node-b',
      about: 'what happened recently on two nodes',
    },
  ],
  args: {},
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    description:
      'Collect logs, objects and node outputs of a whole cluster.\n' +
      'Writes calico-diagnostics-TIME.tar.gz into the working directory. Uses kubectl. Logs may hold what programs write ' +
      'into them.',
    load: () => import('./calicoctl.ts'),
  }),
});
