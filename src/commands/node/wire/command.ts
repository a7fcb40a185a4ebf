// calictl node wire: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { wiringArgs, wiringFlags, wiringRules } from '../wiring-flags.ts';

const { netns, node, interface: hostInterface, podInterface, ...others } = wiringFlags;

export const flags = {
  netns,
  ip: flag.ip("address of the pod (default: those that the pod's object lists)").repeatable(),
  node,
  mtu: flag.count('N', 'MTU of both ends (default: /var/lib/calico/mtu of the node, else 1500)', {
    min: 68,
    max: 65_535,
  }),
  interface: hostInterface,
  podInterface,
  allowIpForwarding: flag.on('let the pod forward packets, as allow_ip_forwarding of the CNI configuration does'),
  ...others,
};

export type WireInput = InputOf<typeof flags, typeof wiringArgs>;

export const nodeWire = defineCommand({
  path: ['node', 'wire'],
  summary: 'Connect a pod to its node, step by step, as the CNI plugin does',
  description:
    'Makes the veth pair that connects a pod to its node, the settings of both ends, the routes and addresses of the ' +
    'pod, and the routes of the node. Shows each step with its command and its reason. What is already in place is left ' +
    'alone, so the command can be run again at any time, and completes the wiring of a pod that lost a part of it. ' +
    'If a step fails, everything is undone; the next run finishes or undoes a run that was killed. An interface or a ' +
    'route that belongs to something else is never replaced (exit 4). No address is allocated: see calictl ipam assign. ' +
    'The node is reached by SSH, or is this machine: the image of calico-node cannot enter the namespaces of pods.',
  examples: [
    { command: 'calictl node wire shop/web --via ssh --dry-run', about: 'the plan for a pod, with its commands' },
    { command: 'calictl node wire shop/web --via ssh', about: 'make what is missing' },
    {
      command: 'calictl node wire --netns web --ip 10.65.0.2 --ip fd00:65::2 --via local',
      about: 'a namespace of this machine, without a cluster',
    },
  ],
  exitCodes: {
    0: 'the pod is wired',
    1: 'a step failed and everything was undone, or the node was not reached',
    4: 'refused: something else is in the way, or you declined',
  },
  args: wiringArgs,
  flags,
  rules: wiringRules,
  load: () => import('./run.ts'),
});
