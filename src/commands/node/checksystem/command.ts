// calictl node checksystem: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  kernelConfig: flag
    .text('FILE', "the kernel's configuration as plain text (default: the usual places, e.g. /boot/config-RELEASE)")
    .short('f'),
  output: outputFlag('table', 'json'),
};

export type ChecksystemInput = InputOf<typeof flags>;

const calicoctlFlags = {
  kernelConfig: flag
    .text('kernel-config', "the kernel's configuration as text; default: where distributions put it")
    .short('f'),
};

export type CalicoctlChecksystemInput = InputOf<typeof calicoctlFlags>;

export const nodeChecksystem = defineCommand({
  path: ['node', 'checksystem'],
  summary: 'Check that the kernel of this machine has what Calico needs',
  examples: [
    { command: 'calictl node checksystem', about: 'version and modules of the running kernel' },
    { command: 'calictl node checksystem -f /boot/config-6.1.0', about: 'using a configuration file' },
  ],
  exitCodes: { 0: 'the kernel has what Calico needs', 3: 'something that Calico needs was not found' },
  args: {},
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    takesNoConfig: true,
    load: () => import('./calicoctl.ts'),
  }),
});
