// calictl ipam check: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf, needs } from '../../parameters.ts';
import { outputFlag, yesFlag } from '../../shared-flags.ts';
import { invariantFlag } from './invariant-flag.ts';

export const flags = {
  fix: flag.on('repair what can be repaired safely; asks first on a terminal, never in a script'),
  dryRun: flag.on('with --fix: show the plan, write nothing'),
  yes: yesFlag.about('with --fix: do not ask for confirmation'),
  only: invariantFlag('report only these invariants, such as INV-53'),
  skip: invariantFlag('report all but these invariants'),
  grace: flag.duration(
    'treat allocations younger than this as candidates (default: the leak grace period of the cluster, otherwise 15m)',
  ),
  journal: flag.text('FILE', 'where --fix records each write (default: a new file in the state directory)'),
  noLease: flag.on('with --fix: do not take the lease that prevents concurrent repairs'),
  report: flag.text('FILE', "also write calicoctl's report to this file, for ipam release --from-report"),
  showAllIps: flag.on('print all IP addresses: the same as -o wide'),
  showProblemIps: flag.on('print problem IP addresses: always on; accepted because calicoctl has this flag'),
  output: outputFlag('table', 'wide', 'json', 'yaml', 'junit'),
};

export type CheckInput = InputOf<typeof flags>;

const calicoctlFlags = {
  showAllIps: flag.on('print all IP addresses (calicoctl; here -o wide)'),
  showProblemIps: flag.on('print problem IP addresses (calicoctl; here always)'),
  output: flag.text('FORMAT|FILE', "table, wide, json, yaml, junit, or a file for calicoctl's report").short('o'),
};

export type CalicoctlCheckInput = InputOf<typeof calicoctlFlags>;

export const ipamCheck = defineCommand({
  path: ['ipam', 'check'],
  summary: 'Check IPAM for leaks and inconsistencies, and repair them with --fix',
  description:
    'Reads pools, blocks, affinities, handles, nodes, pods and services, and reports what is inconsistent. ' +
    'Nothing is written without --fix. With it, each repair is checked again against live data and written by compare-and-swap; ' +
    'the datastore need not be locked. Findings that an operation in progress may explain are shown as candidates, never repaired.',
  examples: [
    { command: 'calictl ipam check', about: 'show what is wrong; exit 3 if anything is' },
    { command: 'calictl ipam check -o json', about: 'print the full report for a script' },
    { command: 'calictl ipam check --fix --dry-run', about: 'show what --fix would do' },
    { command: 'calictl ipam check --fix', about: 'repair what can be repaired safely' },
    { command: 'calictl ipam check --fix --only INV-45', about: 'only delete stray handles' },
    { command: 'calictl --datastore ./dump ipam check', about: 'check a directory of manifests from another cluster' },
  ],
  exitCodes: {
    0: 'nothing is wrong (notes and candidates allowed)',
    3: 'findings are left',
    4: 'nothing was repaired: you declined, or another repair holds the lease',
    5: 'not every repair was made, or what is left could not be checked',
  },
  args: {},
  flags,
  rules: [needs(['dryRun', 'yes', 'journal', 'noLease'], 'fix', 'without --fix nothing is written')],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: true,
    usage:
      'ipam check [--config=<CONFIG>] [--show-all-ips] [--show-problem-ips] [-o <FILE>] [--kubeconfig <KUBECONFIG>] [--allow-version-mismatch]',
    load: () => import('./calicoctl.ts'),
  }),
});
