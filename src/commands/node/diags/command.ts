// calictl node diags: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  logDir: flag.text('DIR', "directory of Calico's logs").default('/var/log/calico'),
  output: outputFlag('text', 'json'),
};

export type DiagsInput = InputOf<typeof flags>;

const calicoctlFlags = {
  logDir: flag.text('LOG_DIR', "folder of Calico's logs").default('/var/log/calico'),
};

export type CalicoctlDiagsInput = InputOf<typeof calicoctlFlags>;

export const nodeDiags = defineCommand({
  path: ['node', 'diags'],
  summary: 'Collect diagnostics of this machine: network state and Calico logs',
  description:
    'Runs on the node itself, as root. To collect from all nodes of a cluster at once, from anywhere, see snapshot save ' +
    '--nodes and cluster diags.',
  examples: [{ command: 'calictl node diags', about: 'routes, addresses, packet filter, logs, in one .tar.gz' }],
  args: {},
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    takesNoConfig: true,
    description: 'Collect what this machine says of its network and of Calico.\nRuns on the node itself, as root.',
    load: () => import('./calicoctl.ts'),
  }),
});
