// calictl node unwire: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { wiringArgs, wiringFlags, wiringRules } from '../wiring-flags.ts';

export const flags = {
  ...wiringFlags,
  force: flag.on('also disconnect a pod that has not finished'),
};

export type UnwireInput = InputOf<typeof flags, typeof wiringArgs>;

export const nodeUnwire = defineCommand({
  path: ['node', 'unwire'],
  summary: 'Disconnect a pod from its node',
  description:
    'Removes the veth pair that connects a pod to its node, and with it the addresses, routes and settings of both ends. ' +
    'A pod that has not finished is refused without --force. No address is released: see calictl ipam release. What an ' +
    'interrupted run of node wire did is undone as well.',
  examples: [
    { command: 'calictl node unwire shop/job-4 --via ssh --dry-run', about: 'what would be removed' },
    { command: 'calictl node unwire shop/job-4 --via ssh', about: 'disconnect a pod that has finished' },
    { command: 'calictl node unwire --netns web --via local', about: 'a namespace of this machine, without a cluster' },
  ],
  exitCodes: {
    0: 'the pod is no longer wired',
    1: 'the wiring could not be removed, or the node was not reached',
    4: 'refused: the pod may be in use, the interface is not that of a pod, or you declined',
  },
  args: wiringArgs,
  flags,
  rules: wiringRules,
  load: () => import('./run.ts'),
});
