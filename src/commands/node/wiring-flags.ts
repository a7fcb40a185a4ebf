// What node wire and node unwire take alike: which pod, where it is, how the run is recorded.
import { arg, flag, type InputOf, some } from '../parameters.ts';
import { outputFlag, yesFlag } from '../shared-flags.ts';
import { transportFlags } from '../transport-flags.ts';

export const wiringArgs = { pod: arg.pod('the pod') };

export const wiringFlags = {
  netns: flag.text('NS', "the pod's network namespace on the node: a name of ip netns, or a path"),
  node: flag.text('NODE', 'the node (default: that of the pod; without a pod, this machine)'),
  interface: flag.text('NAME', "name of the node's end (default: the one that Calico gives the pod)"),
  podInterface: flag.text('NAME', "name of the pod's end").default('eth0'),
  dryRun: flag.on('show the plan, change nothing'),
  yes: yesFlag,
  journal: flag.text('FILE', 'where the run is recorded (default: a file for the interface in the state directory)'),
  output: outputFlag('text', 'json'),
  timeout: flag.duration('time limit for each command on the node', { min: 1 }).default('30s'),
  ...transportFlags,
};

export type WiringInput = InputOf<typeof wiringFlags, typeof wiringArgs>;

export const wiringRules = [
  some(['pod', 'netns'], 'no pod was named', 'specify a pod as NAMESPACE/NAME, or its network namespace with --netns'),
] as const;
